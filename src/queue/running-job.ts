import type { Clock, Random } from '../base/index.ts';
import { addedJitterDelay, AppError, errorInfo } from '../base/index.ts';
import type { ErrorInfo } from '../base/index.ts';
import type { HandlerOutcome } from './handler.ts';
import type { LeasedJob, Settlement } from './types.ts';

/** Why a running job was told to stop. */
export type StopReason = 'shutdown' | 'give-way' | 'lease-lost' | 'timeout';

/** Thrown by withLimits when too many jobs wait already, or the host is paused: the job goes back, its host written down. */
export class HostBusy extends AppError {
  readonly host: string;

  constructor(host: string) {
    super('QUEUE_HOST_BUSY', `the job goes back to the queue until ${host} has room`);
    this.host = host;
  }
}

/** How a failed job is tried again. */
export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly jitterMs: number;
  readonly capMs: number;
  readonly random?: Random;
}

/** A job in the hands of its handler. */
export class RunningJob {
  /** As it was leased last: whoever holds on to a job beyond its lease may get it again. */
  job: LeasedJob;
  readonly startedAt: number;
  readonly controller = new AbortController();
  /** The worker it occupies; none while it is parked. */
  worker: Disposable | undefined;
  /** It is leased for a host that it has not asked for yet. */
  expected: boolean;
  /** When it must have ended; moved on by the time it spends parked. */
  deadline: number;
  stopReason: StopReason | undefined;
  stoppedAt = 0;
  /** Its settlement is decided; whatever its handler still does is ignored. */
  ended = false;

  constructor(
    job: LeasedJob,
    options: { readonly startedAt: number; readonly deadline: number; readonly worker: Disposable },
  ) {
    this.job = job;
    this.startedAt = options.startedAt;
    this.deadline = options.deadline;
    this.worker = options.worker;
    this.expected = job.host !== null || job.resolverHint !== null;
  }

  stop(reason: StopReason, at: number): void {
    if (this.stopReason !== undefined) return;
    this.stopReason = reason;
    this.stoppedAt = at;
    this.controller.abort(STOP_ERRORS[reason]());
  }
}

const STOP_ERRORS: Readonly<Record<StopReason, () => AppError>> = {
  shutdown: () => new AppError('JOB_STOPPED', 'the orchestrator is shutting down'),
  'give-way': () => new AppError('JOB_STOPPED', 'the job goes back to the queue, because another must run alone'),
  'lease-lost': () => new AppError('JOB_LEASE_LOST', 'another worker has taken the job, or it was cancelled'),
  timeout: () => new AppError('JOB_TIMEOUT', 'the job ran longer than orchestrator.job_timeout_seconds'),
};

/** The settlement of a job whose handler answered. */
export function settlementOf(outcome: HandlerOutcome, clock: Clock): Settlement {
  if (outcome === undefined) return { kind: 'finish', state: 'done' };
  if ('retryAt' in outcome) {
    return {
      kind: 'requeue',
      delayMs: Math.max(0, outcome.retryAt - clock.now()),
      refund: true,
      error: outcome.reason === undefined ? undefined : reasonInfo(outcome.reason, 'RETRY_LATER'),
    };
  }
  switch (outcome.state) {
    case 'done':
      return {
        kind: 'finish',
        state: 'done',
        ...(outcome.result !== undefined && { result: JSON.stringify(outcome.result) }),
      };
    case 'skipped':
    case 'error':
      return {
        kind: 'finish',
        state: outcome.state,
        error: reasonInfo(outcome.reason, outcome.state === 'error' ? 'HANDLER_ERROR' : 'SKIPPED'),
      };
    default:
      throw new AppError('HANDLER_OUTCOME_INVALID', `the handler answered ${JSON.stringify(outcome).slice(0, 200)}`, {
        hint: "return nothing, { state: 'done' | 'skipped' | 'error', reason } or { retryAt }",
      });
  }
}

/** The settlement of a job that was stopped, or whose handler threw. */
export function settlementOfFailure(running: RunningJob, error: unknown, policy: RetryPolicy): Settlement {
  if (running.stopReason === 'shutdown' || running.stopReason === 'give-way')
    return { kind: 'requeue', delayMs: 0, refund: true };
  if (error instanceof HostBusy) return { kind: 'requeue', delayMs: 0, refund: true, host: error.host };
  const info = errorInfo(running.stopReason === 'timeout' ? running.controller.signal.reason : error, 'HANDLER_FAILED');
  const { attempt } = running.job;
  const final = attempt >= policy.maxAttempts || isFinal(error);
  if (final) return { kind: 'finish', state: 'error', error: info };
  return { kind: 'requeue', delayMs: addedJitterDelay(attempt, policy), refund: false, error: info };
}

/** An error may say of itself that trying again is pointless. */
function isFinal(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error && error.retryable === false;
}

function reasonInfo(reason: string | ErrorInfo, fallback: string): ErrorInfo {
  if (typeof reason !== 'string') return reason;
  // A reason written as `CODE: message` keeps its code, so that it can be counted and retried by it.
  const match = /^([A-Z][A-Z0-9_]*):([^]*)$/.exec(reason);
  return match
    ? { code: match[1] ?? fallback, message: (match[2] ?? '').trimStart() }
    : { code: fallback, message: reason };
}
