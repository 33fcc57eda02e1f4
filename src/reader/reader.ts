import type { Support } from '../model/index.ts';
import type { Candidate } from './candidates.ts';

/** A sentence and the quote it is said to rest on. */
interface SupportPair {
  readonly sentence: string;
  /** The quote with the words around it that it needs to be understood. */
  readonly quote: string;
}

/** A verdict on a pair, with the probability of each answer. */
interface SupportVerdict {
  readonly verdict: Support;
  /** 0 to 1: how likely the quote supports the sentence. */
  readonly probability: number;
}

/**
 * Reads candidates for a question. `rules` counts the question's words and compares meanings; `trained` is a small
 * cross-encoder that reads question and candidate together.
 */
export interface Reader extends AsyncDisposable {
  readonly name: 'rules' | 'trained';
  /** Scores below this do not answer the question. */
  readonly least: number;
  /** From this score on no other passages need to be read. */
  readonly sure: number;
  /** How well each candidate answers the question, 0 to 1, in order. */
  score(question: string, candidates: readonly Candidate[], signal?: AbortSignal): Promise<readonly number[]>;
  /** Whether quotes support sentences, for readers that can tell; neither of the two here can. */
  support?(pairs: readonly SupportPair[], signal?: AbortSignal): Promise<readonly SupportVerdict[]>;
}
