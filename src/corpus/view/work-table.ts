import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { slug } from '../../download/index.ts';
import type { PrismaWork } from '../export/prisma.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { folded } from '../folded.ts';
import { Tally } from './tally.ts';
import type { WorkFacet, WorkFilter } from './work-filter.ts';
import { conditionsOf, testsOf, textOf, WORK_FACETS, wordsOf } from './work-filter.ts';
import type { RecordLine, SettledLine, WorkLine } from './work-line.ts';
import { lineOf } from './work-line.ts';

/** What a list of works can be sorted by. */
export const WORK_ORDERS = ['title', 'year', 'outcome', 'reason', 'licence', 'at', 'citations'] as const;
export type WorkOrder = (typeof WORK_ORDERS)[number];

/** A page of a list of works. */
export interface WorksRequest extends WorkFilter {
  readonly sort?: WorkOrder | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  readonly limit?: number | undefined;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
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
  CREATE TABLE found (id INTEGER PRIMARY KEY);
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
const FILL_ROWS = 2_000;

type Combination = Readonly<Record<WorkFacet, string | number>> & { readonly rows: number };

/** The works of a corpus, each in one line, indexed for every order and filter that a list offers. */
export class WorkTable {
  readonly #database: DatabaseSync;
  readonly #settle: StatementSync;
  readonly #record: StatementSync;
  readonly #own: StatementSync;
  readonly #words: StatementSync;
  readonly #get: StatementSync;
  /** Which works have the words that were looked for last stands in `found` until a work changes. */
  #found: { readonly words: string; readonly works: number } | undefined;
  /** Undefined until the works that were there at first are in the table. */
  #tally: Tally | undefined;

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
    this.#get = database.prepare(`SELECT ${SHOWN} FROM works WHERE work = ?`);
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
    this.#tally = new Tally(this.#database, 'works', WORK_FACETS);
  }

  #changed(work: string): void {
    if (!this.#tally) return;
    this.#tally.changed();
    this.#found = undefined;
    this.#words.run(work);
  }

  get(work: string): WorkLine | undefined {
    const row = this.#get.get(work);
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
    if (words !== '') conditions.push('rowid IN (SELECT id FROM found)');
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const few = total ?? this.#find(words);
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
        counts.set(value, (counts.get(value) ?? 0) + combination.rows);
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
    for (const { outcome, reason, rows } of this.#all())
      if (outcome !== 'waiting') yield { ...plain, reason: String(reason), file: fileOf(outcome), times: rows };
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
    for (const { outcome, rows } of this.#all()) counts[outcome] = (counts[outcome] ?? 0) + rows;
    return counts;
  }

  #count(filter: WorkFilter): number {
    const tests = testsOf(filter);
    let sum = 0;
    for (const combination of this.#all())
      if (tests.every(([about, test]) => test(combination[about]))) sum += combination.rows;
    return sum;
  }

  /** Writes down which works have these words, unless they were the last that were looked for; tells how many they are. */
  #find(words: string): number {
    if (this.#found?.words !== words) {
      this.#found = undefined;
      this.#database.exec('DELETE FROM found');
      const { changes } = this.#database
        .prepare('INSERT INTO found SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid')
        .run(words);
      this.#found = { words, works: Number(changes) };
    }
    return this.#found.works;
  }

  /** All combinations of what works are told apart by: far fewer than works. */
  #all(): readonly Combination[] {
    return (this.#tally?.all() ?? []) as unknown as readonly Combination[];
  }
}
