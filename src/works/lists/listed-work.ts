import { fieldsOf, findDoi, meaningsOf, normalizeDoi } from '../../base/index.ts';
import type { WorkIds } from '../ids.ts';
import {
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
import { emptyRecord, plainText, withProvenance, yearOf } from '../record/record.ts';
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

export type ListedWork =
  | {
      readonly kind: 'work';
      readonly work: Work;
      readonly line: number;
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

type Id = keyof WorkIds;
type Text = 'title' | 'venue' | 'publisher' | 'volume' | 'issue' | 'pages' | 'language' | 'abstract' | 'issn' | 'type';

/** Names of columns and fields, also of Web of Science, Scopus, IEEE Xplore, PubMed, Covidence, Rayyan and CSL. */
const FIELDS = meaningsOf<Id | Text | 'any' | 'url' | 'date' | 'authors' | 'author' | 'group' | 'keywords'>({
  doi: 'doi do di',
  arxiv: 'arxiv arxiv_id arxivid eprint',
  pmid: 'pmid pubmed pubmed_id pm',
  pmcid: 'pmcid pmc pmc_id',
  openalex: 'openalex openalex_id',
  hal: 'hal hal_id halid',
  zenodo: 'zenodo',
  any: 'id work identifier',
  url: 'url link pdf_url pdf_link',
  title: 'title display_name document_title article_title ti',
  authors: 'author authors creator af',
  author: 'one_author',
  group: 'one_group',
  date: 'year publication_year published_year py date issued publication_date',
  venue:
    'journal journaltitle journal_title journal/book booktitle venue source_title so publication_title container_title source',
  publisher: 'publisher school institution',
  type: 'work_type',
  volume: 'volume vl',
  issue: 'issue number is',
  pages: 'pages page',
  language: 'language',
  abstract: 'abstract abstract_note ab',
  issn: 'issn',
  keywords: 'keywords keyword author_keywords de',
});

const ID_READERS: Readonly<Record<Id, (text: string) => unknown>> = {
  doi: normalizeDoi,
  arxiv: parseArxivId,
  pmid: pmidFromField,
  pmcid: pmcidFromField,
  openalex: normalizeOpenAlexId,
  hal: normalizeHalId,
  zenodo: (text) => normalizeZenodoId(text) ?? (/^\d{1,12}$/.test(text.trim()) ? text.trim() : undefined),
};

const MOST_AUTHORS = 500;
const MOST_KEYWORDS = 200;
const LONGEST_TEXT = 100_000;
const LONGEST_TITLE = 2_000;

export function workFromFields(
  fields: Iterable<readonly [string, string]>,
  line: number,
  authorsOfEntry: readonly Author[] = [],
): ListedWork {
  let ids: WorkIds = NO_IDS;
  /** From fields that hold ids of any kind, or URLs: these count only if no other field says otherwise. */
  let found: WorkIds = NO_IDS;
  let date: string | null = null;
  const urls: string[] = [];
  const texts: Partial<Record<Text, string>> = {};
  const authors = [...authorsOfEntry];
  const keywords: string[] = [];
  for (const [name, rawValue] of fields) {
    const value = rawValue.trim();
    const meaning = FIELDS.get(fieldName(name));
    if (value === '' || meaning === undefined) continue;
    if (meaning === 'any' || meaning === 'url') found = mergeIds(found, identify(value) ?? NO_IDS);
    if (meaning === 'any') continue;
    if (meaning === 'url') urls.push(...webUrl(value));
    else if (meaning === 'date') date ??= dateIn(value);
    else if (meaning === 'authors') authors.push(...authorsIn(value));
    else if (meaning === 'author') authors.push(...value.split(';').flatMap(authorIn));
    else if (meaning === 'group') authors.push({ ...NO_AUTHOR, name: value });
    else if (meaning === 'keywords') keywords.push(...value.split(/[,;]/).map((word) => word.trim()));
    else if (isId(meaning)) {
      const read = ID_READERS[meaning](value);
      if (read !== undefined) ids = mergeIds(ids, { ...NO_IDS, [meaning]: read });
    } else texts[meaning] ??= value.slice(0, LONGEST_TEXT);
  }
  ids = mergeIds(ids, found);
  const title = plainText(texts.title);
  const work = workFromIds(ids, { title: title?.slice(0, LONGEST_TITLE) ?? null, year: yearOf({ date }), urls });
  const record: WorkRecord = {
    ...emptyRecord(work?.id ?? '', ids),
    ...texts,
    title,
    date,
    pages: texts.pages?.replace(/\s{0,4}[-–]{1,3}\s{0,4}/, '-') ?? null,
    abstract: plainText(texts.abstract),
    issn: texts.issn?.split(/[,;\s]+/) ?? [],
    authors: authors.slice(0, MOST_AUTHORS),
    keywords: keywords.filter((word) => word !== '').slice(0, MOST_KEYWORDS),
    url: urls[0] ?? null,
  };
  const isBare = Object.keys(texts).length === 0 && date === null && authors.length === 0;
  if (work) return { kind: 'work', work, line, ...(!isBare && { record: withProvenance(record, 'list', '') }) };
  if (title === null || !/\p{L}{2}/u.test(title))
    return { kind: 'bad', line, reason: 'no DOI, arXiv, PubMed, PMC, OpenAlex, HAL or Zenodo id was found' };
  return { kind: 'cited', line, urls, cited: citedWork(record, title), record: withProvenance(record, 'list', '') };
}

export function citedWork(record: WorkRecord, title: string): CitedWork {
  const authors = record.authors.map(({ family, name }) => family ?? name);
  return { title: title.slice(0, LONGEST_TITLE), authors, year: yearOf(record), text: title.slice(0, LONGEST_TITLE) };
}

function isId(meaning: Id | Text): meaning is Id {
  return meaning in ID_READERS;
}

/** An OpenAlex record is taken as a whole, anything else by its fields. */
export function workFromObject(value: object, line: number, authors?: readonly Author[]): ListedWork {
  const work = 'locations' in value || 'open_access' in value ? parseOpenAlexWork(value) : undefined;
  if (work) return { kind: 'work', work, line };
  const fields = Object.entries(value).flatMap(([name, each]): [string, string][] => {
    if (typeof each === 'string' || typeof each === 'number') return [[name, String(each)]];
    if (name === 'ids' && each !== null && typeof each === 'object') {
      return Object.entries(each as object).map(([inner, text]) => [inner, String(text)]);
    }
    return [];
  });
  return workFromFields(fields, line, authors);
}

export function workFromText(text: string, line = 1): ListedWork {
  const inProse = findDoi(text);
  const ids = identify(text) ?? (inProse === undefined ? undefined : { ...NO_IDS, doi: inProse });
  const [url] = webUrl(text.trim());
  const byUrl = url === undefined ? undefined : namedWork(`url:${url}`, NO_IDS, { urls: [url] });
  const work = (ids && workFromIds(ids)) ?? byUrl;
  if (work) return { kind: 'work', work, line };
  return { kind: 'bad', line, reason: `"${text.trim().slice(0, 80)}" is not a recognised identifier` };
}

/** An id, or else a title or a reference to search for. */
export function workFromLine(text: string, line: number): ListedWork {
  const listed = workFromText(text, line);
  const cited = listed.kind === 'bad' ? citedLine(text) : undefined;
  if (!cited) return listed;
  const record = withProvenance({ ...emptyRecord('', NO_IDS), title: cited.text }, 'list', '');
  return { kind: 'cited', line, urls: [], cited, record };
}

/** A web URL; none for the URL of an id that could not be read. */
function webUrl(text: string): string[] {
  const url = /^https?:\/\//i.test(text) && !/\s/.test(text) ? URL.parse(text) : null;
  if (!url || /(^|\.)(doi|openalex)\.org$/i.test(url.hostname) || url.username !== '') return [];
  url.hash = '';
  return [url.href];
}

function fieldName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
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

/** Other programs may have enqueued a record, a list entry, or just an id and a URL. */
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
  const { title, url, pdf_url: pdfUrl } = fieldsOf(payload);
  return namedWork(id, NO_IDS, {
    urls: [url, pdfUrl].flatMap((each) => (typeof each === 'string' ? webUrl(each) : [])),
    title: typeof title === 'string' ? title.slice(0, LONGEST_TITLE) : null,
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
