import type { WhileWaiting } from '../hosts/index.ts';
import type { CookieJar } from './cookie-jar.ts';
import type { Credential } from './secret.ts';

export interface Caller {
  /** It requests this host now, so no slot needs to be reserved for it. */
  asks(host: string): void;
  /** Lets another job use this job's worker while it waits. */
  readonly whileWaiting: WhileWaiting;
}

export type Headers = Readonly<Record<string, string>>;

/** A response before its body. Header names are lower case; repeated headers are joined by commas. */
export interface ResponseHead {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
}

/** Receives a streaming body; a returned promise applies back-pressure. Errors thrown here pass through `send`. */
export interface BodySink {
  /** `isDecoded` if the bytes were decompressed, so they differ from those sent. */
  write(chunk: Buffer, isDecoded?: boolean): void | Promise<void>;
}

/** Called once per 2xx response, before its body; `stop` ends the transfer. */
export type OpenSink = (head: ResponseHead, stop: () => void) => BodySink | Promise<BodySink>;

/** Time that several requests may take together, including backoff after failures; waiting for a turn is free. */
export class TimeBudget {
  leftMs: number;

  constructor(ms: number) {
    this.leftMs = ms;
  }

  spend(ms: number): void {
    this.leftMs -= ms;
  }
}

/** A request. Its URL carries no key: keys are credentials, sent only to their origin. */
export interface HttpRequest {
  readonly url: URL;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Headers;
  readonly body?: string | Uint8Array;
  readonly credentials?: readonly Credential[];
  /** Receives the body of a 2xx response; without it the body is held in memory, within `maxMemoryBytes`. */
  readonly sink?: OpenSink;
  /** Decompresses a gzip file sent without a Content-Encoding, as some archives serve their PDFs. */
  readonly unpack?: boolean;
  /** 'terms' for an API whose documented terms apply instead of robots.txt. */
  readonly robots?: 'obey' | 'terms';
  readonly resolver?: string;
  readonly onSent?: () => void;
  /** Called with the response headers, before the body: delays are measured from here. */
  readonly onHead?: (head: ResponseHead) => void;
  readonly pool?: string;
  /** How long a response without freshness headers counts as fresh; undefined applies RFC 9111. */
  readonly cacheForMs?: number;
  readonly cache?: 'use' | 'bypass';
  readonly jar?: CookieJar;
  readonly budget?: TimeBudget;
  readonly limits?: Partial<HttpLimits>;
  readonly caller?: Caller;
  /** True for a POST without side effects, such as a search. */
  readonly repeatable?: boolean;
  /** Attempts after the first; by default those of the client. */
  readonly retries?: number;
  /** Says what is wrong with a response that arrived whole; it is retried, and at last reported as `bad-answer`. */
  readonly fault?: (response: HttpResponse) => string | undefined;
}

export interface Hop {
  readonly url: string;
  readonly status: number;
}

/** A response whose body was received completely, or until the sink stopped it. */
export interface HttpResponse extends ResponseHead {
  /** Empty if a sink received it. */
  readonly body: Buffer;
  readonly wireBytes: number;
  readonly bodyBytes: number;
  readonly chain: readonly Hop[];
  readonly origin: 'network' | 'cache' | 'revalidated';
}

export type RefusedReason =
  | 'bad-url'
  | 'private-address'
  | 'bad-port'
  | 'robots-disallowed'
  | 'robots-unreachable'
  | 'redirect-loop'
  | 'max-hops'
  | 'bad-redirect'
  | 'body-too-large'
  | 'headers-too-large'
  | 'decompression-bomb'
  | 'unknown-encoding'
  | 'retry-after-too-long'
  | 'crawl-delay-too-long';

export type FailedReason =
  | 'dns'
  | 'connect'
  | 'reset'
  | 'tls'
  | 'connect-timeout'
  | 'headers-timeout'
  | 'idle-timeout'
  | 'total-timeout'
  | 'too-slow'
  | 'truncated'
  | 'protocol'
  | 'bad-encoding'
  | 'bad-answer';

export type LaterReason = 'rate-limited' | 'host-held' | 'pool-exhausted' | 'paused';

/** Any status is a `response`; `stopped` means its sink had enough; `refused` is forbidden by our rules. */
export type HttpResult =
  | { readonly kind: 'response'; readonly response: HttpResponse }
  | { readonly kind: 'stopped'; readonly response: HttpResponse }
  | { readonly kind: 'later'; readonly at: number; readonly reason: LaterReason; readonly trail: Trail }
  | { readonly kind: 'refused'; readonly reason: RefusedReason; readonly message: string; readonly trail: Trail }
  | {
      readonly kind: 'failed';
      readonly reason: FailedReason;
      readonly message: string;
      readonly retryable: boolean;
      readonly trail: Trail;
    };

export interface Trail {
  readonly url: string;
  readonly chain: readonly Hop[];
  readonly response?: HttpResponse;
}

export type Send = (request: HttpRequest, signal?: AbortSignal) => Promise<HttpResult>;

export type Wrap = (next: Send) => Send;

/** Wraps the innermost `Send`; the first wrapper is the outermost. */
export function compose(transport: Send, ...wraps: readonly Wrap[]): Send {
  return wraps.reduceRight((next, wrap) => wrap(next), transport);
}

export function trailOf({ url }: HttpRequest, response?: HttpResponse): Trail {
  return { url: url.href, chain: [], ...(response && { response }) };
}

export function refused(
  request: HttpRequest,
  reason: RefusedReason,
  message: string,
  response?: HttpResponse,
): HttpResult {
  return { kind: 'refused', reason, message, trail: trailOf(request, response) };
}

export function withCaller(send: Send, caller: Caller): Send {
  return (request, signal) => send({ ...request, caller }, signal);
}

export function whileWaiting<T>(caller: Caller | undefined, wait: () => Promise<T>): Promise<T> {
  return caller ? caller.whileWaiting(wait) : wait();
}

export interface HttpLimits extends Readonly<typeof DEFAULT_LIMITS> {}

export const DEFAULT_LIMITS = {
  connectMs: 10_000,
  headersMs: 30_000,
  idleMs: 30_000,
  totalMs: 15 * 60_000,
  /** A body slower than this over half a minute is refused; 0 allows any speed. */
  floorBytesPerSecond: 1_000,
  /** Largest body, compressed or decoded, passed to a sink. */
  maxBytes: 200_000_000,
  /** Largest body held in memory: metadata and pages. */
  maxMemoryBytes: 20_000_000,
  maxRedirects: 10,
};
