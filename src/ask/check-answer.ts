import type * as z from 'zod';
import { pageAt } from '../parse/index.ts';

import { fieldsOf, findQuote, missingNumber, parseJson } from '../base/index.ts';
import type { CitedHit, SearchSession } from '../corpus/index.ts';
import { sentencesOf } from '../graph/index.ts';
import { readLists } from '../model/index.ts';
import { citedIn } from './cited-in.ts';
import { quotedRowAt } from './quoted-row.ts';
import type { answerSentence } from './shapes/index.ts';

export type AnswerSentence = z.output<typeof answerSentence>;
export type AnswerQuote = AnswerSentence['quotes'][number];

export type DropReason =
  | 'malformed'
  | 'no-quote'
  | 'quote-too-short'
  | 'quote-not-in-passage'
  | 'quote-of-another-paper'
  | 'number-not-in-quote'
  | 'contradicted'
  | 'not-supported'
  | 'repeated';

type Dropped = Partial<Record<DropReason, number>>;

/** What a model wrote, with only the sentences that passed the gate. */
export interface CheckedAnswer {
  readonly sentences: AnswerSentence[];
  readonly disagreements: AnswerSentence[];
  readonly uncertain: AnswerSentence[];
  readonly dropped: Dropped;
  /** What the model wants to search for. */
  readonly search: readonly string[];
  readonly cut: boolean;
}

const MOST_SENTENCES = 20;
const MOST_QUOTES = 6;
const MOST_SEARCHES = 3;
const LONGEST_TEXT = 1_000;
const LONGEST_SEARCH = 300;
/** Shorter quotes prove nothing. */
const LEAST_WORDS = 4;

/** The lists of sentences in an answer. */
const LISTS = ['sentences', 'disagreements', 'uncertain'] as const;

/** Keeps sentences whose quotes are in the papers, and numbers in the quotes; undefined if not JSON. */
export function checkAnswer(content: string, passages: readonly CitedHit[]): CheckedAnswer | undefined {
  const written = readLists(content, [...LISTS, 'search']);
  if (!written) return undefined;
  const dropped: Dropped = {};
  const drop = (reason: DropReason): void => void (dropped[reason] = (dropped[reason] ?? 0) + 1);
  const seen = new Set<string>();
  const checkedOf = (list: unknown[]): AnswerSentence[] => {
    for (let more = MOST_SENTENCES; more < list.length; more += 1) drop('malformed');
    return list.slice(0, MOST_SENTENCES).flatMap((each) => {
      const checked = checkSentence(each, passages);
      if (typeof checked === 'string') drop(checked);
      else if (seen.has(checked.text)) drop('repeated');
      else {
        seen.add(checked.text);
        return [checked];
      }
      return [];
    });
  };
  const [sentences = [], disagreements = [], uncertain = []] = LISTS.map((name) =>
    checkedOf(written.lists[name] ?? []),
  );
  const search = (written.lists['search'] ?? []).flatMap((each) =>
    typeof each === 'string' && each.trim() !== '' ? [each.trim().slice(0, LONGEST_SEARCH)] : [],
  );
  return {
    sentences,
    disagreements,
    uncertain,
    dropped,
    search: [...new Set(search)].slice(0, MOST_SEARCHES),
    cut: written.isCut,
  };
}

/**
 * Shows each checked sentence of a streamed answer as soon as it is complete. The final answer is that of
 * `checkAnswer`: sentences from a model's reasoning may be shown too, but never unchecked ones.
 */
export function liveSentences(
  passages: readonly CitedHit[],
  show: (sentence: AnswerSentence) => void,
): (piece: string) => void {
  const shown = new Set<string>();
  let [depth, isText, isEscaped, read, key] = [0, false, false, 0, ''];
  let object: string[] = [];
  return (piece) => {
    for (const letter of piece) {
      // Sentences are objects at depth 3: an object in a list in an object.
      if (depth >= 3) object.push(letter);
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (letter === '\\') isEscaped = true;
        else if (letter === '"') isText = false;
        else if (depth === 1) key += letter;
      } else if (letter === '"') {
        isText = depth > 0;
        if (depth === 1) key = '';
      } else if (letter === '{' || letter === '[') {
        depth += 1;
        if (depth === 3) object = [letter];
      } else if (letter === '}' || letter === ']') {
        depth = Math.max(0, depth - 1);
        if (depth !== 2 || key !== 'sentences' || read >= MOST_SENTENCES) continue;
        read += 1;
        const checked = checkSentence(parseJson(object.join('')), passages);
        if (typeof checked === 'string' || shown.has(checked.text)) continue;
        shown.add(checked.text);
        show(checked);
      }
    }
  };
}

function checkSentence(written: unknown, passages: readonly CitedHit[]): AnswerSentence | DropReason {
  const { text, quotes } = fieldsOf(written);
  // Models cite with passage numbers in brackets; the quotes replace them.
  const plain = typeof text === 'string' ? text.replaceAll(/ ?\[[\d ,;–-]{1,40}\]/g, '').trim() : '';
  if (plain === '' || plain.length > LONGEST_TEXT) return 'malformed';
  if (!Array.isArray(quotes) || quotes.length === 0) return 'no-quote';
  if (quotes.length > MOST_QUOTES) return 'malformed';
  const found: AnswerQuote[] = [];
  for (const each of quotes as unknown[]) {
    const { quote, passage } = fieldsOf(each);
    if (typeof quote !== 'string' || quote.length > LONGEST_TEXT || !Number.isSafeInteger(passage)) return 'malformed';
    const checked = checkQuote(quote, passages, passage as number);
    if (typeof checked === 'string') return checked;
    found.push(checked);
  }
  return numberMissing(plain, found, passages) === undefined
    ? { text: plain, fit: null, quotes: found }
    : 'number-not-in-quote';
}

