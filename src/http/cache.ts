import type { Clock } from '../base/index.ts';
import type { CacheStore } from './cache-store.ts';
import { parseHttpDate } from './retry-after.ts';
import type { HttpRequest, HttpResponse, HttpResult, Wrap, Headers } from './send.ts';
import { trailOf } from './send.ts';

/** A private cache (RFC 9111): serves what is fresh, revalidates what is stale, stores what it may. */
export function withCache(store: CacheStore, clock: Clock): Wrap {
  return (next) => async (request, signal) => {
    if ((request.method ?? 'GET') !== 'GET' || request.sink !== undefined || request.cache === 'bypass') {
      return next(request, signal);
    }
    const key = cacheKey(request);
    const stored = store.find(key).find((each) => fitsVary(request, each));
    if (stored && isFresh(stored, clock.now())) return answer(request, stored, 'cache');
    const conditions = stored ? conditionalHeaders(stored) : {};
    const asked = { ...request, headers: { ...request.headers, ...conditions } };
    const requestedAt = clock.now();
    const result = await next(asked, signal);
    if (stored && mayStandIn(result) && mayServeOnError(stored, clock.now())) return answer(request, stored, 'cache');
    if (result.kind !== 'response') return result;
    const { response } = result;
    if (response.status === 304) {
      if (!stored || Object.keys(conditions).length === 0) return unasked(request, response);
      const renewed = refreshed(stored, response.headers, requestedAt, clock.now());
      const kept = { ...renewed, cacheForMs: request.cacheForMs ?? renewed.cacheForMs };
      store.save(key, kept);
      return answer(request, kept, 'revalidated');
    }
    if (isStorable(request, response.status, response.headers)) {
      store.save(key, {
        status: response.status,
        headers: storedHeaders(response),
        body: response.body,
        vary: varyOf(request, response.headers),
        requestedAt,
        receivedAt: clock.now(),
        cacheForMs: request.cacheForMs,
      });
    } else if (stored && response.status < 500 && response.status !== 429) store.remove(key);
    return result;
  };
}

/** Excludes keys, but includes whether there is one: a key may give access to more. */
export function cacheKey(request: HttpRequest): string {
  const keyed = (request.credentials ?? [])
    .filter(({ origin }) => origin === request.url.origin)
    .map(({ name }) => name)
    .sort()
    .join(',');
  const url = new URL(request.url);
  url.hash = '';
  return keyed === '' ? url.href : `${url.href} with ${keyed}`;
}

function mayStandIn(result: HttpResult): boolean {
  return result.kind === 'failed' || (result.kind === 'response' && result.response.status >= 500);
}

function answer(request: HttpRequest, stored: Stored, origin: 'cache' | 'revalidated'): HttpResult {
  const { status, headers, body } = stored;
  const response: HttpResponse = {
    url: request.url,
    status,
    headers,
    body,
    wireBytes: 0,
    bodyBytes: body.length,
    chain: [],
    origin,
  };
  return { kind: 'response', response };
}

/** Drops headers that describe the transfer: the body is stored decoded. */
function storedHeaders(response: HttpResponse): Record<string, string> {
  const {
    'content-encoding': _coding,
    'transfer-encoding': _transfer,
    connection: _connection,
    ...kept
  } = response.headers;
  return kept;
}

function unasked(request: HttpRequest, response: HttpResponse): HttpResult {
  const conditional = ['if-none-match', 'if-modified-since'].some((name) =>
    Object.keys(request.headers ?? {}).some((each) => each.toLowerCase() === name),
  );
  // The caller sent its own conditional request; return the 304 to it.
  if (conditional) return { kind: 'response', response };
  return {
    kind: 'failed',
    reason: 'protocol',
    message: 'status 304 to a question that was not asked',
    retryable: false,
    trail: { ...trailOf(request), response },
  };
}

/** A cached response. */
export interface Stored {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** The request headers named in `Vary`, with their values. */
  readonly vary: Headers;
  readonly requestedAt: number;
  readonly receivedAt: number;
  /** `cacheForMs` of the request that stored it. */
  readonly cacheForMs: number | undefined;
}

/** Cacheable statuses (the subset of RFC 9111 §4.2.2 we use). */
const STORABLE = new Set([200, 203, 300, 301, 308, 404, 410]);
const LONGEST_HEURISTIC_MS = 24 * 3_600_000;

/** Cache-Control as a map; a directive without a value is the empty string. */
function parseCacheControl(header: string | undefined): ReadonlyMap<string, string> {
  const directives = new Map<string, string>();
  for (const part of (header ?? '').split(',')) {
    const equals = part.indexOf('=');
    const name = (equals === -1 ? part : part.slice(0, equals)).trim().toLowerCase();
    const value =
      equals === -1
        ? ''
        : part
            .slice(equals + 1)
            .trim()
            .replace(/^"|"$/g, '');
    // The first of two equal directives counts: a proxy may have added the later one.
    if (name !== '' && !directives.has(name)) directives.set(name, value);
  }
  return directives;
}

