import type { Clock } from '../base/index.ts';
import type { CacheStore } from './cache-store.ts';
import { parseHttpDate } from './retry-after.ts';
import type { Headers, HttpRequest, HttpResponse, HttpResult, Wrap } from './send.ts';
import { trailOf } from './send.ts';

/** A cached response. */
export interface Stored {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  readonly requestedAt: number;
  readonly receivedAt: number;
  /** `cacheForMs` of the request that stored it. */
  readonly cacheForMs: number | undefined;
}

/** Cacheable statuses (the subset of RFC 9111 §4.2.2 we use). */
const STORABLE = new Set([200, 203, 300, 301, 308, 404, 410]);
/** Headers that describe the transfer of a body: it is stored decoded. */
const OF_TRANSFER = new Set(['content-length', 'content-encoding', 'content-range', 'transfer-encoding', 'connection']);

/** A private cache (RFC 9111): serves what is fresh, revalidates what is stale, stores what it may. */
export function withCache(store: CacheStore, clock: Clock): Wrap {
  return (next) => async (request, signal) => {
    if (!isShareable(request)) return next(request, signal);
    const key = requestKey(request);
    const stored = store.find(key);
    if (stored && isFresh(stored, clock.now())) return answer(request, stored, 'cache');
    const conditions = stored ? conditionalHeaders(stored) : {};
    const requestedAt = clock.now();
    const result = await next({ ...request, headers: { ...request.headers, ...conditions } }, signal);
    if (result.kind !== 'response') return result;
    const { status, headers, body } = result.response;
    const times = { requestedAt, receivedAt: clock.now() };
    if (status === 304) {
      if (!stored || Object.keys(conditions).length === 0) return unasked(request, result.response);
      // New headers replace old ones, except those that describe the body (RFC 9111 §3.2).
      const cacheForMs = request.cacheForMs ?? stored.cacheForMs;
      const renewed = { ...stored, ...times, cacheForMs, headers: { ...stored.headers, ...lasting(headers) } };
      store.save(key, renewed);
      return answer(request, renewed, 'revalidated');
    }
    if (isStorable(request, status, headers))
      store.save(key, { status, headers: lasting(headers), body, ...times, cacheForMs: request.cacheForMs });
    else if (stored && status < 500 && status !== 429) store.remove(key);
    return result;
  };
}

/** Whether equal requests may share a response. */
export function isShareable({ method = 'GET', sink, cache }: HttpRequest): boolean {
  return method === 'GET' && sink === undefined && cache !== 'bypass';
}

/**
 * What makes two requests equal: the URL, all headers, so that `Vary` needs no attention, and whether there is a key, since
 * one may give access to more. The keys themselves are not part of it.
 */
export function requestKey({ url, headers, credentials = [] }: HttpRequest): string {
  const own = credentials.filter(({ origin }) => origin === url.origin).map(({ name }) => name);
  const address = new URL(url);
  address.hash = '';
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name.toLowerCase()}: ${value.trim()}`);
  return [own.length === 0 ? address.href : `${address.href} with ${own.sort().join(',')}`, ...lines.sort()].join('\n');
}

/** Cache-Control as a map; the first of two equal directives counts, since a proxy may have added the later one. */
function directivesOf(headers: Headers): ReadonlyMap<string, string> {
  const found = (headers['cache-control'] ?? '').matchAll(/([\w-]+)(?:\s*=\s*"?([^",]*))?/g);
  return new Map([...found].toReversed().map(([, name = '', value = '']) => [name.toLowerCase(), value]));
}

function isStorable(request: HttpRequest, status: number, headers: Headers): boolean {
  if (!STORABLE.has(status) || headers['vary']?.includes('*') || directivesOf(headers).has('no-store')) return false;
  if (headers['content-range'] !== undefined || request.headers?.['range'] !== undefined) return false;
  const { etag, 'last-modified': modified, expires } = headers;
  const isDated = [etag, modified, expires].some((each) => each !== undefined) || directivesOf(headers).has('max-age');
  return request.cacheForMs !== undefined || isDated;
}

/** Whether it can be used without revalidation (RFC 9111 §4.2). */
function isFresh(stored: Stored, now: number): boolean {
  const { headers, receivedAt, requestedAt } = stored;
  const date = parseHttpDate(headers['date'] ?? '', receivedAt) ?? receivedAt;
  const corrected = (seconds(headers['age']) ?? 0) * 1000 + receivedAt - requestedAt;
  const ageMs = Math.max(0, receivedAt - date, corrected) + Math.max(0, now - receivedAt);
  return lifetimeMs(stored, date) > ageMs;
}

function lifetimeMs({ headers, receivedAt, cacheForMs = 0 }: Stored, date: number): number {
  const directives = directivesOf(headers);
  if (directives.has('no-cache')) return 0;
  if (directives.has('max-age')) return (seconds(directives.get('max-age')) ?? 0) * 1000;
  // An unreadable date, such as 0, means "already expired".
  if (headers['expires'] !== undefined) return (parseHttpDate(headers['expires'], receivedAt) ?? date) - date;
  return cacheForMs;
}

/** Headers of a conditional request; none if the response has no validator. */
function conditionalHeaders({ headers: { etag, 'last-modified': modified } }: Stored): Headers {
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(modified !== undefined && { 'if-modified-since': modified }),
  };
}

function lasting(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_TRANSFER.has(name)));
}

function answer({ url }: HttpRequest, stored: Stored, origin: 'cache' | 'revalidated'): HttpResult {
  const { status, headers, body } = stored;
  const counts = { wireBytes: 0, bodyBytes: body.length };
  return { kind: 'response', response: { url, status, headers, body, ...counts, chain: [], origin } };
}

function unasked(request: HttpRequest, response: HttpResponse): HttpResult {
  const names = Object.keys(request.headers ?? {}).map((name) => name.toLowerCase());
  // The caller sent its own conditional request; return the 304 to it.
  if (names.some((name) => name === 'if-none-match' || name === 'if-modified-since'))
    return { kind: 'response', response };
  const message = 'status 304 to a question that was not asked';
  const trail = { ...trailOf(request), response };
  return { kind: 'failed', reason: 'protocol', message, retryable: false, trail };
}

function seconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text.trim()) ? Number(text) : undefined;
}
