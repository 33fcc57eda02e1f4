import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

import type { Clock } from '../base/index.ts';
import { AppError, wait } from '../base/index.ts';
import type { Records } from '../store/index.ts';
import type { ListedWork, OpenAlexQuery, Work, WorkRecord } from '../works/index.ts';
import {
  emptyRecord,
  filterFor,
  findOpenAlexId,
  listFormatOf,
  NO_IDS,
  normalizeOpenAlexId,
  parseOpenAlexUrl,
  parseZotero,
  readWorks,
  readZotero,
  withProvenance,
  workFromText,
} from '../works/index.ts';
import type { Asking } from './open-download.ts';
import { listWorks } from './listing.ts';
import type { ZoteroVersions } from './zotero-versions.ts';
import type { ReviewFile } from './review-file.ts';
import type { UnreadableEntry } from './list-entry.ts';
import { searched, TitleCounts } from './search-titles.ts';

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
  /** Conditions in OpenAlex's own words. */
  readonly filter?: string | undefined;
  /** Works of these people, by ORCID. */
  readonly orcid?: readonly string[] | undefined;
  /** Works from these institutions, by ROR. */
  readonly ror?: readonly string[] | undefined;
  /** Works that cite these, by OpenAlex id or DOI. */
  readonly cites?: readonly string[] | undefined;
  /** The same, in the words of `graph cited-by`. */
  readonly citedBy?: readonly string[] | undefined;
  /** Works that these cite. */
  readonly references?: readonly string[] | undefined;
  /** How many steps of citations are followed; 1 unless told otherwise. */
  readonly depth?: number | undefined;
}

/** Whether anything is to be listed by OpenAlex. */
export function asksOpenAlex({ topic, filter, orcid, ror, cites, citedBy, references }: WantedWorks): boolean {
  return [topic, filter, orcid, ror, cites, citedBy, references].some((each) => each !== undefined && each.length > 0);
}

/** What finding works needs. */
interface ProviderParts extends Asking {
  /** Where it is kept what lists and services say about works; none where nothing is to be written. */
  readonly records: Pick<Records, 'add'> | undefined;
  readonly signal: AbortSignal;
  readonly tell: (message: string) => void;
  /** Takes down an entry of a list that cannot be read; none where nothing is to be written. */
  readonly unreadable?: (entry: UnreadableEntry) => Promise<void>;
  /** Takes down which work an entry without an id turned out to be. */
  readonly identified?: (entry: string, work: Work) => Promise<void>;
  /** Takes down which input file named a work. */
  readonly listed?: (file: string, work: string) => void;
  /** Where doubtful ones wait for somebody to decide; none where nothing is to be written. */
  readonly review?: ReviewFile;
  readonly clock: Clock;
  /** Up to which version libraries have been read; none for whoever only looks. */
  readonly zoteroVersions?: ZoteroVersions | undefined;
  /** Where a listing that ends early is written down; none for one that only looks. */
  readonly statePath: string | undefined;
}

/** Refuses what cannot be asked for, before anything is made: ids nobody knows, files that are not there, years that cross. */
export function checkWanted(ids: readonly string[], options: WantedWorks): void {
  const unknown = ids.filter((id) => workFromText(id).kind !== 'work' && !parseOpenAlexUrl(id));
  if (unknown.length > 0) {
    const names = unknown.slice(0, 5).map((id) => `"${id.slice(0, 100)}"`);
    const more = unknown.length > names.length ? ` and ${unknown.length - names.length} more` : '';
    throw new AppError('USAGE_ID', `${names.join(', ')}${more}: not a recognised identifier`, {
      hint: 'use a DOI, arXiv id, PMID, PMCID, OpenAlex, HAL or Zenodo id, or the URL of a paper',
    });
  }
  for (const path of options.input ?? []) if (!parseZotero(path)) checkList(path);
  filterFor({ ...options, cites: citedWorks(options) });
  if (options.topic?.trim() === '')
    throw new AppError('USAGE_TOPIC', '--topic is empty', { hint: 'describe the topic in a few words' });
  const { yearStart, yearEnd } = options;
  if (yearStart !== undefined && yearEnd !== undefined && yearStart > yearEnd) {
    throw new AppError('USAGE_YEARS', `--year-start ${yearStart} is after --year-end ${yearEnd}`, {
      hint: 'swap the two years',
    });
  }
}

