import type { Tokenizer } from '../parse/index.ts';

/** Longer stretches without a blank are counted piece by piece: a tokenizer takes a word's square of time. */
const PIECE = 256;
/** What the counts of two vocabularies may differ by, and what the frame of an answer costs. */
const SHARE = 0.95;

/** How much of an answer fits into a number of tokens. */
export class Budget {
  readonly #tokenizer: Tokenizer;
  readonly #most: number;
  #used = 0;

  constructor(tokenizer: Tokenizer, maxTokens: number) {
    this.#tokenizer = tokenizer;
    this.#most = Math.floor(maxTokens * SHARE);
  }

  get left(): number {
    return this.#most - this.#used;
  }

  /** What texts cost. */
  cost(...texts: readonly string[]): number {
    let sum = 0;
    for (const text of texts)
      for (let at = 0; at < text.length; at += PIECE) sum += this.#tokenizer.count(text.slice(at, at + PIECE));
    return sum;
  }

  /** Takes what texts cost out of what is left; false, and nothing is taken, where that is too little. */
  take(...texts: readonly string[]): boolean {
    const cost = this.cost(...texts);
    if (cost > this.left) return false;
    this.#used += cost;
    return true;
  }
}
