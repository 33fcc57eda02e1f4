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
  /** The URL that answered, after redirects. */
  readonly url: URL;
  /** The status code. */
  readonly status: number;
  /** All headers but cookies. */
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
  /** What is requested. */
  readonly url: URL;
  /** `GET` by default. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** Headers besides those of the client; by default none. */
  readonly headers?: Headers;
  /** Sent as it is; by default nothing. */
  readonly body?: string | Uint8Array;
  /** Keys, each sent to its origin only; by default none. */
  readonly credentials?: readonly Credential[];
  /** Receives the body of a 2xx response; without it the body is held in memory, within `maxMemoryBytes`. */
  readonly sink?: OpenSink;
  /** Decompresses a gzip file sent without a Content-Encoding, as some archives serve their PDFs. */
  readonly unpack?: boolean;
  /** 'terms' for an API whose documented terms apply instead of robots.txt. */
  readonly robots?: 'obey' | 'terms';
  /** Whose limits apply besides those of the host; by default nobody's. */
  readonly resolver?: string;
  /** Called when the request leaves; by default nobody is told. */
  readonly onSent?: () => void;
  /** Called with the response headers, before the body: delays are measured from here. */
  readonly onHead?: (head: ResponseHead) => void;
  /** A service whose limits apply besides those of the host; by default that of the host. */
  readonly pool?: string;
  /** How long a response without freshness headers counts as fresh; undefined applies RFC 9111. */
  readonly cacheForMs?: number;
  /** `bypass` neither reads nor writes the cache; `use` by default. */
  readonly cache?: 'use' | 'bypass';
  /** Keeps cookies between requests; by default none are kept. */
  readonly jar?: CookieJar;
  /** Time that several requests share; by default there is no such limit. */
  readonly budget?: TimeBudget;
  /** Other limits for this request; by default those of the client. */
  readonly limits?: Partial<HttpLimits>;
  /** Who asks, so that it can do other work while it waits; by default nobody. */
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
  /** Bytes received, compressed if they came compressed. */
  readonly wireBytes: number;
  /** Bytes of the decoded body. */
  readonly bodyBytes: number;
  /** The redirects that led here. */
  readonly chain: readonly Hop[];
  /** Where the body came from; `revalidated` if the server confirmed the kept one. */
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
  /** The server answered, with any status. */
  | { readonly kind: 'response'; readonly response: HttpResponse }
  /** The sink had enough before the end of the body. */
  | { readonly kind: 'stopped'; readonly response: HttpResponse }
  /** Not before `at`: the host or a limit of ours asks for a longer wait than the client waits. */
  | { readonly kind: 'later'; readonly at: number; readonly reason: LaterReason; readonly trail: Trail }
  /** Our rules forbid it; `trail` says how far it came. */
  | { readonly kind: 'refused'; readonly reason: RefusedReason; readonly message: string; readonly trail: Trail }
  /** There is no usable answer, after all retries; `retryable` if another time may be better. */
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

/** Sends one request. Every expected result is a value; it rejects only when aborted or when a sink throws. */
export type Send = (request: HttpRequest, signal?: AbortSignal) => Promise<HttpResult>;

/** Adds one concern to a `Send`. */
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

/** Limits on time and bytes of one request. */
export interface HttpLimits {
  /** Longest time to connect; 10 s by default. */
  readonly connectMs: number;
  /** Longest time until the headers of the response; 30 s by default. */
  readonly headersMs: number;
  /** Longest silence inside a body; 30 s by default. */
  readonly idleMs: number;
  /** Longest time of a whole exchange; 15 minutes by default. */
  readonly totalMs: number;
  /** A body slower than this over half a minute is refused; 1,000 by default, 0 allows any speed. */
  readonly floorBytesPerSecond: number;
  /** Largest body, compressed or decoded, passed to a sink; 200 MB by default. */
  readonly maxBytes: number;
  /** Largest body held in memory: metadata and pages; 20 MB by default. */
  readonly maxMemoryBytes: number;
  /** Redirects to follow; 10 by default. */
  readonly maxRedirects: number;
}

export const DEFAULT_LIMITS: HttpLimits = {
  connectMs: 10_000,
  headersMs: 30_000,
  idleMs: 30_000,
  totalMs: 15 * 60_000,
  floorBytesPerSecond: 1_000,
  maxBytes: 200_000_000,
  maxMemoryBytes: 20_000_000,
  maxRedirects: 10,
};
