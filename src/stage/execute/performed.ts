import type { AgreedInputs } from '../commit/fingerprint.ts';
import type { BareError } from '../stage-error.ts';
import type { ItemOutcome } from '../types.ts';

export interface Performed extends Omit<ItemOutcome, 'durationS' | 'error'> {
  readonly durationMs: number;
  readonly error?: BareError;
  /** With outputs only: what they were made from. */
  readonly inputs?: AgreedInputs;
  /** With outputs only: their hashes, in declaration order. */
  readonly outputs?: readonly string[];
}
