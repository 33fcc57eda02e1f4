import type { ErrorInfo, Clock, Random } from '../base/index.ts';
import { backoffDelay, AppError, errorInfo } from '../base/index.ts';
import type { OrchestratorOptions } from './options.ts';
import type { LeasedJob, Settlement } from './types.ts';

/** The job as its handler sees it. */
export interface HandlerJob extends Pick<LeasedJob, 'id' | 'token' | 'artifactId' | 'attempt' | 'resolverHint'> {
  /** What was enqueued. */
  readonly payload: unknown;
}

/** While the slots of a host and a resolver are held. */
export interface Window {
  readonly signal: AbortSignal;
  /** The host asked to slow down (429, 503): it is held until `retryAt`, or for a growing time, and its cap shrinks. */
  throttled(options?: { readonly retryAt?: number | undefined }): void;
}

/** What a handler may use while it works on a job. */
export interface HandlerContext {
  /** Aborted when the lease is lost, the time is up or the process must stop. */
  readonly signal: AbortSignal;
  /** The process that runs the job. */
  readonly workerId: string;
  /**
   * Runs `work` with a slot of the resolver and of the URL's host; another job uses the worker while this one waits.
   * Throws if too many wait: the job is requeued without losing an attempt.
   */
  readonly withLimits: <T>(
    resolver: string | null,
    url: string | URL,
    work: (window: Window) => Promise<T>,
  ) => Promise<T>;
  /** For other waits than `withLimits`: another job uses the worker meanwhile. */
  readonly whileWaiting: <T>(wait: () => Promise<T>) => Promise<T>;
  /** The job requests this host now, so its reserved slot is released. */
  readonly asks: (host: string) => void;
  /** Writes a line to the log of the orchestrator. */
  readonly log: (level: 'error' | 'warn' | 'info' | 'debug', message: string) => void;
}

/** The outcome of a job. Nothing means done; throwing means fail and retry. */
export type HandlerOutcome =
  | void
  | undefined
  /** `result` is stored with the job, for `queue list`. */
  | { readonly state: 'done'; readonly result?: object | undefined }
  /** `reason` is stored with the job, which is not run again. */
  | { readonly state: 'skipped' | 'error'; readonly reason: string | ErrorInfo }
  /** Run again at this time (epoch milliseconds); costs no attempt. */
  | { readonly retryAt: number; readonly reason?: string | ErrorInfo };

/**
 * Runs one job, **at least once**: again if its process dies, or loses the lease, before the settlement is written. So
 * a handler must be idempotent: write under a name derived from `artifactId`, or check what is already there.
 */
export type Handler = (job: HandlerJob, context: HandlerContext) => HandlerOutcome | Promise<HandlerOutcome>;

export type StopReason = 'shutdown' | 'lease-lost' | 'timeout';

export const STOP_ERRORS: Readonly<Record<StopReason, () => AppError>> = {
  shutdown: () => new AppError('JOB_STOPPED', 'the orchestrator is shutting down'),
  'lease-lost': () => new AppError('JOB_LEASE_LOST', 'another worker has the lease, or the job was cancelled'),
  timeout: () => new AppError('JOB_TIMEOUT', 'the job ran longer than orchestrator.job_timeout_seconds'),
};

/** Thrown by withLimits when too many jobs already wait, or the host is paused: the job is requeued with its host. */
export class HostBusy extends AppError {
  readonly host: string;

  constructor(host: string) {
    super('QUEUE_HOST_BUSY', `the job was returned to the queue until ${host} has room`);
    this.host = host;
  }
}

/** Requeues a job as if it had never been leased. */
export const GIVEN_BACK: Settlement = { kind: 'requeue', delayMs: 0, refund: true };

export function settlementOf(outcome: HandlerOutcome, clock: Clock): Settlement {
  if (outcome === undefined) return { kind: 'finish', state: 'done' };
  if ('retryAt' in outcome) {
    const { retryAt, reason } = outcome;
    const error = reason === undefined ? undefined : reasonInfo(reason, 'RETRY_LATER');
    return { kind: 'requeue', delayMs: Math.max(0, retryAt - clock.now()), refund: true, error };
  }
  switch (outcome.state) {
    case 'done': {
      const result = outcome.result === undefined ? undefined : JSON.stringify(outcome.result);
      return { kind: 'finish', state: 'done', result };
    }
    case 'skipped':
      return { kind: 'finish', state: 'skipped', error: reasonInfo(outcome.reason, 'SKIPPED') };
    case 'error':
      return { kind: 'finish', state: 'error', error: reasonInfo(outcome.reason, 'HANDLER_ERROR') };
    default:
      throw new AppError('HANDLER_OUTCOME_INVALID', `the handler returned ${JSON.stringify(outcome).slice(0, 200)}`, {
        hint: "return nothing, { state: 'done' | 'skipped' | 'error', reason } or { retryAt }",
      });
  }
}

export function settlementOfFailure(
  { attempt }: LeasedJob,
  { error, stopReason }: { readonly error: unknown; readonly stopReason: StopReason | undefined },
  { maxAttempts, retryBackoffMs, retryJitterMs, retryMaxDelayMs }: OrchestratorOptions,
  random: Random | undefined,
): Settlement {
  if (stopReason === 'shutdown') return GIVEN_BACK;
  if (error instanceof HostBusy) return { kind: 'requeue', delayMs: 0, refund: true, host: error.host };
  const info = errorInfo(stopReason === 'timeout' ? STOP_ERRORS.timeout() : error, 'HANDLER_FAILED');
  const isFinal = error instanceof Error && 'retryable' in error && error.retryable === false;
  const backoff = { baseMs: retryBackoffMs, jitterMs: retryJitterMs, capMs: retryMaxDelayMs, random };
  return retrySettlement(attempt, isFinal ? attempt : maxAttempts, info, backoff);
}

export function retrySettlement(
  attempt: number,
  maxAttempts: number,
  error: ErrorInfo,
  backoff: Parameters<typeof backoffDelay>[1],
): Settlement {
  if (attempt >= maxAttempts) return { kind: 'finish', state: 'error', error };
  return { kind: 'requeue', delayMs: backoffDelay(attempt, backoff), refund: false, error };
}

/** A reason written as `CODE: message` keeps its code, so that jobs can be counted and retried by it. */
function reasonInfo(reason: string | ErrorInfo, fallback: string): ErrorInfo {
  if (typeof reason !== 'string') return reason;
  const [, code, message = ''] = /^([A-Z][A-Z0-9_]*):([^]*)$/.exec(reason) ?? [];
  return code === undefined ? { code: fallback, message: reason } : { code, message: message.trimStart() };
}

/** Long enough for a list of jobs; not for a stack trace or a page of HTML. */
const MAX_LENGTH = 500;

function formatLastError(error: ErrorInfo): string {
  const text = `${error.code}: ${error.message.replaceAll(/\s+/g, ' ').trim()}`;
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}

export function settledRow(settlement: Settlement) {
  const lastError = settlement.error ? formatLastError(settlement.error) : null;
  if (settlement.kind === 'finish') {
    const { state, result = null } = settlement;
    return { state, lastError, result, delayMs: 0, refund: 0, host: null };
  }
  const { delayMs, refund, host = null } = settlement;
  return { state: 'queued', lastError, result: null, delayMs, refund: refund ? 1 : 0, host };
}
