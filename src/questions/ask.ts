import * as z from 'zod';

import type { AskEvent, SupportCase } from '../ask/index.ts';
import {
  askCorpus,
  askSettings,
  checkClaim,
  checkSupport,
  dropReasonOf,
  isAnswered,
  openWriter,
} from '../ask/index.ts';
import type { answerShape } from '../ask/shapes/index.ts';
import { answerHead } from '../ask/shapes/index.ts';
import { fields, number, text } from '../library/shapes/index.ts';
import type { CitedHit } from '../corpus/index.ts';
import type { AskedRun } from './question.ts';
import { counted, question } from './question.ts';
import { FILTERS, PASSAGES, shownPassage } from './search.ts';

type Shown = z.output<typeof answerShape>;

const input = {
  question: z.string().min(1).max(2_000).describe('The question.'),
  passages: z
    .int()
    .min(1)
    .max(50)
    .optional()
    .describe('Passages that the answer is made from; default: 10, with a model 24.'),
  ...FILTERS,
};

export const askQuestion = question({
  name: 'ask',
  title: 'Answer from the papers',
  description:
    'Finds the passages to answer a question from, and the sentences of the papers that answer it best, each quoted; over HTTP a configured model writes them, and only those with a quote that is in the papers are given. Assistants write their own answer from the passages, give each sentence a quote, and have the quotes checked with check_quotes. An empty list of sentences means that no answer was found in these papers; it may still be in the nearest ones, in other words.',
  input,
  head: answerHead.shape,
  ...PASSAGES,
  async ask(asked, runs, signal, usesModel = false) {
    const answers: Shown[] = [];
    for (const run of runs) answers.push(await shownAnswer(run, asked, { usesModel }, signal));
    const sentences = answers.flatMap((answer) => answer.sentences);
    const items = answers.flatMap(({ passages }) => passages).map((passage, at) => ({ ...passage, rank: at + 1 }));
    const [first] = answers;
    const note = answers.find((answer) => answer.note !== null)?.note ?? null;
    const said = note === null ? '' : ` Note: ${note}.`;
    const all = <T>(of: (answer: Shown) => readonly T[]): T[] => answers.flatMap(of);
    return {
      head: {
        question: asked.question,
        model: first?.model ?? null,
        sentences,
        nearest: answers.some(isAnswered) ? [] : all(({ nearest }) => nearest),
        disagreements: all(({ disagreements }) => disagreements),
        uncertain: all(({ uncertain }) => uncertain),
        dropped: first?.dropped ?? {},
        support: first?.support ?? null,
        cut: answers.some(({ cut }) => cut),
        searches: all(({ searches }) => searches),
        failure: answers.find(({ failure }) => failure !== null)?.failure ?? null,
        note,
      },
      summary: !answers.some(isAnswered)
        ? `No answer was found in these papers; the nearest ${items.length} passages follow.${said}`
        : `${counted(sentences.length, 'sentence answers', 'sentences answer')} "${asked.question}": ${sentences.map((sentence) => `“${sentence.text}”${citing(sentence)}`).join(' ')}${said}`,
      items,
    };
  },
});

/** A sentence that names other works as its source may tell what they found. */
function citing({ quotes }: Shown['sentences'][number]): string {
  // The sentence is the first quote; what the paper repeats elsewhere may cite something else.
  const cites = quotes[0]?.cites ?? null;
  return cites === null ? '' : ` (cites ${cites})`;
}

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
    ...askSettings(corpus.config),
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
  support: z
    .enum(['supports', 'contradicts', 'unrelated'])
    .nullable()
    .describe('What the quote says about the sentence; null without a sentence, or if nothing here can tell.'),
  why: text.describe('The reason for that, if a model gave it.'),
  page: number,
  around: text.describe('The whole sentence that the quote is from.'),
  elsewhere: text.describe('The work that has the quote instead.'),
});
type Verdict = z.output<typeof verdictFields>;
const claimFields = z.strictObject({
  quote: z.string().min(1).max(2_000).describe('Words copied from the work, in one piece, at least four.'),
  work: z.string().min(1).max(2_048).describe('The id of the work.'),
  sentence: z.string().max(2_000).optional().describe('Your sentence that rests on the quote.'),
});
type Claim = z.output<typeof claimFields>;

