/** A file's bytes by their hash: equal bytes are one object, so putting it twice does no harm. */
export interface ObjectId {
  /** Hex, in small letters. */
  readonly sha256: string;
  readonly bytes: number;
}

/** An object as a listing shows it; listings may be behind. */
export interface ListedObject extends ObjectId {
  /** When it was written, in epoch milliseconds. */
  readonly at: number;
}

/**
 * Where the files of a corpus are, for every machine that works on it. It knows bytes by their hash and nothing else: which
 * object is a work's file is in the corpus log. No locks, no conditional writes, and no listing but by `store check`.
 */
export interface ObjectStore {
  /** For messages: a folder, or `s3://bucket/prefix`. */
  readonly name: string;
  /** Puts a file; resolves when the object is whole and durable. Throws OBJECT_DAMAGED where the file is not the object. */
  put(path: string, object: ObjectId, signal?: AbortSignal): Promise<void>;
  /** Writes an object to a path, which has its name only once the bytes are verified. Throws OBJECT_MISSING, OBJECT_DAMAGED. */
  get(object: ObjectId, path: string, signal?: AbortSignal): Promise<void>;
  /** The size of an object; undefined where there is none. */
  head(sha256: string, signal?: AbortSignal): Promise<number | undefined>;
  /** Every object. Not for programs that must be right: a listing may be behind. */
  list(signal?: AbortSignal): AsyncIterable<ListedObject>;
  remove(sha256: string, signal?: AbortSignal): Promise<void>;
  /** The fleet whose files are here; undefined where none has claimed it. Throws where there is no such store. */
  owner(signal?: AbortSignal): Promise<string | undefined>;
  /** Writes down whose files are here: another fleet would take them for orphans. */
  claim(owner: string, signal?: AbortSignal): Promise<void>;
}

/** The key of the object that says whose files are here. */
export const OWNER_KEY = 'owner';

const HASH = /^[0-9a-f]{64}$/;

/** The key of an object below the store's root: two levels, so that a folder of millions can be listed. */
export function keyOf(sha256: string): string {
  if (!HASH.test(sha256)) throw new TypeError(`not a SHA-256 in hex: ${sha256.slice(0, 80)}`);
  return `${sha256.slice(0, 2)}/${sha256}`;
}

/** The hash that a key ends with; undefined for files of others. */
export function hashOfKey(key: string): string | undefined {
  const [folder = '', name = ''] = key.split('/').slice(-2);
  return HASH.test(name) && name.startsWith(folder) && folder.length === 2 ? name : undefined;
}
