import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { AppError } from '../../base/index.ts';
import { REASONS, slug } from '../../download/index.ts';
import type { PrismaWork } from '../export/prisma.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

/** What a list of works can be sorted by. */
export const WORK_ORDERS = ['title', 'year', 'outcome', 'reason', 'licence', 'at', 'citations'] as const;
export type WorkOrder = (typeof WORK_ORDERS)[number];

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

/** A page of a list of works. */
export interface WorksRequest extends WorkFilter {
  readonly sort?: WorkOrder | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  readonly limit?: number | undefined;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
}

/** A work as a list shows it. */
export interface WorkLine {
  readonly id: string;
  readonly title: string | null;
  /** The first author, and whether there are others: `Berg et al.` */
  readonly authors: string | null;
  readonly year: number | null;
  readonly venue: string | null;
  readonly doi: string | null;
  readonly type: string | null;
  /** `waiting` until something came of it, `own` for papers that were there. */
  readonly outcome: string;
  readonly reason: string | null;
  /** What the reason means. */
  readonly sentence: string | null;
  readonly resolver: string | null;
  readonly licence: string | null;
  readonly version: string | null;
  readonly bytes: number | null;
  /** The document that holds it, once there is a file. */
  readonly document: string | null;
  readonly retracted: boolean;
  readonly citations: number | null;
  readonly at: string | null;
}

/** What came of a work, as the manifest says. */
export interface SettledLine {
  readonly work: string;
  readonly at: string;
  readonly outcome: string;
  readonly reason: string;
  readonly resolver: string | null;
  readonly path: string | null;
  readonly bytes: number | null;
  readonly title: string | null;
  readonly doi: string | null;
  readonly license: string | null;
  readonly version: string | null;
}

/** What is known of a work, as its record says. */
export interface RecordLine {
  readonly work: string;
  readonly title: string | null;
  readonly authors: string | null;
  readonly year: number | null;
  readonly venue: string | null;
  readonly type: string | null;
  readonly doi: string | null;
  readonly license: string | null;
  readonly version: string | null;
  readonly citations: number | null;
  readonly retracted: number;
}

// What is not known is '' or 0 in columns that are sorted or filtered by, so that a page can begin behind any value.
const SCHEMA = `
  CREATE TABLE works (
    work TEXT PRIMARY KEY,
    at TEXT NOT NULL DEFAULT '', outcome TEXT NOT NULL DEFAULT 'waiting', reason TEXT NOT NULL DEFAULT '', resolver TEXT, bytes INTEGER,
    document TEXT NOT NULL DEFAULT '', row_title TEXT, row_doi TEXT, row_license TEXT, row_version TEXT,
    record_title TEXT, authors TEXT, year INTEGER NOT NULL DEFAULT 0, venue TEXT, type TEXT NOT NULL DEFAULT '', record_doi TEXT,
    record_license TEXT, record_version TEXT, citations INTEGER NOT NULL DEFAULT -1, retracted INTEGER NOT NULL DEFAULT 0,
    title TEXT GENERATED ALWAYS AS (coalesce(record_title, row_title)) VIRTUAL,
    doi TEXT GENERATED ALWAYS AS (coalesce(record_doi, row_doi)) VIRTUAL,
    licence TEXT NOT NULL GENERATED ALWAYS AS (coalesce(row_license, record_license, '')) STORED,
    version TEXT NOT NULL GENERATED ALWAYS AS (coalesce(row_version, record_version, '')) STORED,
    sort_title TEXT NOT NULL GENERATED ALWAYS AS (substr(folded(coalesce(record_title, row_title, '')), 1, 200)) STORED
  );
  CREATE VIRTUAL TABLE words USING fts5 (body, content = '', contentless_delete = 1, detail = none, tokenize = "unicode61 remove_diacritics 2");
`;

const INDEXES = `
  CREATE INDEX works_by_title ON works (sort_title, work);
  CREATE INDEX works_by_year ON works (year, work);
  CREATE INDEX works_by_outcome ON works (outcome, work);
  CREATE INDEX works_by_reason ON works (reason, work);
  CREATE INDEX works_by_licence ON works (licence, work);
  CREATE INDEX works_by_at ON works (at, work);
  CREATE INDEX works_by_citations ON works (citations, work);
  CREATE INDEX works_by_document ON works (document) WHERE document <> '';
  CREATE INDEX works_by_facets ON works (outcome, reason, licence, version, type, year, work);
`;

