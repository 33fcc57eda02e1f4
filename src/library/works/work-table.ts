import type { SQLInputValue } from 'node:sqlite';

import type * as z from 'zod';

import { AppError, foldCase, parseJson } from '../../base/index.ts';
import { REASONS } from '../../download/index.ts';
import type { CorpusStore } from '../../database/index.ts';
import { parseLicense } from '../../works/index.ts';
import type { work, workFilter } from '../shapes/index.ts';

export const WORK_ORDERS = ['id', 'title', 'year', 'venue', 'outcome', 'reason', 'licence', 'at', 'citations'] as const;
type WorkOrder = (typeof WORK_ORDERS)[number];

/** Which works are listed, and in which order. */
export interface WorksRequest extends WorkFilter {
  /** The column to sort by; the title by default. */
  readonly sort?: WorkOrder | undefined;
  /** Ascending by default; descending for the time of the outcome. */
  readonly order?: 'asc' | 'desc' | undefined;
  /** Works per page; 50 by default. */
  readonly limit?: number | undefined;
  /** `next` of the previous page. */
  readonly cursor?: string | undefined;
}

/** A page of the list of works. */
export interface WorksPage {
  readonly items: readonly WorkLine[];
  /** The cursor of the next page; null at the end. */
  readonly next: string | null;
  /** Works on all pages. */
  readonly total: number;
}

/** Columns whose sort key differs from the shown value. */
const SORT_COLUMNS: { readonly [order in WorkOrder]?: string } = {
  id: 'work',
  title: 'sort_title',
  venue: 'sort_venue',
};

const SHOWN = `work as id, nullif(title, '') as title, authors, nullif(year, 0) as year, nullif(venue, '') as venue, doi,
  nullif(type, '') as type, outcome, nullif(reason, '') as reason, resolver, nullif(licence, '') as licence,
  nullif(version, '') as version, bytes, nullif(document, '') as document, retracted, nullif(citations, -1) as citations,
  nullif(at, '') as at`;
/** Up to this many works are sorted on request; more are read in index order until a page is full. */
const FEW = 2_000;
const DEFAULT_LIMIT = 50;

export class WorkTable {
  readonly #store: CorpusStore;
  /** The last search; its works are in the temporary table `found`, so that paging does not search again. */
  #sought = '';
  #counted = { of: '', works: 0 };

  constructor(store: CorpusStore) {
    this.#store = store;
    store.database.function('has_words', { deterministic: true }, (text, words) => {
      const folded = foldCase(String(text ?? ''));
      return (JSON.parse(String(words)) as string[]).every((word) => folded.includes(word)) ? 1 : 0;
    });
    store.database.exec('CREATE TEMP TABLE IF NOT EXISTS found (id INTEGER PRIMARY KEY)');
  }

  get(work: string): WorkLine | undefined {
    return this.#store.all(`SELECT ${SHOWN} FROM works WHERE work = ?`, work).map(lineOf)[0];
  }

  ofDocument(document: string): WorkLine | undefined {
    const sql = `SELECT ${SHOWN} FROM works WHERE document = ? AND document <> '' LIMIT 1`;
    return this.#store.all(sql, document).map(lineOf)[0];
  }

