import type { WorkIds } from '../ids.ts';
import {
  findDoi,
  normalizeDoi,
  parseArxivId,
  identify,
  mergeIds,
  NO_IDS,
  normalizeHalId,
  normalizeOpenAlexId,
  normalizeZenodoId,
  pmcidFromField,
  pmidFromField,
} from '../ids.ts';
import { parseOpenAlexWork } from '../openalex/parse-work.ts';
import { withProvenance, emptyRecord } from '../record/record.ts';
import { parsePersonName } from '../record/cite.ts';
import type { WorkRecord, Author } from '../record/record.ts';
import type { Work } from '../work.ts';
import { namedWork, workFromIds } from '../work.ts';

/** A work without an id, described by fields or by one line of text. */
export interface CitedWork {
  /** Null if there is only a line whose title is not known. */
  readonly title: string | null;
  readonly authors: readonly string[];
  readonly year: number | null;
  /** The whole text, to search by. */
  readonly text: string;
}

/** Fewer words are neither a title nor a reference. */
const FEWEST_WORDS = 3;
const LONGEST = 2_000;

/** A line of a list as a work to search for; undefined if it is too short or a URL. */
export function citedLine(text: string): CitedWork | undefined {
  const line = text.trim().slice(0, LONGEST);
  const words = line.match(/\p{L}{2,}/gu) ?? [];
  if (words.length < FEWEST_WORDS || /^https?:\/\//i.test(line)) return undefined;
  return { title: null, authors: [], year: null, text: line };
}

/** One entry of a list: a work, or why it is not one. */
export type ListedWork =
  | {
      readonly kind: 'work';
      readonly work: Work;
      readonly line: number;
      /** Other metadata in the entry. */
      readonly record?: WorkRecord;
      /** The entry of another list that this one decides about. */
      readonly decides?: string;
    }
  /** Without an id: the work must be searched for. */
  | {
      readonly kind: 'cited';
      readonly cited: CitedWork;
      readonly line: number;
      readonly urls: readonly string[];
      readonly record: WorkRecord;
    }
  | { readonly kind: 'bad'; readonly line: number; readonly reason: string };

/** Maps names of columns and fields to their meaning, from a space-separated list of names for each. */
export function fieldsNamed<Meaning extends string>(
  names: Readonly<Record<Meaning, string>>,
): ReadonlyMap<string, Meaning> {
  const entries = Object.entries(names) as [Meaning, string][];
  return new Map(entries.flatMap(([meaning, list]) => list.split(' ').map((name) => [name, meaning] as const)));
}

/** Names of columns, also of Web of Science, Scopus, IEEE Xplore, PubMed, Covidence and Rayyan. */
const TITLES = 'title display_name document_title article_title ti';
const YEARS = 'year publication_year published_year py';

const FIELDS = fieldsNamed<keyof WorkIds | 'any' | 'title' | 'year' | 'url'>({
  doi: 'doi do di',
  arxiv: 'arxiv arxiv_id arxivid eprint',
  pmid: 'pmid pubmed pubmed_id pm',
  pmcid: 'pmcid pmc pmc_id',
  openalex: 'openalex openalex_id',
  hal: 'hal hal_id halid',
  zenodo: 'zenodo',
  any: 'id work identifier',
  title: TITLES,
  year: YEARS,
  url: 'url link pdf_url pdf_link',
});

const READERS: Readonly<Record<keyof WorkIds, (text: string) => unknown>> = {
  doi: normalizeDoi,
  arxiv: parseArxivId,
  pmid: pmidFromField,
  pmcid: pmcidFromField,
  openalex: normalizeOpenAlexId,
  hal: normalizeHalId,
  zenodo: (text) => normalizeZenodoId(text) ?? (/^\d{1,12}$/.test(text.trim()) ? text.trim() : undefined),
};

/** Builds a work from an entry's fields, in any order and spelling; a fault says what is missing. */
export function workFromFields(fields: Iterable<readonly [string, string]>, line: number): ListedWork {
  let ids: WorkIds = NO_IDS;
  /** From fields that hold ids of any kind, or URLs: these count only if no other field says otherwise. */
  let found: WorkIds = NO_IDS;
  let title: string | null = null;
  let year: number | null = null;
  const urls: string[] = [];
  const given: [string, string][] = [];
  for (const [rawName, rawValue] of fields) {
    const value = rawValue.trim();
    given.push([fieldName(rawName), value]);
    const meaning = FIELDS.get(fieldName(rawName));
    if (value === '' || meaning === undefined) continue;
    if (meaning === 'title') title ??= value.slice(0, 2000);
    else if (meaning === 'year') year ??= Number(/\b(1[5-9]|20)\d\d\b/.exec(value)?.[0] ?? Number.NaN) || null;
    else if (meaning === 'any') found = mergeIds(found, identify(value) ?? NO_IDS);
    else if (meaning === 'url') {
      found = mergeIds(found, identify(value) ?? NO_IDS);
      const url = webUrl(value);
      if (url !== undefined) urls.push(url);
    } else {
      const read = READERS[meaning](value);
      if (read !== undefined) ids = mergeIds(ids, { ...NO_IDS, [meaning]: read });
    }
  }
  ids = mergeIds(ids, found);
  const work = workFromIds(ids, { title, year, urls });
  const record = work && listedRecord(work.id, ids, given);
  if (work) return { kind: 'work', work, line, ...(record && { record }) };
  if (title !== null && /\p{L}{2}/u.test(title)) {
    const said = listedRecord('', NO_IDS, given) ?? titleRecord(title);
    const authors = said.authors.map(({ family, name }) => family ?? name);
    return { kind: 'cited', line, urls, cited: { title, authors, year, text: title }, record: said };
  }
  return { kind: 'bad', line, reason: 'no DOI, arXiv, PubMed, PMC, OpenAlex, HAL or Zenodo id was found' };
}

/** An OpenAlex record is taken as a whole; anything else by its fields. */
export function workFromObject(value: object, line: number): ListedWork {
  const work = 'locations' in value || 'open_access' in value ? parseOpenAlexWork(value) : undefined;
  if (work) return { kind: 'work', work, line };
  const fields = Object.entries(value).flatMap(([name, each]): [string, string][] => {
    if (typeof each === 'string' || typeof each === 'number') return [[name, String(each)]];
    if (name === 'ids' && each !== null && typeof each === 'object') {
      return Object.entries(each as object).map(([inner, text]) => [inner, String(text)]);
    }
    return [];
  });
  return workFromFields(fields, line);
}

/** A work from one id, given on the command line or on a line. */
export function workFromText(text: string, line = 1): ListedWork {
  const inProse = findDoi(text);
  const ids = identify(text) ?? (inProse === undefined ? undefined : { ...NO_IDS, doi: inProse });
  const url = webUrl(text.trim());
  const byUrl = url === undefined ? undefined : namedWork(`url:${url}`, NO_IDS, { urls: [url] });
  const work = (ids && workFromIds(ids)) ?? byUrl;
  if (work) return { kind: 'work', work, line };
  return { kind: 'bad', line, reason: `"${text.trim().slice(0, 80)}" is not a recognised identifier` };
}

/** A line of a list: an id, or else a title or a reference to search for. */
export function workFromLine(text: string, line: number): ListedWork {
  const listed = workFromText(text, line);
  const cited = listed.kind === 'bad' ? citedLine(text) : undefined;
  return cited ? { kind: 'cited', line, urls: [], cited, record: titleRecord(cited.text) } : listed;
}

function titleRecord(title: string): WorkRecord {
  return withProvenance({ ...emptyRecord('', NO_IDS), title }, 'list', '');
}

/** A web URL; undefined for the URL of an id that could not be read. */
function webUrl(text: string): string | undefined {
  const url = /^https?:\/\//i.test(text) && !/\s/.test(text) ? URL.parse(text) : null;
  if (!url || /(^|\.)(doi|openalex)\.org$/i.test(url.hostname) || url.username !== '') return undefined;
  url.hash = '';
  return url.href;
}

function fieldName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

type Text = 'title' | 'date' | 'venue' | 'publisher' | 'volume' | 'issue' | 'pages' | 'language' | 'abstract' | 'type';

const RECORD_FIELDS = fieldsNamed<Text | 'authors' | 'author' | 'group' | 'keywords'>({
  title: TITLES,
  authors: 'author authors creator af',
  author: 'one_author',
  group: 'one_group',
  date: `${YEARS} date issued publication_date`,
  venue:
    'journal journaltitle journal_title journal/book booktitle venue source_title so publication_title container_title source',
  publisher: 'publisher school institution',
  type: 'work_type',
  volume: 'volume vl',
  issue: 'issue number is',
  pages: 'pages page',
  language: 'language',
  abstract: 'abstract abstract_note ab',
  keywords: 'keywords keyword author_keywords de',
});

const MOST_AUTHORS = 500;
const LONGEST_TEXT = 100_000;

/** The record in a list entry; undefined if the entry has only ids. */
function listedRecord(
  id: string,
  ids: WorkIds,
  fields: Iterable<readonly [string, string]>,
  at = '',
): WorkRecord | undefined {
  const texts: Partial<Record<Text, string>> = {};
  const authors: Author[] = [];
  const keywords: string[] = [];
  for (const [name, value] of fields) {
    const meaning = RECORD_FIELDS.get(name);
    if (meaning === undefined || value === '') continue;
    if (meaning === 'authors') authors.push(...authorsIn(value));
    else if (meaning === 'author') authors.push(...value.split(';').flatMap(authorIn));
    else if (meaning === 'group') authors.push({ ...NO_AUTHOR, name: value });
    else if (meaning === 'keywords')
      keywords.push(
        ...value
          .split(/[,;]/)
          .map((word) => word.trim())
          .filter((word) => word !== ''),
      );
    else texts[meaning] ??= value.slice(0, LONGEST_TEXT);
  }
  if (Object.keys(texts).length === 0 && authors.length === 0) return undefined;
  const record: WorkRecord = {
    ...emptyRecord(id, ids),
    ...texts,
    date: dateIn(texts.date ?? ''),
    pages: texts.pages?.replace(/\s{0,4}[-–]{1,3}\s{0,4}/, '-') ?? null,
    authors: authors.slice(0, MOST_AUTHORS),
    keywords: keywords.slice(0, 200),
  };
  return withProvenance(record, 'list', at);
}

/** "Berg, Ana and Liu, Wei" (BibTeX), "Berg, Ana; Liu, Wei" (tables), or one name. */
function authorsIn(text: string): Author[] {
  const parts = / and /i.test(text) ? text.split(/\sand\s/i) : text.split(';');
  return parts.flatMap(authorIn);
}

const NO_AUTHOR: Author = { name: '', family: null, given: null, orcid: null, institutions: [] };

/** One name; empty for an empty text or "et al.". */
function authorIn(text: string): Author[] {
  const part = text.trim();
  if (part === '' || part.toLowerCase() === 'others') return [];
  const { name, family, given } = parsePersonName(part);
  return [part.includes(',') ? { ...NO_AUTHOR, name, family, given } : { ...NO_AUTHOR, name }];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** "2020/01/02", "2020 Jan 5", "2020-01" and the like, to their precision. */
function dateIn(text: string): string | null {
  const [, year, month = '', day = ''] =
    /\b((?:1[5-9]|20)\d\d)(?:[\s/.-]+(\d{1,2}|[a-z]{3})[a-z]*)?(?:[\s/.-]+(\d{1,2}))?\b/i.exec(text.slice(0, 200)) ??
    [];
  if (year === undefined) return null;
  const number = /^\d/.test(month) ? Number(month) : MONTHS.indexOf(month.toLowerCase()) + 1;
  if (number < 1 || number > 12) return year;
  const exact = Number(day) >= 1 && Number(day) <= 31 ? `-${day.padStart(2, '0')}` : '';
  return `${year}-${String(number).padStart(2, '0')}${exact}`;
}

/**
 * The work in a queue payload: ours, a record or list entry enqueued by another program, or just the job's id and a
 * URL.
 */
export function workFromPayload(id: string, payload: unknown): Work {
  if (isWork(payload)) return payload;
  const listed =
    typeof payload === 'string'
      ? workFromText(payload)
      : payload !== null && typeof payload === 'object'
        ? workFromObject(payload, 1)
        : undefined;
  if (listed?.kind === 'work') return listed.work;
  const byId = workFromText(id);
  if (byId.kind === 'work') return byId.work;
  const { title } = (payload ?? {}) as { readonly title?: unknown };
  return namedWork(id, NO_IDS, {
    urls: urlsOf(payload),
    title: typeof title === 'string' ? title.slice(0, 2000) : null,
  });
}

function isWork(payload: unknown): payload is Work {
  if (payload === null || typeof payload !== 'object') return false;
  const { id, ids, locations, urls, isComplete } = payload as Partial<Work>;
  return (
    typeof id === 'string' &&
    ids !== null &&
    typeof ids === 'object' &&
    Array.isArray(locations) &&
    Array.isArray(urls) &&
    typeof isComplete === 'boolean'
  );
}

function urlsOf(payload: unknown): string[] {
  const { url, pdf_url: pdfUrl } = (payload ?? {}) as { readonly url?: unknown; readonly pdf_url?: unknown };
  return [url, pdfUrl]
    .map((each) => (typeof each === 'string' && /^https?:/i.test(each) ? URL.parse(each)?.href : undefined))
    .filter((each) => each !== undefined);
}
