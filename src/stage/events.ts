import type { StageErrorInfo, StageOutcome } from './types.ts';

/** The state of a running stage at one moment. */
export interface Progress {
  readonly stageName: string;
  readonly elapsedMs: number;
  /** Items with a final outcome, skipped ones included. */
  readonly done: number;
  readonly total?: number;
  readonly succeeded: number;
  readonly skipped: number;
  readonly failed: number;
  readonly retried: number;
  readonly inFlight: number;
  readonly queued: number;
  readonly waitingForRetry: number;
  readonly execP50Ms: number;
  readonly execP95Ms: number;
  readonly itemsPerSecond: number;
  readonly etaMs?: number;
}

/** Why a cpu worker was replaced. */
export type ReplaceReason = 'timeout' | 'crash' | 'out-of-memory' | 'items' | 'memory' | 'lost';

/** What a stage tells while it runs. */
export type StageEvent =
  /** A stage begins; its items are not yet all known. */
  | {
      readonly kind: 'stage-started';
      readonly stageName: string;
      readonly total?: number;
      readonly manifestPath: string;
    }
  /** How far it is, several times a second while somebody could look. */
  | { readonly kind: 'progress'; readonly progress: Progress }
  /** How far it is, every `diagnostics_interval_s`. */
  | { readonly kind: 'diagnostics'; readonly progress: Progress }
  /** An attempt failed and the item waits for another. */
  | {
      readonly kind: 'item-retry';
      readonly error: StageErrorInfo;
      readonly attempt: number;
      readonly delayMs: number;
    }
  /** The last attempt failed. */
  | { readonly kind: 'item-failed'; readonly error: StageErrorInfo; readonly attempts: number }
  /** An item did not stop when told to; its result will be ignored. */
  | { readonly kind: 'item-abandoned'; readonly itemId: string }
  /** A cpu worker was ended and another takes its place. */
  | { readonly kind: 'worker-replaced'; readonly reason: ReplaceReason; readonly itemId?: string }
  /** A cpu worker wrote to its stdout or stderr. */
  | { readonly kind: 'worker-output'; readonly text: string }
  /** A hook threw; the run goes on. */
  | { readonly kind: 'hook-failed'; readonly hook: string; readonly message: string; readonly itemId?: string }
  /** Something is not as it should be, and was dealt with. */
  | { readonly kind: 'warning'; readonly message: string }
  /** No further item is begun. */
  | { readonly kind: 'stopping'; readonly reason: string }
  /** The stage is over. */
  | { readonly kind: 'stage-ended'; readonly outcome: StageOutcome };
