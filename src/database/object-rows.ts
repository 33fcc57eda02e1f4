import { fieldsOf } from '../base/index.ts';
import type { CorpusSql } from './corpus-sql.ts';

/** A file of a corpus, and the object of its store that has the bytes. */
export interface StoredFile {
  /** In the corpus folder, with slashes. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** The files that the machines of a corpus share: downloads and outputs of the stages. */
const SHARED = /^(?:PDF|HTML|XML|cas|Data)(?:\/(?!\.)[^/\\\p{Cc}]{1,255}){1,8}$/u;

/** Whether a path may be in a store. A log may come from another machine: other paths in it are not believed. */
export function isSharedPath(path: string): boolean {
  return SHARED.test(path);
}

/** Takes a line of `objects.jsonl`; false if it is not one. The last line of a path counts. */
export function applyObjectLine(sql: CorpusSql, line: Readonly<Record<string, unknown>>): boolean {
  // The first line names the corpus.
  if (typeof line['corpus'] === 'string') return true;
  if (!isStoredFile(line)) return false;
  const { path, sha256, bytes } = line;
  sql.insert('objects', { path, sha256, bytes }, 'or replace');
  return true;
}

function isStoredFile(value: unknown): value is StoredFile {
  const { path, sha256, bytes } = fieldsOf(value);
  return (
    typeof path === 'string' &&
    isSharedPath(path) &&
    /^[0-9a-f]{64}$/.test(String(sha256)) &&
    Number.isSafeInteger(bytes) &&
    Number(bytes) >= 0
  );
}

/** The object of a file, as far as the log was ingested. */
export function storedFile(sql: CorpusSql, path: string): StoredFile | undefined {
  return sql.get<StoredFile>('select path, sha256, bytes from objects where path = ?', path);
}

/** The files whose paths begin with `prefix`, in the order of their paths. */
export function storedFiles(sql: CorpusSql, prefix: string): Generator<StoredFile, void> {
  return sql.iterate<StoredFile>(
    'select path, sha256, bytes from objects where path >= ? and path < ? order by path',
    prefix,
    `${prefix}\u{10ffff}`,
  );
}

/** Whether an object has the bytes of any file. */
export function isReferred(sql: CorpusSql, sha256: string): boolean {
  return sql.get('select 1 from objects where sha256 = ? limit 1', sha256) !== undefined;
}
