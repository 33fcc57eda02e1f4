import type { Clock } from '../base/index.ts';
import type { Stored } from './cache-policy.ts';
import {
  conditionalHeaders,
  fitsVary,
  isFresh,
  isStorable,
  mayServeOnError,
  refreshed,
  varyOf,
} from './cache-policy.ts';
import type { CacheStore } from './cache-store.ts';
import type { HttpRequest, HttpResponse, HttpResult, Wrap } from './send.ts';
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
