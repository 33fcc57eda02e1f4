import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Config } from '../../config/index.ts';
import { DOCTAGS_FOLDER } from '../../parse/index.ts';

/** Where a download keeps its files, by kind. */
const KEPT = [
  ['PDF', 'pdf'],
  ['XML', 'xml'],
  ['HTML', 'html'],
] as const;

/**
 * Where a reader finds a document: in the run folder, relative to it so that it can be moved, else where the parser
 * found it.
 */
export function documentLinks(runFolder: string, dataRoot: string): (documentId: string) => string | undefined {
  return (id) => {
    for (const [folder, ending] of KEPT) {
      const kept = join(folder, `${id}.${ending}`);
      if (existsSync(join(runFolder, kept))) return kept;
    }
    try {
      const sidecar = readFileSync(join(dataRoot, DOCTAGS_FOLDER, `${id}.meta.json`), 'utf8');
      return (JSON.parse(sidecar) as { readonly source?: string }).source;
    } catch {
      return undefined; // Without a sidecar there is a passage all the same, only no link.
    }
  };
}

/** Where the stages write their manifests. */
export function manifestFolder({ parse }: Config): string {
  return join(parse.data_root, 'Manifests');
}
