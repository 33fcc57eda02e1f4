import { hasNumbersOf } from '../base/index.ts';
import type { CitedWork, SearchSession } from '../corpus/index.ts';
import type { AnswerQuote, DropReason } from './answer.ts';
import { checkQuote } from './check-answer.ts';

/** A quote that somebody says is in a work, and the sentence that rests on it. */
export interface QuoteClaim {
  readonly quote: string;
  /** The id of the work, or the name of its document. */
  readonly work: string;
  readonly sentence?: string | undefined;
}

/** Whether a quote is in the work it is attributed to; otherwise why not, and the work that has it. */
export type QuoteVerdict =
  | { readonly kind: 'found'; readonly quote: AnswerQuote }
  | { readonly kind: 'refused'; readonly reason: DropReason | 'unknown-work'; readonly elsewhere: CitedWork | null };

const OTHERS = 10;

/** The verdict of the gate about each quote, in their order. */
export async function checkQuotes(
  session: SearchSession,
  claims: readonly QuoteClaim[],
  signal?: AbortSignal,
): Promise<QuoteVerdict[]> {
  const verdicts: QuoteVerdict[] = [];
  for (const claim of claims) verdicts.push(await verdictOn(session, claim, signal));
  return verdicts;
}

async function verdictOn(
  session: SearchSession,
  { quote, work, sentence }: QuoteClaim,
  signal?: AbortSignal,
): Promise<QuoteVerdict> {
  const documents = session.documents({ works: new Set([work]) });
  if (documents.length === 0) return { kind: 'refused', reason: 'unknown-work', elsewhere: null };
  const passages = documents.flatMap(({ document }) => session.passagesOf(document));
  const checked = checkQuote({ quote, passage: 1 }, passages);
  if (typeof checked !== 'string') {
    if (sentence === undefined || hasNumbersOf(sentence, [checked.text])) return { kind: 'found', quote: checked };
    return { kind: 'refused', reason: 'number-not-in-quote', elsewhere: null };
  }
  if (checked === 'quote-too-short') return { kind: 'refused', reason: checked, elsewhere: null };
  const others = await session.search(quote, { mode: 'lexical', top: OTHERS, minFit: 0 }, signal);
  const other = others.find((hit) => typeof checkQuote({ quote, passage: 1 }, [hit]) !== 'string');
  if (!other) return { kind: 'refused', reason: 'quote-not-in-passage', elsewhere: null };
  return { kind: 'refused', reason: 'quote-of-another-paper', elsewhere: other.work };
}
