import type { WhileWaiting } from '../hosts/index.ts';
import type { CookieJar } from './cookie-jar.ts';
import type { HttpLimits } from './limits.ts';
import type { Credential } from './secret.ts';

/** A job on whose behalf requests are sent. */
export interface Caller {
  /** It asks this host now, so no slot has to be reserved for it any more. */
  asks(host: string): void;
  /** Waits while another job uses this one's worker. */
  readonly whileWaiting: WhileWaiting;
}

export type Headers = Readonly<Record<string, string>>;

/** What is known of an answer before its body. Header names are in lower case, repeated ones joined by a comma. */
export interface ResponseHead {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
}

/** Takes a body as it streams; a promise makes the sender wait. An error thrown here passes through `send`. */
export interface BodySink {
  /** `isDecoded` where the bytes were unpacked on the way, so that they are not those of the wire. */
  write(chunk: Buffer, isDecoded?: boolean): void | Promise<void>;
}

/** Asked once per answer of status 2xx, before its body; `stop` ends the transfer when enough has been seen. */
export type OpenSink = (head: ResponseHead, stop: () => void) => BodySink | Promise<BodySink>;

/** Time that several requests may take together: on the wire and between tries after a failure; waiting for a turn is free. */
export class TimeBudget {
  leftMs: number;

  constructor(ms: number) {
    this.leftMs = ms;
  }

  spend(ms: number): void {
    this.leftMs -= ms;
  }
}

/** One thing to ask for. The URL carries no key: keys are credentials, and go only where they belong. */
export interface HttpRequest {
  readonly url: URL;
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Headers;
  readonly body?: string;
  readonly credentials?: readonly Credential[];
  /** Takes the body of a 2xx answer; without it the body is kept in memory, within `maxMemoryBytes`. */
  readonly sink?: OpenSink;
  /** Unpacks a body that is a gzip file although no header says so, as some archives serve their PDFs. */
  readonly unpack?: boolean;
  /** 'terms' for an API whose own documented terms govern robots; anything else obeys robots.txt. */
  readonly robots?: 'obey' | 'terms';
  /** The resolver on whose behalf it is sent, whose cap it counts against. */
  readonly resolver?: string;
  /** Called when the request goes out on the wire. */
  readonly onSent?: () => void;
  /** Called with the headers of the answer, before its body: pauses are measured from here. */
  readonly onHead?: (head: ResponseHead) => void;
  /** A pool of limits to draw from besides the one the host belongs to. */
  readonly pool?: string;
  /** How long an answer that states no freshness counts as fresh; undefined leaves it to RFC 9111. */
  readonly cacheForMs?: number;
  readonly cache?: 'use' | 'bypass';
  readonly jar?: CookieJar;
  readonly budget?: TimeBudget;
  readonly limits?: Partial<HttpLimits>;
  /** The job that sends it: while the request waits for a host, another job uses its worker. */
  readonly caller?: Caller;
  /** True for a POST that changes nothing and may be repeated, such as a search. */
  readonly repeatable?: boolean;
}

/** One step on the way to the final answer. */
export interface Hop {
  readonly url: string;
  readonly status: number;
}

/** An answer whose body was received as a whole, or up to where the sink said stop. */
export interface HttpResponse extends ResponseHead {
  /** Empty when a sink took it. */
  readonly body: Buffer;
  readonly wireBytes: number;
  readonly bodyBytes: number;
  /** The redirects that led here. */
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
  | 'bad-encoding';

export type LaterReason = 'rate-limited' | 'host-held' | 'pool-exhausted' | 'paused';

/**
 * Everything that can come of a request. Any status is a `response`, since only the caller knows what it means;
 * `stopped` is one whose sink had seen enough; `later` names the moment from which asking again makes sense;
 * `refused` is what we will not do; `failed` what could not be done.
 */
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

/** How far a request came that has no answer: where it stood, what it had received. */
export interface Trail {
  readonly url: string;
  readonly chain: readonly Hop[];
  readonly response?: HttpResponse;
}

export type Send = (request: HttpRequest, signal?: AbortSignal) => Promise<HttpResult>;

/** One concern laid around a `Send`. */
export type Wrap = (next: Send) => Send;

/** Wraps the innermost `Send`; the first wrapper named is the outermost, the one a request meets first. */
export function compose(transport: Send, ...wraps: readonly Wrap[]): Send {
  return wraps.reduceRight((next, wrap) => wrap(next), transport);
}

/** The trail of a request that stopped before any answer. */
export function trailOf(request: HttpRequest): Trail {
  return { url: request.url.href, chain: [] };
}

/** Sends on behalf of a job. */
export function withCaller(send: Send, caller: Caller): Send {
  return (request, signal) => send({ ...request, caller }, signal);
}

/** The wait itself, given to the job that waits, if there is one. */
export function whileWaiting<T>(caller: Caller | undefined, wait: () => Promise<T>): Promise<T> {
  return caller ? caller.whileWaiting(wait) : wait();
}