/** Whether a private cache may store the response. */
function isStorable(request: HttpRequest, status: number, headers: Headers): boolean {
  if ((request.method ?? 'GET') !== 'GET' || request.sink !== undefined || !STORABLE.has(status)) return false;
  if (headers['vary']?.includes('*')) return false;
  if (parseCacheControl(headers['cache-control']).has('no-store')) return false;
  if (headers['content-range'] !== undefined || request.headers?.['range'] !== undefined) return false;
  return request.cacheForMs !== undefined || hasFreshness(headers) || hasValidator(headers);
}

/** The request headers the response varies by. */
function varyOf(request: HttpRequest, headers: Headers): Headers {
  const names = (headers['vary'] ?? '').split(',').map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    // Bodies are stored decoded, so Accept-Encoding makes no difference.
    names.filter((name) => name !== '' && name !== 'accept-encoding').map((name) => [name, headerOf(request, name)]),
  );
}

/** Whether a stored response matches this request's `Vary` headers. */
function fitsVary(request: HttpRequest, stored: Stored): boolean {
  return Object.entries(stored.vary).every(([name, value]) => headerOf(request, name) === value);
}

/** Whether it can be used without revalidation (RFC 9111 §4.2). */
function isFresh(stored: Stored, now: number): boolean {
  const directives = parseCacheControl(stored.headers['cache-control']);
  if (directives.has('no-cache')) return false;
  return lifetimeMs(stored, directives) > ageMs(stored, now);
}

/** Whether it may be served when the server fails (RFC 5861). */
function mayServeOnError(stored: Stored, now: number): boolean {
  const directives = parseCacheControl(stored.headers['cache-control']);
  const extra = seconds(directives.get('stale-if-error'));
  if (extra === undefined || directives.has('must-revalidate')) return false;
  return lifetimeMs(stored, directives) + extra * 1000 > ageMs(stored, now);
}

/** Headers of a conditional request; none if the response has no validator. */
function conditionalHeaders(stored: Stored): Headers {
  const { etag, 'last-modified': modified } = stored.headers;
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(modified !== undefined && { 'if-modified-since': modified }),
  };
}

/** The stored response after a 304: new headers replace old ones, except those that describe the body (RFC 9111 §3.2). */
function refreshed(stored: Stored, headers: Headers, requestedAt: number, receivedAt: number): Stored {
  const kept = Object.entries(headers).filter(
    ([name]) => !['content-length', 'content-encoding', 'content-range', 'transfer-encoding'].includes(name),
  );
  return { ...stored, headers: { ...stored.headers, ...Object.fromEntries(kept) }, requestedAt, receivedAt };
}

function lifetimeMs(stored: Stored, directives: ReadonlyMap<string, string>): number {
  const { headers, receivedAt } = stored;
  const maxAge = seconds(directives.get('max-age'));
  if (directives.has('max-age')) return (maxAge ?? 0) * 1000;
  const date = parseHttpDate(headers['date'] ?? '', receivedAt) ?? receivedAt;
  if (headers['expires'] !== undefined) {
    // An unreadable date, such as 0, means "already expired".
    const expires = parseHttpDate(headers['expires'], receivedAt);
    return expires === undefined ? 0 : Math.max(0, expires - date);
  }
  if (stored.cacheForMs !== undefined) return stored.cacheForMs;
  const modified = parseHttpDate(headers['last-modified'] ?? '', receivedAt);
  return modified === undefined ? 0 : Math.min(LONGEST_HEURISTIC_MS, Math.max(0, (date - modified) / 10));
}

/** RFC 9111 §4.2.3. */
function ageMs(stored: Stored, now: number): number {
  const date = parseHttpDate(stored.headers['date'] ?? '', stored.receivedAt) ?? stored.receivedAt;
  const apparent = Math.max(0, stored.receivedAt - date);
  const delay = stored.receivedAt - stored.requestedAt;
  const corrected = (seconds(stored.headers['age']) ?? 0) * 1000 + delay;
  return Math.max(apparent, corrected) + Math.max(0, now - stored.receivedAt);
}

function hasFreshness(headers: Headers): boolean {
  return headers['expires'] !== undefined || parseCacheControl(headers['cache-control']).has('max-age');
}

function hasValidator(headers: Headers): boolean {
  return headers['etag'] !== undefined || headers['last-modified'] !== undefined;
}

function headerOf(request: HttpRequest, name: string): string {
  const found = Object.entries(request.headers ?? {}).find(([each]) => each.toLowerCase() === name);
  return found?.[1].trim() ?? '';
}

function seconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text.trim()) ? Number(text) : undefined;
}
