import type { Citation } from '../answers.ts';
import { findQuote } from './quote.ts';

/** Shorter words stand in many sentences. */
const LEAST_CHARACTERS = 24;

/** The citations of the sentences that these words are of; of a few words, those that are printed among them. */
export function citationsOf(
  citations: readonly Citation[],
  { quote, page }: { readonly quote: string; readonly page: number | undefined },
): readonly Citation[] {
  const words = oneLine(quote);
  if (words === '') return [];
  if (words.length < LEAST_CHARACTERS) {
    const selected = new Set(piecesOf(words));
    const isAmong = ({ printed }: Citation): boolean => piecesOf(printed).every((piece) => selected.has(piece));
    return citations.filter((each) => (page === undefined || each.page === page) && isAmong(each));
  }
  return citations.filter(
    ({ sentence }) => words.includes(oneLine(sentence)) || findQuote([sentence], words).length > 0,
  );
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function piecesOf(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((piece) => piece !== '');
}
