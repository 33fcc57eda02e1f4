import type { SQLInputValue } from 'node:sqlite';

import { parseYears } from '../year-range.ts';

/** What works are told apart by; `none` is what is not known. */
export const WORK_FACETS = ['outcome', 'reason', 'licence', 'version', 'type', 'year'] as const;
export type WorkFacet = (typeof WORK_FACETS)[number];

/** Which works are meant; several values of a field with commas, years also as `2018-2022`. All of it may be left out. */
export interface WorkFilter {
  readonly outcome?: string | undefined;
  readonly reason?: string | undefined;
  readonly licence?: string | undefined;
  readonly version?: string | undefined;
  readonly type?: string | undefined;
  readonly year?: string | undefined;
  /** Words, or their beginnings, that stand in title, authors, venue or ids, case and accents aside. */
  readonly q?: string | undefined;
}

const NONE = 'none';
const LONGEST_QUERY = 200;

/** Words as the index of words is asked for them: all of them, each whole or the beginning of one. */
export function wordsOf(text: string): string {
  const words = text.slice(0, LONGEST_QUERY).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => `"${word}"*`).join(' AND ');
}

type Test = (value: string | number) => boolean;

/** What a filter says of each value of a facet. */
export function testsOf(filter: WorkFilter): (readonly [WorkFacet, Test])[] {
  return WORK_FACETS.flatMap((facet): (readonly [WorkFacet, Test])[] => {
    const wanted = filter[facet];
    if (wanted === undefined || wanted === '') return [];
    if (facet === 'year') {
      const [first, last] = yearsOf(wanted);
      return [[facet, (value) => Number(value) >= first && Number(value) <= last]];
    }
    const values = new Set(valuesOf(wanted));
    return [[facet, (value) => values.has(String(value))]];
  });
}

/** What a filter means in SQL. */
export function conditionsOf(filter: WorkFilter): { conditions: string[]; values: Record<string, SQLInputValue> } {
  const conditions: string[] = [];
  const values: Record<string, SQLInputValue> = {};
  for (const facet of WORK_FACETS) {
    const wanted = filter[facet];
    if (wanted === undefined || wanted === '') continue;
    if (facet === 'year') {
      const [first, last] = yearsOf(wanted);
      conditions.push('year BETWEEN :first_year AND :last_year');
      Object.assign(values, { first_year: first, last_year: last });
    } else {
      conditions.push(`${facet} IN (SELECT value FROM json_each(:${facet}))`);
      values[facet] = JSON.stringify(valuesOf(wanted));
    }
  }
  return { conditions, values };
}

function valuesOf(text: string): string[] {
  return text.split(',').map((value) => (value.trim() === NONE ? '' : value.trim()));
}

/** Years, or `none` for works of which it is not known. */
function yearsOf(text: string): readonly [number, number] {
  return text.trim() === NONE ? [0, 0] : parseYears(text);
}

/** A value of a facet as it is told. */
export function textOf(value: string | number): string {
  return value === '' || value === 0 ? NONE : String(value);
}
