import { existsSync, statSync } from 'node:fs';

import { AppError } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { WantedWorks } from '../harvest/index.ts';
import { asksOpenAlex, checkDownload, checkFolder, checkWanted } from '../harvest/index.ts';
import { parseZotero } from '../works/index.ts';
import type { RunAsked } from './run-file.ts';
import { readRunFile } from './run-file.ts';

/** The contents of a corpus; without topic, ids or input, the folder's last request. */
export interface GatherRequest extends RunAsked {
  /** Where to stop: after downloading the files, or after indexing, the default. */
  readonly until?: 'files' | 'index' | undefined;
}

/** A resolved request: works to find, existing papers, and the settings with its contact address. */
export interface WantedDocuments {
  readonly ids: readonly string[];
  /** Its `input` has only lists of works. */
  readonly wanted: WantedWorks;
  /** Existing papers, and folders of them. */
  readonly papers: readonly string[];
  /** The only works that are downloaded; undefined for all. */
  readonly only: ReadonlySet<string> | undefined;
  readonly config: Config;
}

/** The given request, or the folder's last one. */
export async function askedFor(folder: string, given: RunAsked): Promise<RunAsked> {
  const { ids = [], input, mailto, works } = given;
  if (asksOpenAlex(given) || input !== undefined || ids.length > 0)
    return Object.fromEntries(Object.entries({ ...given, ids }).filter(([, value]) => value !== undefined));
  const before = await readRunFile(folder);
  const changed = { ...(mailto !== undefined && { mailto }), ...(works !== undefined && { works }) };
  if (before) return { ...before.asked, ...changed };
  if (works !== undefined) return changed;
  throw new AppError('USAGE_NOTHING_TO_RUN', 'no works or papers given', {
    hint: 'give a topic, ids, input files, or the folder of an earlier run; docstokg run --help shows examples',
  });
}

/** Separates papers from lists of works, and applies the given contact address. */
export function wantedDocuments(
  asked: RunAsked,
  config: Config,
  choose?: (which: string) => ReadonlySet<string>,
): WantedDocuments {
  const { ids = [], input = [], mailto, works, ...wanted } = asked;
  const only = works === undefined ? undefined : choose?.(works);
  if (only?.size === 0)
    throw new AppError('USAGE_WORKS', `no works are "${works ?? ''}" here`, { hint: 'docstokg screen decides which are included' }); // prettier-ignore
  // Without another request, the selected works are the request; unidentified list entries cannot be selected.
  const isAll = ids.length === 0 && input.length === 0 && !asksOpenAlex(asked);
  return {
    ids: only && isAll ? [...only].filter((id) => !id.startsWith('entry:')) : ids,
    only,
    wanted: { ...wanted, input: input.filter((path) => !isPapers(path)) },
    papers: input.filter(isPapers),
    config: {
      ...config,
      http: {
        ...config.http,
        contact: mailto ?? config.http.contact,
        // Naming the local Zotero allows requests to it.
        allow: [...config.http.allow, ...(input.some((path) => parseZotero(path)?.isLocal) ? ['127.0.0.1:23119'] : [])],
      },
    },
  };
}

/** Rejects an invalid request before anything is created. */
export function checkDocuments(documents: WantedDocuments): void {
  checkWanted(documents.ids, documents.wanted);
  for (const path of documents.papers) {
    if (!existsSync(path))
      throw new AppError('USAGE_INPUT', `--input ${path}: no such file or folder`, { hint: 'check the path' });
  }
  if (wantsWorks(documents)) checkDownload(documents.config);
  else checkFolder(documents.config.download.out);
}

/** Whether there are works to find, not only existing papers. */
export function wantsWorks({ ids, wanted }: WantedDocuments): boolean {
  return ids.length > 0 || asksOpenAlex(wanted) || (wanted.input?.length ?? 0) > 0;
}

/** A folder, or a file that is a paper and not a list of works. */
function isPapers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true || /\.(pdf|x?html?|n?xml)(\.gz)?$/i.test(path);
}
