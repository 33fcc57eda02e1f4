import type { ErrorInfo } from '../base/index.ts';

/** A job as its handler sees it. */
export interface HandlerJob {
  readonly id: number;
  /** Proves the lease to stores that the handler writes to. */
  readonly token: number;
  readonly artifactId: string;
  /** What was enqueued with it. */
  readonly payload: unknown;
  /** 1 for the first. */
  readonly attempt: number;
  readonly resolverHint: string | null;
}

/** The time during which a host's and a resolver's slot are held. */
export interface Window {
  readonly signal: AbortSignal;
  /** The host asked to slow down (429, 503): it is held until `retryAt`, or for a growing time, and its cap shrinks. */
  throttled(options?: { readonly retryAt?: number | undefined }): void;
}

/** What a handler is given besides its job. */
export interface HandlerContext {
  /** Aborted when the lease is lost, the time is up or the process must stop. */
  readonly signal: AbortSignal;
  readonly workerId: string;
  /**
   * Runs `work` while holding one slot of the resolver and of the URL's host. While the job waits for them another job uses
   * its worker; when too many wait, it throws and the job goes back to the queue without losing an attempt.
   */
  readonly withLimits: <T>(
    resolver: string | null,
    url: string | URL,
    work: (window: Window) => Promise<T>,
  ) => Promise<T>;
  /** Waits while another job uses this one's worker, then takes a worker again: for waits that withLimits does not know. */
  readonly whileWaiting: <T>(wait: () => Promise<T>) => Promise<T>;
  /** The job asks this host now, so no slot has to be reserved for it any more. */
  readonly asks: (host: string) => void;
  readonly log: (level: 'error' | 'warn' | 'info' | 'debug', message: string) => void;
}

/** The outcome of a job. Nothing means done; throwing means fail and retry. */
export type HandlerOutcome =
  | void
  | undefined
  /** `result` is stored with the job, for `queue list`. */
  | { readonly state: 'done'; readonly result?: object | undefined }
  | { readonly state: 'skipped' | 'error'; readonly reason: string | ErrorInfo }
  /** Run again at this moment (epoch milliseconds); costs no attempt. */
  | { readonly retryAt: number; readonly reason?: string | ErrorInfo };

/**
 * Runs one job. **At least once**: a process that is killed, or loses its lease, after the handler did its work and before
 * the settlement was written runs the job again. So a handler must be idempotent: write under a name derived from
 * `artifactId`, or check what is already there. Jobs that were settled are not repeated.
 */
export type Handler = (job: HandlerJob, context: HandlerContext) => HandlerOutcome | Promise<HandlerOutcome>;
