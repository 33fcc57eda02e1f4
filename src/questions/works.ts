import { z } from 'zod';

import type { WorksRequest } from '../corpus/index.ts';
import { oneRun, question, workLine } from './question.ts';

const SORTS = ['id', 'title', 'year', 'venue', 'outcome', 'reason', 'license'] as const;
const MOST_FAILURES = 20;
const filter = (what: string): z.ZodOptional<z.ZodString> => z.string().max(300).optional().describe(what);

export const worksQuestion = question({
  name: 'works',
  title: 'List works',
  description: 'Lists works by filters, including those without a text, with the reason why a text is missing.',
  input: {
    words: filter('All of these words occur in the title.'),
    year: filter('Years: 2020, 2018-2022, 2018-, -2022.'),
    author: filter('Part of an author’s name.'),
    venue: filter('Part of the name of a journal or repository.'),
    type: filter('Such as article or preprint; comma-separated.'),
    license: filter('Such as cc-by; comma-separated.'),
    outcome: z
      .enum(['saved', 'own', 'missing', 'failed', 'parked', 'skipped', 'waiting'])
      .optional()
      .describe('Filter by outcome; missing selects all works without a text.'),
    reason: filter('Only works missing for this reason, as listed by the tool account.'),
    retracted: z.boolean().optional(),
    sort: z.enum(SORTS).default('id'),
    descending: z.boolean().default(false),
    limit: z.int().min(1).max(200).default(50).describe('Maximum number of works per answer.'),
  },
  head: { total: z.number() },
  list: 'works',
  item: {
    run: z.string(),
    work: z.string(),
    title: z.string().nullable(),
    authors: z.array(z.string()),
    year: z.number().nullable(),
    venue: z.string().nullable(),
    type: z.string().nullable(),
    doi: z.string().nullable(),
    license: z.string().nullable(),
    outcome: z.string(),
    reason: z.string(),
    retracted: z.boolean(),
  },
  line: ({ run, work, outcome, reason, doi, retracted, ...about }) => {
    const state = outcome === 'saved' || outcome === 'own' ? 'text available' : `no text: ${reason || outcome}`;
    const name = `${retracted ? 'RETRACTED: ' : ''}${workLine(about)}`;
    return `${name}\nwork ${work} of ${run} · ${state}${doi === null ? '' : ` · doi ${doi}`}`;
  },
  async ask(asked, runs) {
    const { words, year, author, venue, type, outcome, reason, license, retracted, sort, descending, limit } = asked;
    const { id, corpus } = oneRun(runs);
    const { library } = corpus;
    const query: WorksRequest = {
      year,
      author,
      venue,
      type,
      outcome,
      reason,
      title: words,
      licence: license,
      isRetracted: retracted,
      sort: sort === 'license' ? 'licence' : sort,
      order: descending ? 'desc' : 'asc',
    };
    const { cursor } = asked;
    const { works, total, next } = await library.works({ ...query, limit, cursor });
    return {
      head: { total },
      summary: `${total} works.`,
      items: works.map((work) => ({
        run: id,
        work: work.id,
        title: work.title,
        authors: work.authors.length > 5 ? [...work.authors.slice(0, 4), '…'] : [...work.authors],
        year: work.year,
        venue: work.venue,
        type: work.type,
        doi: work.doi,
        license: work.licence,
        outcome: work.outcome,
        reason: work.reason ?? '',
        retracted: work.isRetracted,
      })),
      // Fewer works than asked for may fit: listing exactly as many gives the cursor behind them.
      cursorAfter: async (count) =>
        count === works.length ? next : (await library.works({ ...query, limit: Math.max(1, count), cursor })).next,
    };
  },
});

export const accountQuestion = question({
  name: 'account',
  title: 'Corpus summary',
  description:
    'Shows the query of each corpus, how many works were found, how many have a text, and why the others are missing. Use the tool works to list the works of a reason.',
  input: {},
  head: {
    corpora: z.array(
      z.object({
        run: z.string(),
        asked: z.string(),
        state: z.string(),
        works: z.number(),
        texts: z.number(),
        missing: z.number(),
        waiting: z.number(),
        excluded: z.number(),
        retracted: z.number(),
        documents: z.number(),
        failed_documents: z.array(z.string()),
      }),
    ),
  },
  list: 'reasons',
  item: {
    run: z.string(),
    reason: z.string(),
    works: z.number(),
    sentence: z.string(),
    later: z.boolean().describe('A later run may succeed.'),
  },
  line: ({ run, reason, works, sentence, later }) =>
    `${run}: ${works} × ${reason}: ${sentence}${later ? ' A later run may succeed.' : ''}`,
  async ask(_asked, runs) {
    const accounts = await Promise.all(
      runs.map(async ({ id, corpus }) => ({ id, ...(await corpus.library.account()) })),
    );
    const corpora = accounts.map(({ id, run, works, saved, missing, waiting, excluded, retracted, documents }) => ({
      run: id,
      asked: run ? askedFor(run.asked) : '',
      state: run?.state ?? 'unknown',
      works,
      texts: saved,
      missing,
      waiting,
      excluded,
      retracted,
      documents,
      failed_documents: (run?.account?.failures ?? [])
        .slice(0, MOST_FAILURES)
        .map(({ document, stage, message }) => `${document}: ${stage}: ${message.slice(0, 200)}`),
    }));
    return {
      head: { corpora },
      summary: corpora
        .map(
          ({ run, works, texts, missing, waiting, state, asked }) =>
            `${run}: ${works} works, ${texts} with a text, ${missing} missing, ${waiting} waiting (${state}). Query: ${asked}`,
        )
        .join('\n'),
      items: accounts.flatMap(({ id, reasons }) =>
        reasons.map(({ reason, sentence, later, works }) => ({ run: id, reason, works, sentence, later })),
      ),
    };
  },
});

function askedFor(asked: object): string {
  return Object.entries(asked)
    .filter(([name, value]) => value !== undefined && value !== null && name !== 'mailto')
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.slice(0, 5).join(', ') : String(value)}`)
    .join('; ')
    .slice(0, 1_000);
}
