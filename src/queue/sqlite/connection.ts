import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';

import type { Clock, Timer } from '../../base/index.ts';
import {
  AppError,
  describeDiskError,
  inTransaction,
  markOf,
  markPragma,
  sqliteCode,
  systemClock,
  wait,
} from '../../base/index.ts';
import { migrationsAfter } from '../migrations.ts';
import type { StoreOptions } from '../store-options.ts';
import type { StoreChange } from '../types.ts';

export type SqliteOptions = StoreOptions & { readonly path: string };

/** Pages in the WAL before a checkpoint: about 16 MB. */
const CHECKPOINT_PAGES = 4000;
const CACHE_KILOBYTES = 16_384;
const LONGEST_WAIT_MS = 20;
const APPLICATION = 'DtKq';

export class SqliteConnection {
  readonly path: string;
  readonly clock: Clock;
  readonly #database: DatabaseSync;
  readonly #timeoutMs: number;
  readonly #durability: StoreOptions['durability'];
  #synchronous: 'FULL' | 'NORMAL' | undefined;

  private constructor(database: DatabaseSync, options: SqliteOptions) {
    this.path = options.path;
    this.clock = options.clock ?? systemClock;
    this.#database = database;
    this.#timeoutMs = options.timeoutMs ?? 10_000;
    this.#durability = options.durability ?? 'enqueue';
  }

  static async open(options: SqliteOptions): Promise<SqliteConnection> {
    const { path } = options;
    let database: DatabaseSync | undefined;
    try {
      if (path !== ':memory:') {
        mkdirSync(dirname(path), { recursive: true });
        markOf(path, APPLICATION, () => requireAdoptable(path));
      }
      allowWriting(path);
      // Lock waits happen outside SQLite, so that they never block the event loop.
      database = new DatabaseSync(path, { timeout: 0 });
      const connection = new SqliteConnection(database, options);
      await connection.#configure(options.walMode ?? true);
      return connection;
    } catch (error) {
      database?.close();
      throw error instanceof AppError ? error : describeSqliteError(error, path);
    }
  }

  prepare(sql: string): StatementSync {
    return this.#database.prepare(sql);
  }

