import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';

import type { ClientSettings } from '../settings.ts';
import type { Reason } from '../truth/reasons.ts';
import { isAllowed, parseRobots } from '../truth/robots-rules.ts';

export type Loss = Exclude<Reason, 'success'>;

/** What came back, or the word for why nothing did. */
export type Fetched =
  | {
      readonly kind: 'body';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
      readonly url: string;
    }
  | Lost;

interface Lost {
  readonly kind: 'lost';
  readonly reason: Loss;
}

type Rules = ReturnType<typeof parseRobots>['rules'];

export interface HttpOptions {
  readonly settings: ClientSettings;
  /** Lets simulated milliseconds pass. */
  readonly pause: (ms: number) => Promise<void>;
  readonly now: () => number;
  readonly maxRetries: number;
  readonly maxBytes: number;
  /** Real milliseconds without a byte after which an answer is given up. */
  readonly idleMs: number;
}

interface Call {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Interfaces with terms of their own are not under robots.txt. */
  readonly isInterface?: boolean;
}

const AGENT = 'DocsToKG-TS/0.0 (+https://example.org/reference; mailto:rehearsal@sim.test)';
const LONGEST_WAIT_MS = 60_000;
/** Patience is counted in ticks between which whatever has come is heard: a machine that pauses does not look like a host that is silent. */
const TICKS = 8;
const CHALLENGE = /_cf_chl_opt|Just a moment|error code: 10(15|20)/;
const lost = (reason: Loss): Lost => ({ kind: 'lost', reason });

/** Simulated milliseconds between two requests, by host or by family of hosts. */
function spacing(host: string): readonly [family: string, ms: number] {
  if (/arxiv\.org\.sim/.test(host)) return ['arxiv', 3_100];
  if (host.startsWith('api.core.')) return ['core', 2_500];
  if (host.startsWith('api.semanticscholar')) return [host, 1_050];
  if (/rxiv\.org\.sim/.test(host)) return ['biorxiv', 3_100];
  if (/^(zenodo|web\.archive)\./.test(host)) return [host, 2_100];
  if (/^(api\.figshare|api\.crossref)/.test(host)) return [host, 1_050];
  return /^api\.|^doaj|^eutils|^www\.ebi/.test(host) ? [host, 550] : [host, 2_100];
}

/** A client that keeps every rule and does nothing cleverly: the yardstick for truth and violations. */
export class PoliteHttp implements Disposable {
  readonly #options: HttpOptions;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #robots = new Map<string, Promise<Rules | Lost | null>>();
  readonly #turns = new Map<string, Promise<void>>();
  readonly #due = new Map<string, number>();
  readonly #heldUntil = new Map<string, number>();

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /** Fetches over redirects, with one jar for the chain; keys travel to the first host only. */
  async fetch(first: string, call: Call = {}): Promise<Fetched> {
    const jar = new Map<string, string>();
    const visited = new Set<string>();
    let url = URL.parse(first);
    for (let hop = 0; hop <= 10; hop += 1) {
      if (!url) return lost('bad-redirect');
      if (url.protocol !== 'http:' && url.protocol !== 'https:') return lost('bad-redirect');
      if (!this.#mayConnect(url)) return lost('private-address');
      const state = `${url.href} ${jar.get(url.hostname) ?? ''}`;
      if (visited.has(state)) return lost(url.searchParams.has('cookieSet') ? 'blocked-cookie' : 'redirect-loop');
      visited.add(state);
      const closed = call.isInterface ? null : await this.#closed(url);
      if (closed) return closed;
      const answer = await this.#persist(url, hop === 0 ? call : {}, jar.get(url.hostname));
      if (answer.kind === 'lost') return answer;
      const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0];
      if (cookie) jar.set(url.hostname, cookie);
      if (answer.status < 300 || answer.status >= 400 || answer.status === 304) return answer;
      const { location } = answer.headers;
      if (!location) return lost('bad-redirect');
      if (/\/login\?|SAMLRequest=/.test(location)) return lost('blocked-login');
      if (/error=cookies_not_supported/.test(location)) return lost('blocked-cookie');
      url = URL.parse(location, url.href);
    }
    return lost('too-many-redirects');
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #mayConnect({ hostname }: URL): boolean {
    const { dns } = this.#options.settings;
    return hostname.endsWith(dns.suffix) && dns.exceptions[hostname] === undefined;
  }

