import { findDoi, normalizeDoi } from '../ids/doi.ts';
import { parseArxivId } from '../ids/arxiv-id.ts';
import { parseOpenAlexWork } from '../openalex/parse-work.ts';
import type { Work } from '../work.ts';
import { namedWork, workFromIds } from '../work.ts';
import { listedRecord } from './listed-record.ts';
import type { WorkRecord } from '../record/record.ts';
import type { WorkIds } from '../ids/work-ids.ts';
import { identify, mergeIds, NO_IDS } from '../ids/work-ids.ts';
import {
  normalizeHalId,
  normalizeOpenAlexId,
  normalizeZenodoId,
  pmcidFromField,
  pmidFromField,
} from '../ids/catalogue-ids.ts';

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
      readonly record?: WorkRecord;
    }
  /** An entry of a review file that is undecided, or rejected. */
  | { readonly kind: 'undecided'; readonly line: number; readonly entry: string; readonly reason: string }
  | { readonly kind: 'bad'; readonly line: number; readonly reason: string };

/** Column and field names of lists, and what they hold. */
const FIELDS: Readonly<Record<string, keyof WorkIds | 'any' | 'title' | 'year' | 'url'>> = {
  doi: 'doi',
  do: 'doi',
  arxiv: 'arxiv',
  arxiv_id: 'arxiv',
  arxivid: 'arxiv',
  eprint: 'arxiv',
  pmid: 'pmid',
  pubmed: 'pmid',
  pubmed_id: 'pmid',
  pmcid: 'pmcid',
  pmc: 'pmcid',
  openalex: 'openalex',
  openalex_id: 'openalex',
  hal: 'hal',
  hal_id: 'hal',
  halid: 'hal',
  zenodo: 'zenodo',
  id: 'any',
  work: 'any',
  identifier: 'any',
  title: 'title',
  display_name: 'title',
  year: 'year',
  publication_year: 'year',
  url: 'url',
  link: 'url',
  pdf_url: 'url',
};

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
  let title: string | null = null;
  let year: number | null = null;
  const urls: string[] = [];
  const given: [string, string][] = [];
  for (const [rawName, rawValue] of fields) {
    const value = rawValue.trim();
    given.push([fieldName(rawName), value]);
    const meaning = Object.hasOwn(FIELDS, fieldName(rawName)) ? FIELDS[fieldName(rawName)] : undefined;
    if (value === '' || meaning === undefined) continue;
    if (meaning === 'title') title ??= value.slice(0, 2000);
    else if (meaning === 'year') year ??= Number(/\b(1[5-9]|20)\d\d\b/.exec(value)?.[0] ?? Number.NaN) || null;
    else if (meaning === 'any') ids = mergeIds(ids, identify(value) ?? NO_IDS);
    else if (meaning === 'url') {
      ids = mergeIds(ids, identify(value) ?? NO_IDS);
      const url = webUrl(value);
      if (url !== undefined) urls.push(url);
    } else {
      const read = READERS[meaning](value);
      if (read !== undefined) ids = mergeIds(ids, { ...NO_IDS, [meaning]: read });
    }
  }
  const work = workFromIds(ids, { title, year, urls });
  const record = work && listedRecord(work.id, ids, given);
  if (work) return { kind: 'work', work, line, ...(record && { record }) };
  if (title !== null && /\p{L}{2}/u.test(title)) {
    const said = listedRecord('', NO_IDS, given);
    const authors = (said?.authors ?? []).map(({ family, name }) => family ?? name);
    return { kind: 'cited', line, urls, cited: { title, authors, year, text: title }, ...(said && { record: said }) };
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
  const work = (ids && workFromIds(ids)) ?? workFromUrl(text);
  if (work) return { kind: 'work', work, line };
  return { kind: 'bad', line, reason: `"${text.trim().slice(0, 80)}" is not a recognised identifier` };
}

/** A line of a list: an id, or else a title or a reference to search for. */
export function workFromLine(text: string, line: number): ListedWork {
  const listed = workFromText(text, line);
  const cited = listed.kind === 'bad' ? citedLine(text) : undefined;
  return cited ? { kind: 'cited', line, urls: [], cited } : listed;
}

/** A work known only by its URL: a paper or its landing page. */
function workFromUrl(text: string): Work | undefined {
  const url = webUrl(text.trim());
  return url === undefined ? undefined : namedWork(`url:${url}`, NO_IDS, { urls: [url] });
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
