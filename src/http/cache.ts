import type { DatabaseSync } from 'node:sqlite';

import type { Clock, Warn } from '../base/index.ts';
import { CacheFile, inTransaction } from '../base/index.ts';
import { parseHttpDate } from './retry.ts';
import type { Headers, HttpRequest, HttpResponse, HttpResult, Wrap } from './send.ts';
import { trailOf, whileWaiting } from './send.ts';
import { raced } from './shared-results.ts';

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

/** A private cache (RFC 9111). */
export function withCache(store: SqliteCacheStore, clock: Clock): Wrap {
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

function isShareable({ method = 'GET', sink, cache }: HttpRequest): boolean {
  return method === 'GET' && sink === undefined && cache !== 'bypass';
}

/** URL, all headers (so `Vary` needs no attention), and whether there is a key, which may open more. */
function requestKey({ url, headers, credentials = [] }: HttpRequest): string {
  const own = credentials.filter(({ origin }) => origin === url.origin).map(({ name }) => name);
  const address = new URL(url);
  address.hash = '';
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name.toLowerCase()}: ${value.trim()}`);
  return [own.length === 0 ? address.href : `${address.href} with ${own.sort().join(',')}`, ...lines.sort()].join('\n');
}

/** Cache-Control as a map; of two equal directives the first counts, since a proxy may have added the second. */
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
  const message = 'status 304 to an unconditional request';
  return { kind: 'failed', reason: 'protocol', message, retryable: false, trail: trailOf(request, response) };
}

function seconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text.trim()) ? Number(text) : undefined;
}

/** A cache of an earlier version is emptied. */
const SCHEMA = `
  drop table if exists answers;
  drop table if exists total;
  create table answers (
    key text primary key,
    status integer not null check (status between 100 and 599),
    headers text not null,
    body blob not null,
    requested_at integer not null,
    received_at integer not null,
    cache_for_ms integer,
    used_at integer not null
  ) without rowid;
  create index answers_by_use on answers (used_at);
  create table total (one integer primary key check (one = 1), bytes integer not null);
  insert into total values (1, 0);
  create trigger answer_added after insert on answers begin
    update total set bytes = bytes + length(new.body);
  end;
  create trigger answer_removed after delete on answers begin
    update total set bytes = bytes - length(old.body);
  end;
`;

function prepare(database: DatabaseSync) {
  return {
    find: database.prepare(
      `select status, headers, body, requested_at as requestedAt, received_at as receivedAt, cache_for_ms as cacheForMs
       from answers where key = :key`,
    ),
    touch: database.prepare('update answers set used_at = :now where key = :key'),
    remove: database.prepare('delete from answers where key = :key'),
    insert: database.prepare(
      `insert into answers values (:key, :status, :headers, :body, :requestedAt, :receivedAt, :cacheForMs, :now)`,
    ),
    bytes: database.prepare('select bytes from total'),
    evict: database.prepare('delete from answers where key in (select key from answers order by used_at limit 64)'),
  };
}

/** The least recently used responses are evicted. */
export class SqliteCacheStore implements Disposable {
  readonly #file: CacheFile<ReturnType<typeof prepare>>;
  readonly #maxBytes: number;
  readonly #now: () => number;

  constructor(path: string, options: { readonly now: () => number; readonly maxBytes?: number; readonly warn?: Warn }) {
    this.#file = new CacheFile(path, { application: 'DtKh', version: 2, schema: SCHEMA, prepare, warn: options.warn });
    this.#maxBytes = options.maxBytes ?? 512 * 1024 * 1024;
    this.#now = options.now;
  }

  /** The kept response to a request of this key; undefined if there is none. */
  find(key: string): Stored | undefined {
    return this.#file.use(({ find, touch }) => {
      const row = find.get({ key });
      if (!row) return undefined;
      touch.run({ key, now: this.#now() });
      const { headers, body, cacheForMs, ...rest } = row as unknown as Omit<Stored, 'headers'> & { headers: string };
      return {
        ...rest,
        headers: JSON.parse(headers) as Headers,
        body: Buffer.from(body),
        cacheForMs: cacheForMs ?? undefined,
      };
    });
  }

  /** Keeps a response; an older one of the same key is replaced. */
  save(key: string, stored: Stored): void {
    const write = ({ remove, insert, bytes, evict }: ReturnType<typeof prepare>): void => {
      remove.run({ key });
      insert.run({
        key,
        status: stored.status,
        headers: JSON.stringify(stored.headers),
        body: stored.body,
        requestedAt: Math.round(stored.requestedAt),
        receivedAt: Math.round(stored.receivedAt),
        cacheForMs: stored.cacheForMs ?? null,
        now: Math.round(this.#now()),
      });
      while ((bytes.get() as { bytes: number }).bytes > this.#maxBytes) {
        if (evict.run().changes === 0) break;
      }
    };
    this.#file.use((statements, database) => inTransaction(database, () => write(statements)));
  }

  /** Forgets the response of this key. */
  remove(key: string): void {
    this.#file.use((statements) => statements.remove.run({ key }));
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }
}

/** Identical concurrent requests share one response. */
export function withCoalescing(): Wrap {
  const underway = new Map<string, { result: Promise<HttpResult>; controller: AbortController; askers: number }>();
  return (next) => (request, signal) => {
    if (!isShareable(request) || request.jar) return next(request, signal);
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const key = `${request.robots ?? 'obey'} ${requestKey(request)}`;
    const known = underway.get(key);
    const controller = known?.controller ?? new AbortController();
    const shared = known ?? { result: next(request, controller.signal), controller, askers: 0 };
    const forget = (): void => void (underway.get(key) === shared && underway.delete(key));
    if (!known) {
      underway.set(key, shared);
      void shared.result.then(forget, forget);
    }
    shared.askers += 1;
    const answer = (): Promise<HttpResult> =>
      raced(shared.result, signal).finally(() => {
        shared.askers -= 1;
        if (!signal?.aborted || shared.askers > 0) return;
        // The last caller has left; the next one starts a new request.
        forget();
        controller.abort(signal.reason);
      });
    // The first caller sends; the others wait.
    return known ? whileWaiting(request.caller, answer) : answer();
  };
}
