import { createHash, hash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';

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