  page(request: WorksRequest): WorksPage {
    const { sort = 'title', order = sort === 'at' ? 'desc' : 'asc', limit = DEFAULT_LIMIT } = request;
    // Named with the table: a shown value of the same name may be null.
    const column = `works.${SORT_COLUMNS[sort] ?? sort}`;
    const after = decodeCursor(request.cursor, 2);
    const facets = facetConditions(request);
    const matching = this.#find(request) ? [...facets.conditions, 'row IN (SELECT id FROM found)'] : facets.conditions;
    const total = this.#count({ conditions: matching, values: facets.values });
    const [compare, direction] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC'];
    const conditions = [...matching, ...(after ? [`(${column}, work) ${compare} (:after_value, :after_work)`] : [])];
    const where = whereOf(conditions);
    const index = sort === 'id' ? 'sqlite_autoindex_works_1' : `works_by_${sort}`;
    const rows = this.#store.all(
      total < FEW && conditions.length > 0
        ? `SELECT ${SHOWN}, ${column} AS sort_value FROM works WHERE row IN (SELECT row FROM works ${where})
           ORDER BY +${column} ${direction}, +work ${direction} LIMIT :limit`
        : `SELECT ${SHOWN}, ${column} AS sort_value FROM works INDEXED BY ${index} ${where}
           ORDER BY ${column} ${direction}, work ${direction} LIMIT :limit`,
      {
        ...facets.values,
        ...(after && { after_value: after[0] as SQLInputValue, after_work: after[1] as SQLInputValue }),
        limit: limit + 1,
      },
    );
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      items: shown.map(lineOf),
      next:
        rows.length > limit && last ? encodeCursor([last['sort_value'] as string | number, String(last['id'])]) : null,
      total,
    };
  }

  ids(filter: WorkFilter): Set<string> {
    const [facets, sought] = [facetConditions(filter), soughtConditions(filter)];
    const sql = `SELECT work FROM works ${whereOf([...facets.conditions, ...sought.conditions])}`;
    return new Set(this.#store.column(sql, { ...facets.values, ...sought.values }));
  }

  /** The number of works for each value of a facet, under the other filters. */
  facets(filter: WorkFilter = {}) {
    const entries = WORK_FACETS.map((facet) => {
      const { conditions, values } = facetConditions(filter, facet);
      const rows = this.#store.all<{ value: string | number; works: number }>(
        `SELECT ${facet} AS value, sum(rows) AS works FROM works_tally ${whereOf(conditions)} GROUP BY 1`,
        values,
      );
      const list = rows.map(({ value, works }) => ({ value: String(value || NONE), works }));
      return [facet, list.sort((a, b) => b.works - a.works || (a.value < b.value ? -1 : 1))] as const;
    });
    return Object.fromEntries(entries) as Record<WorkFacet, { value: string; works: number }[]>;
  }

  /** How many works match; facets alone are counted in advance. */
  #count({ conditions, values }: Conditions): number {
    const of = JSON.stringify([this.#sought, conditions, values]);
    if (this.#counted.of === of && this.#sought !== '') return this.#counted.works;
    const count = this.#sought === '' ? 'sum(rows) FROM works_tally' : 'count(*) FROM works';
    const works = this.#store.number(`SELECT ${count} ${whereOf(conditions)}`, values);
    this.#counted = { of, works };
    return works;
  }

  /** Puts the works that match the searched fields into the table `found`; false if no field is searched. */
  #find(filter: WorkFilter): boolean {
    const { conditions, values } = soughtConditions(filter);
    const sought = conditions.length === 0 ? '' : JSON.stringify([this.#store.version, conditions, values]);
    if (sought !== this.#sought && sought !== '') {
      this.#store.run('DELETE FROM found');
      this.#store.run(`INSERT INTO found SELECT row FROM works ${whereOf(conditions)} ORDER BY row`, values);
    }
    this.#sought = sought;
    return sought !== '';
  }
}

export function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}

/** A work as a line of the list. */
export type WorkLine = z.output<typeof work>;

function lineOf(row: Record<string, unknown>): WorkLine {
  const line = row as unknown as WorkLine & { readonly sort_value?: unknown };
  const { sort_value: _, ...shown } = { ...line, sentence: sentenceOf(line.reason), retracted: row['retracted'] === 1 };
  return shown;
}

/** The meaning of a reason; null if this version does not know it. */
export function sentenceOf(reason: string | null): string | null {
  return reason !== null && Object.hasOwn(REASONS, reason) ? REASONS[reason as keyof typeof REASONS].sentence : null;
}

/** Fields with counts in lists of works; `none` means unknown. */
export const WORK_FACETS = ['outcome', 'reason', 'licence', 'version', 'type', 'year'] as const;
export type WorkFacet = (typeof WORK_FACETS)[number];

/** Entries that name no work are listed only if an outcome or a reason is given. */
export type WorkFilter = z.output<typeof workFilter> & {
  /** Words of the title; by default any. */
  readonly title?: string | undefined;
};

export interface Conditions {
  readonly conditions: readonly string[];
  readonly values: Readonly<Record<string, SQLInputValue>>;
}

const NONE = 'none';
const MISSING = ['failed', 'parked', 'skipped', 'waiting'] as const;
const LONGEST_QUERY = 200;

/** A full-text query: all words, each whole or as a prefix. */
export function wordsOf(text: string): string {
  const words = text.slice(0, LONGEST_QUERY).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => `"${word}"*`).join(' AND ');
}

