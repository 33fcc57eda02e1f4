import { z } from 'zod';

import { askCorpus, checkQuotes } from '../../answers/index.ts';
import type { JsonObject } from '../answer.ts';
import { scalarText } from '../answer.ts';
import { ANSWER, CUTS, PAGING, RUN, runsNamed, tool, WORKS } from '../tool.ts';

/** Passages to answer from, and the sentences that answer best. */
export const askTool = tool({
  name: 'ask',
  title: 'Answer from the papers',
  description:
    'Finds the passages to answer a question from, and the sentences of the papers that answer it best, each quoted. Write your own answer from the passages, give each sentence a quote, and have the quotes checked with check_quotes. An empty list of sentences means that these papers do not answer.',
  input: z.strictObject({
    question: z.string().min(1).max(2_000).describe('The question.'),
    ...RUN,
    passages: z.int().min(1).max(50).default(10).describe('Passages wanted.'),
    ...WORKS,
    ...PAGING,
  }),
  output: z.object({
    ...ANSWER,
    question: z.string(),
    sentences: z.array(z.object({ text: z.string(), work: z.string(), page: z.number().nullable() })),
    passages: z.array(
      z.object({
        number: z.number(),
        run: z.string(),
        work: z.string(),
        title: z.string(),
        page: z.number().nullable(),
        part: z.string(),
        text: z.string(),
        citation: z.string().nullable(),
        ...CUTS,
      }),
    ),
  }),
  async ask({ question, run, passages: most, works }, runs, signal) {
    const sentences: JsonObject[] = [];
    const passages: JsonObject[] = [];
    for (const each of runsNamed(run, runs)) {
      const chosen = works === undefined ? {} : { works: each.corpus.chooseWorks(works) };
      const answer = await each.search.use((session) =>
        askCorpus(session, question, { passages: most, ...chosen }, signal),
      );
      for (const { text, quotes } of answer.sentences)
        sentences.push({
          text,
          work: quotes[0]?.work?.id ?? quotes[0]?.document ?? '',
          page: quotes[0]?.page ?? null,
        });
      for (const { passage, work } of answer.passages)
        passages.push({
          number: passages.length + 1,
          run: each.id,
          work: work?.id ?? passage.document,
          title: work?.title ?? passage.title,
          page: passage.page ?? null,
          part: passage.section,
          text: passage.text,
          citation: work?.apa ?? null,
        });
    }
    return {
      head: { question, sentences },
      list: 'passages',
      summary:
        sentences.length === 0
          ? `Not in these papers, as far as their sentences show; the nearest ${passages.length} passages follow.`
          : `${sentences.length} sentences answer "${question}": ${sentences.map(({ text }) => `“${scalarText(text)}”`).join(' ')}`,
      items: passages.map((data) => ({ data, text: 'text', line })),
    };
  },
});

function line({ number, title, page, work, run, text }: JsonObject): string {
  const where = `${page === null ? '' : `p. ${scalarText(page)} · `}work ${scalarText(work)} of ${scalarText(run)}`;
  return `${scalarText(number)}. ${scalarText(title)}\n${where}\n${scalarText(text)}`;
}

/** The gate, for sentences that an assistant has written itself. */
export const checkQuotesTool = tool({
  name: 'check_quotes',
  title: 'Check quotes',
  description:
    'Says of each quote whether it is in the work it is attributed to, word for word (white space, hyphenation, ligatures, quotation marks and dashes aside), and with a sentence whether each of its numbers is in the quote. Drop every sentence whose quote is refused.',
  input: z.strictObject({
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
    ...RUN,
    ...PAGING,
  }),
  output: z.object({
    ...ANSWER,
    found: z.number(),
    refused: z.number(),
    verdicts: z.array(
      z.object({
        quote: z.string(),
        work: z.string(),
        verdict: z.enum(['found', 'refused']),
        reason: z.string().nullable(),
        page: z.number().nullable(),
        around: z.string().nullable().describe('The whole sentence that the quote is from.'),
        elsewhere: z.string().nullable().describe('The work that has the quote instead.'),
      }),
    ),
  }),
  async ask({ quotes, run }, runs, signal) {
    const verdicts: JsonObject[] = [];
    for (const claim of quotes) {
      let data: JsonObject | undefined;
      for (const each of runsNamed(run, runs)) {
        const [verdict] = await each.search.use((session) => checkQuotes(session, [claim], signal));
        if (!verdict) continue;
        const about = { quote: claim.quote, work: claim.work };
        if (verdict.kind === 'found') {
          const { page, sentence } = verdict.quote;
          data = { ...about, verdict: 'found', reason: null, page, around: sentence, elsewhere: null };
          break;
        }
        const { reason, elsewhere } = verdict;
        // A corpus that does not have the work says less than one that has it.
        if (data === undefined || reason !== 'unknown-work')
          data = { ...about, verdict: 'refused', reason, page: null, around: null, elsewhere: elsewhere?.id ?? null };
      }
      if (data) verdicts.push(data);
    }
    const found = verdicts.filter(({ verdict }) => verdict === 'found').length;
    return {
      head: { found, refused: verdicts.length - found },
      list: 'verdicts',
      summary: `${found} of ${verdicts.length} quotes found.`,
      items: verdicts.map((data) => ({ data, text: 'quote', line: verdictLine })),
    };
  },
});

function verdictLine({ quote, work, verdict, reason, page, elsewhere }: JsonObject): string {
  const why =
    reason === null ? '' : `: ${scalarText(reason)}${elsewhere === null ? '' : ` (it is in ${scalarText(elsewhere)})`}`;
  return `${scalarText(verdict)}${why} · work ${scalarText(work)}${page === null ? '' : `, p. ${scalarText(page)}`}\n${scalarText(quote)}`;
}
