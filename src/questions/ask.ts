import { z } from 'zod';

import { askCorpus, checkQuotes } from '../answers/index.ts';
import { chosenWorks, question, worksChoice } from './question.ts';

/** Passages to answer from, and the sentences that answer best. */
export const askQuestion = question({
  name: 'ask',
  title: 'Answer from the papers',
  description:
    'Finds the passages to answer a question from, and the sentences of the papers that answer it best, each quoted. Write your own answer from the passages, give each sentence a quote, and have the quotes checked with check_quotes. An empty list of sentences means that these papers do not answer.',
  input: {
    question: z.string().min(1).max(2_000).describe('The question.'),
    passages: z.int().min(1).max(50).default(10).describe('Passages wanted.'),
    works: worksChoice.optional(),
  },
  head: {
    question: z.string(),
    sentences: z.array(z.object({ text: z.string(), work: z.string(), page: z.number().nullable() })),
  },
  list: 'passages',
  item: {
    number: z.number(),
    run: z.string(),
    work: z.string(),
    title: z.string(),
    page: z.number().nullable(),
    part: z.string(),
    text: z.string(),
    citation: z.string().nullable(),
  },
  text: 'text',
  line: ({ number, title, page, work, run, text }) =>
    `${number}. ${title}\n${page === null ? '' : `p. ${page} · `}work ${work} of ${run}\n${text}`,
  async ask({ question: asked, passages: most, works }, runs, signal) {
    const answers = [];
    for (const { id, corpus, search } of runs) {
      const options = { passages: most, ...chosenWorks(corpus, works) };
      answers.push({ id, ...(await search.use((session) => askCorpus(session, asked, options, signal))) });
    }
    const sentences = answers.flatMap((answer) =>
      answer.sentences.map(({ text, quotes: [quote] }) => ({
        text,
        work: quote?.work?.id ?? quote?.document ?? '',
        page: quote?.page ?? null,
      })),
    );
    const passages = answers.flatMap((answer) => answer.passages.map((found) => ({ id: answer.id, ...found })));
    return {
      head: { question: asked, sentences },
      summary:
        sentences.length === 0
          ? `Not in these papers, as far as their sentences show; the nearest ${passages.length} passages follow.`
          : `${sentences.length} sentences answer "${asked}": ${sentences.map(({ text }) => `“${text}”`).join(' ')}`,
      items: passages.map(({ id, passage, work }, at) => ({
        number: at + 1,
        run: id,
        work: work?.id ?? passage.document,
        title: work?.title ?? passage.title,
        page: passage.page ?? null,
        part: passage.section,
        text: passage.text,
        citation: work?.apa ?? null,
      })),
    };
  },
});

const verdictFields = z.object({
  quote: z.string(),
  work: z.string(),
  verdict: z.enum(['found', 'refused']),
  reason: z.string().nullable(),
  page: z.number().nullable(),
  around: z.string().nullable().describe('The whole sentence that the quote is from.'),
  elsewhere: z.string().nullable().describe('The work that has the quote instead.'),
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
        const [verdict] = await search.use((session) => checkQuotes(session, [claim], signal));
        if (!verdict) continue;
        const about = { quote: claim.quote, work: claim.work };
        if (verdict.kind === 'found') {
          const { page, sentence } = verdict.quote;
          data = { ...about, verdict: 'found', reason: null, page, around: sentence, elsewhere: null };
          break;
        }
        const { reason, elsewhere } = verdict;
        // A corpus with the work gives a better reason than one without it.
        if (data === undefined || reason !== 'unknown-work')
          data = { ...about, verdict: 'refused', reason, page: null, around: null, elsewhere: elsewhere?.id ?? null };
      }
      if (data) verdicts.push(data);
    }
    const found = verdicts.filter(({ verdict }) => verdict === 'found').length;
    return {
      head: { found, refused: verdicts.length - found },
      summary: `${found} of ${verdicts.length} quotes found.`,
      items: verdicts,
    };
  },
});
