import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';

import type { Warn } from '../base/index.ts';
import {
  AppError,
  describeDiskError,
  inTransaction,
  isDamaged,
  isUnwritable,
  openOrSetAside,
  packageRoot,
  sha256,
} from '../base/index.ts';
import { appendLine, isSameLog, LineReader, logsIn, readLines, START } from './logs.ts';
import type { LogCursor, LogFile } from './logs.ts';
import { upgradeFolder } from './upgrade.ts';
import { WorkRows } from './work-rows.ts';

const NAME = 'corpus.sqlite';
const BATCH_BYTES = 1 << 20;
const BUSY_MS = 30_000;
const ROWS_PER_CALL = 10;
/** The tables of each log. They depend on no other log, unlike those of works. */
const LOG_TABLES: Readonly<Record<LogFile['kind'], string>> = {
  manifest: 'outcomes same_works',
  records:
    'records work_ids version_keys own_papers read_documents arxiv_versions listed_in repeated_entries catalogue_answers',
  decisions: 'screened protocols samples labels versions decided_works sets cells',
  hosts: 'host_slices hosts',
  doctags: 'document_steps',
  chunk: 'document_steps',
  embed: 'document_steps',
};
/** Derived from the manifest, the records and the decisions. */
const WORK_TABLES = 'works works_tally words';
/** Not built from logs: `updateGraph` maintains them. */
const GRAPH_TABLES =
  'graph_sources graph_update statements evidence printed printed_keys work_keys open_references nodes edges';
const TALLIED = 'outcome, reason, licence, version, type, year, label, other_version';
/** Most names of works held in memory until their rows are written. */
const MOST_UNSETTLED = 500_000;
const CACHE_KB = 32_768;
/** Pages changed in one transaction that do not fit are written early, and again. */
const BULK_CACHE_KB = 262_144;

export interface StoreOptions {
  /** `Data/Manifests` in the folder by default. */
  readonly manifests?: string | undefined;
  readonly warn?: Warn | undefined;
  /** Takes log lines in a fleet, whose logs are on a server; by default they go to files in the folder. */
  readonly say?: ((kind: 'records' | 'decisions', lines: readonly string[]) => void) | undefined;
}

type SqlValues = readonly SQLInputValue[] | readonly [Readonly<Record<string, SQLInputValue>>];

/** What was ingested. `replaced` are logs with another file since: rows missing in it may exist only in the database. */
export type Ingested = ReturnType<typeof newTotal>;

function newTotal() {
  return { lines: 0, badLines: 0, replaced: new Set<string>() };
}

/**
 * The database of a corpus folder: a temporary copy if the folder is read-only, an empty one if it has no logs.
 * Several processes may ingest, one transaction at a time.
 *
 * ```js
 * using store = CorpusStore.open('runs/coral');
 * store.ingest();
 * store.all('select work, title from works order by work limit 10');
 * ```
 */
export class CorpusStore implements Disposable {
  readonly folder: string;
  readonly database: DatabaseSync;
  readonly #path: string;
  readonly #manifests: string;
  readonly #say: StoreOptions['say'];
  readonly #statements = new Map<string, StatementSync>();
  readonly #works: WorkRows;
  readonly #reader: LineReader;

  private constructor(folder: string, path: string, options: StoreOptions, copy = '') {
    this.folder = folder;
    this.#path = path;
    this.#say = options.say;
    this.#manifests = options.manifests ?? join(folder, 'Data', 'Manifests');
    this.database = path === '' ? opened(copy) : openOrSetAside(path, () => opened(path), options.warn);
    this.#works = new WorkRows(this);
    this.#reader = new LineReader(this, this.#works);
  }

  /** Upgrades an older version; ingests nothing. */
  static open(folder: string, options: StoreOptions = {}): CorpusStore {
    upgradeFolder(folder, options.warn);
    const manifests = options.manifests ?? join(folder, 'Data', 'Manifests');
    const path = join(folder, NAME);
    if (!existsSync(path) && logsIn(folder, manifests).length === 0) return new CorpusStore(folder, '', options);
    try {
      return new CorpusStore(folder, path, options);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      return new CorpusStore(folder, '', options, copyOf(path));
    }
  }

  /** Like `open`, for a process that writes logs: creates the folder and its database. */
  static create(folder: string, options: StoreOptions = {}): CorpusStore {
    mkdirSync(folder, { recursive: true });
    upgradeFolder(folder, options.warn);
    return new CorpusStore(folder, join(folder, NAME), options);
  }

