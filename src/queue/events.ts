import type { LeasedJob, Settlement } from './types.ts';

/** What happens in an orchestrator, told as it happens to whoever listens. */
export type QueueEvent =
  | { readonly kind: 'dispatched'; readonly leased: number; readonly durationMs: number }
  | { readonly kind: 'job-started'; readonly job: LeasedJob; readonly workerId: string }
  | {
      readonly kind: 'limits-waited';
      readonly job: LeasedJob;
      readonly resolver: string | null;
      readonly host: string;
      readonly resolverMs: number;
      readonly hostMs: number;
    }
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
  | { readonly kind: 'lease-lost'; readonly job: LeasedJob }
  /** The handler did not stop when told to; its result will be ignored. */
  | { readonly kind: 'job-abandoned'; readonly job: LeasedJob }
  | { readonly kind: 'jobs-exhausted'; readonly jobs: number }
  | { readonly kind: 'host-throttled'; readonly host: string; readonly cap: number; readonly heldUntil: number }
  | { readonly kind: 'host-restored'; readonly host: string; readonly cap: number }
  | { readonly kind: 'pauses-changed'; readonly pauses: readonly string[] }
  | { readonly kind: 'stopping'; readonly reason: string; readonly running: number };

export type Report = (event: QueueEvent) => void;
