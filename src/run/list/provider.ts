import { accessSync, constants, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { AppError, canonicalJson, wait, writeOwnFile, readFields } from '../../base/index.ts';
import type { Records } from '../../database/index.ts';
import type {
  ListedWork,
  OpenAlexOptions,
  OpenAlexQuery,
  OpenAlexState,
  Work,
  WorkConditions,
  WorkRecord,
} from '../../works/index.ts';
import {
  citedWork,
  filterFor,
  findOpenAlexId,
  iterateOpenAlex,
  listFormatOf,
  normalizeOpenAlexId,
  parseOpenAlexUrl,
  parseZotero,
  readWorks,
  readZotero,
  workFromText,
} from '../../works/index.ts';
import type { Asking } from '../download/open-download.ts';
import type { Cited, ReviewFile, TitleCounts, UnreadableEntry } from './search-titles.ts';
import { searched, titlesInWords } from './search-titles.ts';

export interface WantedWorks extends Omit<OpenAlexQuery, 'search'>, WorkConditions {
  /** Lists of works: JSONL, CSV, BibTeX, RIS, or one id per line. */
  readonly input?: readonly string[] | undefined;
  readonly max?: number | undefined;
  /** Same as `cites`, named as in `graph cited-by`. */
  readonly citedBy?: readonly string[] | undefined;
  /** Steps of citations to follow; default 1. */
  readonly depth?: number | undefined;
}

export function asksOpenAlex({ topic, filter, orcid, ror, cites, citedBy, references }: WantedWorks): boolean {
  return [topic, filter, orcid, ror, cites, citedBy, references].some((each) => each !== undefined && each.length > 0);
}

interface ProviderParts extends Asking {
  /** Stores records from lists and services; undefined if nothing is to be written. */
  readonly records: Pick<Records, 'add'> | undefined;
  readonly signal: AbortSignal;
  /** Resolves when the works given so far are in the queue; undefined if they go into none. */
  readonly queued?: (() => Promise<void>) | undefined;
  readonly tell: (message: string) => void;
  /** Called with an entry without a known work; returns its name. */
  readonly unreadable?: (entry: UnreadableEntry) => Promise<string>;
  /** Called when the work of an entry without an id is found. */
  readonly identified?: (entry: string, work: Work, record: WorkRecord) => Promise<void>;
  readonly entries?: readonly WorkRecord[];
  /** Called with each entry of a list: the work it names, or its own name. */
  readonly listed?: (file: string, work: string) => void;
  readonly review?: ReviewFile;
  readonly clock: Clock;
  /** Library versions already read; undefined if nothing is to be written. */
  readonly zoteroVersions?: ZoteroVersions | undefined;
  /** File with the progress of the listing; undefined if nothing is to be written. */
  readonly statePath: string | undefined;
}

/** Refuses invalid requests before anything is created: unknown ids, missing files, swapped years. */
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
  const fault = (message: string, hint: string, cause?: unknown): AppError =>
    new AppError('USAGE_INPUT', `--input ${path}: ${message}`, { hint, cause });
  if (!found) throw fault('no such file', 'check the path');
  if (found.isDirectory())
    throw fault(
      'is a folder, not a list of works',
      'docstokg run --input FOLDER takes the papers in a folder; contentdownload wants a list',
    );
  if (found.size === 0) throw fault('the file is empty', 'it should list works, one entry each');
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw fault('permission denied', 'check its permissions', error);
  }
  listFormatOf(path);
}

/** By id, then from lists, then by queries; at most `max`. */
export async function* wantedWorks(
  ids: readonly string[],
  options: WantedWorks,
  parts: ProviderParts,
): AsyncGenerator<Work> {
  let left = options.max ?? Infinity;
  for await (const work of works(ids, options, parts)) {
    if (left <= 0) return;
    left -= 1;
    yield work;
  }
}

