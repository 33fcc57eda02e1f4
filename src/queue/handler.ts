import type { ErrorInfo } from '../base/index.ts';

/** A job as its handler sees it. */
export interface HandlerJob {
  readonly id: number;
  readonly artifactId: string;
  /** The payload that was put in. */
  readonly artifact: unknown;
  /** 1 for the first. */
  readonly attempt: number;
  readonly resolverHint: string | null;
}

/** The time during which a host's and a resolver's slot are held. */
export interface Window {
  readonly signal: AbortSignal;
  /** The host asked to slow down (429, 503): it is held until `retryAt`, or for a growing while, and its cap shrinks. */
  throttled(options?: { readonly retryAt?: number | undefined }): void;
}

/** What a handler is given besides its job. */
export interface HandlerContext {
  /** Aborted when the lease is lost, the time is up or the process must stop. */
  readonly signal: AbortSignal;
  readonly workerId: string;
  /**
   * Runs `work` while holding one slot of the resolver and of the URL's host. While it waits for them the job gives up its
   * worker, so that others go on; when too many wait, it throws and the job goes back to the queue at no cost.
   */
  readonly withLimits: <T>(
    resolver: string | null,
    url: string | URL,
    work: (window: Window) => Promise<T>,
  ) => Promise<T>;
  readonly log: (level: 'error' | 'warn' | 'info' | 'debug', message: string) => void;
}

/** What came of a job. Nothing means done; throwing means fail and retry. */
export type HandlerOutcome =
  | void
  | undefined
  /** `result` is kept with the job, for `queue list`. */
  | { readonly state: 'done'; readonly result?: object | undefined }
  | { readonly state: 'skipped' | 'error'; readonly reason: string | ErrorInfo }
  /** Come back at this moment (epoch milliseconds); costs no attempt. */
  | { readonly retryAt: number; readonly reason?: string | ErrorInfo };

export type Handler = (job: HandlerJob, context: HandlerContext) => HandlerOutcome | Promise<HandlerOutcome>;
