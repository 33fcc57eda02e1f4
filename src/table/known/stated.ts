import type { CellQuote } from '../cell.ts';

/** A value that a paper states, with the sentences that state it. */
export interface Stated {
  readonly value: string;
  readonly quotes: readonly CellQuote[];
}
