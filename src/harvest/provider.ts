import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

import { AppError } from '../base/index.ts';
import type { RecordStore, Work } from '../works/index.ts';
import { listFormatOf, readWorks, workFromText } from '../works/index.ts';
import type { Asking } from './open-download.ts';
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
interface ProviderParts extends Asking {
  /** Where it is kept what lists and services say about works; none where nothing is to be written. */
  readonly records: Pick<RecordStore, 'add'> | undefined;
  readonly signal: AbortSignal;
  readonly tell: (message: string) => void;
  /** Where a listing that ends early is written down; none for one that only looks. */
  readonly statePath: string | undefined;
}

/** Refuses what cannot be asked for, before anything is made: ids nobody knows, files that are not there, years that cross. */
export function checkWanted(ids: readonly string[], options: WantedWorks): void {
  const unknown = ids.filter((id) => workFromText(id).kind === 'bad');
  if (unknown.length > 0) {
    const names = unknown.slice(0, 5).map((id) => `"${id.slice(0, 100)}"`);
    const more = unknown.length > names.length ? ` and ${unknown.length - names.length} more` : '';
    throw new AppError('USAGE_ID', `${names.join(', ')}${more}: no id of a work`, {
      hint: 'known are DOIs, arXiv ids, PMIDs and PMCIDs, OpenAlex, HAL and Zenodo ids, and URLs of papers',
    });
  }
  for (const path of options.input ?? []) checkList(path);
  if (options.topic?.trim() === '')
    throw new AppError('USAGE_TOPIC', '--topic is empty', { hint: 'say in a few words what the works are about' });
  const { yearStart, yearEnd } = options;
  if (yearStart !== undefined && yearEnd !== undefined && yearStart > yearEnd) {
    throw new AppError('USAGE_YEARS', `--year-start ${yearStart} is after --year-end ${yearEnd}`, {
      hint: 'the first year comes first',
    });
  }
}

function checkList(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  const fault = (message: string, hint: string): AppError => new AppError('USAGE_INPUT', message, { hint });
  if (!found) throw fault(`--input ${path}: there is no such file`, 'check the path');
  if (found.isDirectory())
    throw fault(
      `--input ${path}: a folder is no list of works`,
      'docstokg run --input FOLDER takes the papers in a folder; contentdownload wants a list',
    );
  if (found.size === 0) throw fault(`--input ${path}: the file is empty`, 'it should list works, one entry each');
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new AppError('USAGE_INPUT', `--input ${path}: the file may not be read`, {
      hint: 'check its permissions',
      cause: error,
    });
  }
  listFormatOf(path);
}

/** Works from the command line, then from files, then on the topic; at most as many as were asked for. */
export function wantedWorks(ids: readonly string[], options: WantedWorks, parts: ProviderParts): AsyncGenerator<Work> {
  return limited(works(ids, options, parts), options.max);
}

async function* works(ids: readonly string[], options: WantedWorks, parts: ProviderParts): AsyncGenerator<Work> {
  checkWanted(ids, options);
  for (const id of ids) {
    const listed = workFromText(id);
    if (listed.kind === 'work') yield listed.work;
  }
  for (const file of options.input ?? []) {
    for await (const listed of readWorks(file)) {
      if (listed.kind === 'work') yield listed.work;
      else parts.tell(`${file}, line ${listed.line}: ${listed.reason}`);
    }
  }
  if (options.topic === undefined) return;
  const { topic, yearStart, yearEnd, oaOnly, type, language } = options;
  const { send, services, contact, records, signal, tell, statePath } = parts;
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
      keep: (found) => records?.add(found),
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