async function* works(ids: readonly string[], options: WantedWorks, parts: ProviderParts): AsyncGenerator<Work> {
  checkWanted(ids, options);
  yield* namedWorks(ids, options, parts);
  for (const pasted of pastedQueries(ids)) yield* listing(pasted, { ...parts, statePath: undefined }, options.max);
  if (!asksOpenAlex(options)) return;
  const named = await withOpenAlexIds(options, parts);
  yield* listing(queryOf(named), parts, options.max);
  if ((options.depth ?? 1) > 1) yield* snowball(named, parts);
}

function pastedQueries(ids: readonly string[]): OpenAlexQuery[] {
  return ids.flatMap((id) => parseOpenAlexUrl(id) ?? []);
}

function citedWorks({ cites = [], citedBy = [] }: WantedWorks): readonly string[] {
  return [...cites, ...citedBy];
}

/** OpenAlex finds citations by its own ids only. */
async function withOpenAlexIds(
  options: WantedWorks,
  parts: Asking & { readonly signal: AbortSignal },
): Promise<WantedWorks> {
  const idsOf = (names: readonly string[]): Promise<string[]> =>
    Promise.all(
      names.map(
        async (name) => normalizeOpenAlexId(name) ?? (await findOpenAlexId(name, openAlexAccess(parts), parts.signal)),
      ),
    );
  const { references = [] } = options;
  return {
    ...options,
    cites: await idsOf(citedWorks(options)),
    citedBy: undefined,
    references: await idsOf(references),
  };
}

export function openAlexAccess({ send, services, contact }: Pick<Asking, 'send' | 'services' | 'contact'>) {
  const credentials = services.credentials('openalex');
  return { send, baseUrl: services.base('openalex'), credentials, mailto: contact };
}

export async function* namedWorks(
  ids: readonly string[],
  options: WantedWorks,
  parts: ProviderParts,
): AsyncGenerator<Work> {
  for (const id of ids) {
    const listed = parseOpenAlexUrl(id) ? undefined : workFromText(id);
    if (listed?.kind === 'work') yield listed.work;
  }
  const entries = (parts.entries ?? []).flatMap((record) => recordedEntry(record) ?? []);
  for (const [file, some] of Map.groupBy(entries, ({ file }) => file)) yield* worksOf(file, some, parts);
  for (const file of options.input ?? []) yield* worksOfList(file, parts);
}

/** The OpenAlex queries of a request; for citations the first step only. */
export async function wantedListings(
  ids: readonly string[],
  options: WantedWorks,
  parts: Asking & { readonly signal: AbortSignal },
): Promise<OpenAlexQuery[]> {
  const pasted = pastedQueries(ids);
  return asksOpenAlex(options) ? [...pasted, queryOf(await withOpenAlexIds(options, parts))] : pasted;
}

function queryOf(options: WantedWorks): OpenAlexQuery {
  const { topic, yearStart, yearEnd, oaOnly, type, language } = options;
  return { topic, filter: filterFor(options), yearStart, yearEnd, oaOnly, type, language };
}

/** An entry of an earlier list, from its record; undefined without a title. */
function recordedEntry(record: WorkRecord): (Cited & { readonly file: string }) | undefined {
  const name = record.id.replace(/^entry:/, '');
  const hash = name.lastIndexOf('#');
  const [file, line] = [name.slice(0, hash), Number.parseInt(name.slice(hash + 1), 10)];
  const { title, url } = record;
  if (title === null) return undefined;
  const urls = url === null ? [] : [url];
  return { kind: 'cited', file, line, name, cited: citedWork(record, title), urls, record };
}

function worksOfList(file: string, parts: ProviderParts): AsyncGenerator<Work> {
  const { send, services, signal, zoteroVersions: versions } = parts;
  const zotero = parseZotero(file);
  const entries = zotero
    ? readZotero(zotero, {
        send,
        web: { base: services.base('zotero'), credentials: services.credentials('zotero') },
        wait: (ms, stop) => wait(parts.webClock, ms, stop),
        // All works of an unchanged library are already known.
        since: versions?.of(zotero.path),
        kept: (version) => versions?.read(zotero.path, version),
        signal,
      })
    : readWorks(file);
  return worksOf(file, entries, parts);
}

