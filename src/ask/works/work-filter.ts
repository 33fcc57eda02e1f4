import type { SQLInputValue } from 'node:sqlite';

import { AppError } from '../../base/index.ts';
import { parseLicense } from '../../works/index.ts';
import { folded } from '../../store/index.ts';

/** Fields with counts in lists of works; `none` means unknown. */
export const WORK_FACETS = ['outcome', 'reason', 'licence', 'version', 'type', 'year'] as const;
export type WorkFacet = (typeof WORK_FACETS)[number];

/** A filter of works. A facet takes several values with commas, years also as `2018-2022`. Every field is optional. */
export interface WorkFilter {
  /**
   * An outcome; `missing` is every one except `saved` and `own`. Entries that name no work are listed only if an
   * outcome or a reason is given.
   */
  readonly outcome?: string | undefined;
  readonly reason?: string | undefined;
  readonly licence?: string | undefined;
  readonly version?: string | undefined;
  readonly type?: string | undefined;
  readonly year?: string | undefined;
  /** Words, or their beginnings, in title, first author, venue or ids, ignoring case and accents. */
  readonly q?: string | undefined;
  /** Substrings that must all be in the title, ignoring case and accents. */
  readonly title?: string | undefined;
  /** Substrings that must all be in the name of one author. */
  readonly author?: string | undefined;
  /** Substrings that must all be in the venue. */
  readonly venue?: string | undefined;
  readonly isRetracted?: boolean | undefined;
  /** The result of screening: `included`, `excluded`, or `none`. */
  readonly label?: string | undefined;
}

/** Conditions of a statement with their values. */
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

/** Entries that name no work are listed only if an outcome or a reason is given. */
function isOfWorks({ outcome = '', reason = '' }: WorkFilter): boolean {
  return outcome === '' && reason === '';
}

/** The facets of a filter as SQL, or all of them but one. */
export function facetConditions(filter: WorkFilter, except?: WorkFacet): Conditions {
  const conditions: string[] = [];
  const values: Record<string, SQLInputValue> = {};
  if (except !== 'outcome' && isOfWorks(filter)) conditions.push("outcome <> 'unreadable'");
  for (const facet of WORK_FACETS) {
    const wanted = filter[facet];
    if (wanted === undefined || wanted === '' || facet === except) continue;
    if (facet === 'year') {
      const [first, last] = yearsOf(wanted);
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
export function soughtConditions(filter: WorkFilter): Conditions {
  const conditions: string[] = [];
  const values: Record<string, SQLInputValue> = {};
  const add = (name: 'q' | 'title' | 'author' | 'venue', value: string, condition: string): void => {
    conditions.push(condition);
    values[name] = value;
  };
  const { q = '', title, author, venue, isRetracted, label } = filter;
  const words = wordsOf(q);
  if (words !== '') add('q', words, 'row IN (SELECT rowid FROM words WHERE words MATCH :q)');
  if (title !== undefined) add('title', piecesOf(title), 'has_words(title, :title)');
  if (venue !== undefined) add('venue', piecesOf(venue), 'has_words(venue, :venue)');
  if (author !== undefined)
    add(
      'author',
      piecesOf(author),
      `EXISTS (SELECT 1 FROM records, json_each(records.record, '$.authors') AS author
         WHERE records.id = works.work AND has_words(author.value ->> '$.name', :author))`,
    );
  if (label !== undefined && label !== '') {
    conditions.push('label IN (SELECT value FROM json_each(:label))');
    values['label'] = JSON.stringify(label.split(',').map((each) => (each.trim() === NONE ? '' : each.trim())));
  }
  if (isRetracted !== undefined) conditions.push(`retracted = ${isRetracted ? 1 : 0}`);
  return { conditions, values };
}

/** Whether a text contains all pieces of a query. */
export function hasWords(text: string, pieces: string): boolean {
  const said = folded(text);
  return (JSON.parse(pieces) as string[]).every((piece) => said.includes(piece));
}

function piecesOf(text: string): string {
  return JSON.stringify(
    folded(text)
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

/** A range of years, or `none` for works without one. */
function yearsOf(text: string): readonly [number, number] {
  return text.trim() === NONE ? [0, 0] : parseYears(text);
}

/** A value of a facet for display. */
export function textOf(value: string | number): string {
  return value === '' || value === 0 ? NONE : String(value);
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