  /** Why a URL may not be asked for; null where it may. Who could not be reached has forbidden nothing, and is left alone. */
  async #closed(url: URL): Promise<Lost | null> {
    let reading = this.#robots.get(url.hostname);
    if (!reading) {
      reading = this.#readRobots(url.hostname);
      this.#robots.set(url.hostname, reading);
    }
    const rules = await reading;
    if (rules !== null && 'kind' in rules) return rules;
    return rules !== null && isAllowed(rules, url.pathname + url.search) ? null : lost('robots-disallowed');
  }

  /** Null means: everything is disallowed. */
  async #readRobots(host: string): Promise<Rules | Lost | null> {
    let url = new URL(`http://${host}/robots.txt`);
    for (let hop = 0; hop <= 5; hop += 1) {
      const answer = await this.#once(url, {}, undefined);
      if (answer.kind === 'lost') return answer;
      if (answer.status >= 500) return null;
      if (answer.status >= 400) return [];
      if (answer.status < 300) return parseRobots(answer.body.toString('utf8'), 'DocsToKG-TS').rules;
      url = new URL(answer.headers.location ?? '', url);
    }
    return [];
  }

  async #persist(url: URL, call: Call, cookie: string | undefined): Promise<Fetched> {
    let last: Fetched = lost('connection-failed');
    for (let attempt = 0; attempt <= this.#options.maxRetries; attempt += 1) {
      if ((this.#heldUntil.get(url.hostname) ?? 0) - this.#options.now() > LONGEST_WAIT_MS) return lost('rate-limited');
      last = await this.#once(url, call, cookie);
      if (last.kind === 'lost') {
        if (!['connection-failed', 'timeout', 'truncated'].includes(last.reason)) return last;
        await this.#options.pause(1_000);
        continue;
      }
      const { status, headers, body } = last;
      if (![429, 500, 502, 503, 504].includes(status)) return last;
      if (CHALLENGE.test(body.toString('latin1'))) return lost('bot-wall');
      const waitMs = retryAfterMs(headers) ?? 1_000;
      this.#heldUntil.set(url.hostname, this.#options.now() + waitMs);
      if (waitMs > LONGEST_WAIT_MS) return lost('rate-limited');
    }
    return last.kind === 'lost' ? last : lost(last.status === 429 ? 'rate-limited' : 'server-error');
  }

  async #once(url: URL, call: Call, cookie: string | undefined): Promise<Fetched> {
    const release = await this.#turn(url.hostname);
    try {
      return await this.#send(url, call, cookie);
    } finally {
      release();
    }
  }

  /** One request at a time and family of hosts, spaced, and none before the time a host asked for. */
  async #turn(host: string): Promise<() => void> {
    const [family, ms] = spacing(host);
    const before = this.#turns.get(family) ?? Promise.resolve();
    let release = (): void => undefined;
    this.#turns.set(
      family,
      before.then(() => new Promise<void>((resolve) => (release = resolve))),
    );
    await before;
    const { now, pause } = this.#options;
    const due = Math.max(this.#due.get(family) ?? 0, this.#heldUntil.get(host) ?? 0);
    if (due > now()) await pause(due - now());
    this.#due.set(family, now() + ms);
    return () => release();
  }

  #send(url: URL, call: Call, cookie: string | undefined): Promise<Fetched> {
    const { settings, maxBytes, idleMs } = this.#options;
    const [, port = ''] = settings.dns.address.split(':');
    return new Promise((done) => {
      let [idle, ticks] = [0, 0];
      const ticking = setInterval(() => {
        ticks += 1;
        idle += 1;
        if (idle < TICKS) return;
        resolve(lost('timeout'));
        sent.destroy();
      }, idleMs / TICKS);
      const resolve = (fetched: Fetched): void => {
        clearInterval(ticking);
        done(fetched);
      };
      const sent = request({
        host: '127.0.0.1',
        port: Number(port),
        method: call.body === undefined ? 'GET' : 'POST',
        path: url.pathname + url.search,
        headers: { host: url.hostname, 'user-agent': AGENT, accept: '*/*', ...(cookie && { cookie }), ...call.headers },
        agent: this.#agent,
      });
      sent.on('error', () => resolve(lost('connection-failed')));
      sent.on('response', (response) => {
        const pieces: Buffer[] = [];
        let bytes = 0;
        idle = ticks = 0;
        response.on('data', (piece: Buffer) => {
          idle = 0;
          bytes += piece.length;
          pieces.push(piece);
          // A drip: longer than the idle limit for less than a kilobyte.
          const isDrip = ticks > TICKS && bytes < 1_000;
          if (bytes <= maxBytes && Number(response.headers['content-length'] ?? 0) <= maxBytes && !isDrip) return;
          resolve(lost(isDrip ? 'timeout' : 'too-large'));
          sent.destroy();
        });
        response.on('aborted', () => resolve(lost('truncated')));
        response.on('error', () => resolve(lost('truncated')));
        response.on('end', () =>
          resolve(
            decode(response.headers, Buffer.concat(pieces), maxBytes, {
              status: response.statusCode ?? 0,
              url: url.href,
            }),
          ),
        );
      });
      sent.end(call.body);
    });
  }
}

function decode(
  headers: IncomingHttpHeaders,
  raw: Buffer,
  maxBytes: number,
  answer: { readonly status: number; readonly url: string },
): Fetched {
  let body = raw;
  try {
    for (const coding of (headers['content-encoding'] ?? '').split(/\s*,\s*/))
      if (coding === 'gzip') body = gunzipSync(body, { maxOutputLength: maxBytes });
    if (body[0] === 0x1f && body[1] === 0x8b) body = gunzipSync(body, { maxOutputLength: maxBytes });
  } catch (error) {
    return lost(error instanceof RangeError ? 'too-large' : 'bad-gzip');
  }
  return { kind: 'body', headers, body, ...answer };
}

function retryAfterMs(headers: IncomingHttpHeaders): number | null {
  const value = headers['retry-after'];
  if (value === undefined) return null;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const until = Date.parse(value);
  return Number.isNaN(until) || !value.endsWith('GMT')
    ? null
    : Math.max(0, until - Date.parse(headers.date ?? '')) + 1_000;
}