async function* worksOf(
  file: string,
  entries: AsyncIterable<ListedWork> | Iterable<Cited>,
  parts: ProviderParts,
): AsyncGenerator<Work> {
  const { records, tell, clock } = parts;
  const counts: TitleCounts = { accepted: 0, doubtful: 0, none: 0, away: 0 };
  for await (const entry of entries as AsyncIterable<ListedWork | Cited>) {
    const listed = entry.kind === 'cited' ? await searched(file, entry, parts, counts) : entry;
    if (listed.kind === 'bad') {
      const { word = 'unreadable-entry' } = listed as Partial<Pick<UnreadableEntry, 'word'>>;
      tell(`${file}, line ${listed.line}: ${listed.reason}`);
      const record = entry.kind === 'cited' ? entry.record : undefined;
      const { line, reason } = listed;
      const name = await parts.unreadable?.({ file, line, word, reason, ...(record && { record }) });
      if (name !== undefined) parts.listed?.(file, name);
      continue;
    }
    if (listed.decides !== undefined && entry.kind === 'cited')
      await parts.identified?.(listed.decides, listed.work, entry.record);
    if (listed.record) {
      const at = new Date(clock.now()).toISOString();
      records?.add([{ ...listed.record, sources: listed.record.sources.map((source) => ({ ...source, at })) }]);
    }
    parts.listed?.(file, listed.work.id);
    yield listed.work;
  }
  const summary = titlesInWords(counts);
  if (summary !== undefined) tell(`${file}: ${summary}`);
}

/** Each step lists what cites, or is cited by, the works of the step before. */
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
          // The first step is already listed.
          if (step > 1) yield work;
        }
      }
    }
    front = found;
  }
}

const IDS_TOGETHER = 50;

function listing(query: OpenAlexQuery, parts: ProviderParts, maxResults: number | undefined): AsyncGenerator<Work> {
  const { records, signal, tell, statePath } = parts;
  const { queued } = parts;
  return listOpenAlexWorks(query, {
    ...openAlexAccess(parts),
    records,
    signal,
    tell,
    statePath,
    maxResults,
    queued,
  });
}

/** How often each list names each work or entry. */
export type ListedTimes = Map<string, Map<string, number>>;

export function countListed(inputs: ListedTimes, file: string, name: string): void {
  const times = inputs.get(file) ?? new Map<string, number>();
  inputs.set(file, times.set(name, (times.get(name) ?? 0) + 1));
}

/**
 * Yields each work once, and counts how often it was listed: the duplicates of a review. Entries without a known work
 * count too. Listing again gives the same counts.
 */
export async function* countingRepeats(
  works: AsyncIterable<Work>,
  records: Records,
  inputs: ListedTimes,
): AsyncGenerator<Work, void> {
  const times = new Map<string, number>();
  for await (const work of works) {
    const before = times.get(work.id) ?? 0;
    times.set(work.id, before + 1);
    if (before === 0) yield work;
  }
  for (const named of inputs.values())
    for (const [name, number] of named) if (name.startsWith('entry:')) times.set(name, (times.get(name) ?? 0) + number);
  records.noteRepeats(times);
  for (const [file, named] of inputs) records.noteInput(file, named);
}

export interface ZoteroVersions {
  /** The version of a library whose works are all known to the run; undefined if there is none. */
  of(library: string): number | undefined;
  /** Notes that a library was read completely; its works may not all be in the queue yet. */
  readonly read: (library: string, version: number) => void;
  /** Call when every work read is in the queue: these libraries need not be read again. */
  commit(): Promise<void>;
}

/** If the file is lost, the libraries are read again. */
export function zoteroVersions(out: string): ZoteroVersions {
  const path = join(out, 'state', 'zotero.json');
  const read = new Map<string, number>();
  return {
    of(library: string): number | undefined {
      const version = readFields(path)[library];
      return typeof version === 'number' ? version : undefined;
    },
    read: (library: string, version: number) => void read.set(library, version),
    async commit(): Promise<void> {
      if (read.size === 0) return;
      await writeOwnFile(path, `${JSON.stringify({ ...readFields(path), ...Object.fromEntries(read) })}\n`);
      read.clear();
    },
  };
}