  read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw describeSqliteError(error, this.path);
    }
  }

  /** One write transaction; with `accepting` it is synced at the end, unless durability is `none`. */
  write<T>(work: () => T, { accepting = false }: { readonly accepting?: boolean } = {}): Promise<T> {
    const isSynced = this.#durability === 'all' || (this.#durability === 'enqueue' && accepting);
    return this.#patiently(() => {
      this.#setSynchronous(isSynced ? 'FULL' : 'NORMAL');
      return inTransaction(this.#database, work);
    });
  }

  close(): void {
    this.#database.close();
  }

  async #configure(walMode: boolean): Promise<void> {
    const database = this.#database;
    await this.#patiently(() => {
      // Before the file uses a write-ahead log, so that its header always has the mark.
      if (!isMarked(database)) database.exec(markPragma(APPLICATION));
      database.exec(`PRAGMA journal_mode = ${walMode ? 'WAL' : 'DELETE'}`);
      database.exec(`PRAGMA cache_size = -${CACHE_KILOBYTES}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      // On macOS a plain fsync leaves data in the drive's cache.
      database.exec('PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1');
    });
    await this.#migrate();
  }

  async #migrate(): Promise<void> {
    const pending = (): ReturnType<typeof migrationsAfter> => {
      const { user_version: found } = this.prepare('PRAGMA user_version').get() as { user_version: number };
      return migrationsAfter(found, 'sqlite', this.path);
    };
    if (pending().length === 0) return;
    await this.write(
      () => {
        const migrations = pending();
        for (const { sql, version } of migrations) this.#database.exec(`${sql}; PRAGMA user_version = ${version}`);
      },
      { accepting: true },
    );
  }

  #setSynchronous(level: 'FULL' | 'NORMAL'): void {
    if (this.#synchronous === level) return;
    this.#database.exec(`PRAGMA synchronous = ${level}`);
    this.#synchronous = level;
  }

  /** Retries until the lock is free. `work` is atomic, so retrying is safe. */
  async #patiently<T>(work: () => T): Promise<T> {
    let giveUpAt: number | undefined;
    for (let delayMs = 1; ; delayMs = Math.min(LONGEST_WAIT_MS, delayMs * 2)) {
      try {
        return work();
      } catch (error) {
        const now = this.clock.monotonic();
        giveUpAt ??= now + this.#timeoutMs;
        if (!isBusy(error) || now >= giveUpAt) throw describeSqliteError(error, this.path);
      }
      await wait(this.clock, delayMs * (0.5 + Math.random() / 2));
    }
  }
}

function isMarked(database: DatabaseSync): boolean {
  return database.prepare('PRAGMA application_id').get()?.['application_id'] !== 0;
}

/** The columns of a queue as the source documents describe it. */
const ADOPTED = 'artifact_id artifact_json state attempts last_error created_at updated_at lease_expires_at worker_id';

/** A database without our mark may be an empty one or one of the source documents; any other is refused. */
function requireAdoptable(path: string): void {
  using database = new DatabaseSync(path, { readOnly: true });
  const names = (sql: string): string[] =>
    database
      .prepare(sql)
      .all()
      .map(({ name }) => String(name));
  const tables = names("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  const columns = new Set(names("SELECT name FROM pragma_table_info('jobs')"));
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  const isAdopted = tables.includes('jobs') && ADOPTED.split(' ').every((name) => columns.has(name));
  if (version === 0 && !isMarked(database) && (tables.length === 0 || isAdopted)) return;
  throw new AppError('QUEUE_FOREIGN_DATABASE', `${path} is a database of another program`, {
    hint: 'choose another file with --queue or queue.path; this one was not changed',
  });
}

const SQLITE_CODES = { busy: 5, locked: 6, corrupt: 11, notADatabase: 26 };

function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE_CODES.busy || code === SQLITE_CODES.locked;
}

function describeSqliteError(error: unknown, path: string): unknown {
  const reason = error instanceof Error ? error.message : String(error);
  if (isBusy(error))
    return new AppError('QUEUE_BUSY', `${path} is locked by another process`, {
      hint: 'find the process that holds the lock (a backup or database browser?), or raise queue.timeout_sec',
      cause: error,
    });
  if (sqliteCode(error) === SQLITE_CODES.corrupt)
    return new AppError('QUEUE_DAMAGED', `${path} is damaged: ${reason}`, {
      hint: 'move it away: the next run of its folder queues its works again and skips what is downloaded; other queues can be restored from a backup, or with the sqlite3 command .recover',
      cause: error,
    });
  if (sqliteCode(error) === SQLITE_CODES.notADatabase)
    return new AppError('QUEUE_NOT_A_DATABASE', `${path} is not a SQLite database`, {
      hint: 'choose another file with --queue or queue.path; this one was not changed',
      cause: error,
    });
  return describeDiskError(error, path);
}

/** SQLite never changes the mode of its side files: a queue that was once read-only would stay so. */
function allowWriting(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  for (const beside of [`${path}-wal`, `${path}-shm`]) {
    const found = statSync(beside, { throwIfNoEntry: false });
    if (found && (mode & 0o200) !== 0 && (found.mode & 0o200) === 0) chmodSync(beside, mode & 0o777);
  }
}

/** How often to check whether another process wrote to the file, which reads one number from shared memory. */
const POLL_MS = 250;

export function watchFile(connection: SqliteConnection, changed: (change: StoreChange) => void): Disposable {
  // Changes only when another connection commits.
  const data = connection.prepare('PRAGMA data_version');
  const control = connection.prepare('SELECT version FROM control');
  const readData = (): unknown => data.get()?.['data_version'];
  const readControl = (): unknown => control.get()?.['version'];
  let [seenData, seenControl] = [readData(), readControl()];
  const poll = (): void => {
    const [wasData, wasControl] = [seenData, seenControl];
    seenData = readData();
    if (seenData === wasData) return;
    seenControl = readControl();
    if (seenControl !== wasControl) changed('control');
    changed('jobs');
  };
  const arm = (): Timer => {
    const next = connection.clock.setTimer(POLL_MS, () => {
      timer = arm();
      poll();
    });
    next.unref();
    return next;
  };
  let timer = arm();
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
