import type { Clock, ErrorInfo, Random } from '../base/index.ts';
import { addedJitterDelay, AppError, errorInfo } from '../base/index.ts';
import type { HandlerOutcome } from './handler.ts';
import type { OrchestratorOptions } from './options.ts';
import type { LeasedJob, Settlement } from './types.ts';

/** Why a running job is stopped. */
export type StopReason = 'shutdown' | 'give-way' | 'lease-lost' | 'timeout';

export const STOP_ERRORS: Readonly<Record<StopReason, () => AppError>> = {
  shutdown: () => new AppError('JOB_STOPPED', 'the orchestrator is shutting down'),
  'give-way': () => new AppError('JOB_STOPPED', 'the job was returned to the queue because another job must run alone'),
  'lease-lost': () => new AppError('JOB_LEASE_LOST', 'another worker has the lease, or the job was cancelled'),
  timeout: () => new AppError('JOB_TIMEOUT', 'the job ran longer than orchestrator.job_timeout_seconds'),
};

/** Thrown by withLimits when too many jobs wait already, or the host is paused: the job goes back with its host. */
export class HostBusy extends AppError {
  readonly host: string;

  constructor(host: string) {
    super('QUEUE_HOST_BUSY', `the job was returned to the queue until ${host} has room`);
    this.host = host;
  }
}

/** A job as if it had never been leased. */
export const GIVEN_BACK: Settlement = { kind: 'requeue', delayMs: 0, refund: true };

/** The settlement of a job whose handler returned. */
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

/** The settlement of a job that was stopped, or whose handler threw. */
export function settlementOfFailure(
  { attempt }: LeasedJob,
  { error, stopReason }: { readonly error: unknown; readonly stopReason: StopReason | undefined },
  { maxAttempts, retryBackoffMs, retryJitterMs, retryMaxDelayMs }: OrchestratorOptions,
  random: Random | undefined,
): Settlement {
  if (stopReason === 'shutdown' || stopReason === 'give-way') return GIVEN_BACK;
  if (error instanceof HostBusy) return { kind: 'requeue', delayMs: 0, refund: true, host: error.host };
  const info = errorInfo(stopReason === 'timeout' ? STOP_ERRORS.timeout() : error, 'HANDLER_FAILED');
  // An error may say that trying again is pointless.
  const isFinal = error instanceof Error && 'retryable' in error && error.retryable === false;
  if (attempt >= maxAttempts || isFinal) return { kind: 'finish', state: 'error', error: info };
  const delayMs = addedJitterDelay(attempt, {
    baseMs: retryBackoffMs,
    jitterMs: retryJitterMs,
    capMs: retryMaxDelayMs,
    ...(random && { random }),
  });
  return { kind: 'requeue', delayMs, refund: false, error: info };
}

/** A reason written as `CODE: message` keeps its code, so that jobs can be counted and retried by it. */
function reasonInfo(reason: string | ErrorInfo, fallback: string): ErrorInfo {
  if (typeof reason !== 'string') return reason;
  const [, code, message = ''] = /^([A-Z][A-Z0-9_]*):([^]*)$/.exec(reason) ?? [];
  return code === undefined ? { code: fallback, message: reason } : { code, message: message.trimStart() };
}
