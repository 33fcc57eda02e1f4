import { join } from 'node:path';

import { AppError } from '../base/index.ts';
import type { Work } from '../works/index.ts';
import { readWorks, workFromText } from '../works/index.ts';
import type { DownloadAssembly } from './open-download.ts';
import { listWorks } from './listing.ts';

/** Which works are wanted, besides those named by their ids. */
export interface WantedWorks {
  /** What the works are about. */
  readonly topic?: string | undefined;
  /** Files that list works: JSONL, CSV, BibTeX, RIS, or ids line by line. */
  readonly input?: readonly string[] | undefined;
  /** At most this many works. */
  readonly max?: number | undefined;
  readonly yearStart?: number | undefined;
  readonly yearEnd?: number | undefined;
  /** Only works that OpenAlex says are open. */
  readonly oaOnly?: boolean | undefined;
  readonly type?: string | undefined;
  readonly language?: string | undefined;
}

/** What finding works needs. */
interface ProviderParts {
  readonly send: DownloadAssembly['send'];
  readonly services: DownloadAssembly['services'];
  readonly contact: string;
  readonly signal: AbortSignal;
  readonly tell: (message: string) => void;
  /** Where a listing that ends early is written down; none for one that only looks. */
  readonly statePath: string | undefined;
}

/** Works from the command line, then from files, then on the topic; at most as many as were asked for. */
export function wantedWorks(ids: readonly string[], options: WantedWorks, parts: ProviderParts): AsyncGenerator<Work> {
  return limited(works(ids, options, parts), options.max);
}

async function* works(ids: readonly string[], options: WantedWorks, parts: ProviderParts): AsyncGenerator<Work> {
  for (const id of ids) {
    const listed = workFromText(id);
    if (listed.kind === 'work') yield listed.work;
    else
      throw new AppError('USAGE_ID', `"${id.slice(0, 100)}" is no id that we know: ${listed.reason}`, {
        hint: 'a DOI, arXiv id, PMCID, OpenAlex id or URL',
      });
  }
  for (const file of options.input ?? []) {
    for await (const listed of readWorks(file)) {
      if (listed.kind === 'work') yield listed.work;
      else parts.tell(`${file}, line ${listed.line}: ${listed.reason}`);
    }
  }
  if (options.topic === undefined) return;
  const { topic, yearStart, yearEnd, oaOnly, type, language } = options;
  const { send, services, contact, signal, tell, statePath } = parts;
  yield* listWorks(
    { topic, yearStart, yearEnd, oaOnly, type, language },
    {
      send,
      baseUrl: services.base('openalex'),
      credentials: services.credentials('openalex'),
      mailto: contact,
      signal,
      tell,
      statePath,
      ...(options.max !== undefined && { maxResults: options.max }),
    },
  );
}

async function* limited(source: AsyncIterable<Work>, max: number | undefined): AsyncGenerator<Work> {
  let yielded = 0;
  for await (const work of source) {
    if (max !== undefined && yielded >= max) return;
    yielded += 1;
    yield work;
  }
}

/** Where the run in a folder keeps how far its listing came. */
export function listingPath(out: string): string {
  return join(out, 'state', 'listing.json');
}
