import * as z from 'zod';

import { fields, work, workFilter } from '../library/shapes/index.ts';
import { WORK_ORDERS } from '../corpus/index.ts';
import { counted, oneRun, question, workLine } from './question.ts';

const MOST_FAILURES = 20;
export const worksQuestion = question({
  name: 'works',
  title: 'List works',
  description: 'Lists works by filters, including those without a text, with the reason why a text is missing.',
  input: {
    ...workFilter.shape,
    sort: z.enum(WORK_ORDERS).default('title'),
    order: z.enum(['asc', 'desc']).optional(),
    limit: z.int().min(1).max(500).default(50).describe('Maximum number of works per answer.'),
    cursor: z.string().max(4_000).optional().describe('`next` of the previous page.'),
  },
  head: { total: z.number().describe('Of all pages.') },
  list: 'items',
  item: work.shape,
  omitted: ['resolver', 'version', 'bytes', 'document', 'citations', 'at'],
  line: ({ id, title, authors, year, outcome, reason, sentence, doi, retracted }) => {
    const state = hasText(outcome) ? 'text available' : `no text: ${reason ?? outcome}`;
    const name = workLine({ title, authors: authors === null ? [] : [authors], year });
    const about = [
      `work ${id}`,
      state,
      ...(sentence === null ? [] : [sentence]),
      ...(doi === null ? [] : [`doi ${doi}`]),
    ];
    return `${retracted ? 'RETRACTED: ' : ''}${name}\n${about.join(' · ')}`;
  },
  async ask(asked, runs) {
    const { library } = oneRun(runs).corpus;
    const { items, total, next } = await library.works(asked);
    return {
      head: { total },
      summary: `${counted(total, 'work')}.`,
      items,
      // Fewer works than asked for may fit: listing exactly as many gives the cursor behind them.
      cursorAfter: async (count) =>
        count === items.length ? next : (await library.works({ ...asked, limit: Math.max(1, count) })).next,
    };
  },
});

function hasText(outcome: string | null): boolean {
  return outcome === 'saved' || outcome === 'local';
}

export const accountQuestion = question({
  name: 'account',
  title: 'Corpus summary',
  description:
    'Shows the query of each corpus, how many works were found, how many have a text, and why the others are missing. Use the tool works to list the works of a reason.',
  input: {},
  head: {
    corpora: z.array(
      z.object({
        ...fields(z.string(), 'run', 'asked', 'state'),
        ...fields(z.number(), 'works', 'texts', 'missing', 'waiting', 'excluded', 'retracted', 'documents'),
        failed_documents: z.array(z.string()),
      }),
    ),
  },
  list: 'reasons',
  item: {
    ...fields(z.string(), 'run', 'reason', 'sentence'),
    works: z.number(),
    later: z.boolean().describe('A later run may succeed.'),
  },
  line: ({ run, reason, works, sentence, later }) =>
    `${run}: ${works} × ${reason}: ${sentence}${later ? ' A later run may succeed.' : ''}`,
  async ask(_asked, runs) {
    const accounts = await Promise.all(
      runs.map(async ({ id, corpus }) => ({ id, run: await corpus.account(), ...(await corpus.library.account()) })),
    );
    const corpora = accounts.map(({ id, run, reasons: _reasons, saved: texts, ...counts }) => ({
      run: id,
      asked: run ? askedFor(run.asked) : '',
      state: run?.state ?? 'unknown',
      texts,
      ...counts,
      failed_documents: (run?.account?.failures ?? [])
        .slice(0, MOST_FAILURES)
        .map(({ document, stage, message }) => `${document}: ${stage}: ${message.slice(0, 200)}`),
    }));
    return {
      head: { corpora },
      summary: corpora
        .map(
          ({ run, works, texts, missing, waiting, state, asked }) =>
            `${run}: ${counted(works, 'work')}, ${texts} with a text, ${missing} missing, ${waiting} waiting (${state}). Query: ${asked}`,
        )
        .join('\n'),
      items: accounts.flatMap(({ id, reasons }) => reasons.map((each) => ({ run: id, ...each }))),
    };
  },
});

function askedFor(asked: object): string {
  return Object.entries(asked)
    .map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, 5).join(', ') : String(value ?? '')])
    .filter(([name, text]) => text !== '' && name !== 'mailto')
    .map(([name, text]) => `${name}: ${text}`)
    .join('; ')
    .slice(0, 1_000);
}
