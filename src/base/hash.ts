import { createHash, hash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';

import { hasCode } from './errors.ts';

export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** Smaller files are read at once, which takes less than a millisecond; larger ones are streamed. */
const MOST_AT_ONCE_BYTES = 1 << 20;

export async function sha256File(path: string, signal?: AbortSignal): Promise<string> {
  if (statSync(path).size <= MOST_AT_ONCE_BYTES) return sha256(readFileSync(path));
  const digest = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: MOST_AT_ONCE_BYTES }), digest, { ...(signal && { signal }) });
  return digest.digest('hex');
}

/** JSON with sorted keys, so that equal values give equal text and equal hashes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fields of a JSON object in a file; none if the file is missing or damaged. */
export function readFields(path: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(parseJson(readFileSync(path, 'utf8')));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return {};
    throw error;
  }
}

/** The fields of an object; none for any other value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
}