export const checkQuotesQuestion = question({
  name: 'check_quotes',
  title: 'Check quotes',
  description:
    'Says of each quote whether it is in the work it is attributed to, word for word (white space, hyphenation, ligatures, quotation marks and dashes aside), and with a sentence whether each of its numbers is in the quote and whether the quote supports it. Drop every sentence whose quote is refused.',
  input: { quotes: z.array(claimFields).min(1).max(50) },
  head: { found: z.number(), refused: z.number() },
  list: 'verdicts',
  item: verdictFields.shape,
  text: 'quote',
  line: ({ quote, work, verdict, reason, why, page, elsewhere }) => {
    const because = reason === null ? '' : `: ${reason}${elsewhere === null ? '' : ` (it is in ${elsewhere})`}`;
    const said = why === null ? '' : ` (${why})`;
    return `${verdict}${because}${said} · work ${work}${page === null ? '' : `, p. ${page}`}\n${quote}`;
  },
  async ask({ quotes }, runs, signal) {
    const verdicts = new Map<Claim, Verdict>();
    for (const run of runs)
      for (const [claim, verdict] of await claimVerdicts(
        run,
        quotes.filter((each) => !isFound(verdicts.get(each))),
        signal,
      ))
        // A corpus with the work gives a better reason than one without it.
        if (!verdicts.has(claim) || verdict.reason !== 'unknown-work') verdicts.set(claim, verdict);
    const items = quotes.flatMap((claim) => verdicts.get(claim) ?? []);
    const found = items.filter(isFound).length;
    return {
      head: { found, refused: items.length - found },
      summary: `${found} of ${counted(items.length, 'quote')} found.`,
      items,
    };
  },
});

function isFound(verdict: Verdict | undefined): boolean {
  return verdict?.verdict === 'found';
}

/** The verdicts of one corpus; the quotes that are found are checked for support together. */
async function claimVerdicts(
  { corpus, search }: AskedRun,
  claims: readonly Claim[],
  signal: AbortSignal,
): Promise<Map<Claim, Verdict>> {
  await using opened = new AsyncDisposableStack();
  const writer = corpus.config.ask.support ? openWriter(corpus, opened) : undefined;
  return await search.use(async (session) => {
    const verdicts = new Map<Claim, Verdict>();
    const toSupport: (SupportCase & { readonly claim: Claim; readonly passages: readonly CitedHit[] })[] = [];
    for (const claim of claims) {
      const { quote, work, sentence } = claim;
      const shared = { quote, work, support: null, why: null };
      const checked = await checkClaim(session, claim, signal);
      if (checked.kind === 'refused') {
        const { reason, elsewhere } = checked;
        verdicts.set(claim, { ...shared, verdict: 'refused', reason, page: null, around: null, elsewhere });
        continue;
      }
      const { page, sentence: around } = checked.quote;
      verdicts.set(claim, { ...shared, verdict: 'found', reason: null, page, around, elsewhere: null });
      if (sentence !== undefined && corpus.config.ask.support)
        toSupport.push({ claim, asked: null, sentence, quotes: [checked.quote], passages: checked.passages });
    }
    const passages = toSupport.flatMap((each) => each.passages);
    const { verdicts: support } = await checkSupport(toSupport, passages, { writer, session }, signal);
    for (const [at, { claim }] of toSupport.entries()) {
      const [own, said] = [verdicts.get(claim), support[at]];
      const reason = dropReasonOf(said);
      if (own && said)
        verdicts.set(claim, {
          ...own,
          support: said.verdict,
          why: said.why,
          ...(reason !== undefined && { verdict: 'refused', reason }),
        });
    }
    return verdicts;
  });
}
