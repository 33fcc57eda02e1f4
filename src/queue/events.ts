import type { HostEvent, Waited } from '../hosts/index.ts';
import type { LeasedJob, Settlement } from './types.ts';

/** What happens in an orchestrator, reported as it happens. */
export type QueueEvent =
  | HostEvent
  /** Jobs were leased in one write; `leased` may be 0 when other processes were faster. */
  | { readonly kind: 'dispatched'; readonly leased: number; readonly durationMs: number }
  /** A job was given to its handler. */
  | { readonly kind: 'job-started'; readonly job: LeasedJob; readonly workerId: string }
  /** A job waited for a slot or a turn of its host or resolver, and has it now. */
  | { readonly kind: 'limits-waited'; readonly job: LeasedJob; readonly host: string; readonly waited: Waited }
  /** A handler returned, threw or was stopped; the settlement is decided but not yet written. */
  | {
      readonly kind: 'job-ended';
      readonly job: LeasedJob;
      readonly settlement: Settlement;
      readonly durationMs: number;
    }
  /** The settlement was written, or refused because the lease was lost. */
  | {
      readonly kind: 'job-settled';
      readonly job: LeasedJob;
      readonly settlement: Settlement;
      readonly accepted: boolean;
    }
  /** A lease expired and another worker has the job, or the job was cancelled: its work is aborted. */
  | { readonly kind: 'lease-lost'; readonly job: LeasedJob }
  /** The handler did not stop when asked; its result will be ignored. */
  | { readonly kind: 'job-abandoned'; readonly job: LeasedJob }
  /** Jobs ended in `error` because their process died too often while they ran alone. */
  | { readonly kind: 'jobs-exhausted'; readonly jobs: number }
  /** The operators' pauses were read: at the start, and whenever they may have changed. */
  | { readonly kind: 'pauses-changed'; readonly pauses: readonly string[] }
  /** No more jobs are leased; running ones may finish. */
  | { readonly kind: 'stopping'; readonly reason: string; readonly running: number };

export type Report = (event: QueueEvent) => void;