const WORDS =
  "coalesce(title, '') || ' ' || coalesce(authors, '') || ' ' || coalesce(venue, '') || ' ' || coalesce(doi, '') || ' ' || work";

const SORT_COLUMNS: Readonly<Record<WorkOrder, string>> = {
  title: 'sort_title',
  year: 'year',
  outcome: 'outcome',
  reason: 'reason',
  licence: 'licence',
  at: 'at',
  citations: 'citations',
};

const SHOWN = `work, title, authors, year, venue, doi, type, outcome, reason, resolver, licence, version, bytes, document, retracted,
  citations, at`;
/** Fewer works than this are sorted when they are asked for; more are read in the order of an index until a page is full. */
const FEW = 2_000;
const DEFAULT_LIMIT = 50;
const NONE = 'none';
const FILL_ROWS = 2_000;
const LONGEST_QUERY = 200;

type Combination = Readonly<Record<WorkFacet, string | number>> & { readonly works: number };

/** The works of a corpus, each in one line, indexed for every order and filter that a list offers. */
export class WorkTable {
  readonly #database: DatabaseSync;
  readonly #settle: StatementSync;
  readonly #record: StatementSync;
  readonly #own: StatementSync;
  readonly #words: StatementSync;
  #combinations: readonly Combination[] | undefined;
  #isIndexed = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.function('folded', { deterministic: true }, (text) => folded(String(text)));
    database.exec(SCHEMA);
    this.#settle = database.prepare(
      `INSERT INTO works (work, at, outcome, reason, resolver, bytes, document, row_title, row_doi, row_license, row_version)
       VALUES (:work, :at, :outcome, :reason, :resolver, :bytes, :document, :title, :doi, :license, :version)
       ON CONFLICT DO UPDATE SET at = excluded.at, outcome = excluded.outcome, reason = excluded.reason, resolver = excluded.resolver,
         bytes = excluded.bytes, document = excluded.document, row_title = excluded.row_title, row_doi = excluded.row_doi,
         row_license = excluded.row_license, row_version = excluded.row_version`,
    );
    const fields =
      'record_title, authors, year, venue, type, record_doi, record_license, record_version, citations, retracted';
    const excluded = fields.replaceAll(/\w+/g, 'excluded.$&');
    this.#record = database.prepare(
      `INSERT INTO works (work, ${fields})
       VALUES (:work, :title, :authors, coalesce(:year, 0), :venue, coalesce(:type, ''), :doi, :license, :version, coalesce(:citations, -1), :retracted)
       ON CONFLICT DO UPDATE SET (${fields}) = (${excluded}) WHERE (${fields}) IS NOT (${excluded})`,
    );
    this.#words = database.prepare(
      `INSERT OR REPLACE INTO words (rowid, body) SELECT rowid, ${WORDS} FROM works WHERE work = ?`,
    );
    this.#own = database.prepare(
      `UPDATE works SET outcome = 'own', reason = 'success', document = :document WHERE work = :work AND outcome = 'waiting'`,
    );
  }

  /** Takes down what came of a work. */
  settle(line: SettledLine): void {
    const { path, ...rest } = line;
    this.#settle.run({ ...rest, document: line.outcome === 'saved' && path !== null ? slug(line.work) : '' });
    this.#changed(line.work);
  }

  /** Takes down what is known of a work. */
  record(line: RecordLine): boolean {
    const changed = this.#record.run({ ...line }).changes > 0;
    if (changed) this.#changed(line.work);
    return changed;
  }

  /** A work that nobody had to fetch: one's own paper. */
  own(work: string, document: string): boolean {
    const changed = this.#own.run({ work, document }).changes > 0;
    if (changed) this.#changed(work);
    return changed;
  }

  /** Makes the table quick, once the works that were there at first are in it: sooner, each of them would cost five times as much. */
  async index(): Promise<void> {
    for (const statement of INDEXES.split(';')) {
      this.#database.exec(statement);
      await nextTurn();
    }
    const fill = this.#database.prepare(
      `INSERT INTO words (rowid, body) SELECT rowid, ${WORDS} FROM works WHERE rowid > ? AND rowid <= ?`,
    );
    const { last } = this.#database.prepare('SELECT coalesce(max(rowid), 0) AS last FROM works').get() as {
      last: number;
    };
    for (let from = 0; from < last; from += FILL_ROWS) {
      fill.run(from, from + FILL_ROWS);
      await nextTurn();
    }
    this.#isIndexed = true;
  }

  #changed(work: string): void {
    this.#combinations = undefined;
    if (this.#isIndexed) this.#words.run(work);
  }

  get(work: string): WorkLine | undefined {
    const row = this.#database.prepare(`SELECT ${SHOWN} FROM works WHERE work = ?`).get(work);
    return row && lineOf(row);
  }

  /** The work that a document holds. */
  ofDocument(document: string): WorkLine | undefined {
    const row = this.#database
      .prepare(`SELECT ${SHOWN} FROM works WHERE document = ? AND document <> '' LIMIT 1`)
      .get(document);
    return row && lineOf(row);
  }

  /** A page of works; `total` counts all of them, but is not known where words are looked for. */
  page(request: WorksRequest): {
    readonly items: readonly WorkLine[];
    readonly next: string | null;
    readonly total: number | null;
  } {
    const { sort = 'title', order = sort === 'at' ? 'desc' : 'asc', limit = DEFAULT_LIMIT } = request;
    const column = SORT_COLUMNS[sort];
    const { conditions, values } = conditionsOf(request);
    const words = wordsOf(request.q ?? '');
    const total = words === '' ? this.#count(request) : null;
    const after = decodeCursor(request.cursor, 2);
    const [compare, direction] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC'];
    if (after) conditions.push(`(${column}, work) ${compare} (:after_value, :after_work)`);
    if (words !== '') {
      conditions.push('rowid IN (SELECT rowid FROM words WHERE words MATCH :words)');
      values['words'] = words;
    }
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const few = total ?? this.#found(words);
    const isFew = few < FEW && conditions.length > 0;
    const rows = this.#database
      .prepare(
        isFew
          ? `SELECT ${SHOWN}, ${column} AS sort_value FROM works WHERE rowid IN (SELECT rowid FROM works ${where})
             ORDER BY +${column} ${direction}, +work ${direction} LIMIT :limit`
          : `SELECT ${SHOWN}, ${column} AS sort_value FROM works INDEXED BY works_by_${sort} ${where} ORDER BY ${column} ${direction}, work ${direction} LIMIT :limit`,
      )
      .all({
        ...values,
        ...(after && { after_value: after[0] as SQLInputValue, after_work: after[1] as SQLInputValue }),
        limit: limit + 1,
      });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      items: shown.map(lineOf),
      next:
        rows.length > limit && last
          ? encodeCursor([last['sort_value'] as string | number, String(last['work'])])
          : null,
      total,
    };
  }

  /** How many works there are of each value, under the other filters: what a list can be narrowed to. */
  facets(
    filter: WorkFilter = {},
  ): Readonly<Record<WorkFacet, readonly { readonly value: string; readonly works: number }[]>> {
    const tests = testsOf(filter);
    const entries = WORK_FACETS.map((facet) => {
      const counts = new Map<string, number>();
      for (const combination of this.#all()) {
        if (!tests.every(([about, test]) => about === facet || test(combination[about]))) continue;
        const value = textOf(combination[facet]);
        counts.set(value, (counts.get(value) ?? 0) + combination.works);
      }
      const list = [...counts].map(([value, works]) => ({ value, works }));
      return [facet, list.sort((a, b) => b.works - a.works || (a.value < b.value ? -1 : 1))] as const;
    });
    return Object.fromEntries(entries) as Record<WorkFacet, { value: string; works: number }[]>;
  }

  /** The works that something came of, as a PRISMA flow counts them. */
  *prismaWorks(leftOut: {
    readonly others: readonly string[];
    readonly excluded: readonly string[];
  }): Generator<PrismaWork> {
    const plain = { isOtherVersion: false, label: null };
    const fileOf = (outcome: string | number): string | null => (outcome === 'saved' || outcome === 'own' ? '' : null);
    for (const { outcome, reason, works } of this.#all())
      if (outcome !== 'waiting') yield { ...plain, reason: String(reason), file: fileOf(outcome), times: works };
    const [others, excluded] = [new Set(leftOut.others), new Set(leftOut.excluded)];
    const find = this.#database.prepare("SELECT outcome, reason FROM works WHERE work = ? AND outcome <> 'waiting'");
    for (const work of new Set([...others, ...excluded])) {
      const row = find.get(work);
      if (!row) continue;
      const counted = { reason: String(row['reason']), file: fileOf(String(row['outcome'])) };
      yield { ...plain, ...counted, times: -1 };
      yield { ...counted, isOtherVersion: others.has(work), label: excluded.has(work) ? 'excluded' : null };
    }
  }

  /** How many works ended how. */
  outcomes(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { outcome, works } of this.#all()) counts[outcome] = (counts[outcome] ?? 0) + works;
    return counts;
  }

  #count(filter: WorkFilter): number {
    const tests = testsOf(filter);
    let sum = 0;
    for (const combination of this.#all())
      if (tests.every(([about, test]) => test(combination[about]))) sum += combination.works;
    return sum;
  }

  /** How many works have these words, as far as it matters. */
  #found(words: string): number {
    const row = this.#database
      .prepare('SELECT count(*) AS works FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)')
      .get(words, FEW);
    return Number(row?.['works'] ?? 0);
  }

  /** All combinations of what works are told apart by: far fewer than works, and read in the order of one index. */
  #all(): readonly Combination[] {
    this.#combinations ??= this.#database
      .prepare(`SELECT ${WORK_FACETS.join(', ')}, count(*) AS works FROM works GROUP BY ${WORK_FACETS.join(', ')}`)
      .all() as unknown as Combination[];
    return this.#combinations;
  }
}

