import type { HostEvent } from '../hosts/index.ts';
import type { LeasedJob, Settlement } from './types.ts';

/** What happens in an orchestrator, told as it happens to whoever listens. */
export type QueueEvent =
  | HostEvent
  /** Jobs were leased in one write; `leased` may be none when others were faster. */
  | { readonly kind: 'dispatched'; readonly leased: number; readonly durationMs: number }
  /** A job was given to its handler. */
  | { readonly kind: 'job-started'; readonly job: LeasedJob; readonly workerId: string }
  /** A job had to wait for a slot of its host or resolver, or for its turn there, and has it now. */
  | {
      readonly kind: 'limits-waited';
      readonly job: LeasedJob;
      readonly resolver: string | null;
      readonly host: string;
      readonly resolverMs: number;
      readonly hostMs: number;
      readonly rateMs: number;
    }
  /** A handler answered, threw or was stopped; the settlement is decided but not yet written. */
  | {
      readonly kind: 'job-ended';
      readonly job: LeasedJob;
      readonly settlement: Settlement;
      readonly durationMs: number;
    }
  /** The settlement was written, or refused because the lease had been lost. */
  | {
      readonly kind: 'job-settled';
      readonly job: LeasedJob;
      readonly settlement: Settlement;
      readonly accepted: boolean;
    }
  /** A lease ran out and was taken by another worker, or the job was cancelled: its work is aborted. */
  | { readonly kind: 'lease-lost'; readonly job: LeasedJob }
  /** The handler did not stop when told to; its result will be ignored. */
  | { readonly kind: 'job-abandoned'; readonly job: LeasedJob }
  /** Jobs were given up because their process died too often while they ran alone. */
  | { readonly kind: 'jobs-exhausted'; readonly jobs: number }
  /** What operators have paused was read: at the start, and whenever it may have changed. */
  | { readonly kind: 'pauses-changed'; readonly pauses: readonly string[] }
  /** No more jobs are leased; running ones may finish. */
  | { readonly kind: 'stopping'; readonly reason: string; readonly running: number };

export type Report = (event: QueueEvent) => void;
