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
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

import type { Warn } from '../base/index.ts';
import {
  AppError,
  describeDiskError,
  emitWarning,
  inTransaction,
  isDamaged,
  isUnwritable,
  openOrSetAside,
  openOwnDatabase,
  packageRoot,
  setAsideIfDamaged,
  sqliteCode,
} from '../base/index.ts';
import type { Journal, LogCursor, LogFile } from '../journal/index.ts';
import { FolderJournal, isFleetFolder, isSameLog, linesOf, LogFolder, START } from '../journal/index.ts';
import type { CorpusSql, SqlValues } from './corpus-sql.ts';
import { KeptLogs, packed, salvageLogs } from './kept-logs.ts';
import { LineReader } from './line-reader.ts';
import { WorkRows } from './work-rows.ts';

const NAME = 'corpus.sqlite';
const APPLICATION = 'DtKc';
/** Raised with every change of `schema.sql`: an older database is built again, a newer one refused. */
const SCHEMA_VERSION = 6;
const BATCH_BYTES = 1 << 20;
const BUSY_MS = 30_000;
const ROWS_PER_CALL = 10;
/** Filled from the lines of the logs. */
const LOG_TABLES =
  'outcomes same_works records work_ids version_keys own_papers read_documents arxiv_versions listed_in repeated_entries ' +
  'catalogue_answers screened protocols samples labels versions decided_works sets cells notes objects host_slices hosts document_steps';
/** Derived from the manifest, the records and the decisions. */
const WORK_TABLES = 'works works_tally words';
/** Not built from logs: `updateGraph` maintains them. */
const GRAPH_TABLES =
  'graph_sources graph_update statements evidence printed printed_keys work_keys open_references nodes edges';
const TALLIED = 'outcome, reason, licence, version, type, year, label, other_version';
/** Most names of works held in memory until their rows are written. */
const MOST_UNSETTLED = 500_000;
const CACHE_KB = 32_768;
const MOST_NAMED = 5;
const KEPT =
  'corpus.sqlite still has what was read from it; docstokg reindex writes it again, with what only the file has';
/** Pages changed in one transaction that do not fit are written early, and again. */
const BULK_CACHE_KB = 262_144;

export interface StoreOptions {
  /** `Data/Manifests` in the folder by default. */
  readonly manifests?: string | undefined;
  /** Told what was lost, damaged or mended; warnings of the process by default. */
  readonly warn?: Warn | undefined;
  /** Takes the lines of records and decisions; by default the files of the folder. */
  readonly journal?: Journal | undefined;
}

/** What was ingested. */
export interface Ingested {
  lines: number;
  /** Lines that cannot be read; they stay in their log. */
  badLines: number;
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
export class CorpusStore implements CorpusSql, Disposable {
  readonly folder: string;
  readonly database: DatabaseSync;
  readonly #path: string;
  readonly #logs: LogFolder;
  readonly #mends: boolean;
  readonly #warn: Warn;
  readonly #warned = new Set<string>();
  readonly #journal: Journal;
  readonly #statements = new Map<string, StatementSync>();
  readonly #works: WorkRows;
  readonly #reader: LineReader;
  readonly #kept: KeptLogs;

