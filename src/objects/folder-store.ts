import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, constants, link, mkdir, opendir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import type { Clock } from '../base/index.ts';
import {
  AppError,
  commitPart,
  describeDiskError,
  hasCode,
  partPath,
  replaceFile,
  syncFolder,
  writeFileAtomic,
} from '../base/index.ts';

export interface ObjectId {
  /** Lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
}

export interface ListedObject extends ObjectId {
  /** Milliseconds since it was stored, by the store's own clock. */
  readonly age: number;
}

/** Knows only bytes and their hashes: which object is a work's file is in the corpus log. */
export interface ObjectStore {
  /** For messages: a folder, or `s3://bucket/prefix`. */
  readonly name: string;
  /** Resolves when the object is complete and durable. Throws OBJECT_DAMAGED if the file has other bytes. */
  put(path: string, object: ObjectId, signal?: AbortSignal): Promise<void>;
  /** The path appears only once the bytes are verified. Throws OBJECT_MISSING, OBJECT_DAMAGED. */
  get(object: ObjectId, path: string, signal?: AbortSignal): Promise<void>;
  /** The size of an object; undefined if it does not exist. */
  head(sha256: string, signal?: AbortSignal): Promise<number | undefined>;
  /** May be out of date. */
  list(signal?: AbortSignal): AsyncIterable<ListedObject>;
  remove(sha256: string, signal?: AbortSignal): Promise<void>;
  /** The corpus or fleet that owns the store; undefined if none has claimed it. Throws if the store does not exist. */
  owner(signal?: AbortSignal): Promise<string | undefined>;
  /** Records the owner unless there is one: another corpus would treat its files as orphans. The first claim counts. */
  claim(owner: string, signal?: AbortSignal): Promise<void>;
}

export const OWNER_KEY = 'owner';

const HASH = /^[0-9a-f]{64}$/;

/** The key of an object below the store's root: two levels, so that millions of objects can be listed. */
export function keyOf(sha256: string): string {
  if (!HASH.test(sha256)) throw new TypeError(`not a SHA-256 in hex: ${sha256.slice(0, 80)}`);
  return `${sha256.slice(0, 2)}/${sha256}`;
}

export function hashOfKey(key: string): string | undefined {
  const [folder = '', name = ''] = key.split('/').slice(-2);
  return HASH.test(name) && name.startsWith(folder) && folder.length === 2 ? name : undefined;
}

export class FolderStore implements ObjectStore {
  readonly name: string;
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    this.name = folder;
    this.#clock = clock;
  }

  async put(path: string, object: ObjectId, signal?: AbortSignal): Promise<void> {
    if ((await this.head(object.sha256)) === object.bytes) return;
    try {
      await mkdir(this.name, { recursive: true });
      // On a read-only disk, creating a missing subfolder would fail with a misleading error.
      await access(this.name, constants.W_OK);
    } catch (error) {
      throw describeDiskError(error, this.name);
    }
    await copyVerified(path, this.#pathOf(object.sha256), object, signal);
  }

  async get(object: ObjectId, path: string, signal?: AbortSignal): Promise<void> {
    if ((await this.head(object.sha256)) === undefined) throw missing(this.name, object);
    await copyVerified(this.#pathOf(object.sha256), path, object, signal);
  }

  async head(sha256: string): Promise<number | undefined> {
    try {
      const found = await stat(this.#pathOf(sha256));
      return found.isFile() ? found.size : undefined;
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw describeDiskError(error, this.#pathOf(sha256));
    }
  }

  async *list(signal?: AbortSignal): AsyncGenerator<ListedObject> {
    await mkdir(this.name, { recursive: true });
    for await (const entry of await opendir(this.name, { recursive: true })) {
      signal?.throwIfAborted();
      const path = join(entry.parentPath, entry.name);
      const sha256 = entry.isFile() ? hashOfKey(path.replaceAll('\\', '/')) : undefined;
      if (sha256 === undefined) continue;
      const { size, mtimeMs } = await stat(path);
      yield { sha256, bytes: size, age: this.#clock.now() - mtimeMs };
    }
  }

  async remove(sha256: string): Promise<void> {
    await rm(this.#pathOf(sha256), { force: true });
  }

  async owner(): Promise<string | undefined> {
    const path = join(this.name, OWNER_KEY);
    try {
      return (await readFile(path, 'utf8')).trim();
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw describeDiskError(error, path);
    }
  }

  async claim(owner: string): Promise<void> {
    const path = join(this.name, OWNER_KEY);
    const part = partPath(path);
    try {
      await mkdir(this.name, { recursive: true });
      await writeFileAtomic(part, `${owner}\n`);
      // Unlike a rename, a link fails if the name is taken.
      await link(part, path);
      await syncFolder(this.name);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw describeDiskError(error, path);
    } finally {
      await rm(part, { force: true });
    }
  }

  #pathOf(sha256: string): string {
    return join(this.name, keyOf(sha256));
  }
}

/** Copies a file, and renames the copy to its final name only if it has the object's bytes. */
async function copyVerified(from: string, to: string, object: ObjectId, signal?: AbortSignal): Promise<void> {
  const part = partPath(to);
  const digest = createHash('sha256');
  let bytes = 0;
  try {
    await mkdir(dirname(to), { recursive: true });
    await pipeline(
      createReadStream(from, { highWaterMark: 1 << 20 }),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          digest.update(chunk);
          bytes += chunk.length;
          yield chunk;
        }
      },
      createWriteStream(part, { flags: 'wx', flush: true }),
      { ...(signal && { signal }) },
    );
    if (bytes !== object.bytes || digest.digest('hex') !== object.sha256) throw damaged(from, object);
    await commitPart(part, to, replaceFile);
  } catch (error) {
    await rm(part, { force: true });
    throw describeDiskError(error, to);
  }
}

export function missing(store: string, { sha256 }: ObjectId): AppError {
  return new AppError('OBJECT_MISSING', `${store} has no object ${sha256}`, {
    hint: 'see docstokg store for missing objects',
  });
}

export function damaged(place: string, { sha256, bytes }: ObjectId): AppError {
  return new AppError('OBJECT_DAMAGED', `${place} is not the object ${sha256} of ${bytes} bytes`, {
    hint: 'see docstokg store for damaged objects',
  });
}
