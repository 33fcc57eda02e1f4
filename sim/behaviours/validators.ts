import { createHash } from 'node:crypto';

import type { Exchange } from '../server/exchange.ts';
import { headerOf } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';

type RangeManner = 'good' | 'ignored' | 'if-range-mismatch' | 'wrong-range' | 'at-end';

/** Headers of a file that supports revalidation and range requests. */
export function fileHeaders(bytes: Uint8Array, modifiedAt: number): Record<string, string> {
  return {
    etag: `"${createHash('sha1').update(bytes).digest('hex').slice(0, 20)}"`,
    'last-modified': new Date(modifiedAt - 86_400_000).toUTCString(),
    'accept-ranges': 'bytes',
  };
}

/** Answers 304 and 206 if the request and the validators allow it (RFC 9110 §13, §14). */
export function conditional(exchange: Exchange, whole: Reply, manner: RangeManner = 'good'): Reply {
  const { headers } = exchange;
  const etag = headerOf(whole, 'etag');
  const modified = headerOf(whole, 'last-modified');
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) {
    if (etag !== undefined && noneMatch.split(/\s*,\s*/).some((one) => strip(one) === strip(etag)))
      return notModified(whole);
  } else if (headers['if-modified-since'] !== undefined && modified !== undefined) {
    if (Date.parse(modified) <= Date.parse(headers['if-modified-since'])) return notModified(whole);
  }
  const range = /^bytes=(\d+)-$/.exec(headers['range'] ?? '');
  if (!range || manner === 'ignored') return whole;
  const ifRange = headers['if-range'];
  if (ifRange !== undefined && (manner === 'if-range-mismatch' || (ifRange !== etag && ifRange !== modified)))
    return whole;
  const total = whole.body.length;
  const from = Number(range[1]);
  if (from >= total || manner === 'at-end')
    return { status: 416, headers: { 'content-range': `bytes */${total}` }, body: '' };
  const shown = manner === 'wrong-range' ? 0 : from;
  return {
    ...whole,
    status: 206,
    headers: { ...whole.headers, 'content-range': `bytes ${shown}-${total - 1}/${total}` },
    body: Buffer.from(whole.body).subarray(from),
  };
}

function strip(etag: string): string {
  return etag.replace(/^W\//, '');
}

function notModified(whole: Reply): Reply {
  const kept = Object.entries(whole.headers).filter(([name]) =>
    ['etag', 'last-modified', 'cache-control', 'vary', 'expires'].includes(name),
  );
  return { status: 304, headers: Object.fromEntries(kept), body: '' };
}
