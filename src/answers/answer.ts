import type { z } from 'zod';

import type { CitedHit, CitedWork } from '../corpus/index.ts';
import type { answerHead, answerSentence } from './shapes/index.ts';

export type AnswerSentence = z.output<typeof answerSentence>;
export type AnswerQuote = AnswerSentence['quotes'][number];

export type DropReason =
  | 'malformed'
  | 'no-quote'
  | 'quote-too-short'
  | 'quote-not-in-passage'
  | 'quote-of-another-paper'
  | 'number-not-in-quote'
  | 'repeated';

/** An answer, and the passages it was made from, or the nearest ones if there is none. */
export type Answer = z.output<typeof answerHead> & { readonly passages: readonly CitedHit[] };

/** The works that an answer cites, in the order of their first quote. */
export function citedWorks({ sentences, passages }: Answer): CitedWork[] {
  const works = new Map(passages.flatMap(({ work }) => (work ? [[work.id, work]] : [])));
  const cited = new Set(sentences.flatMap(({ quotes }) => quotes.flatMap(({ work }) => work ?? [])));
  return [...cited].flatMap((id) => works.get(id) ?? []);
}