type ListingOptions = Omit<OpenAlexOptions, 'resume'> &
  Pick<ProviderParts, 'records' | 'statePath' | 'tell' | 'queued'>;

/**
 * Notes the position of each page before its works are given, when those of the page before are in the queue: a killed
 * listing, or one without budget, resumes with the same query and loses none. The last page is requested again as a
 * whole: known works are no new jobs.
 */
export async function* listOpenAlexWorks(query: OpenAlexQuery, options: ListingOptions): AsyncGenerator<Work> {
  const { statePath, tell, records, queued, ...listing } = options;
  const resume = statePath === undefined ? undefined : readState(statePath, query);
  if (resume) tell(`resuming the listing after ${resume.yielded} works`);
  let [pages, listed, total] = [0, resume?.yielded ?? 0, 0];
  for await (const page of iterateOpenAlex(query, { ...listing, resume })) {
    await queued?.();
    if (statePath !== undefined && 'state' in page && page.state !== null)
      await writeOwnFile(statePath, `${JSON.stringify({ query: keyOf(query), state: page.state })}\n`);
    switch (page.kind) {
      case 'page':
        pages += 1;
        listed += page.works.length;
        total = page.total ?? 0;
        if (pages === 1 && !resume) tell(subjectLine(page.state.subject, page.total));
        yield* worksOfPage(page.works, records);
        break;
      case 'complete':
      case 'limit':
        if (statePath !== undefined) rmSync(statePath, { force: true });
        // Repeats and unreadable records cost a few.
        if (page.kind === 'complete' && listed < ALMOST_ALL * total) {
          const hint = (listing.credentials ?? []).length === 0 ? '; with a key (keys.openalex) it may list all' : '';
          tell(`OpenAlex counts ${total.toLocaleString('en')} works and listed ${listed.toLocaleString('en')}${hint}`);
        }
        break;
      case 'later': {
        const left = page.budget ? ` (${page.budget.remainingUsd} USD are left)` : '';
        const at = new Date(page.resumesAt).toISOString();
        tell(`the listing stops here${left}: run the same command again after ${at}`);
        break;
      }
      case 'failed':
        if (!resume || pages > 0 || statePath === undefined)
          throw new AppError(page.code, page.message, page.hint === null ? {} : { hint: page.hint });
        // A cursor may have expired: start from the beginning.
        tell(`cannot resume the listing (${page.message}); starting over`);
        rmSync(statePath, { force: true });
        yield* listOpenAlexWorks(query, options);
    }
  }
}

/** The works of a page; their records are stored also if the caller stops in the middle. */
function* worksOfPage(
  works: readonly { readonly work: Work; readonly record: WorkRecord }[],
  records: ProviderParts['records'],
): Generator<Work> {
  const given: WorkRecord[] = [];
  try {
    for (const { work, record } of works) {
      given.push(record);
      yield work;
    }
  } finally {
    if (given.length > 0) records?.add(given);
  }
}

const ALMOST_ALL = 0.99;

function subjectLine(subject: OpenAlexState['subject'], total: number | null): string {
  const count = total === null ? 'an unknown number of works' : `${total.toLocaleString('en')} works`;
  if (subject.kind === 'topic') return `OpenAlex topic "${subject.name}" (${subject.id}): ${count}`;
  if (subject.kind === 'filter') return `OpenAlex works that match these conditions: ${count}`;
  return `no OpenAlex topic is called "${subject.text}"; searching for its words: ${count}`;
}

/** The saved state if it is of the same query; otherwise the listing starts from the beginning. */
function readState(path: string, query: OpenAlexQuery): OpenAlexState | undefined {
  const { query: asked, state } = readFields(path);
  return asked === keyOf(query) && isState(state) ? state : undefined;
}

function isState(value: unknown): value is OpenAlexState {
  if (value === null || typeof value !== 'object') return false;
  const { subject, at, yielded } = value as Partial<OpenAlexState>;
  return typeof subject === 'object' && typeof yielded === 'number' && (at?.kind === 'cursor' || at?.kind === 'page');
}

function keyOf(query: OpenAlexQuery): string {
  return canonicalJson(JSON.parse(JSON.stringify(query)));
}
