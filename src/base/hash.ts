import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** Hex sha256 of a string (as UTF-8) or bytes. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** Hex sha256 of a file, streamed. */
export async function sha256File(path: string, signal?: AbortSignal): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), digest, { ...(signal && { signal }) });
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
