import { hash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';

import type { Warn } from '../../base/index.ts';
import { CacheFile, canonicalJson, forEachOf, inTransaction, sqliteCode } from '../../base/index.ts';
import type { DenseEngine, Role } from './engine.ts';

/** Some two and a half million vectors of 384 numbers. */
const DEFAULT_MAX_BYTES = 4 * 2 ** 30;
/** Share of the cache that is freed at once, so that not every run has to free some. */
const ROOM = 0.1;
/** Entries dropped in one transaction. */
const DROPPED_TOGETHER = 5_000;

const LAYOUT = {
  application: 'DtKv',
  version: 1,
  // Larger pages hold two or more vectors whole; mapped pages are read without copying them first.
  pragmas: 'pragma page_size = 8192; pragma auto_vacuum = incremental; pragma mmap_size = 1073741824',
  schema: 'create table if not exists vectors (key blob primary key, vector blob not null)',
  prepare(database: DatabaseSync) {
    const get = database.prepare('select vector from vectors where key = ?');
    get.setReturnArrays(true);
    return { get, put: database.prepare('insert or replace into vectors (key, vector) values (?, ?)') };
  },
};

/** Vectors by hash of model and text. Processes may share the file; on closing, the oldest are dropped. */
export class VectorCache implements Disposable {
  readonly #file: CacheFile<ReturnType<typeof LAYOUT.prepare>>;
  readonly #maxBytes: number;

  constructor(path: string, options: { readonly maxBytes?: number; readonly warn?: Warn } = {}) {
    this.#file = new CacheFile(path, { ...LAYOUT, warn: options.warn });
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  }

  /** The vectors of many keys, in one transaction: opening one for each key would cost more than the look-up. */
  getAll(keys: readonly Uint8Array[]): (Float32Array | undefined)[] {
    const found = this.#file.use(({ get }, database) => {
      database.exec('begin');
      try {
        return keys.map((key) => vectorOf(get, key));
      } finally {
        if (database.isTransaction) database.exec('commit');
      }
    });
    return found ?? keys.map(() => undefined);
  }

  /** Writes all or nothing. */
  putAll(entries: Iterable<readonly [key: Uint8Array, vector: Float32Array]>): void {
    this.#file.use(({ put }, database) =>
      inTransaction(database, () => {
        for (const [key, vector] of entries)
          put.run(key, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
      }),
    );
  }

  get bytes(): number {
    return this.#file.use((_, database) => bytesOf(database)) ?? 0;
  }

  [Symbol.dispose](): void {
    try {
      this.#file.use((_, database) => this.#dropOldest(database));
    } catch (error) {
      // 5 = SQLITE_BUSY: another process is writing, and will make room when it closes.
      if (sqliteCode(error) !== 5) throw error;
    } finally {
      this.#file[Symbol.dispose]();
    }
  }

  #dropOldest(database: DatabaseSync): void {
    if (bytesOf(database) <= this.#maxBytes) return;
    const drop = database.prepare(
      'delete from vectors where rowid in (select rowid from vectors order by rowid limit ?)',
    );
    for (let dropped = 1; dropped > 0 && bytesOf(database) > this.#maxBytes * (1 - ROOM);)
      dropped = Number(drop.run(DROPPED_TOGETHER).changes);
    database.exec('pragma incremental_vacuum');
  }
}

function vectorOf(get: StatementSync, key: Uint8Array): Float32Array | undefined {
  const [bytes] = (get.get(key) as unknown as readonly unknown[] | undefined) ?? [];
  if (!(bytes instanceof Uint8Array) || bytes.byteLength % 4 !== 0) return undefined;
  return bytes.byteOffset % 4 === 0
    ? new Float32Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength / 4)
    : new Float32Array(Uint8Array.from(bytes).buffer);
}

function bytesOf(database: DatabaseSync): number {
  const pragma = (name: string): number => Number(database.prepare(`pragma ${name}`).get()?.[name] ?? 0);
  return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
}

export function cacheKey(model: string, text: string): Uint8Array {
  return hash('sha256', `${model}\n${text}`, 'buffer');
}

/** Writing every vector of a fast engine by itself would cost more than making it. */
const KEPT_TOGETHER = 64;

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

/** Batches of similar length save padding. Each is cached at once: after a failure the next run continues. */
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
  const batches = Array.from({ length: Math.ceil(missing.length / engine.batchSize) }, (_, at) =>
    missing.slice(at * engine.batchSize, (at + 1) * engine.batchSize),
  );
  let unkept: [Uint8Array, Float32Array][] = [];
  const keep = (): void => {
    if (unkept.length > 0) cache?.putAll(unkept);
    unkept = [];
  };
  const embedBatch = async (batch: readonly Work[], stop: AbortSignal): Promise<void> => {
    const texts = batch.map(({ text }) => text);
    const made = await engine.embed(texts, role, stop);
    for (const [at, { key, places }] of batch.entries()) {
      const vector = made[at];
      if (!vector) continue;
      for (const place of places) vectors[place] = vector;
      unkept.push([key, vector]);
    }
    if (unkept.length >= KEPT_TOGETHER) keep();
  };
  try {
    await forEachOf(batches, engine.concurrency, embedBatch, signal);
  } finally {
    keep();
  }
}
