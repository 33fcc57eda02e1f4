import type { CitedHit, CitedWork } from '../corpus/index.ts';

/** Words of a paper, and where they are. */
export interface AnswerQuote {
  readonly text: string;
  /** The sentence around them, which shows what they leave out. */
  readonly sentence: string;
  /** The passage, by its place in `passages` of the answer, counted from 1. */
  readonly passage: number;
  readonly document: string;
  readonly page: number | null;
  /** Character offsets into the passage. */
  readonly start: number;
  readonly end: number;
  readonly work: CitedWork | null;
  readonly link: string | null;
}

/** A sentence of an answer with the quotes that it rests on; there is always one. */
export interface AnswerSentence {
  readonly text: string;
  /** From 0 to 1, how far it answers the question; null where a model wrote it. */
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

/** An answer from the papers of a corpus. Without a sentence, the answer is that it is not in these papers. */
export interface Answer {
  readonly question: string;
  /** Null where no model wrote it: then each sentence is a quote. */
  readonly model: string | null;
  readonly sentences: readonly AnswerSentence[];
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
  /** The passages it was made from, or the nearest where there is no answer. */
  readonly passages: readonly CitedHit[];
}

/** The works that an answer cites, in the order of their first quote. */
export function citedWorks({ sentences }: Answer): CitedWork[] {
  const works = new Map<string, CitedWork>();
  for (const { quotes } of sentences) for (const { work } of quotes) if (work) works.set(work.id, work);
  return [...works.values()];
}
