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
  | {
      readonly kind: 'stage-started';
      readonly stageName: string;
      readonly total?: number;
      readonly manifestPath: string;
    }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'diagnostics'; readonly progress: Progress }
  | {
      readonly kind: 'item-retry';
      readonly error: StageErrorInfo;
      readonly attempt: number;
      readonly delayMs: number;
    }
  | { readonly kind: 'item-failed'; readonly error: StageErrorInfo; readonly attempts: number }
  | { readonly kind: 'item-abandoned'; readonly itemId: string }
  | { readonly kind: 'worker-replaced'; readonly reason: ReplaceReason; readonly itemId?: string }
  | { readonly kind: 'worker-output'; readonly text: string }
  | { readonly kind: 'hook-failed'; readonly hook: string; readonly message: string; readonly itemId?: string }
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'stopping'; readonly reason: string }
  | { readonly kind: 'stage-ended'; readonly outcome: StageOutcome };
