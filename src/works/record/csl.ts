import { normalizeDoi } from '../ids/doi.ts';
import { NO_IDS } from '../ids/work-ids.ts';
import { parsePersonName } from './person-name.ts';
import type { Author, WorkRecord } from './record.ts';
import { plainText } from './plain-text.ts';
import { emptyRecord, RETRACTED, retractionOf } from './record.ts';
import { pmcidFromField, pmidFromField } from '../ids/catalogue-ids.ts';

/** A CSL-JSON item, as read by citation processors, Zotero and pandoc. */
export interface CslItem {
  readonly id: string;
  readonly type: string;
  readonly [key: string]: unknown;
}

const TYPES: Readonly<Record<string, string>> = {
  article: 'article-journal',
  review: 'article-journal',
  letter: 'article-journal',
  editorial: 'article-journal',
  erratum: 'article-journal',
  retraction: 'article-journal',
  preprint: 'article',
  'book-chapter': 'chapter',
  book: 'book',
  dissertation: 'thesis',
  dataset: 'dataset',
  report: 'report',
  'conference-paper': 'paper-conference',
  'reference-entry': 'entry-encyclopedia',
  standard: 'standard',
};

/** A record as a CSL-JSON item. */
export function cslItem(record: WorkRecord, id: string = record.id): CslItem {
  const { ids } = record;
  const type = TYPES[record.type ?? ''] ?? (record.venue === null ? 'document' : 'article-journal');
  const known: Record<string, unknown> = {
    title: record.title,
    author: record.authors.length > 0 ? record.authors.map(cslName) : null,
    issued: record.date === null ? null : { 'date-parts': [record.date.split('-').map(Number)] },
    'container-title': record.venue,
    publisher: record.publisher,
    volume: record.volume,
    issue: record.issue,
    page: record.pages,
    ISSN: record.issn[0] ?? null,
    DOI: ids.doi,
    PMID: ids.pmid,
    PMCID: ids.pmcid,
    URL: record.url ?? (ids.doi === null ? null : `https://doi.org/${ids.doi}`),
    abstract: record.abstract,
    language: record.language,
    note: retractionOf(record) ? RETRACTED : null,
    keyword: record.keywords.length > 0 ? record.keywords.join(', ') : null,
  };
  return { id, type, ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)) };
}

/** Family and given name, from the source or parsed from the whole name. */
export function namesOf(author: Author): {
  readonly family: string | null;
  readonly given: string | null;
  readonly name: string;
} {
  return author.family === null || author.family === '' ? parsePersonName(author.name) : author;
}

function cslName(author: Author): Record<string, string> {
  const { family, given, name } = namesOf(author);
  if (family === null) return { literal: name };
  return { family, ...(given !== null && given !== '' && { given }) };
}

/** A CSL item as a record; invalid ids are dropped. */
export function recordFromCsl(value: object, id: string): WorkRecord {
  const item = value as Record<string, unknown>;
  const text = (name: string): string | null => {
    const each = item[name];
    return typeof each === 'string' || typeof each === 'number' ? String(each).trim().slice(0, 100_000) || null : null;
  };
  const type = Object.entries(TYPES).find(([, csl]) => csl === text('type'))?.[0] ?? text('type');
  return {
    ...emptyRecord(id, {
      ...NO_IDS,
      doi: normalizeDoi(text('DOI') ?? '') ?? null,
      pmid: pmidFromField(text('PMID') ?? '') ?? null,
      pmcid: pmcidFromField(text('PMCID') ?? '') ?? null,
    }),
    type,
    // Tools use markup for capitals and italics in titles.
    title: plainText(text('title')),
    authors: Array.isArray(item['author']) ? item['author'].slice(0, 500).flatMap(authorFromCsl) : [],
    date: dateFromCsl(item['issued']),
    venue: text('container-title'),
    publisher: text('publisher'),
    issn: text('ISSN')?.split(/[,;\s]+/) ?? [],
    volume: text('volume'),
    issue: text('issue'),
    pages: text('page'),
    language: text('language'),
    abstract: text('abstract'),
    keywords: (text('keyword') ?? '')
      .split(/[,;]/)
      .map((word) => word.trim())
      .filter((word) => word !== ''),
    url: text('URL'),
  };
}

function authorFromCsl(value: unknown): Author[] {
  if (value === null || typeof value !== 'object') return [];
  const part = (name: string): string | null => {
    const each = (value as Record<string, unknown>)[name];
    return typeof each === 'string' && each.trim() !== '' ? each.trim().slice(0, 300) : null;
  };
  const names = [part('dropping-particle'), part('non-dropping-particle'), part('family')];
  const family = names.filter((each) => each !== null).join(' ') || null;
  const given = part('given');
  const name = part('literal') ?? [given, family].filter((each) => each !== null).join(' ');
  return name === '' ? [] : [{ name, family, given, orcid: null, institutions: [] }];
}

function dateFromCsl(value: unknown): string | null {
  if (value === null || typeof value !== 'object') return null;
  const { 'date-parts': parts, raw, literal } = value as Record<string, unknown>;
  const first: unknown = Array.isArray(parts) ? parts[0] : undefined;
  const numbers = (Array.isArray(first) ? first : []).map(Number).filter((each) => Number.isInteger(each) && each > 0);
  if (numbers.length > 0)
    return numbers
      .slice(0, 3)
      .map((each, at) => (at === 0 ? String(each) : String(each).padStart(2, '0')))
      .join('-');
  const said = typeof raw === 'string' ? raw : typeof literal === 'string' ? literal : '';
  return /\b\d{4}(?:-\d{2}(?:-\d{2})?)?/.exec(said.slice(0, 100))?.[0] ?? null;
}