  private constructor(folder: string, path: string, options: StoreOptions, { copy = '', mends = false } = {}) {
    this.folder = folder;
    this.#path = path;
    this.#mends = mends;
    this.#warn = options.warn ?? emitWarning;
    this.#logs = options.journal?.logs ?? new LogFolder(folder, options.manifests);
    this.#journal = options.journal ?? new FolderJournal(this.#logs);
    this.database =
      path === ''
        ? opened(copy)
        : openOrSetAside(
            path,
            () => opened(path),
            options.warn,
            (aside) => salvageLogs(aside, this.#logs, this.#warn),
          );
    this.#works = new WorkRows(this);
    this.#reader = new LineReader(this, this.#works);
    this.#kept = new KeptLogs(this);
    try {
      this.#createTables();
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  /** For readers: changes no log. Ingests nothing. */
  static open(folder: string, options: StoreOptions = {}): CorpusStore {
    const path = join(folder, NAME);
    const isEmpty = !existsSync(path) && new LogFolder(folder, options.manifests).files().length === 0;
    if (isEmpty) return new CorpusStore(folder, '', options);
    try {
      return new CorpusStore(folder, path, options);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      return new CorpusStore(folder, '', options, { copy: copyOf(path) });
    }
  }

  /** For a process that writes logs: creates the folder and its database, and mends damaged logs as it reads them. */
  static create(folder: string, options: StoreOptions = {}): CorpusStore {
    mkdirSync(folder, { recursive: true });
    return new CorpusStore(folder, join(folder, NAME), options, { mends: true });
  }

  /** Moves a damaged database aside; what only it still has of the logs is written to them. */
  static setAsideIfDamaged(folder: string, options: StoreOptions = {}): void {
    const { warn = emitWarning, manifests } = options;
    const aside = setAsideIfDamaged(join(folder, NAME), warn);
    if (aside !== undefined) salvageLogs(aside, new LogFolder(folder, manifests), warn);
  }

  /** Reads everything appended to the logs since the last ingest, in batches. */
  ingest(): Ingested {
    const total: Ingested = { lines: 0, badLines: 0 };
    while (this.#batch(total));
    this.#warnOfMissing();
    return total;
  }

  /** Like `ingest`, but yields to other tasks between batches. */
  async ingestSoon(): Promise<Ingested> {
    const total: Ingested = { lines: 0, badLines: 0 };
    while (this.#batch(total)) await nextTurn();
    this.#warnOfMissing();
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

  /** Appends lines and ingests them; other processes see all of them or none. In a fleet they arrive with its logs. */
  append(log: 'records' | 'decisions', rows: readonly object[]): void {
    if (rows.length === 0) return;
    if (this.#path === '') throw new AppError('CORPUS_READ_ONLY', `${this.folder} is not writable`);
    this.ingest();
    this.transaction(() => {
      const file = this.#logs.of(log);
      // Whatever the log lost is written again first.
      if (!this.#isAsRead(file)) this.#mend(file);
      this.#journal.say({ log, lines: rows.map((row) => JSON.stringify(row)) });
      while (existsSync(file.path) && this.#read(file, { lines: 0, badLines: 0 }, Number.MAX_SAFE_INTEGER));
    });
  }

  /** Whether lines are refused: the logs are copies of a fleet's. */
  get isReadOnly(): boolean {
    return this.#journal.isReadOnly;
  }

  /**
   * Mends every log that is missing or differs from what was read. With `thorough` all bytes are compared, otherwise
   * the size, the first and the last ones.
   */
  mendLogs({ thorough = false } = {}): void {
    this.transaction(() => {
      for (const file of this.#logs.files()) if (file.log === 'manifest') this.#renamed(file);
      for (const name of this.column('select name from logs where bytes > 0 order by name')) {
        const log = this.#logs.named(name);
        if (!this.#isAsRead(log) || (thorough && !this.#isWhole(log))) this.#mend(log);
      }
    });
  }

  /** Damage of the copy itself does not matter as long as the log looks right. */
  #isWhole(log: LogFile): boolean {
    try {
      return this.#kept.isWhole(log);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'CORPUS_DAMAGED')) throw error;
      return true;
    }
  }

  #isAsRead({ name, path }: LogFile): boolean {
    const cursor = this.#cursor(name);
    return cursor.bytes === 0 || (existsSync(path) && isSameLog(path, cursor));
  }

  #mend(log: LogFile): void {
    const mended = this.#kept.mend(log, this.#cursor(log.name).bytes, isFleetFolder(this.folder));
    if (!mended) return;
    const { fault, added, copy } = mended;
    const others = added === 0 ? '' : `, followed by ${added} lines that only the file had`;
    const aside = copy === null ? '' : `; the file as it was is now ${copy}`;
    this.#warn(`${log.path} was ${fault}: it was written again from corpus.sqlite${others}${aside}`);
  }

  #warnOfMissing(): void {
    for (const name of this.column('select name from logs where bytes > 0')) {
      const log = this.#logs.named(name);
      if (!existsSync(log.path)) this.#warnOnce(log, `${log.path} is missing; ${KEPT}`);
    }
  }

  /** Once per log. */
  #warnOnce(log: LogFile, message: string): void {
    if (this.#warned.has(log.name)) return;
    this.#warned.add(log.name);
    this.#warn(message);
  }

  /** Deletes every row that comes from a log, after `mendLogs`; the next ingest reads all logs again. */
  clear(what: 'logged' | 'with graph' = 'logged'): void {
    const lists = [LOG_TABLES, WORK_TABLES, 'logs log_pieces', ...(what === 'with graph' ? [GRAPH_TABLES] : [])];
    this.transaction(() => {
      for (const table of lists.flatMap((list) => list.split(' '))) this.run(`delete from ${table}`);
    });
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the columns that the statement selects
  get<T = Record<string, unknown>>(sql: string, ...values: SqlValues): T | undefined {
    const statement = this.#prepared(sql);
    return this.#guard(() => statement.get(...(values as SQLInputValue[])) as T | undefined);
  }

  all<T = Record<string, unknown>>(sql: string, ...values: SqlValues): T[] {
    const statement = this.#prepared(sql);
    return this.#guard(() => statement.all(...(values as SQLInputValue[])) as T[]);
  }

  /** A value that the database has as JSON. SQLite does not notice changed bytes inside a text: they show here. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what the column holds
  parse<T>(json: string): T {
    return parseStored<T>(json, this.folder);
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
    const statement = this.#compiled(sql);
    try {
      yield* statement.iterate(...(values as SQLInputValue[])) as Iterable<T>;
    } catch (error) {
      throw this.#described(error);
    }
  }

  run(sql: string, ...values: SqlValues): number {
    const statement = this.#prepared(sql);
    return this.#guard(() => Number(statement.run(...(values as SQLInputValue[])).changes));
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

  /** Inserts rows with the same columns, many per call: a call costs about as much as a row. */
  insertRows(table: string, rows: readonly Readonly<Record<string, SQLInputValue>>[]): void {
    const columns = Object.keys(rows[0] ?? {});
    const places = `(${columns.map(() => '?').join(', ')})`;
    for (let at = 0; at < rows.length;) {
      const some = rows.slice(at, at + (rows.length - at < ROWS_PER_CALL ? 1 : ROWS_PER_CALL));
      const values = some.map(() => places).join(', ');
      this.run(`insert into ${table} (${columns.join(', ')}) values ${values}`, ...some.flatMap(Object.values));
      at += some.length;
    }
  }

  /** All or nothing; a nested call joins the outer transaction. */
  transaction<T>(work: () => T): T {
    if (this.database.isTransaction) return work();
    try {
      return inTransaction(this.database, () => {
        this.#requireVersion();
        return work();
      });
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
    // Statements of this version may not fit the tables of a newer one that has built the database again; if they do,
    // what fails while they run is a text that should be JSON.
    if (sqliteCode(error) === 1) this.#requireVersion();
    return isDamaged(error) || sqliteCode(error) === 1 ? damaged(this.folder, error) : error;
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#compiled(sql)));
    return statement;
  }

  #compiled(sql: string): StatementSync {
    try {
      return this.database.prepare(sql);
    } catch (error) {
      if (sqliteCode(error) === 1) this.#requireVersion();
      throw isDamaged(error) ? damaged(this.folder, error) : error;
    }
  }

  /** Reads a piece of the first log with new lines; false if there is none. */
  #batch(total: Ingested): boolean {
    for (const log of this.#logs.files()) {
      const cursor = this.#cursor(log.name);
      // Checked without the lock, because usually nothing is new.
      const next = this.#logs.read(log, cursor, 1);
      if (next && next.lines.length === 0) continue;
      const before = total.lines;
      const isMore = this.transaction(() => this.#read(log, total, BATCH_BYTES));
      if (isMore || total.lines > before) return true;
    }
    return false;
  }

  #read(log: LogFile, total: Ingested, maxBytes: number): boolean {
    const cursor = this.#cursor(log.name);
    if ((cursor === START || !isSameLog(log.path, cursor)) && this.#renamed(log)) return true;
    let read = this.#logs.read(log, cursor, maxBytes);
    if (!read) {
      // A log only grows: one that does not begin with what was read has lost something.
      if (!this.#mends) {
        this.#warnOnce(log, `${log.path} was cut off or changed; ${KEPT}`);
        return false;
      }
      this.#mend(log);
      read = this.#logs.read(log, cursor, maxBytes);
      if (!read) return false;
    }
    const bad = this.#reader.read(log.log, read.lines);
    total.lines += read.lines.length;
    total.badLines += bad.length;
    if (bad.length > 0) this.#warnOfLines(log, cursor, bad);
    const { bytes, head_bytes: headBytes, head, tail } = read.cursor;
    this.run(
      `insert into logs (name, bytes, head_bytes, head, tail, bad_lines)
       values (:name, :bytes, :headBytes, :head, :tail, :badLines)
       on conflict do update set bytes = excluded.bytes, head_bytes = excluded.head_bytes, head = excluded.head,
         tail = excluded.tail, bad_lines = bad_lines + excluded.bad_lines`,
      { name: log.name, bytes, headBytes, head, tail, badLines: bad.length },
    );
    if (read.bytes.length > 0)
      this.insert('log_pieces', { log: log.name, start: cursor.bytes, content: packed(read.bytes) });
    if (!this.#settlesLate || this.#works.size > MOST_UNSETTLED) this.#works.settle();
    this.#ownChanges += 1;
    return !read.isEnd;
  }

  #warnOfLines(log: LogFile, { bytes }: LogCursor, bad: readonly number[]): void {
    const before = countLines(log.path, bytes);
    const numbers = bad.slice(0, MOST_NAMED).map((at) => before + at + 1);
    const which = `${bad.length === 1 ? 'line' : 'lines'} ${numbers.join(', ')}${bad.length > MOST_NAMED ? ', …' : ''}`;
    this.#warn(`${log.path}: ${which} cannot be read and ${bad.length === 1 ? 'was' : 'were'} skipped`);
  }

  #cursor(name: string): LogCursor {
    return this.get<LogCursor>('select bytes, head_bytes, head, tail from logs where name = ?', name) ?? START;
  }

  /** Creates the tables, or builds those of an older version again: its logs get back first what only it still has. */
  #createTables(): void {
    if (versionOf(this.database) === SCHEMA_VERSION) return;
    this.#requireVersion('or older');
    const path = this.#path;
    try {
      inTransaction(this.database, () => {
        this.#requireVersion('or older');
        // Another process may have created them meanwhile.
        if (versionOf(this.database) === SCHEMA_VERSION) return;
        if (path !== '' && this.get("select 1 from sqlite_schema where name = 'log_pieces'")) this.mendLogs();
        const rest = "name not like 'sqlite_%' and name not like 'words_%' order by type desc";
        for (const { type, name } of this.all(
          `select type, name from sqlite_schema where type in ('view', 'table') and ${rest}`,
        ))
          this.database.exec(`drop ${String(type)} "${String(name)}"`);
        const sql = readFileSync(join(packageRoot(), 'sql', 'corpus', 'schema.sql'), 'utf8');
        this.database.exec(`${sql}; pragma user_version = ${SCHEMA_VERSION}`);
      });
    } catch (error) {
      throw describeDiskError(error, path);
    }
    this.#statements.clear();
  }

  /** Two versions of the program must not undo each other's work on one folder: the older one stops. */
  #requireVersion(which: 'this' | 'or older' = 'this'): void {
    const version = versionOf(this.database);
    if (version === SCHEMA_VERSION || (which === 'or older' && version < SCHEMA_VERSION)) return;
    throw new AppError('CORPUS_NEWER', `${join(this.folder, NAME)} was written by a newer version of docstokg`, {
      hint: 'upgrade docstokg here too, or work with a copy of the folder without corpus.sqlite',
    });
  }

  /** A rotated manifest has a new name: its cursor is renamed too. */
  #renamed(log: LogFile): boolean {
    if (log.log !== 'manifest') return false;
    const known = this.all<LogCursor & { name: string }>("select * from logs where name like 'manifest.%'");
    for (const { name, ...cursor } of known) {
      if (name === log.name || cursor.bytes === 0 || !isSameLog(log.path, cursor)) continue;
      this.run('delete from logs where name = ?', log.name);
      this.run('update logs set name = ? where name = ?', log.name, name);
      this.run('delete from log_pieces where log = ?', log.name);
      this.run('update log_pieces set log = ? where log = ?', log.name, name);
      return true;
    }
    return false;
  }
}

function opened(path: string): DatabaseSync {
  const database = openOwnDatabase(path, APPLICATION, { timeout: BUSY_MS, enableForeignKeyConstraints: false });
  try {
    database.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -${CACHE_KB}`);
    versionOf(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Counts the line breaks in the first bytes of a file. */
function countLines(path: string, bytes: number): number {
  let [lines, seen] = [0, 0];
  for (const line of linesOf(path)) {
    seen += line.length + 1;
    if (seen > bytes) break;
    lines += 1;
  }
  return lines;
}

/** A value that the database of a folder has as JSON. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what the column holds
export function parseStored<T>(json: string, folder = ''): T {
  try {
    return JSON.parse(json) as T;
  } catch (error) {
    throw damaged(folder, error);
  }
}

function damaged(folder: string, cause: unknown): AppError {
  return new AppError('CORPUS_DAMAGED', `${join(folder, NAME)} is damaged`, {
    hint: `docstokg reindex ${folder || 'RUN'} builds it again from the logs`,
    cause,
  });
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
