import { z } from 'zod';

import type { Library, LibraryWork, WorksRequest } from '../../corpus/index.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { runsNamed, tool, workLine } from '../tool.ts';

const SORTS = ['id', 'title', 'year', 'venue', 'outcome', 'reason', 'license'] as const;
const MOST_FAILURES = 20;
const filter = (what: string): z.ZodOptional<z.ZodString> => z.string().max(300).optional().describe(what);

export const worksTool = tool({
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
    const { run, words, license, retracted, sort, descending, limit, max_tokens: _most, cursor, ...rest } = asked;
    const named = runsNamed(run, runs);
    const query: WorksRequest = {
      ...rest,
      title: words,
      licence: license,
      isRetracted: retracted,
      sort: sort === 'license' ? 'licence' : sort,
      order: descending ? 'desc' : 'asc',
    };
    const start = readCursor(cursor, asked, { at: 0, within: '' });
    const pages: Page[] = [];
    let [left, total] = [limit, 0];
    for (const [at, { id, corpus }] of named.entries()) {
      const from = at === start.at && start.within !== '' ? start.within : undefined;
      const wanted =
        at < start.at || left === 0 ? undefined : await corpus.library.works({ ...query, limit: left, cursor: from });
      const { total: all } = wanted ?? (await corpus.library.works({ ...query, limit: 1 }));
      total += all;
      if (!wanted) continue;
      left -= wanted.works.length;
      pages.push({ at, id, from, works: wanted.works, next: wanted.next, library: corpus.library });
    }
    return {
      head: { total },
      summary: `${total} works.`,
      items: pages.flatMap(({ id, works }) =>
        works.map((work) => ({
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
      ),
      cursorAfter: async (count) => await placeBehind(count, pages, named.length, query, asked),
    };
  },
});

interface Page {
  readonly at: number;
  readonly id: string;
  readonly from: string | undefined;
  readonly works: readonly LibraryWork[];
  readonly next: string | null;
  readonly library: Library;
}

/** The cursor after `count` works; lists exactly that many again to get it. */
async function placeBehind(
  count: number,
  pages: readonly Page[],
  runs: number,
  query: WorksRequest,
  asked: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  let left = count;
  for (const { at, from, works, next, library } of pages) {
    if (left >= works.length && next === null) {
      left -= works.length;
      continue;
    }
    const behind =
      left >= works.length
        ? next
        : left === 0
          ? from
          : (await library.works({ ...query, limit: left, cursor: from })).next;
    return writeCursor({ at, within: behind ?? '' }, asked);
  }
  const last = pages.at(-1)?.at ?? runs;
  return last + 1 < runs ? writeCursor({ at: last + 1, within: '' }, asked) : null;
}

export const accountTool = tool({
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
  async ask({ run: name }, runs) {
    const accounts = await Promise.all(
      runsNamed(name, runs).map(async ({ id, corpus }) => ({ id, ...(await corpus.library.account()) })),
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
