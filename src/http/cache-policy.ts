import { parseHttpDate } from './retry-after.ts';
import type { Headers, HttpRequest } from './send.ts';

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
export function isStorable(request: HttpRequest, status: number, headers: Headers): boolean {
  if ((request.method ?? 'GET') !== 'GET' || request.sink !== undefined || !STORABLE.has(status)) return false;
  if (headers['vary']?.includes('*')) return false;
  if (parseCacheControl(headers['cache-control']).has('no-store')) return false;
  if (headers['content-range'] !== undefined || request.headers?.['range'] !== undefined) return false;
  return request.cacheForMs !== undefined || hasFreshness(headers) || hasValidator(headers);
}

/** The request headers the response varies by. */
export function varyOf(request: HttpRequest, headers: Headers): Headers {
  const names = (headers['vary'] ?? '').split(',').map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    // Bodies are stored decoded, so Accept-Encoding makes no difference.
    names.filter((name) => name !== '' && name !== 'accept-encoding').map((name) => [name, headerOf(request, name)]),
  );
}

/** Whether a stored response matches this request's `Vary` headers. */
export function fitsVary(request: HttpRequest, stored: Stored): boolean {
  return Object.entries(stored.vary).every(([name, value]) => headerOf(request, name) === value);
}

/** Whether it can be used without revalidation (RFC 9111 §4.2). */
export function isFresh(stored: Stored, now: number): boolean {
  const directives = parseCacheControl(stored.headers['cache-control']);
  if (directives.has('no-cache')) return false;
  return lifetimeMs(stored, directives) > ageMs(stored, now);
}

/** Whether it may be served when the server fails (RFC 5861). */
export function mayServeOnError(stored: Stored, now: number): boolean {
  const directives = parseCacheControl(stored.headers['cache-control']);
  const extra = seconds(directives.get('stale-if-error'));
  if (extra === undefined || directives.has('must-revalidate')) return false;
  return lifetimeMs(stored, directives) + extra * 1000 > ageMs(stored, now);
}

/** Headers of a conditional request; none if the response has no validator. */
export function conditionalHeaders(stored: Stored): Headers {
  const { etag, 'last-modified': modified } = stored.headers;
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(modified !== undefined && { 'if-modified-since': modified }),
  };
}

/** The stored response after a 304: new headers replace old ones, except those that describe the body (RFC 9111 §3.2). */
export function refreshed(stored: Stored, headers: Headers, requestedAt: number, receivedAt: number): Stored {
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
