import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { slug } from '../../download/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import type { WorkOutcome, WorksQuery } from './works-query.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { folded } from '../folded.ts';
import { conditionsOf } from './works-query.ts';

/** A work of a corpus with what came of it, as a list shows it. */
export interface ListedWork {
  readonly id: string;
  /** The name of its parsed document, whether there is one or not. */
  readonly document: string;
  readonly title: string | null;
  readonly authors: readonly string[];
  readonly year: number | null;
  readonly venue: string | null;
  readonly type: string | null;
  readonly doi: string | null;
  readonly license: string | null;
  readonly version: string | null;
  readonly access: string | null;
  /** `own` for papers that were there, `waiting` for works that were found and not yet tried. */
  readonly outcome: WorkOutcome;
  readonly reason: string;
  readonly detail: string | null;
  readonly resolver: string | null;
  /** Relative to the folder of the corpus. */
  readonly file: string | null;
  readonly isRetracted: boolean;
  readonly label: 'included' | 'excluded' | null;
}

/** A page of a list of works. */
export interface WorksPage {
  readonly works: readonly ListedWork[];
  /** How many there are in all. */
  readonly total: number;
  readonly next: string | null;
}

const MOST_WORKS = 1_000;
const LIMIT = 50;

/** The record that a row of the manifest is about: mostly filed under the same id, else under another id of the same work. */
const RECORD_OF = `coalesce(
  (SELECT id FROM works WHERE id = m.work),
  CASE WHEN m.work LIKE 'doi:%' THEN (SELECT id FROM works WHERE doi = substr(m.work, 5) ORDER BY id LIMIT 1)
    WHEN m.work LIKE 'pmid:%' THEN (SELECT id FROM works WHERE pmid = substr(m.work, 6) ORDER BY id LIMIT 1)
    WHEN m.work LIKE 'pmcid:%' THEN (SELECT id FROM works WHERE pmcid = substr(m.work, 7) ORDER BY id LIMIT 1)
    WHEN m.work LIKE 'arxiv:%' THEN (SELECT id FROM works WHERE arxiv = substr(m.work, 7) ORDER BY id LIMIT 1) END)`;

/** Works that have been tried, by their last row, and those that have only a record. JSON is read for what is shown alone. */
const LISTED = `
  SELECT m.work AS id, m.work AS tried, w.id AS record, w.title, w.year, w.venue, w.type, w.license, w.retracted,
    m.outcome, m.reason, m.sequence
  FROM manifest AS m LEFT JOIN works AS w ON w.id = ${RECORD_OF}
  WHERE m.sequence IN (SELECT max(sequence) FROM manifest GROUP BY work)
  UNION ALL
  SELECT w.id, NULL, w.id, w.title, w.year, w.venue, w.type, w.license, w.retracted,
    CASE WHEN EXISTS (SELECT 1 FROM work_documents WHERE work = w.id) THEN 'own' ELSE 'waiting' END, '', NULL
  FROM works AS w WHERE NOT EXISTS (
    SELECT 1 FROM manifest WHERE work IN (w.id, 'doi:' || w.doi, 'pmid:' || w.pmid, 'pmcid:' || w.pmcid, 'arxiv:' || w.arxiv))`;

/** The works of a run's database, page by page; empty where there is none. */
export class WorksList implements Disposable {
  readonly #database: DatabaseSync | undefined;
  readonly #linkOf: (document: string) => string | undefined;

  constructor(folder: string, linkOf: (document: string) => string | undefined) {
    const path = join(folder, 'manifest.sqlite3');
    this.#database = existsSync(path) ? openToRead(path) : undefined;
    this.#linkOf = linkOf;
  }

  page(query: WorksQuery): WorksPage {
    if (!this.#database) return { works: [], total: 0, next: null };
    const { sort = 'id', descending = false } = query;
    const limit = Math.min(MOST_WORKS, Math.max(1, query.limit ?? LIMIT));
    const { where, values } = conditionsOf(query);
    const place = decodeCursor(query.cursor, 2);
    const after = place && { id: String(place[0]), total: Number(place[1]) };
    const key = sort === 'year' ? 'coalesce(year, 0)' : sort === 'id' ? 'id' : `fold(${sort})`;
    const [beyond, order] = descending ? ['<', 'DESC'] : ['>', 'ASC'];
    const last = `(SELECT ${key} FROM (${LISTED}) WHERE id = :after)`;
    const rest = after ? ` AND (${key}, id) ${beyond} (${last}, :after)` : '';
    const rows = this.#database
      .prepare(
        `SELECT * FROM (${LISTED}) AS listed WHERE ${where}${rest} ORDER BY ${key} ${order}, id ${order} LIMIT :most`,
      )
      .all({ ...values, most: limit + 1, ...(after && { after: after.id }) });
    const total =
      after?.total ??
      Number(
        this.#database.prepare(`SELECT count(*) AS total FROM (${LISTED}) AS listed WHERE ${where}`).get(values)?.[
          'total'
        ] ?? 0,
      );
    const end = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      works: rows.slice(0, limit).map((row) => this.#work(row)),
      total,
      next: end ? encodeCursor([String(end['id']), total]) : null,
    };
  }

  /** Whether nothing is known of any work. */
  get isEmpty(): boolean {
    return !this.#database?.prepare('SELECT 1 FROM manifest UNION ALL SELECT 1 FROM works LIMIT 1').get();
  }

