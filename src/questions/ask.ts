import { z } from 'zod';

import type { AskEvent } from '../answers/index.ts';
import { askCorpus, checkClaim, openWriter } from '../answers/index.ts';
import type { answerShape } from '../answers/shapes/index.ts';
import { answerHead } from '../answers/shapes/index.ts';
import { fields, number, text } from '../ask/shapes/index.ts';
import type { CitedHit } from '../corpus/index.ts';
import type { AskedRun } from './question.ts';
import { counted, question, worksChoice } from './question.ts';
import { FILTERS, PASSAGES, shownPassage } from './search.ts';

type Shown = z.output<typeof answerShape>;

const input = {
  question: z.string().min(1).max(2_000).describe('The question.'),
  passages: z.int().min(1).max(50).default(10).describe('Passages that the answer is made from.'),
  works: worksChoice.optional(),
  ...FILTERS,
};

export const askQuestion = question({
  name: 'ask',
  title: 'Answer from the papers',
  description:
    'Finds the passages to answer a question from, and the sentences of the papers that answer it best, each quoted; over HTTP a configured model writes them, and only those with a quote that is in the papers are given. Assistants write their own answer from the passages, give each sentence a quote, and have the quotes checked with check_quotes. An empty list of sentences means that these papers do not answer.',
  input,
  head: answerHead.shape,
  ...PASSAGES,
  async ask(asked, runs, signal, usesModel = false) {
    const answers: Shown[] = [];
    for (const run of runs) answers.push(await shownAnswer(run, asked, { usesModel }, signal));
    const sentences = answers.flatMap((answer) => answer.sentences);
    const items = answers.flatMap(({ passages }) => passages).map((passage, at) => ({ ...passage, rank: at + 1 }));
    return {
      head: {
        question: asked.question,
        model: answers[0]?.model ?? null,
        sentences,
        dropped: answers[0]?.dropped ?? {},
      },
      summary:
        sentences.length === 0
          ? `Not in these papers, as far as their sentences show; the nearest ${items.length} passages follow.`
          : `${counted(sentences.length, 'sentence answers', 'sentences answer')} "${asked.question}": ${sentences.map((sentence) => `“${sentence.text}”`).join(' ')}`,
      items,
    };
  },
});

export type AnswerStep =
  | { readonly kind: 'passages'; readonly passages: Shown['passages'] }
  | { readonly kind: 'sentence'; readonly sentence: Shown['sentences'][number] };

/** An answer from one corpus; `tell` gets its passages and sentences as they come. */
export async function shownAnswer(
  { id, corpus, search }: AskedRun,
  given: z.output<z.ZodObject<typeof input>>,
  { usesModel, tell }: { readonly usesModel: boolean; readonly tell?: (step: AnswerStep) => void },
  signal: AbortSignal,
): Promise<Shown> {
  const { question: asked, passages, works, exclude_retracted: excludeRetracted, ...filters } = given;
  const shownPassages = (hits: readonly CitedHit[]) => hits.map((hit, at) => shownPassage(id, hit, at + 1));
  await using opened = new AsyncDisposableStack();
  const options = {
    passages,
    ...filters,
    excludeRetracted,
    works: corpus.chooseWorks(works),
    writer: usesModel ? openWriter(corpus, opened) : undefined,
    report: (event: AskEvent) =>
      tell?.(event.kind === 'passages' ? { ...event, passages: shownPassages(event.passages) } : event),
  };
  const answer = await search.use((session) => askCorpus(session, asked, options, signal));
  return { ...answer, passages: shownPassages(answer.passages) };
}

const verdictFields = z.object({
  ...fields(z.string(), 'quote', 'work'),
  verdict: z.enum(['found', 'refused']),
  reason: text,
  page: number,
  around: text.describe('The whole sentence that the quote is from.'),
  elsewhere: text.describe('The work that has the quote instead.'),
});
type Verdict = z.output<typeof verdictFields>;

export const checkQuotesQuestion = question({
  name: 'check_quotes',
  title: 'Check quotes',
  description:
    'Says of each quote whether it is in the work it is attributed to, word for word (white space, hyphenation, ligatures, quotation marks and dashes aside), and with a sentence whether each of its numbers is in the quote. Drop every sentence whose quote is refused.',
  input: {
    quotes: z
      .array(
        z.strictObject({
          quote: z.string().min(1).max(2_000).describe('Words copied from the work, in one piece, at least four.'),
          work: z.string().min(1).max(2_048).describe('The id of the work.'),
          sentence: z.string().max(2_000).optional().describe('Your sentence that rests on the quote.'),
        }),
      )
      .min(1)
      .max(50),
  },
  head: { found: z.number(), refused: z.number() },
  list: 'verdicts',
  item: verdictFields.shape,
  text: 'quote',
  line: ({ quote, work, verdict, reason, page, elsewhere }) => {
    const why = reason === null ? '' : `: ${reason}${elsewhere === null ? '' : ` (it is in ${elsewhere})`}`;
    return `${verdict}${why} · work ${work}${page === null ? '' : `, p. ${page}`}\n${quote}`;
  },
  async ask({ quotes }, runs, signal) {
    const verdicts: Verdict[] = [];
    for (const claim of quotes) {
      let data: Verdict | undefined;
      for (const { search } of runs) {
        const checked = await search.use((session) => checkClaim(session, claim, signal));
        // A corpus with the work gives a better reason than one without it.
        if (data === undefined || checked.reason !== 'unknown-work')
          data = { quote: claim.quote, work: claim.work, ...checked };
        if (checked.verdict === 'found') break;
      }
      if (data) verdicts.push(data);
    }
    const found = verdicts.filter(({ verdict }) => verdict === 'found').length;
    return {
      head: { found, refused: verdicts.length - found },
      summary: `${found} of ${counted(verdicts.length, 'quote')} found.`,
      items: verdicts,
    };
  },
});
