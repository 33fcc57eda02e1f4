import type { Clock, Random } from '../base/index.ts';
import { systemClock } from '../base/index.ts';
import { createMemoryAdmission, DEFAULT_POLICY, HostTable } from '../hosts/index.ts';
import type { HttpClient } from './client.ts';
import { userAgent } from './client.ts';
import { Guard, withGuard } from './guard.ts';
import { NameResolver } from './name-resolver.ts';
import { withRedirects } from './redirects.ts';
import { DEFAULT_RETRY, withRetry } from './retry.ts';
import type { HttpLimits, Wrap } from './send.ts';
import { compose, DEFAULT_LIMITS } from './send.ts';
import type { ProxySettings } from './transport.ts';
import { Transport } from './transport.ts';
import { withAdmission } from './with-admission.ts';

/** How to reach one server that the user named. */
export interface ServerClientOptions {
  /** Its address; it may be on this machine or in a private network. Redirects lead to public addresses only. */
  readonly url: URL;
  /** Silence for this long ends an attempt: before the headers, and between two pieces of the body. */
  readonly timeoutMs: number;
  /** Longest time of an attempt; by default twice `timeoutMs`. */
  readonly totalMs?: number;
  /** Attempts after the first. */
  readonly retries: number;
  /** The first delay between attempts, and the longest; by default one second and one minute. */
  readonly backoff?: { readonly baseMs: number; readonly capMs: number };
  /** A server that asks for a longer pause is given up; by default ten minutes. */
  readonly longestWaitMs?: number;
  /** Largest response, in memory or streamed; by default 200 MB. */
  readonly maxBytes?: number;
  /** Redirects to follow; by default none, because the user named the address. */
  readonly maxRedirects?: number;
  /** Requests at once; by default without a limit. */
  readonly concurrency?: number;
  /** Requests per second; by default without a limit. */
  readonly perSecond?: number;
  /** For networks without direct access; by default none. */
  readonly proxy?: ProxySettings | undefined;
  /** An e-mail address for the User-Agent; by default none. */
  readonly contact?: string | undefined;
  /** By default the clock of the system. */
  readonly clock?: Clock | undefined;
  /** For jitter; `Math.random` by default. */
  readonly random?: Random | undefined;
  /** Around every attempt: signs requests whose signature expires. */
  readonly attempt?: Wrap;
}

/** Longest time to connect. The connector measures it in real time. */
const CONNECT_MS = 30_000;

/**
 * A client for one server that the user named. It shares transport, retries, proxies and limits with the client for
 * the web, without what protects strangers: no robots.txt, no rate by default, no cache, no guard against its address.
 */
export function createServerClient(options: ServerClientOptions): HttpClient {
  const { url, timeoutMs, longestWaitMs = 600_000, backoff = { baseMs: 1_000, capMs: 60_000 } } = options;
  const { clock = systemClock, maxBytes = DEFAULT_LIMITS.maxBytes, random } = options;
  const limits: HttpLimits = {
    connectMs: Math.min(CONNECT_MS, timeoutMs),
    headersMs: timeoutMs,
    idleMs: timeoutMs,
    totalMs: options.totalMs ?? 2 * timeoutMs,
    // A model thinks before it writes, and a small machine is slow.
    floorBytesPerSecond: 0,
    maxBytes,
    maxMemoryBytes: maxBytes,
    maxRedirects: options.maxRedirects ?? 0,
  };
  const retry = {
    ...DEFAULT_RETRY,
    retries: options.retries,
    baseMs: backoff.baseMs,
    maxDelayMs: backoff.capMs,
    parkAfterMs: longestWaitMs,
  };
  const admission = createMemoryAdmission({
    clock,
    table: new HostTable({
      perHost: { perSecond: options.perSecond ?? Infinity, concurrency: options.concurrency ?? Infinity },
    }),
    policy: {
      backoff,
      // There is no other server to use instead: a missing one is reported after the retries.
      circuit: { ...DEFAULT_POLICY.circuit, failures: Infinity, longestOpenMs: backoff.capMs },
      giveUpAfterMs: retry.giveUpAfterMs,
      random,
    },
  });
  const guard = new Guard({ allow: [`${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`] });
  const agent = userAgent(options.contact);
  const names = new NameResolver({ clock: systemClock });
  const transport = new Transport({
    clock,
    limits,
    guard,
    userAgent: agent,
    resolveHost: names.resolve,
    proxy: options.proxy,
    reusesConnections: true,
  });
  const send = compose(
    transport.send,
    withRedirects(limits),
    withGuard(guard),
    withRetry({ ...retry, clock, admission, random }),
    withAdmission({ admission, clock, parkAfterMs: longestWaitMs, longestLineMs: Infinity }),
    ...(options.attempt ? [options.attempt] : []),
  );
  return {
    send,
    userAgent: agent,
    admission,
    async [Symbol.asyncDispose]() {
      names[Symbol.dispose]();
      await transport[Symbol.asyncDispose]();
    },
  };
}
