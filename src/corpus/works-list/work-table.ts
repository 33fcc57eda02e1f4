import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { PrismaWork } from '../export/prisma.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { folded } from '../folded.ts';
import { FoundWorks, IS_FOUND } from './found-works.ts';
import { Tally } from './tally.ts';
import type { WorkFacet, WorkFilter } from './work-filter.ts';
import { facetConditions, hasWords, soughtConditions, testsOf, textOf, WORK_FACETS } from './work-filter.ts';
import type { SettledWork, WorkLine } from './work-line.ts';
import { lineOf } from './work-line.ts';

/** What a list of works can be sorted by. */
export const WORK_ORDERS = ['id', 'title', 'year', 'venue', 'outcome', 'reason', 'licence', 'at', 'citations'] as const;
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
    work TEXT PRIMARY KEY, recorded INTEGER NOT NULL DEFAULT 0, tried TEXT,
    at TEXT NOT NULL DEFAULT '', outcome TEXT NOT NULL DEFAULT 'waiting', reason TEXT NOT NULL DEFAULT '', resolver TEXT, bytes INTEGER,
    document TEXT NOT NULL DEFAULT '', row_title TEXT, row_doi TEXT, row_license TEXT, row_version TEXT,
    record_title TEXT, authors TEXT, year INTEGER NOT NULL DEFAULT 0, venue TEXT, type TEXT NOT NULL DEFAULT '', record_doi TEXT,
    record_license TEXT, record_version TEXT, citations INTEGER NOT NULL DEFAULT -1, retracted INTEGER NOT NULL DEFAULT 0,
    title TEXT GENERATED ALWAYS AS (coalesce(record_title, row_title)) VIRTUAL,
    doi TEXT GENERATED ALWAYS AS (coalesce(record_doi, row_doi)) VIRTUAL,
    licence TEXT NOT NULL GENERATED ALWAYS AS (coalesce(row_license, record_license, '')) VIRTUAL,
    version TEXT NOT NULL GENERATED ALWAYS AS (coalesce(row_version, record_version, '')) VIRTUAL,
    sort_title TEXT NOT NULL GENERATED ALWAYS AS (substr(folded(coalesce(record_title, row_title, '')), 1, 200)) VIRTUAL,
    sort_venue TEXT NOT NULL GENERATED ALWAYS AS (substr(folded(coalesce(venue, '')), 1, 200)) VIRTUAL
  );
  CREATE VIRTUAL TABLE words USING fts5 (body, content = '', contentless_delete = 1, detail = none, tokenize = "unicode61 remove_diacritics 2");
`;

const INDEXES = `
  CREATE INDEX works_by_title ON works (sort_title, work);
  CREATE INDEX works_by_year ON works (year, work);
  CREATE INDEX works_by_venue ON works (sort_venue, work);
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

/** Columns that are not sorted by as they are shown. */
const SORT_COLUMNS: { readonly [order in WorkOrder]?: string } = {
  id: 'work',
  title: 'sort_title',
  venue: 'sort_venue',
};

const SHOWN = `work, title, authors, year, venue, doi, type, outcome, reason, resolver, licence, version, bytes, document, retracted,
  citations, at`;
/** Fewer works than this are sorted when they are asked for; more are read in the order of an index until a page is full. */
const FEW = 2_000;
const DEFAULT_LIMIT = 50;
const FILL_ROWS = 2_000;

type Combination = Readonly<Record<WorkFacet, string | number>> & { readonly rows: number };

/** The works of a corpus, each in one line, in every order and by every filter that a list offers. */
export class WorkTable {
  readonly #database: DatabaseSync;
  readonly #hasRecords: () => boolean;
  #isIndexed = false;
  /** Whether the words of the works are in their index, and are kept there. */
  #hasWords = false;
  readonly #found: FoundWorks;
  /** Undefined until somebody counts: sooner, each of the first works would cost twice as much. */
  #tally: Tally | undefined;

  /** Records to look authors up in are in `run.works`, where there are any. */
  constructor(database: DatabaseSync, hasRecords: () => boolean) {
    this.#database = database;
    this.#hasRecords = hasRecords;
    database.function('folded', { deterministic: true }, (text) => folded(String(text)));
    database.function('has_words', { deterministic: true }, (text, words) =>
      hasWords(String(text ?? ''), String(words)) ? 1 : 0,
    );
    database.exec(SCHEMA);
    this.#found = new FoundWorks(database);
  }

  /** Makes the table quick, once the works that were there at first are in it: sooner, each of them would cost five times as much. */
  async index(): Promise<void> {
    for (const statement of INDEXES.split(';')) {
      this.#database.exec(statement);
      await nextTurn();
    }
    this.#isIndexed = true;
    for (const _slice of this.#fillWords()) await nextTurn();
    this.#all();
  }

  *#fillWords(): Generator<void> {
    if (this.#hasWords) return;
    this.#hasWords = true;
    const fill = this.#database.prepare(
      `INSERT OR REPLACE INTO words (rowid, body) SELECT rowid, ${WORDS} FROM works WHERE rowid > ? AND rowid <= ?`,
    );
    for (let [from, end] = [0, this.end(0, FILL_ROWS)]; end !== null; from = end, end = this.end(end, FILL_ROWS)) {
      fill.run(from, end);
      yield;
    }
  }

