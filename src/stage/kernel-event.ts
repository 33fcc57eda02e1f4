import type { AppError } from '../base/index.ts';
import type { SatisfiedVerdict } from './commit/fingerprint.ts';
import type { ItemRun, Performed } from './execute/item-run.ts';
import type { ReplaceReason } from './events.ts';
import type { BareError } from './stage-error.ts';

/** What the rooms of the kernel tell the run they work for; all of it is answered in one place, `StageRun`. */
export type KernelEvent =
  /** plan: an earlier run has done the item. */
  | { readonly kind: 'satisfied'; readonly run: ItemRun; readonly verdict: SatisfiedVerdict }
  /** plan: taken, but too late to be begun. */
  | { readonly kind: 'left'; readonly run: ItemRun }
  /** plan: it broke; what it gave before is still done, nothing more comes. */
  | { readonly kind: 'plan-broke'; readonly error: unknown }
  /** execute: each attempt submitted is answered exactly once; without an outcome it was stopped, not done. */
  | { readonly kind: 'answered'; readonly run: ItemRun; readonly performed: Performed | undefined }
  /** execute: an attempt did not stop when told to, and is answered without it. */
  | { readonly kind: 'abandoned'; readonly run: ItemRun }
  /** execute: a cpu worker was ended and another takes its place. */
  | { readonly kind: 'worker-replaced'; readonly reason: ReplaceReason; readonly run: ItemRun | undefined }
  /** execute: a cpu worker wrote something. */
  | { readonly kind: 'worker-output'; readonly text: string }
  /** execute: no worker can be had, so the stage cannot go on. */
  | { readonly kind: 'workers-unusable'; readonly error: AppError }
  /** execute: killed workers have not ended, and the stage ends without them. */
  | { readonly kind: 'workers-stuck'; readonly workers: number }
  /** commit: outputs could not be given their names. */
  | {
      readonly kind: 'commit-failed';
      readonly run: ItemRun;
      readonly performed: Performed;
      readonly error: BareError;
    }
  /** record: rows cannot be written, so the stage cannot go on. */
  | { readonly kind: 'record-failed'; readonly error: unknown }
  /** Something that was waited for has come. */
  | { readonly kind: 'changed' };

/** How a room tells. */
export type Tell = (event: KernelEvent) => void;
