import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { AppError } from '../base/index.ts';
import type { ModelIdentity } from '../parse/index.ts';
import { ANALYSIS } from '../parse/index.ts';
import type { DenseLayout } from './dense.ts';

export const INDEX_SCHEMA = 'docstokg/index/2';
export const MANIFEST_NAME = 'index.json';

/** What an index is made of. Its files carry a name of their own for each build, so that this one file decides. */
export interface IndexManifest {
  readonly schema: string;
  readonly analysis: string;
  readonly passages: number;
  /** What it was built from, where the builder said it. */
  readonly source?: string;
  readonly files: {
    readonly passages: string;
    readonly offsets: string;
    readonly lexical: string;
    readonly dense: string | null;
  };
  readonly dense: (DenseLayout & { readonly model: ModelIdentity }) | null;
}

/** Reads what an index is made of; refuses one that this version cannot search. */
export async function readManifest(folder: string): Promise<IndexManifest> {
  const path = join(folder, MANIFEST_NAME);
  let manifest: IndexManifest;
  try {
    manifest = JSON.parse(await readFile(path, 'utf8')) as IndexManifest;
  } catch (cause) {
    throw new AppError('INDEX_MISSING', `there is no index in ${folder}`, {
      hint: 'build it first: docstokg run, or docparse embed',
      cause,
    });
  }
  if (manifest.schema !== INDEX_SCHEMA || manifest.analysis !== ANALYSIS) {
    throw new AppError(
      'INDEX_SCHEMA',
      `${path} was written by another version (${manifest.schema}, ${manifest.analysis})`,
      {
        hint: 'build the index again',
      },
    );
  }
  return manifest;
}