  /** How many works there are by outcome, and how many are missing by reason. */
  counts(): {
    readonly outcomes: Readonly<Record<string, number>>;
    readonly reasons: Readonly<Record<string, number>>;
    readonly excluded: number;
    readonly retracted: number;
  } {
    const rows = this.#database
      ?.prepare(
        `SELECT outcome, reason, count(*) AS works, sum(coalesce(retracted, 0)) AS retracted FROM (${LISTED}) GROUP BY outcome, reason`,
      )
      .all();
    const outcomes: Record<string, number> = {};
    const reasons: Record<string, number> = {};
    let retracted = 0;
    for (const { outcome, reason, works, retracted: back } of rows ?? []) {
      outcomes[String(outcome)] = (outcomes[String(outcome)] ?? 0) + Number(works);
      retracted += Number(back);
      if (outcome !== 'saved' && outcome !== 'own' && outcome !== 'waiting')
        reasons[String(reason)] = (reasons[String(reason)] ?? 0) + Number(works);
    }
    const excluded = this.#database
      ?.prepare("SELECT count(*) AS works FROM work_labels WHERE label = 'excluded'")
      .get();
    return { outcomes, reasons, excluded: Number(excluded?.['works'] ?? 0), retracted };
  }

  /** One work: by its id, another id of it (`doi:…`), or the name of its document. */
  work(name: string): (ListedWork & { readonly record: WorkRecord | null }) | undefined {
    const database = this.#database;
    if (!database) return undefined;
    const one = (sql: string, ...values: string[]): string | undefined => {
      const row = database.prepare(sql).get(...values);
      return row === undefined ? undefined : String(Object.values(row)[0]);
    };
    const bare = name.replace(/^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:)/i, '').toLowerCase();
    const id =
      one('SELECT work FROM manifest WHERE work = ? LIMIT 1', name) ??
      one('SELECT id FROM works WHERE id = ?', name) ??
      one('SELECT work FROM work_documents WHERE document = ?', name) ??
      one('SELECT id FROM works WHERE doi = ? ORDER BY id LIMIT 1', bare) ??
      one('SELECT work FROM manifest WHERE work = ? LIMIT 1', `doi:${bare}`);
    if (id === undefined) return this.#byDocument(name);
    const row = database.prepare(`SELECT * FROM (${LISTED}) AS listed WHERE id = ? OR record = ? LIMIT 1`).get(id, id);
    return row && { ...this.#work(row), record: this.#record(row) };
  }

  /** The file of a work is named after its id; a name that was made of the id cannot be turned back, so that all are asked. */
  #byDocument(document: string): ReturnType<WorksList['work']> {
    for (const { work } of this.#database?.prepare('SELECT DISTINCT work FROM manifest').iterate() ?? [])
      if (slug(String(work)) === document) return this.work(String(work));
    return undefined;
  }

  #record(row: Readonly<Record<string, unknown>>): WorkRecord | null {
    const found = this.#database?.prepare('SELECT record_json FROM works WHERE id = ?').get(String(row['record']));
    return found ? (JSON.parse(String(found['record_json'])) as WorkRecord) : null;
  }

  #work(row: Readonly<Record<string, unknown>>): ListedWork {
    const record = this.#record(row);
    const { sequence } = row;
    const json = this.#database
      ?.prepare('SELECT row_json FROM manifest WHERE sequence = ?')
      .get(sequence === null ? -1 : Number(sequence));
    const tried = json ? (JSON.parse(String(json['row_json'])) as Readonly<Record<string, unknown>>) : {};
    const text = (name: string): string | null => (typeof tried[name] === 'string' ? tried[name] : null);
    const id = String(row['id']);
    const document = row['tried'] === null ? (this.#documentOf(id) ?? slug(id)) : slug(id);
    const outcome = String(row['outcome']) as ListedWork['outcome'];
    const isKept = outcome === 'saved' || outcome === 'own';
    return {
      id: record?.id ?? id,
      document,
      title: record?.title ?? text('title'),
      authors: record?.authors.map(({ name }) => name) ?? [],
      year: row['year'] === null ? null : Number(row['year']),
      venue: record?.venue ?? null,
      type: record?.type ?? null,
      doi: record?.ids.doi ?? text('doi'),
      license: text('license') ?? record?.license ?? null,
      version: text('version') ?? record?.version ?? null,
      access: record?.access ?? null,
      outcome,
      reason: String(row['reason']),
      detail: text('detail'),
      resolver: text('resolver'),
      file: isKept ? (this.#linkOf(document) ?? text('path')) : null,
      isRetracted: row['retracted'] === 1,
      label: this.#label(record?.id ?? id),
    };
  }

  #documentOf(work: string): string | undefined {
    const row = this.#database?.prepare('SELECT document FROM work_documents WHERE work = ? LIMIT 1').get(work);
    return row && String(row['document']);
  }

  #label(work: string): ListedWork['label'] {
    const row = this.#database?.prepare('SELECT label FROM work_labels WHERE work = ?').get(work);
    return (row?.['label'] as ListedWork['label'] | undefined) ?? null;
  }

  [Symbol.dispose](): void {
    this.#database?.close();
  }
}

/** The tables of a run; those that it has not made yet are empty. */
const EMPTY = {
  manifest:
    'sequence INTEGER PRIMARY KEY, run_id, at, work, outcome, reason, resolver, path, kind, sha256, bytes, row_json',
  works: 'id, doi, pmid, pmcid, arxiv, title, first_author, year, venue, type, license, access, retracted, record_json',
  work_documents: 'document, work',
  work_labels: 'work, label',
};

function openToRead(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  try {
    database.function('fold', { deterministic: true }, (value) => folded(String(value ?? '')));
    database.function('has_words', { deterministic: true }, (value, words) => {
      const text = folded(String(value ?? ''));
      return (JSON.parse(String(words)) as string[]).every((word) => text.includes(word)) ? 1 : 0;
    });
    for (const [table, columns] of Object.entries(EMPTY))
      if (!database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(table))
        database.exec(`CREATE TEMP TABLE ${table} (${columns})`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