  /** The last row of the next so many; null where there are no others. */
  end(after: number, rows: number): number | null {
    const slice = 'SELECT rowid FROM works WHERE rowid > ? ORDER BY rowid LIMIT ?';
    const row = this.#database.prepare(`SELECT max(rowid) AS last FROM (${slice})`).get(after, rows);
    return typeof row?.['last'] === 'number' ? row['last'] : null;
  }

  /** To be called after rows were written, with those whose words are to be kept. */
  changed(rows: readonly number[]): void {
    this.#forget();
    if (!this.#hasWords) return;
    const put = this.#database.prepare(
      `INSERT OR REPLACE INTO words (rowid, body) SELECT rowid, ${WORDS} FROM works WHERE rowid = ?`,
    );
    for (const row of rows) put.run(row);
  }

  remove(row: number): void {
    this.#database.prepare('DELETE FROM works WHERE rowid = ?').run(row);
    if (this.#hasWords) this.#database.prepare('DELETE FROM words WHERE rowid = ?').run(row);
    this.#forget();
  }

  clear(): void {
    this.#database.exec('DELETE FROM works; DELETE FROM words');
    this.#hasWords = false;
    this.#forget();
  }

  #forget(): void {
    this.#tally?.changed();
    this.#found.forget();
  }

  get(work: string): WorkLine | undefined {
    const row = this.#database.prepare(`SELECT ${SHOWN} FROM works WHERE work = ?`).get(work);
    return row && lineOf(row);
  }

  /** The id under which the manifest has a work; undefined for one that was not tried yet. */
  triedAs(work: string): string | undefined {
    const tried = this.#database.prepare('SELECT tried FROM works WHERE work = ?').get(work)?.['tried'];
    return typeof tried === 'string' ? tried : undefined;
  }

  /** So many of the works that something came of last, the last at the end. */
  latest(works: number): SettledWork[] {
    const rows = this.#database
      .prepare(
        'SELECT work, at, outcome, reason, title, resolver FROM works WHERE tried IS NOT NULL ORDER BY at DESC LIMIT ?',
      )
      .all(works);
    return rows.toReversed() as unknown as SettledWork[];
  }

  /** The work that a document holds. */
  ofDocument(document: string): WorkLine | undefined {
    const find = this.#database.prepare(`SELECT ${SHOWN} FROM works WHERE document = ? AND document <> '' LIMIT 1`);
    const row = find.get(document);
    return row && lineOf(row);
  }

  /** A page of works, and how many there are on all pages. */
  page(request: WorksRequest): {
    readonly items: readonly WorkLine[];
    readonly next: string | null;
    readonly total: number;
  } {
    const { sort = 'title', order = sort === 'at' ? 'desc' : 'asc', limit = DEFAULT_LIMIT } = request;
    const column = SORT_COLUMNS[sort] ?? sort;
    const after = decodeCursor(request.cursor, 2);
    const facets = facetConditions(request);
    const isFound = this.#find(request);
    const total = isFound ? this.#found.count(facets) : this.#count(request);
    const [compare, direction] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC'];
    const conditions = [
      ...facets.conditions,
      ...(isFound ? [IS_FOUND] : []),
      ...(after ? [`(${column}, work) ${compare} (:after_value, :after_work)`] : []),
    ];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const index = sort === 'id' ? 'sqlite_autoindex_works_1' : `works_by_${sort}`;
    const rows = this.#database
      .prepare(
        total < FEW && conditions.length > 0
          ? `SELECT ${SHOWN}, ${column} AS sort_value FROM works WHERE rowid IN (SELECT rowid FROM works ${where})
             ORDER BY +${column} ${direction}, +work ${direction} LIMIT :limit`
          : `SELECT ${SHOWN}, ${column} AS sort_value FROM works ${this.#isIndexed ? `INDEXED BY ${index}` : ''} ${where}
             ORDER BY ${column} ${direction}, work ${direction} LIMIT :limit`,
      )
      .all({
        ...facets.values,
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
    for (const work of others.union(excluded)) {
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

  /** Writes down which works have what is sought; false where nothing is sought. */
  #find(filter: WorkFilter): boolean {
    const sought = soughtConditions(filter, { hasRecords: this.#hasRecords() });
    if (sought.conditions.length === 0) return false;
    if ('q' in sought.values) for (const _slice of this.#fillWords());
    this.#found.find(sought);
    return true;
  }

  /** All combinations of what works are told apart by: far fewer than works. */
  #all(): readonly Combination[] {
    this.#tally ??= new Tally(this.#database, 'works', WORK_FACETS);
    return this.#tally.all() as unknown as readonly Combination[];
  }
}