/** Words as the index of words is asked for them: all of them, each whole or the beginning of one. */
export function wordsOf(text: string): string {
  const words = text.slice(0, LONGEST_QUERY).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => `"${word}"*`).join(' AND ');
}

type Test = (value: string | number) => boolean;

function testsOf(filter: WorkFilter): (readonly [WorkFacet, Test])[] {
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

function conditionsOf(filter: WorkFilter): { conditions: string[]; values: Record<string, SQLInputValue> } {
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

/** `2020`, `2018-2022`, `2018-`, `-2022`, `none`. */
function yearsOf(text: string): readonly [number, number] {
  if (text.trim() === NONE) return [0, 0];
  const [, from, dash, to] = /^\s{0,8}(\d{4})?\s{0,8}(-|–)?\s{0,8}(\d{4})?\s{0,8}$/.exec(text) ?? [];
  if (from === undefined && to === undefined)
    throw new AppError('USAGE_FILTER', `"${text.slice(0, 100)}" is no year`, {
      hint: '2020, 2018-2022, 2018- or -2022',
    });
  const first = from === undefined ? 1 : Number(from);
  return [first, to === undefined ? (dash === undefined ? first : 9999) : Number(to)];
}

function textOf(value: string | number): string {
  return value === '' || value === 0 ? NONE : String(value);
}

function folded(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function lineOf(row: Record<string, unknown>): WorkLine {
  const text = (name: string): string | null => (typeof row[name] === 'string' && row[name] !== '' ? row[name] : null);
  const reason = text('reason');
  return {
    id: String(row['work']),
    title: text('title'),
    authors: text('authors'),
    year: row['year'] === 0 ? null : Number(row['year']),
    venue: text('venue'),
    doi: text('doi'),
    type: text('type'),
    outcome: String(row['outcome']),
    reason,
    sentence: sentenceOf(reason),
    resolver: text('resolver'),
    licence: text('licence'),
    version: text('version'),
    bytes: typeof row['bytes'] === 'number' ? row['bytes'] : null,
    document: text('document'),
    retracted: row['retracted'] === 1,
    citations: row['citations'] === -1 ? null : Number(row['citations']),
    at: text('at'),
  };
}

/** What a reason means; null for one that this version does not know. */
export function sentenceOf(reason: string | null): string | null {
  return reason !== null && Object.hasOwn(REASONS, reason) ? REASONS[reason as keyof typeof REASONS].sentence : null;
}
