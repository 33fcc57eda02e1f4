import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';

import type { Warn } from '../base/index.ts';
import { AppError, describeDiskError, isDamaged, openOrSetAside, setAsideIfDamaged } from '../base/index.ts';
import type { Stored } from './cache.ts';
import type { Headers } from './send.ts';

/** Stores responses; freshness is decided by the caller. */
export interface CacheStore extends Disposable {
  find(key: string): Stored | undefined;
  save(key: string, stored: Stored): void;
  remove(key: string): void;
}

const SCHEMA_VERSION = 2;
/** A cache of an earlier version is emptied. */
const SCHEMA = `
  drop table if exists answers;
  drop table if exists total;
  create table answers (
    key text primary key,
    status integer not null check (status between 100 and 599),
    headers text not null,
    body blob not null,
    requested_at integer not null,
    received_at integer not null,
    cache_for_ms integer,
    used_at integer not null
  ) without rowid;
  create index answers_by_use on answers (used_at);
  create table total (one integer primary key check (one = 1), bytes integer not null);
  insert into total values (1, 0);
  create trigger answer_added after insert on answers begin
    update total set bytes = bytes + length(new.body);
  end;
  create trigger answer_removed after delete on answers begin
    update total set bytes = bytes - length(old.body);
  end;
`;

interface Row {
  readonly status: number;
  readonly headers: string;
  readonly body: Uint8Array;
  readonly requested_at: number;
  readonly received_at: number;
  readonly cache_for_ms: number | null;
}

class OpenCache implements Disposable {
  readonly database: DatabaseSync;
  readonly find: StatementSync;
  readonly touch: StatementSync;
  readonly remove: StatementSync;
  readonly insert: StatementSync;
  readonly bytes: StatementSync;
  readonly evict: StatementSync;

  constructor(path: string) {
    this.database = openCache(path);
    this.find = this.database.prepare('select * from answers where key = :key');
    this.touch = this.database.prepare('update answers set used_at = :now where key = :key');
    this.remove = this.database.prepare('delete from answers where key = :key');
    this.insert = this.database.prepare(
      `insert into answers values (:key, :status, :headers, :body, :requestedAt, :receivedAt, :cacheForMs, :now)`,
    );
    this.bytes = this.database.prepare('select bytes from total');
    this.evict = this.database.prepare(
      'delete from answers where key in (select key from answers order by used_at limit 64)',
    );
  }

  [Symbol.dispose](): void {
    this.database.close();
  }
}

/**
 * Responses in one SQLite file; the least recently used are evicted when it exceeds its size limit. A damaged file is
 * moved aside and replaced at any time: a run never fails because of its cache.
 */
export class SqliteCacheStore implements CacheStore {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #now: () => number;
  readonly #warn: Warn | undefined;
  #open: OpenCache;

  /** `:memory:` lasts as long as the process. */
  constructor(path: string, options: { readonly now: () => number; readonly maxBytes?: number; readonly warn?: Warn }) {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
    this.#path = path;
    this.#warn = options.warn;
    this.#open = openOrSetAside(path, () => new OpenCache(path), this.#warn);
    this.#maxBytes = options.maxBytes ?? 512 * 1024 * 1024;
    this.#now = options.now;
  }

  find(key: string): Stored | undefined {
    return this.#mending(() => this.#read(key), undefined);
  }

  save(key: string, stored: Stored): void {
    this.#mending(() => this.#write(key, stored), undefined);
  }

  remove(key: string): void {
    this.#mending(() => void this.#open.remove.run({ key }), undefined);
  }

  [Symbol.dispose](): void {
    this.#open[Symbol.dispose]();
  }

  #mending<T>(work: () => T, otherwise: T): T {
    try {
      return work();
    } catch (error) {
      if (!isDamaged(error)) throw describeDiskError(error, this.#path);
      this.#open[Symbol.dispose]();
      setAsideIfDamaged(this.#path, this.#warn);
      this.#open = new OpenCache(this.#path);
      return otherwise;
    }
  }

  #read(key: string): Stored | undefined {
    const row = this.#open.find.get({ key }) as unknown as Row | undefined;
    if (!row) return undefined;
    this.#open.touch.run({ key, now: this.#now() });
    return {
      status: row.status,
      headers: JSON.parse(row.headers) as Headers,
      body: Buffer.from(row.body),
      requestedAt: row.requested_at,
      receivedAt: row.received_at,
      cacheForMs: row.cache_for_ms ?? undefined,
    };
  }

  #write(key: string, stored: Stored): void {
    const { database, remove, insert, bytes, evict } = this.#open;
    database.exec('begin immediate');
    try {
      remove.run({ key });
      insert.run({
        key,
        status: stored.status,
        headers: JSON.stringify(stored.headers),
        body: stored.body,
        requestedAt: Math.round(stored.requestedAt),
        receivedAt: Math.round(stored.receivedAt),
        cacheForMs: stored.cacheForMs ?? null,
        now: Math.round(this.#now()),
      });
      while ((bytes.get() as { bytes: number }).bytes > this.#maxBytes) {
        if (evict.run().changes === 0) break;
      }
      database.exec('commit');
    } catch (error) {
      // On a full disk SQLite has already rolled back; an error here would hide the cause.
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  }
}

function openCache(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 10_000 });
    // A power cut may lose the last responses, but never corrupts the file.
    database.exec('pragma journal_mode = wal; pragma synchronous = normal');
    database.exec('begin immediate');
    const { user_version: version } = database.prepare('pragma user_version').get() as { user_version: number };
    if (version > SCHEMA_VERSION) throw new AppError('CACHE_NEWER', `${path} was written by a newer version`);
    if (version < SCHEMA_VERSION) database.exec(`${SCHEMA}; pragma user_version = ${SCHEMA_VERSION}`);
    database.exec('commit');
    return database;
  } catch (cause) {
    database?.close();
    if (cause instanceof AppError) throw cause;
    throw new AppError('CACHE_UNUSABLE', `${path} is not a usable cache`, {
      hint: 'set http.cache_path to another file, or remove this one',
      cause,
    });
  }
}
