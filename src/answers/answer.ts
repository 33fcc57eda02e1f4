import type { CitedHit, CitedWork } from '../corpus/index.ts';

/** Quoted words of a paper and their position. */
export interface AnswerQuote {
  readonly text: string;
  /** The sentence that contains them, for context. */
  readonly sentence: string;
  /** The number of the passage in the answer's `passages`, from 1. */
  readonly passage: number;
  readonly document: string;
  readonly page: number | null;
  /** Character offsets into the passage. */
  readonly start: number;
  readonly end: number;
  readonly work: CitedWork | null;
  readonly link: string | null;
}

/** A sentence of an answer with the quotes that support it, at least one. */
export interface AnswerSentence {
  readonly text: string;
  /** 0 to 1: how well it answers the question; null if a model wrote it. */
  readonly fit: number | null;
  readonly quotes: readonly AnswerQuote[];
}

export type DropReason =
  | 'malformed'
  | 'no-quote'
  | 'quote-too-short'
  | 'quote-not-in-passage'
  | 'quote-of-another-paper'
  | 'number-not-in-quote'
  | 'repeated';

/** An answer from the papers of a corpus. No sentences: the papers do not contain the answer. */
export interface Answer {
  readonly question: string;
  /** Null if no model wrote it: then each sentence is a quote. */
  readonly model: string | null;
  readonly sentences: readonly AnswerSentence[];
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
  /** The passages it was made from, or the nearest ones if there is no answer. */
  readonly passages: readonly CitedHit[];
}

/** The works that an answer cites, in the order of their first quote. */
export function citedWorks({ sentences }: Answer): CitedWork[] {
  const works = new Map<string, CitedWork>();
  for (const { quotes } of sentences) for (const { work } of quotes) if (work) works.set(work.id, work);
  return [...works.values()];
}
