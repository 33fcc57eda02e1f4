import { existsSync } from 'node:fs';

import { sha256 } from '../base/index.ts';
import type { Corpus } from '../corpus/index.ts';
import type { ItemSource, WorkItem } from '../stage/index.ts';
import { fingerprintPath, hashOfInputs } from '../stage/index.ts';
import { pathIn } from './saved-tables.ts';

/** Where the rows of tables and what they are made of are: in the folder, or shared with other machines. */
export interface TablePlace {
  /** Whether a file of the corpus is there. */
  has(path: string): boolean;
  /** Makes sure that a file is on this machine; returns its path. */
  bring(path: string): Promise<string>;
  /**
   * The hash of what a row is made of, if that is not the hash of files of this machine: for an index without its passages
   * that of the document's name.
   */
  hashOf(document: string, inputs: Readonly<Record<string, string>>): string | undefined;
  /** The rows to fill in, each kept where the other machines find it. */
  source(items: readonly WorkItem[]): readonly WorkItem[] | ItemSource;
}

/** In the folder of a corpus on one machine, or in the store of a corpus that machines share. */
export function tablePlace(corpus: Pick<Corpus, 'folder' | 'shared'>): TablePlace {
  const files = corpus.shared?.files;
  const has = (path: string): boolean => existsSync(path) || files?.of(pathIn(corpus, path)) !== undefined;
  if (!files)
    return {
      has,
      bring: async (path) => path,
      hashOf: (document, inputs) => (Object.keys(inputs).length === 0 ? sha256(document) : undefined),
      source: (items) => items,
    };
  return {
    has,
    async bring(path) {
      await files.bring(pathIn(corpus, path));
      return path;
    },
    // A machine that only asks has no chunks, and knows their hashes.
    hashOf(document, inputs) {
      const hashes = Object.entries(inputs).map(([name, path]) => [name, files.of(pathIn(corpus, path))?.sha256 ?? '']);
      return hashes.length === 0
        ? sha256(document)
        : hashOfInputs(Object.fromEntries(hashes) as Record<string, string>);
    },
    source(items) {
      const left = [...items];
      return {
        take: async (limit) => (left.length > 0 ? left.splice(0, limit).map((item) => ({ item })) : undefined),
        async settle(item, { kind }) {
          const paths = [...Object.values(item.outputs), fingerprintPath(item)].filter((path) => existsSync(path));
          if (kind === 'success' || kind === 'skip') await files.save(paths.map((path) => pathIn(corpus, path)));
        },
      };
    },
  };
}