function checkList(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  const fault = (message: string, hint: string): AppError => new AppError('USAGE_INPUT', message, { hint });
  if (!found) throw fault(`--input ${path}: no such file`, 'check the path');
  if (found.isDirectory())
    throw fault(
      `--input ${path}: is a folder, not a list of works`,
      'docstokg run --input FOLDER takes the papers in a folder; contentdownload wants a list',
    );
  if (found.size === 0) throw fault(`--input ${path}: the file is empty`, 'it should list works, one entry each');
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new AppError('USAGE_INPUT', `--input ${path}: permission denied`, {
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
    const pasted = parseOpenAlexUrl(id);
    if (pasted) yield* listing({ ...pasted }, { ...parts, statePath: undefined }, options.max);
    else yield* namedBy(id);
  }
  for (const file of options.input ?? []) yield* worksOfList(file, parts);
  if (!asksOpenAlex(options)) return;
  const { depth = 1 } = options;
  const named = await withOpenAlexIds(options, parts);
  yield* listing(queryOf(named), parts, options.max);
  if (depth > 1) yield* snowball(named, parts);
}

function citedWorks({ cites = [], citedBy = [] }: WantedWorks): readonly string[] {
  return [...cites, ...citedBy];
}

/** The same question with the OpenAlex ids of works that were named by their DOIs: OpenAlex knows citations by these only. */
async function withOpenAlexIds(
  options: WantedWorks,
  parts: Asking & { readonly signal: AbortSignal },
): Promise<WantedWorks> {
  const idsOf = (names: readonly string[]): Promise<string[]> =>
    Promise.all(names.map(async (name) => normalizeOpenAlexId(name) ?? (await openAlexIdOf(name, parts))));
  const { references = [] } = options;
  return {
    ...options,
    cites: await idsOf(citedWorks(options)),
    citedBy: undefined,
    references: await idsOf(references),
  };
}

function openAlexIdOf(name: string, parts: Asking & { readonly signal: AbortSignal }): Promise<string> {
  const { send, services, contact, signal } = parts;
  const options = {
    baseUrl: services.base('openalex'),
    credentials: services.credentials('openalex'),
    mailto: contact,
  };
  return findOpenAlexId(name, { send, ...options }, signal);
}

function namedBy(id: string): Work[] {
  const listed = workFromText(id);
  return listed.kind === 'work' ? [listed.work] : [];
}

/** The works that are named one by one, by their ids or in lists. */
export async function* namedWorks(
  ids: readonly string[],
  options: WantedWorks,
  parts: ProviderParts,
): AsyncGenerator<Work> {
  for (const id of ids) if (!parseOpenAlexUrl(id)) yield* namedBy(id);
  for (const file of options.input ?? []) yield* worksOfList(file, parts);
}

/** What OpenAlex is asked to list; of citations the first step. */
export async function wantedListings(
  ids: readonly string[],
  options: WantedWorks,
  parts: Asking & { readonly signal: AbortSignal },
): Promise<OpenAlexQuery[]> {
  const pasted = ids.flatMap((id) => parseOpenAlexUrl(id) ?? []);
  return asksOpenAlex(options) ? [...pasted, queryOf(await withOpenAlexIds(options, parts))] : pasted;
}

function queryOf(options: WantedWorks): OpenAlexQuery {
  const { topic, yearStart, yearEnd, oaOnly, type, language } = options;
  return { topic, filter: filterFor(options), yearStart, yearEnd, oaOnly, type, language };
}

/** The works of a list, with what it says about them; an entry that names none is taken down by its line. */
async function* worksOfList(file: string, parts: ProviderParts): AsyncGenerator<Work> {
  const { send, services, records, signal, tell, clock, zoteroVersions: versions } = parts;
  const zotero = parseZotero(file);
  const entries = zotero
    ? readZotero(zotero, {
        send,
        web: { base: services.base('zotero'), credentials: services.credentials('zotero') },
        wait: (ms, stop) => wait(parts.webClock, ms, stop),
        // A library that has not changed has brought all its works already.
        since: versions?.of(zotero.path),
        kept: (version) => versions?.read(zotero.path, version),
        signal,
      })
    : readWorks(file);
  const counts = new TitleCounts();
  for await (const entry of entries) {
    const listed = entry.kind === 'cited' ? await searched(file, entry, parts, counts) : entry;
    // What waits in the review file has its row under the name of the list that it came from.
    if (listed.kind === 'undecided') {
      tell(`${file}, line ${listed.line} (${listed.entry}): ${listed.reason}`);
      continue;
    }
    if (listed.kind === 'bad') {
      const { word = 'unreadable-entry' } = listed as Partial<Pick<UnreadableEntry, 'word'>>;
      tell(`${file}, line ${listed.line}: ${listed.reason}`);
      const record = entry.kind === 'cited' ? citedRecord(entry) : undefined;
      await parts.unreadable?.({ file, line: listed.line, word, reason: listed.reason, ...(record && { record }) });
      continue;
    }
    if (listed.decides !== undefined) await parts.identified?.(listed.decides, listed.work);
    if (listed.record) {
      const at = new Date(clock.now()).toISOString();
      records?.add([{ ...listed.record, sources: listed.record.sources.map((source) => ({ ...source, at })) }]);
    }
    parts.listed?.(file, listed.work.id);
    yield listed.work;
  }
  const told = counts.inWords();
  if (told !== undefined) tell(`${file}: ${told}`);
}

/** What a list says of a work that was not found: it is shown by this, and may be found another time. */
function citedRecord({ cited, record }: Extract<ListedWork, { kind: 'cited' }>): WorkRecord {
  const { title, text, year } = cited;
  const plain = { ...emptyRecord('', NO_IDS), title: title ?? text, date: year === null ? null : String(year) };
  return record ?? withProvenance(plain, 'list', '');
}

/** Works around works around works: each step asks for what cites, or is cited by, what the step before has found. */
async function* snowball(options: WantedWorks, parts: ProviderParts): AsyncGenerator<Work> {
  const seen = new Set<string>();
  let front: Pick<WantedWorks, 'cites' | 'references'> = options;
  for (let step = 1; step <= (options.depth ?? 1); step += 1) {
    const found: { cites: string[]; references: string[] } = { cites: [], references: [] };
    for (const way of ['cites', 'references'] as const) {
      const ids = front[way] ?? [];
      for (let at = 0; at < ids.length; at += IDS_TOGETHER) {
        const asked = { ...options, cites: undefined, references: undefined, [way]: ids.slice(at, at + IDS_TOGETHER) };
        for await (const work of listing(queryOf(asked), { ...parts, statePath: undefined }, options.max)) {
          if (seen.has(work.id)) continue;
          seen.add(work.id);
          found[way].push(work.id);
          // The first step has been listed already: here it only leads on.
          if (step > 1) yield work;
        }
      }
    }
    front = found;
  }
}

/** So many ids fit into one question. */
const IDS_TOGETHER = 50;

function listing(query: OpenAlexQuery, parts: ProviderParts, max: number | undefined): AsyncGenerator<Work> {
  const { send, services, contact, records, signal, tell, statePath } = parts;
  return listWorks(query, {
    send,
    baseUrl: services.base('openalex'),
    credentials: services.credentials('openalex'),
    mailto: contact,
    signal,
    tell,
    statePath,
    keep: (found) => records?.add(found),
    ...(max !== undefined && { maxResults: max }),
  });
}

async function* limited(source: AsyncIterable<Work>, max: number | undefined): AsyncGenerator<Work> {
  let yielded = 0;
  for await (const work of source) {
    if (max !== undefined && yielded >= max) return;
    yielded += 1;
    yield work;
  }
}

/** Where the run in a folder keeps up to which version it has read libraries of Zotero. */
export function zoteroPath(out: string): string {
  return join(out, 'state', 'zotero.json');
}

/** Where the run in a folder keeps how far its listing came. */
export function listingPath(out: string): string {
  return join(out, 'state', 'listing.json');
}