  /** Reads everything appended to the logs since the last ingest, in batches. */
  ingest(): Ingested {
    const total = newTotal();
    while (this.#batch(total));
    return total;
  }

  /** Like `ingest`, but yields to other tasks between batches. */
  async ingestSoon(): Promise<Ingested> {
    const total = newTotal();
    while (this.#batch(total)) await nextTurn();
    return total;
  }

  /** Like `ingest`, in one transaction: writes the row of each work once, but blocks other writers. */
  ingestAll(): Ingested {
    this.#settlesLate = true;
    this.database.exec(`pragma cache_size = -${BULK_CACHE_KB}`);
    try {
      return this.transaction(() => {
        // Building indexes and tallies at the end, from sorted rows, is much cheaper than row by row.
        const later = this.get('select 1 from works limit 1')
          ? []
          : this.all<{ type: string; name: string; sql: string }>(
              "select type, name, sql from sqlite_schema where type <> 'table' and tbl_name = 'works' and sql is not null",
            );
        for (const { type, name } of later) this.database.exec(`drop ${type} ${name}`);
        const total = this.ingest();
        this.#works.settle();
        if (later.length > 0)
          this.database.exec(`insert into works_tally select ${TALLIED}, count(*) from works group by ${TALLIED}`);
        for (const { sql } of later) this.database.exec(sql);
        return total;
      });
    } finally {
      this.#settlesLate = false;
      this.database.exec(`pragma cache_size = -${CACHE_KB}`);
    }
  }

  /** Appends lines to the records; the next ingest reads them. */
  appendRecords(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.transaction(() => appendLine(this.#logToAppend('records'), `${lines.join('\n')}\n`));
  }

  /** Appends lines and ingests them; other processes see all of them or none. */
  append(kind: 'records' | 'decisions', rows: readonly object[]): void {
    if (rows.length === 0) return;
    const lines = rows.map((row) => JSON.stringify(row));
    if (this.#path === '') throw new AppError('CORPUS_READ_ONLY', `${this.folder} is not writable`);
    if (this.#say) {
      this.#say(kind, lines);
      return;
    }
    refuseFleetFolder(this.folder);
    this.ingest();
    this.transaction(() => {
      // Decisions of people cannot be fetched again: sync them.
      appendLine(this.#logToAppend(kind), `${lines.join('\n')}\n`, kind === 'decisions');
      const log = logsIn(this.folder, this.#manifests).find((each) => each.kind === kind);
      if (log) while (this.#read(log, newTotal(), Number.MAX_SAFE_INTEGER));
    });
  }

  /** Whether the logs are copies of a fleet's: nothing can be appended to them. */
  get isCopy(): boolean {
    return !this.#say && isFleetFolder(this.folder);
  }

  /** Throws if a log that was read before is missing, so that a run fails at its start and not at every work. */
  requireLogs(): void {
    if (!this.#say) for (const kind of ['records', 'decisions'] as const) this.#logToAppend(kind);
  }

  #logToAppend(kind: 'records' | 'decisions'): string {
    const path = join(this.folder, `${kind}.jsonl`);
    // A new file would replace what was read from the old one, which only the database still has.
    if (!existsSync(path) && this.#cursor(`${kind}.jsonl`) !== START)
      throw new AppError('CORPUS_LOG_MISSING', `${path} is missing; corpus.sqlite still has what was read from it`, {
        hint: 'put the file back, or run docstokg reindex to go on without its contents',
      });
    return path;
  }

  /** Deletes every row that comes from a log; the next ingest reads all logs again. */
  clear(what: 'logged' | 'with graph' = 'logged'): void {
    const logged = [...Object.values(LOG_TABLES), WORK_TABLES, 'logs'];
    this.transaction(() => this.#empty(...logged, ...(what === 'with graph' ? [GRAPH_TABLES] : [])));
  }

  #empty(...lists: readonly string[]): void {
    for (const table of new Set(lists.flatMap((list) => list.split(' ')))) this.run(`delete from ${table}`);
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the columns that the statement selects
  get<T = Record<string, unknown>>(sql: string, ...values: SqlValues): T | undefined {
    return this.#guard(() => this.#prepared(sql).get(...(values as SQLInputValue[])) as T | undefined);
  }

  all<T = Record<string, unknown>>(sql: string, ...values: SqlValues): T[] {
    return this.#guard(() => this.#prepared(sql).all(...(values as SQLInputValue[])) as T[]);
  }

  /** The number that a statement selects; 0 if it selects none. */
  number(sql: string, ...values: SqlValues): number {
    return Number(Object.values(this.get(sql, ...values) ?? {})[0] ?? 0);
  }

  /** The first selected column. */
  column<Value = string>(sql: string, ...values: SqlValues): Value[] {
    return this.all(sql, ...values).map((row) => Object.values(row)[0] as Value);
  }

  /** Rows of two columns, by the first one. */
  map<Value = string>(sql: string, ...values: SqlValues): Map<string, Value> {
    return new Map(this.all(sql, ...values).map((row) => Object.values(row) as [string, Value]));
  }

  count(table: string): number {
    return this.number(`select count(*) from ${table}`);
  }

  /** Row by row, with a separate statement, so that other queries can run in between. */
  *iterate<T = Record<string, unknown>>(sql: string, ...values: SqlValues): Generator<T, void> {
    try {
      yield* this.database.prepare(sql).iterate(...(values as SQLInputValue[])) as Iterable<T>;
    } catch (error) {
      throw this.#described(error);
    }
  }

  run(sql: string, ...values: SqlValues): number {
    return this.#guard(() => Number(this.#prepared(sql).run(...(values as SQLInputValue[])).changes));
  }

  /** Inserts a row by the names of its columns; returns 0 if there was one with its key and `orElse` leaves it. */
  insert(
    table: string,
    row: Readonly<Record<string, SQLInputValue>>,
    orElse: '' | 'or ignore' | 'or replace' = '',
  ): number {
    const columns = Object.keys(row);
    const places = columns.map(() => '?').join(', ');
    return this.run(`insert ${orElse} into ${table} (${columns.join(', ')}) values (${places})`, ...Object.values(row));
  }

  /** Inserts many rows per call: a call costs about as much as a row. */
  insertRows(table: string, rows: readonly (readonly SQLInputValue[])[]): void {
    for (let at = 0; at < rows.length;) {
      const some = rows.slice(at, at + (rows.length - at < ROWS_PER_CALL ? 1 : ROWS_PER_CALL));
      const values = some.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ');
      this.run(`insert into ${table} values ${values}`, ...some.flat());
      at += some.length;
    }
  }

  /** All or nothing; a nested call joins the outer transaction. */
  transaction<T>(work: () => T): T {
    if (this.database.isTransaction) return work();
    try {
      return inTransaction(this.database, work);
    } catch (error) {
      throw describeDiskError(error, this.#path);
    }
  }

  snapshot<T>(read: () => T): T {
    if (this.database.isTransaction) return read();
    this.database.exec('begin');
    try {
      return read();
    } finally {
      this.database.exec('commit');
    }
  }

  /** Grows whenever this or another process has changed the database. */
  get version(): string {
    const { data_version: others } = this.get<{ data_version: number }>('pragma data_version') ?? { data_version: 0 };
    return `${others}.${this.#ownChanges}`;
  }

  #ownChanges = 0;
  #settlesLate = false;

  [Symbol.dispose](): void {
    this.#statements.clear();
    this.database.close();
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#described(error);
    }
  }

  #described(error: unknown): unknown {
    if (!isDamaged(error)) return error;
    return new AppError('CORPUS_DAMAGED', `${this.#path} is damaged`, {
      hint: 'docstokg reindex moves it aside and builds it again',
      cause: error,
    });
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.database.prepare(sql)));
    return statement;
  }

  /** Reads a piece of the first log with new lines; false if there is none. */
  #batch(total: Ingested): boolean {
    for (const log of logsIn(this.folder, this.#manifests)) {
      const cursor = this.#cursor(log.name);
      // Checked without the lock, because usually nothing is new.
      const next = readLines(log.path, cursor, 1);
      if (next && next.lines.length === 0) continue;
      const before = total.lines;
      const isMore = this.transaction(() => this.#read(log, total, BATCH_BYTES));
      if (isMore || total.lines > before) return true;
    }
    return false;
  }

  #read(log: LogFile, total: Ingested, maxBytes: number): boolean {
    const cursor = this.#cursor(log.name);
    let read = readLines(log.path, cursor, maxBytes);
    if (!read) {
      // Only the run that repairs the manifest reads it again in full: until then its rows may exist only here.
      total.replaced.add(log.name);
      const renamed = this.#renamed(log);
      if (renamed) return true;
      if (log.kind === 'manifest') return false;
      this.forget(log.kind);
      read = readLines(log.path, START, maxBytes);
      if (!read) return false;
    } else if (cursor === START && this.#renamed(log)) return true;
    const bad = this.#reader.read(log.kind, read.lines);
    total.lines += read.lines.length;
    total.badLines += bad;
    const { bytes, head_bytes: headBytes, head, tail } = read.cursor;
    this.run(
      `insert into logs (name, bytes, head_bytes, head, tail, bad_lines) values (?, ?, ?, ?, ?, ?)
       on conflict do update set bytes = excluded.bytes, head_bytes = excluded.head_bytes, head = excluded.head,
         tail = excluded.tail, bad_lines = bad_lines + excluded.bad_lines`,
      log.name, bytes, headBytes, head, tail, bad,
    ); // prettier-ignore
    if (!this.#settlesLate || this.#works.size > MOST_UNSETTLED) this.#works.settle();
    this.#ownChanges += 1;
    return !read.isEnd;
  }

  /** Deletes the rows of a log; those of the others stay, because their files may be missing. */
  forget(kind: LogFile['kind']): void {
    this.transaction(() => {
      this.#empty(LOG_TABLES[kind]);
      for (const { name, kind: other } of logsIn(this.folder, this.#manifests))
        if (LOG_TABLES[other] === LOG_TABLES[kind]) this.run('delete from logs where name = ?', name);
      // Rotated ones may be missing.
      if (kind === 'manifest') this.run("delete from logs where name like 'manifest.%'");
      if (kind !== 'manifest' && kind !== 'records' && kind !== 'decisions') return;
      this.#empty(WORK_TABLES);
      const names = 'select work as name from outcomes union select id from records union select id from decided_works';
      for (const { name } of this.all<{ name: string }>(names)) this.#works.changed(name);
    });
  }

  #cursor(name: string): LogCursor {
    return this.get<LogCursor>('select bytes, head_bytes, head, tail from logs where name = ?', name) ?? START;
  }

  /** A rotated manifest has a new name: its cursor is renamed too. */
  #renamed(log: LogFile): boolean {
    if (log.kind !== 'manifest') return false;
    const known = this.all<LogCursor & { name: string }>("select * from logs where name like 'manifest.%'");
    for (const { name, ...cursor } of known) {
      if (name === log.name || cursor.bytes === 0 || !isSameLog(log.path, cursor)) continue;
      this.run('delete from logs where name = ?', log.name);
      this.run('update logs set name = ? where name = ?', log.name, name);
      return true;
    }
    return false;
  }
}

function opened(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_MS, enableForeignKeyConstraints: false });
  try {
    database.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -${CACHE_KB}`);
    const sql = readFileSync(join(packageRoot(), 'sql', 'corpus', 'schema.sql'), 'utf8');
    const version = Number.parseInt(sha256(sql.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ')).slice(0, 7), 16);
    if (versionOf(database) === version) return database;
    inTransaction(database, () => {
      // Another process may have created it meanwhile.
      if (versionOf(database) === version) return;
      for (const { type, name } of database
        .prepare(
          "select type, name from sqlite_schema where type in ('view', 'table') and name not like 'sqlite_%' and name not like 'words_%' order by type desc",
        )
        .all())
        database.exec(`drop ${String(type)} "${String(name)}"`);
      database.exec(`${sql}; pragma user_version = ${version}`);
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.['user_version']);
}

/** Temporary copies by the path of the original; removed when the process exits. */
const copies = new Map<string, string>();

/** The path of the copy; empty if there is nothing to copy, or another process has changes outside the file. */
function copyOf(path: string): string {
  const known = copies.get(path);
  if (known !== undefined) return known;
  if (!statSync(path, { throwIfNoEntry: false })?.isFile() || existsSync(`${path}-wal`)) return '';
  if (copies.size === 0) process.once('exit', removeCopies);
  const copy = join(mkdtempSync(join(tmpdir(), 'docstokg-')), NAME);
  copyFileSync(path, copy, constants.COPYFILE_FICLONE);
  // A read-only file gives a read-only copy.
  chmodSync(copy, 0o600);
  copies.set(path, copy);
  return copy;
}

function removeCopies(): void {
  for (const copy of copies.values()) rmSync(dirname(copy), { recursive: true, force: true });
}

export function hasStore(folder: string): boolean {
  return existsSync(join(folder, NAME));
}

export function removeStore(folder: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(join(folder, NAME + ending), { force: true });
}

/** Logs copied from a fleet must not be appended to: the next copy would not continue them. */
function isFleetFolder(folder: string): boolean {
  return existsSync(join(folder, 'state', 'fleet.json'));
}

export function refuseFleetFolder(folder: string): void {
  if (isFleetFolder(folder))
    throw new AppError('CORPUS_OF_FLEET', `the logs of ${folder} are copies of those of a fleet`, {
      hint: 'decide in a copy of the folder without state/fleet.json; a run adds to the fleet with --fleet',
    });
}
