import type { Tokenizer } from '../parse/index.ts';

/** Longer runs without a space are counted in pieces: tokenizing a word takes quadratic time. */
const PIECE = 256;
/** Margin for differences between tokenizers and for the envelope of an answer. */
const SHARE = 0.95;

/** Tracks how much of an answer fits into a token limit. */
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

  cost(...texts: readonly string[]): number {
    let sum = 0;
    for (const text of texts)
      for (let at = 0; at < text.length; at += PIECE) sum += this.#tokenizer.count(text.slice(at, at + PIECE));
    return sum;
  }

  /** Deducts the cost of texts; returns false and deducts nothing if it exceeds what is left. */
  take(...texts: readonly string[]): boolean {
    const cost = this.cost(...texts);
    if (cost > this.left) return false;
    this.#used += cost;
    return true;
  }
}