/**
 * The first number of a text that its quotes lack. Numbers may also stand in the rest of the quoted sentence, in the
 * caption and headers of a quoted table row, and in the paper's title and year.
 */
export function numberMissing(
  text: string,
  quotes: readonly AnswerQuote[],
  passages: readonly CitedHit[],
): string | undefined {
  const around = quotes.flatMap(({ sentence, row, title, passage }) => {
    const year = passages.find((hit) => hit.passage.id === passage)?.work?.year;
    const header = row && [row.table, row.group ?? '', row.row, ...row.cells.map(({ column }) => column)].join(' | ');
    return [sentence, header ?? '', title ?? '', String(year ?? '')];
  });
  const texts = quotes.map(({ text: words }) => words);
  return missingNumber(text, texts, around);
}

/** Where a quote of the passage `number`, from 1, is: there or elsewhere in the same paper; or why it was rejected. */
export function checkQuote(claimed: string, passages: readonly CitedHit[], number = 1): AnswerQuote | DropReason {
  // A copied quote may begin with the full stop of the previous sentence.
  const quote = claimed.trim().replace(/^[.,;:…)\]]+\s+/, '');
  if (quote.split(/\s+/).length < LEAST_WORDS) return 'quote-too-short';
  const named = passages[number - 1];
  if (!named) return 'quote-not-in-passage';
  const own = findQuote(quote, named.passage.text);
  if (own) return quoteAt(named, own);
  for (const hit of passages) {
    const place = findQuote(quote, hit.passage.text);
    if (!place) continue;
    if (hit.passage.document !== named.passage.document) return 'quote-of-another-paper';
    return quoteAt(hit, place);
  }
  return 'quote-not-in-passage';
}

export function quoteAt(
  { passage: of, work, link }: CitedHit,
  { start, end }: { readonly start: number; readonly end: number },
): AnswerQuote {
  const found = quotedRowAt(of, start, end);
  // A passage may begin on an earlier page.
  const page = pageAt(of.pageStarts ?? [], start) ?? of.page ?? null;
  const around = found
    ? [found.line]
    : sentencesOf(of.text).filter((sentence) => sentence.start < end && sentence.end > start);
  return {
    text: of.text.slice(start, end),
    sentence: of.text.slice(Math.min(start, around[0]?.start ?? start), Math.max(end, around.at(-1)?.end ?? end)),
    document: of.document,
    passage: of.id,
    work: work?.id ?? null,
    title: work?.title ?? of.title,
    citation: work?.apa ?? null,
    link: link?.replace(/(?<=#page=)\d+$/, String(page)) ?? null,
    page,
    start,
    end,
    row: found?.row ?? null,
    cites: found ? null : citedIn(around.map((each) => of.text.slice(each.start, each.end)).join(' ')),
    unread: unreadSigns(of.text.slice(start, end)),
  };
}

/** Signs that the parser could not read: what they are must be looked up in the paper itself. */
function unreadSigns(text: string): number {
  return text.split('\ufffd').length - 1;
}

export interface QuoteClaim {
  readonly quote: string;
  /** The id of the work, or the name of its document. */
  readonly work: string;
  readonly sentence?: string | undefined;
}

/** Whether a quote is in the work it is attributed to, and what the number check says of its sentence. */
export type QuoteVerdict =
  | { readonly kind: 'found'; readonly quote: AnswerQuote; readonly passages: readonly CitedHit[] }
  | {
      readonly kind: 'refused';
      readonly reason: DropReason | 'unknown-work';
      /** The work that has the quote instead. */
      readonly elsewhere: string | null;
    };

const OTHERS = 10;

/** Whether a quote is in the work it is attributed to; otherwise why not, and the id of the work that has it. */
export async function checkClaim(
  session: SearchSession,
  { quote, work, sentence }: QuoteClaim,
  signal?: AbortSignal,
): Promise<QuoteVerdict> {
  const refused = (reason: DropReason | 'unknown-work', elsewhere: string | null = null): QuoteVerdict => ({
    kind: 'refused',
    reason,
    elsewhere,
  });
  const documents = await session.documents({ works: new Set([work]) });
  if (documents.length === 0) return refused('unknown-work');
  const own = await Promise.all(documents.map(({ document }) => session.passagesOf(document)));
  const passages = own.flat();
  const checked = checkQuote(quote, passages);
  if (typeof checked !== 'string') {
    if (sentence !== undefined && numberMissing(sentence, [checked], passages) !== undefined)
      return refused('number-not-in-quote');
    return { kind: 'found', quote: checked, passages };
  }
  if (checked === 'quote-too-short') return refused(checked);
  const others = await session.search(quote, { mode: 'lexical', top: OTHERS, minFit: 0 }, signal);
  const other = others.find((hit) => typeof checkQuote(quote, [hit]) !== 'string');
  return other ? refused('quote-of-another-paper', other.work?.id) : refused('quote-not-in-passage');
}