/** The facets of a filter as SQL, or all of them but one. */
function facetConditions(filter: WorkFilter, except?: WorkFacet): Conditions {
  const conditions: string[] = [];
  const values: Record<string, SQLInputValue> = {};
  if (except !== 'outcome' && !filter.outcome && !filter.reason) conditions.push("outcome <> 'unreadable'");
  for (const facet of WORK_FACETS) {
    const wanted = filter[facet];
    if (!wanted || facet === except) continue;
    if (facet === 'year') {
      const [first, last] = wanted.trim() === NONE ? [0, 0] : parseYears(wanted);
      conditions.push('year BETWEEN :first_year AND :last_year');
      Object.assign(values, { first_year: first, last_year: last });
    } else {
      conditions.push(`${facet} IN (SELECT value FROM json_each(:${facet}))`);
      values[facet] = JSON.stringify(valuesOf(facet, wanted));
    }
  }
  return { conditions, values };
}

/** The other fields of a filter as SQL: these need a search, while facets are counted in advance. */
function soughtConditions(filter: WorkFilter): Conditions {
  const conditions: string[] = [];
  const values: Record<string, SQLInputValue> = {};
  const add = (name: 'q' | 'title' | 'author' | 'venue', value: string, condition: string): void => {
    conditions.push(condition);
    values[name] = value;
  };
  const { q = '', title, author, venue, retracted, label } = filter;
  const words = wordsOf(q);
  if (words !== '') add('q', words, 'row IN (SELECT rowid FROM words WHERE words MATCH :q)');
  if (title !== undefined) add('title', piecesOf(title), 'has_words(title, :title)');
  if (venue !== undefined) add('venue', piecesOf(venue), 'has_words(venue, :venue)');
  if (author !== undefined) {
    const orcid = /\d{4}-\d{4}-\d{4}-\d{3}[\dX]/i.exec(author)?.[0].toUpperCase();
    const isThis =
      orcid === undefined ? "has_words(author.value ->> '$.name', :author)" : "author.value ->> '$.orcid' = :author";
    add(
      'author',
      orcid ?? piecesOf(author),
      `EXISTS (SELECT 1 FROM records, json_each(records.record, '$.authors') AS author WHERE records.id = works.work AND ${isThis})`,
    );
  }
  if (label) {
    conditions.push('label IN (SELECT value FROM json_each(:label))');
    values['label'] = JSON.stringify(label.split(',').map((each) => (each.trim() === NONE ? '' : each.trim())));
  }
  if (retracted !== undefined) conditions.push(`retracted = ${retracted ? 1 : 0}`);
  return { conditions, values };
}

function piecesOf(text: string): string {
  return JSON.stringify(
    foldCase(text)
      .split(/[\s,]+/)
      .filter((word) => word !== ''),
  );
}

/** A value as written, in the usual spelling of sources, and a licence by its short name. */
function valuesOf(facet: WorkFacet, text: string): string[] {
  return text.split(',').flatMap((each) => {
    const value = each.trim();
    if (value === NONE) return [''];
    if (facet === 'outcome' && value === 'missing') return [...MISSING];
    const short = facet === 'licence' ? parseLicense(value)?.slug : null;
    return [...new Set([value, value.toLowerCase(), short ?? value])];
  });
}

/** The first and last year of `2020`, `2018-2022`, `2018-`, `-2022`, for all lists and searches. */
export function parseYears(text: string): readonly [first: number, last: number] {
  const wrong = (hint: string): AppError =>
    new AppError('USAGE_FILTER', `"${text.slice(0, 100)}" is not a valid year`, { hint });
  const [, from, dash, to] = /^\s{0,8}(\d{4})?\s{0,8}(-|–)?\s{0,8}(\d{4})?\s{0,8}$/.exec(text) ?? [];
  if (from === undefined && to === undefined) throw wrong('2020, 2018-2022, 2018- or -2022');
  const first = from === undefined ? 1 : Number(from);
  const last = to === undefined ? (dash === undefined ? first : 9999) : Number(to);
  if (first > last) throw wrong('the earlier year first, as in 2018-2022');
  return [first, last];
}

const LONGEST = 4_000;

/** Encodes the position at which a list continues as an opaque text. */
export function encodeCursor(place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

export function decodeCursor(cursor: string | undefined, length: number): readonly (string | number)[] | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  const place = cursor.length <= LONGEST ? parseJson(Buffer.from(cursor, 'base64url').toString('utf8')) : undefined;
  const isPlace = (value: unknown): value is string | number =>
    typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
  if (Array.isArray(place) && place.length === length && place.every(isPlace)) return place;
  throw new AppError('USAGE_CURSOR', 'the cursor does not belong to this list', {
    hint: 'pass `next` exactly as returned, or omit the cursor to start from the beginning',
  });
}
