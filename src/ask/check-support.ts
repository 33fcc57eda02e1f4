import type { CitedHit, SearchSession } from '../corpus/index.ts';
import { sentencesOf } from '../graph/index.ts';
import type { AnswerWriter, CaseVerdict, WrittenCase } from '../model/index.ts';
import { askSupport, markedUp } from '../model/index.ts';
import { analyse } from '../parse/index.ts';
import { abstractOf, PROSE } from './abstract-of.ts';
import type { AnswerQuote } from './check-answer.ts';

/** A sentence, or a cell of a table in words, and the quotes that it rests on. */
export interface SupportCase {
  /** What it answers, with the choices there are; null if nobody asked. */
  readonly asked: string | null;
  readonly sentence: string;
  readonly quotes: readonly AnswerQuote[];
}

/** The verdicts in the order of the cases, null where there is none, and who gave them; null if nobody could. */
export interface CheckedSupport {
  readonly by: 'model' | 'reader' | null;
  readonly verdicts: readonly (CaseVerdict | null)[];
}

/** Below this probability of the trained reader a quote does not support its sentence. */
const LEAST_SUPPORT = 0.5;
/** Characters before and after a quote that are shown with it. */
const LONGEST_BESIDE = 500;
/** Characters of a paper's abstract that show which study it is. */
const LONGEST_ABOUT = 600;
/** Other sentences of a paper that are shown because of the names in them, and how much of each. */
const MOST_TOLD = 4;
const LONGEST_TOLD = 250;

/**
 * Whether quotes, read with the words around them, support their sentences: the model is asked once for all of them;
 * without a model, or if it cannot be asked, the reader says it where it can.
 */
export async function checkSupport(
  cases: readonly SupportCase[],
  passages: readonly CitedHit[],
  { writer, session }: { readonly writer: AnswerWriter | undefined; readonly session: SearchSession },
  signal?: AbortSignal,
): Promise<CheckedSupport> {
  if (cases.length === 0) return { by: null, verdicts: [] };
  if (writer) {
    const verdicts = await askSupport(writtenCases(cases, passages), await papersOf(cases, session), writer, signal);
    if (verdicts && verdicts !== 'over-budget') return { by: 'model', verdicts };
  }
  const { reader } = session;
  if (!reader.support) return { by: null, verdicts: cases.map(() => null) };
  const pairs = cases.map(({ sentence, quotes }) => ({
    sentence,
    quote: quotes.map(({ sentence: whole }) => whole).join(' '),
  }));
  const verdicts = await reader.support(pairs, signal);
  return {
    by: 'reader',
    verdicts: verdicts.map(({ verdict, probability }) => ({
      verdict: verdict !== 'contradicts' && probability < LEAST_SUPPORT ? 'unrelated' : verdict,
      why: null,
    })),
  };
}

/** The papers of quotes: how each begins, and where it has the names and years of sentences that their quotes lack. */
async function papersOf(cases: readonly SupportCase[], session: SearchSession): Promise<string[]> {
  const papers = new Map(cases.flatMap(({ quotes }) => quotes.map((quote) => [quote.document, quote.title] as const)));
  const written: string[] = [];
  for (const [document, title] of papers) {
    const passages = (await session.passagesOf(document)).filter(({ passage }) => passage.section !== 'references');
    const begins = proseOf(abstractOf(passages)).join(' ').slice(0, LONGEST_ABOUT);
    const names = cases.flatMap(({ sentence, quotes }) => {
      const own = quotes.filter((quote) => quote.document === document);
      return own.length === 0
        ? []
        : namesIn(sentence).filter((name) => !own.some((quote) => quote.sentence.includes(name)));
    });
    const prose = proseOf(passages);
    const told = [...new Set(names)]
      .filter((name) => !begins.includes(name))
      .flatMap((name) => prose.find((sentence) => sentence.includes(name)) ?? [])
      .slice(0, MOST_TOLD)
      .map((sentence) => sentence.slice(0, LONGEST_TOLD));
    const about = [begins, ...new Set(told)].filter((text) => text !== '');
    if (about.length > 0) written.push(markedUp('paper', { title: title ?? document }, about.join('\n')));
  }
  return written;
}

/** The sentences of passages, without lines of names and addresses. */
function proseOf(passages: readonly CitedHit[]): string[] {
  return passages
    .flatMap(({ passage: { text } }) => sentencesOf(text).map(({ start, end }) => text.slice(start, end)))
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => PROSE.test(sentence));
}

const NAMES = /(?<![\p{L}\p{N}])(?:\p{Lu}[\p{L}\p{N}’'-]+(?: \p{Lu}[\p{L}\p{N}’'-]+)*|(?:19|20)\d\d)(?![\p{L}\p{N}])/gu;

/** Names and years of a sentence; a word in front that is only its beginning is none. */
function namesIn(sentence: string): string[] {
  return [...sentence.matchAll(NAMES)].flatMap(({ 0: name, index }) => {
    if (index > 0) return [name];
    const [first = '', ...others] = name.split(' ');
    if (others.length === 0) return [];
    return analyse(first).length === 0 ? [others.join(' ')] : [name];
  });
}

/** Cases with their quotes in place. */
function writtenCases(cases: readonly SupportCase[], passages: readonly CitedHit[]): WrittenCase[] {
  const byId = new Map(passages.map((hit) => [hit.passage.id, hit]));
  return cases.map(({ asked, sentence, quotes }) => ({
    asked,
    sentence,
    quotes: quotes.map((quote) => {
      const hit = byId.get(quote.passage);
      const attributes = {
        paper: quote.title ?? quote.document,
        year: hit?.work?.year ?? null,
        section: hit?.passage.headings.join(' / ') ?? null,
        table: quote.row?.table ?? null,
      };
      return markedUp('quote', attributes, hit ? inPlace(quote, hit.passage.text) : `[[${quote.text}]]`);
    }),
  }));
}

/** A quote in brackets between the sentence before it and the one after it; a table row with its table's head. */
function inPlace({ start, end, row }: AnswerQuote, text: string): string {
  const quote = `[[${text.slice(start, end)}]]`;
  if (row) {
    const columns = row.cells.map(({ column, value }) => `${column}: ${value}`);
    const name = row.group === null ? row.row : `${row.group}, ${row.row}`;
    return `${quote}\nRow: ${name}; ${columns.join('; ')}`;
  }
  const sentences = sentencesOf(text);
  const first = sentences.findIndex((sentence) => sentence.end > start);
  const last = sentences.findLastIndex((sentence) => sentence.start < end);
  const from = sentences[Math.max(0, first - 1)]?.start ?? start;
  const to = sentences[Math.min(sentences.length - 1, last + 1)]?.end ?? end;
  const before = text.slice(Math.max(Math.min(from, start), start - LONGEST_BESIDE), start);
  return `${before}${quote}${text.slice(end, Math.min(Math.max(to, end), end + LONGEST_BESIDE))}`;
}
