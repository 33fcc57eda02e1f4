import type { SQLInputValue } from 'node:sqlite';

import { parseLicense } from '../../works/index.ts';
import { folded } from '../folded.ts';
import { parseYears } from '../year-range.ts';

/** What came of a work; `own` is a paper that was there, `waiting` one that was found and not yet tried. */
export type WorkOutcome = 'saved' | 'failed' | 'parked' | 'skipped' | 'own' | 'waiting';

export const WORK_SORTS = ['id', 'title', 'year', 'venue', 'outcome', 'reason', 'license'] as const;
export type WorkSort = (typeof WORK_SORTS)[number];

/** Which works are listed, and in which order; all of it may be left out. */
export interface WorksQuery {
  /** Every word stands in the title, accents and case aside. */
  readonly words?: string | undefined;
  /** `2020`, `2018-2022`, `2018-`, `-2022`. */
  readonly year?: string | undefined;
  /** Part of an author's name. */
  readonly author?: string | undefined;
  readonly venue?: string | undefined;
  readonly type?: string | undefined;
  readonly license?: string | undefined;
  readonly version?: string | undefined;
  /** An outcome; `missing` is every one but `saved` and `own`. */
  readonly outcome?: WorkOutcome | 'missing' | undefined;
  readonly reason?: string | undefined;
  readonly isRetracted?: boolean | undefined;
  readonly sort?: WorkSort | undefined;
  readonly descending?: boolean | undefined;
  readonly limit?: number | undefined;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
}

/** What a query means in SQL, over the columns of the list. */
export function conditionsOf(query: WorksQuery): {
  readonly where: string;
  readonly values: Record<string, SQLInputValue>;
} {
  const parts: string[] = ['1'];
  const values: Record<string, SQLInputValue> = {};
  const add = (sql: string, name?: string, value?: SQLInputValue): void => {
    parts.push(sql);
    if (name !== undefined && value !== undefined) values[name] = value;
  };
  const { words, year, author, venue, type, license, version, outcome, reason, isRetracted } = query;
  if (words !== undefined)
    add(
      `has_words(coalesce(title, (SELECT row_json ->> '$.title' FROM manifest WHERE sequence = listed.sequence)), :words)`,
      'words',
      wordsOf(words),
    );
  if (venue !== undefined) add('has_words(venue, :venue)', 'venue', wordsOf(venue));
  if (author !== undefined)
    add(
      `EXISTS (SELECT 1 FROM works, json_each(works.record_json, '$.authors') AS a WHERE works.id = listed.record AND has_words(a.value ->> '$.name', :author))`,
      'author',
      wordsOf(author),
    );
  if (type !== undefined) add('fold(type) IN (SELECT value FROM json_each(:type))', 'type', listOf(type));
  if (license !== undefined)
    add(
      `fold(coalesce((SELECT row_json ->> '$.license' FROM manifest WHERE sequence = listed.sequence), license)) IN (SELECT value FROM json_each(:license))`,
      'license',
      listOf(license, (each) => parseLicense(each)?.slug ?? each),
    );
  if (version !== undefined)
    add(
      `fold(coalesce((SELECT row_json ->> '$.version' FROM manifest WHERE sequence = listed.sequence), (SELECT record_json ->> '$.version' FROM works WHERE id = listed.record))) IN (SELECT value FROM json_each(:version))`,
      'version',
      listOf(version),
    );
  if (outcome === 'missing') add("outcome NOT IN ('saved', 'own')");
  else if (outcome !== undefined) add('outcome = :outcome', 'outcome', outcome);
  if (reason !== undefined) add('reason IN (SELECT value FROM json_each(:reason))', 'reason', listOf(reason));
  if (isRetracted !== undefined) add(isRetracted ? 'retracted = 1' : 'coalesce(retracted, 0) = 0');
  if (year !== undefined) {
    const [first, last] = parseYears(year);
    add('year BETWEEN :first AND :last', 'first', first);
    values['last'] = last;
  }
  return { where: parts.join(' AND '), values };
}

function wordsOf(text: string): string {
  return JSON.stringify(
    folded(text)
      .split(/[\s,]+/)
      .filter((word) => word !== ''),
  );
}

function listOf(text: string, normal: (value: string) => string = (value) => value): string {
  return JSON.stringify(text.split(',').map((each) => normal(each.trim().toLowerCase())));
}
