import type { Clock, Random } from '../base/index.ts';
import { systemClock, AppError, packageVersion } from '../base/index.ts';
import type { Admission, Facts, Pool, PolicySettings } from '../hosts/index.ts';
import { createMemoryAdmission, DEFAULT_POLICY, HostTable } from '../hosts/index.ts';
import type { SqliteCacheStore } from './cache.ts';
import { withCache, withCoalescing } from './cache.ts';
import type { GuardOptions } from './guard.ts';
import { Guard, withGuard } from './guard.ts';
import type { ResolveHost } from './name-resolver.ts';
import { NameResolver } from './name-resolver.ts';
import { withRedirects } from './redirects.ts';
import type { RetryOptions } from './retry.ts';
import { DEFAULT_RETRY, withRetry } from './retry.ts';
import { Robots } from './robots.ts';
import type { HttpLimits, Send } from './send.ts';
import { DEFAULT_LIMITS, compose } from './send.ts';
import type { ProxySettings } from './transport.ts';
import { Transport } from './transport.ts';
import type { HttpEvent } from './with-admission.ts';
import { withAdmission } from './with-admission.ts';

/** How a client behaves; every field has a default. */
export interface HttpClientOptions {
  /** An e-mail address for the User-Agent; by default none, and some services refuse that. */
  readonly contact?: string | undefined;
  /** By default the clock of the system. */
  readonly clock?: Clock;
  /** For jitter; `Math.random` by default. */
  readonly random?: Random;
  /** Host limits shared with the queue; by default made from the settings below. */
  readonly admission?: Admission;
  /** Keeps what is learned about hosts, such as robots.txt; by default this process alone. */
  readonly facts?: Facts | undefined;
  /** Limits on time and bytes; those of `HttpLimits` by default. */
  readonly limits?: Partial<HttpLimits>;
  /** Private addresses that may be reached, and names that lead elsewhere; by default none. */
  readonly guard?: GuardOptions;
  /** Looks up names; by default the name servers of the system. */
  readonly resolveHost?: ResolveHost;
  /** Extra certificate authorities in PEM format; by default none. */
  readonly ca?: string;
  /** For networks without direct internet access. */
  readonly proxy?: ProxySettings | undefined;
  /** Services with limits of their own; by default none. */
  readonly pools?: readonly Pool[];
  /** Limits of all other hosts; one request per second and two at once by default. */
  readonly perHost?: { readonly perSecond?: number; readonly concurrency?: number };
  /** Safety margin below every rate; 0.05 by default. */
  readonly margin?: number;
  /** Longest wait in a host's line; defaults to `retry.parkAfterMs`. */
  readonly longestLineMs?: number;
  /** Retries; those of `RetryOptions` by default. */
  readonly retry?: Partial<RetryOptions>;
  /** When a failing host is held: after five failures, for 30 s at first, by default. */
  readonly circuit?: Partial<PolicySettings['circuit']>;
  /** False only for a web of your own, such as the simulator. */
  readonly obeyRobots?: boolean;
  /** The longest Crawl-delay that is obeyed; a host that asks for more is refused. 300 s by default. */
  readonly robots?: { readonly longestDelayMs: number };
  /** Keeps responses; by default nothing is kept. */
  readonly cache?: SqliteCacheStore;
  /** Called with what happens; by default nobody is told. */
  readonly report?: (event: HttpEvent) => void;
}

/** Respects host limits and robots.txt; dispose of it to close its connections. */
export interface HttpClient extends AsyncDisposable {
  /** Sends a request, when host and robots.txt allow it. */
  readonly send: Send;
  /** The User-Agent header of every request. */
  readonly userAgent: string;
  /** The limits per host: what is held, slowed or paused. */
  readonly admission: Admission;
}

/** Builds the client; wrappers are listed in the order a request passes through them. */
export function createClient(options: HttpClientOptions = {}): HttpClient {
  const clock = options.clock ?? systemClock;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const retry = { ...DEFAULT_RETRY, ...options.retry };
  const admission = options.admission ?? ownAdmission(options, retry, clock);
  const guard = new Guard(options.guard);
  const agent = userAgent(options.contact);
  // DNS lookups take real time, even when the web is simulated.
  const names = new NameResolver({ clock: systemClock });
  const transport = new Transport({
    clock,
    limits,
    guard,
    userAgent: agent,
    resolveHost: options.resolveHost ?? names.resolve,
    ca: options.ca,
    proxy: options.proxy,
  });
  const admitted = withAdmission({
    admission,
    clock,
    parkAfterMs: retry.parkAfterMs,
    longestLineMs: options.longestLineMs ?? retry.parkAfterMs,
    report: options.report,
  });
  const robots = new Robots({
    clock,
    admission,
    facts: options.facts,
    productToken: PRODUCT_TOKEN,
    longestDelayMs: 300_000,
    longestMs: 2 * limits.headersMs,
    ...options.robots,
    send: compose(transport.send, withRedirects(limits), withGuard(guard), admitted),
    giveUpAfterMs: retry.giveUpAfterMs,
    report: options.report,
  });
  const send = compose(
    transport.send,
    withRedirects(limits),
    withGuard(guard),
    withCoalescing(),
    ...(options.cache ? [withCache(options.cache, clock)] : []),
    ...(options.obeyRobots === false ? [] : [robots.wrap]),
    withRetry({ ...retry, clock, admission, random: options.random }),
    admitted,
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

function ownAdmission(options: HttpClientOptions, retry: RetryOptions, clock: Clock): Admission {
  return createMemoryAdmission({
    clock,
    table: new HostTable({
      perHost: { perSecond: 1, concurrency: 2, ...options.perHost },
      pools: options.pools ?? [],
      margin: options.margin ?? 0.05,
    }),
    policy: {
      backoff: { baseMs: retry.baseMs, capMs: retry.maxDelayMs },
      circuit: { ...DEFAULT_POLICY.circuit, ...options.circuit },
      giveUpAfterMs: retry.giveUpAfterMs,
      random: options.random,
    },
    report: options.report,
  });
}

const PRODUCT_TOKEN = 'DocsToKG-TS';
const PROJECT_URL = 'https://www.npmjs.com/package/docstokg';
const MAIL = /^[^\s@<>"(),;:\\[\]]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/i;
const PLACEHOLDER =
  /@(example\.(com|org|net)|test\.com|email\.(com|org)|domain\.com)$|^(your|you|me|name|user)[._-]?(e?mail|name)?@/i;

export function userAgent(contact: string | undefined): string {
  return `${PRODUCT_TOKEN}/${packageVersion()} (+${PROJECT_URL}${contact === undefined ? '' : `; mailto:${contact}`})`;
}

/** Fails without a contact address; services ask for one, and some require it. */
export function requireContact(contact: string | undefined): string {
  const trimmed = contact?.trim() ?? '';
  if (MAIL.test(trimmed) && !PLACEHOLDER.test(trimmed)) return trimmed;
  throw new AppError(
    'CONTACT_MISSING',
    trimmed === '' ? 'no contact address is set' : `"${trimmed.slice(0, 100)}" is not a usable e-mail address`,
    { hint: 'set your e-mail address with --mailto or DOCSTOKG_HTTP__CONTACT; it is sent to the services used' },
  );
}
