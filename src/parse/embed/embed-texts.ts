import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import type { Warn } from '../../base/index.ts';
import {
  AppError,
  describeDiskError,
  isDamaged,
  inTransaction,
  openOrSetAside,
  setAsideIfDamaged,
  canonicalJson,
} from '../../base/index.ts';
import type { DenseEngine, Role } from './engine.ts';

const SCHEMA = 1;
/** Some two and a half million vectors of 384 numbers. */
const DEFAULT_MAX_BYTES = 4 * 2 ** 30;
/** Share of the cache that is freed at once, so that not every run has to free some. */
const ROOM = 0.1;
/** Entries dropped in one transaction. */
const DROPPED_TOGETHER = 5_000;

/**
 * Vectors by hash of model and text, so that a text is embedded once. Several processes may share the file. It is
 * bounded: on closing, the oldest entries are dropped.
 */
export class VectorCache implements Disposable {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #warn: Warn | undefined;
  #database!: DatabaseSync;
  #get!: StatementSync;
  #put!: StatementSync;

  constructor(path: string, options: { readonly maxBytes?: number; readonly warn?: Warn } = {}) {
    this.#path = path;
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
    this.#warn = options.warn;
    mkdirSync(dirname(path), { recursive: true });
    this.#open();
  }

  #open(): void {
    this.#database = openOrSetAside(this.#path, () => openDatabase(this.#path), this.#warn);
    this.#get = this.#database.prepare('select vector from vectors where key = ?');
    this.#get.setReturnArrays(true);
    this.#put = this.#database.prepare('insert or replace into vectors (key, vector) values (?, ?)');
  }

  /** The vectors of many keys, in one transaction: opening one for each key would cost more than the look-up. */
  getAll(keys: readonly Uint8Array[]): (Float32Array | undefined)[] {
    return this.#mending(
      () => {
        this.#database.exec('begin');
        try {
          return keys.map((key) => this.#vector(key));
        } finally {
          if (this.#database.isTransaction) this.#database.exec('commit');
        }
      },
      () => keys.map(() => undefined),
    );
  }

  /** What can be made again ends no run: a cache found damaged is set aside, and started again. */
  #mending<T>(work: () => T, otherwise: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isDamaged(error)) throw describeDiskError(error, this.#path);
      this.#database.close();
      setAsideIfDamaged(this.#path, this.#warn);
      this.#open();
      return otherwise();
    }
  }

  #vector(key: Uint8Array): Float32Array | undefined {
    const [bytes] = (this.#get.get(key) as unknown as readonly unknown[] | undefined) ?? [];
    if (!(bytes instanceof Uint8Array) || bytes.byteLength % 4 !== 0) return undefined;
    return bytes.byteOffset % 4 === 0
      ? new Float32Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength / 4)
      : new Float32Array(Uint8Array.from(bytes).buffer);
  }

  /** Writes all or nothing. */
  putAll(entries: Iterable<readonly [key: Uint8Array, vector: Float32Array]>): void {
    const put = (): void => {
      for (const [key, vector] of entries)
        this.#put.run(key, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
    };
    this.#mending(
      () => inTransaction(this.#database, put),
      () => undefined,
    );
  }

  /** How many bytes the vectors take now. */
  get bytes(): number {
    const pragma = (name: string): number => Number(this.#database.prepare(`pragma ${name}`).get()?.[name] ?? 0);
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
  }

  #dropOldest(): void {
    if (this.bytes <= this.#maxBytes) return;
    const drop = this.#database.prepare(
      'delete from vectors where rowid in (select rowid from vectors order by rowid limit ?)',
    );
    for (let dropped = 1; dropped > 0 && this.bytes > this.#maxBytes * (1 - ROOM);)
      dropped = Number(drop.run(DROPPED_TOGETHER).changes);
    this.#database.exec('pragma incremental_vacuum');
  }

  [Symbol.dispose](): void {
    try {
      this.#mending(
        () => this.#dropOldest(),
        () => undefined,
      );
    } catch (error) {
      // 5 = SQLITE_BUSY: another process is writing, and will make room when it closes.
      if (!(error instanceof Error && 'errcode' in error && ((error.errcode as number) & 0xff) === 5)) throw error;
    } finally {
      this.#database.close();
    }
  }
}

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 10_000 });
  try {
    const version = database.prepare('pragma user_version').get()?.['user_version'];
    if (typeof version === 'number' && version > SCHEMA)
      throw new AppError('CACHE_SCHEMA_NEWER', `${path} was written by a newer version`, { hint: 'upgrade docstokg' });
    // The cache can be made again: losing its last moments to a power cut is no loss.
    // Larger pages hold two or more vectors whole; mapped pages are read without copying them first.
    database.exec(`
      pragma page_size = 8192;
      pragma auto_vacuum = incremental;
      pragma journal_mode = wal;
      pragma synchronous = normal;
      pragma mmap_size = 1073741824;
      create table if not exists vectors (key blob primary key, vector blob not null);
      pragma user_version = ${SCHEMA};
    `);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The key of a text under a model. */
export function cacheKey(model: string, text: string): Uint8Array {
  return hash('sha256', `${model}\n${text}`, 'buffer');
}

/** Writing every vector of a fast engine by itself would cost more than making it. */
const KEPT_TOGETHER = 64;

/** The result of embedding some texts. */
export interface Embedded {
  /** One per text, in the order of the texts. */
  readonly vectors: readonly Float32Array[];
  /** How many different texts were really embedded; the others were known. */
  readonly embedded: number;
}

interface EmbedOptions {
  readonly engine: DenseEngine;
  readonly cache: VectorCache | undefined;
  readonly role: Role;
  readonly signal?: AbortSignal;
}

interface Work {
  readonly key: Uint8Array;
  readonly text: string;
  readonly places: number[];
}

/**
 * Embeds texts that are not cached, in batches of similar length to save padding. Each batch is cached at once, so that
 * the next run continues after a failure.
 */
export async function embedTexts(texts: readonly string[], options: EmbedOptions): Promise<Embedded> {
  const { engine, cache, role } = options;
  const model = canonicalJson({ ...engine.model, dimensions: engine.dimensions, role });
  const vectors: Float32Array[] = Array.from({ length: texts.length });
  const wanted = new Map<string, Work>();
  for (const [place, text] of texts.entries()) {
    const same = wanted.get(text);
    if (same) same.places.push(place);
    else wanted.set(text, { key: cacheKey(model, text), text, places: [place] });
  }
  const works = [...wanted.values()];
  const known = cache?.getAll(works.map(({ key }) => key)) ?? [];
  const missing = works.filter(({ places }, at) => {
    const vector = known[at];
    if (vector?.length !== engine.dimensions) return true;
    for (const place of places) vectors[place] = vector;
    return false;
  });
  await embedMissing(missing, vectors, options);
  return { vectors, embedded: missing.length };
}

async function embedMissing(missing: Work[], vectors: Float32Array[], options: EmbedOptions): Promise<void> {
  const { engine, cache, role, signal } = options;
  missing.sort((a, b) => b.text.length - a.text.length);
  const stop = new AbortController();
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  let unkept: [Uint8Array, Float32Array][] = [];
  const keep = (): void => {
    if (unkept.length > 0) cache?.putAll(unkept);
    unkept = [];
  };
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < missing.length) {
      const batch = missing.slice(next, next + engine.batchSize);
      next += batch.length;
      const made = await engine.embed(
        batch.map(({ text }) => text),
        role,
        either,
      );
      for (const [at, { key, places }] of batch.entries()) {
        const vector = made[at];
        if (!vector) continue;
        for (const place of places) vectors[place] = vector;
        unkept.push([key, vector]);
      }
      if (unkept.length >= KEPT_TOGETHER) keep();
    }
  };
  const workers = Array.from({ length: Math.min(engine.concurrency, missing.length) }, async () => {
    try {
      await work();
    } catch (error) {
      // The first failure stops the others; they must have ended before what was done is written.
      stop.abort(error);
      throw error;
    }
  });
  const ended = await Promise.allSettled(workers);
  keep();
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed) throw stop.signal.aborted ? stop.signal.reason : failed.reason;
}
