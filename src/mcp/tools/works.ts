import { z } from 'zod';

import type { Library, LibraryWork, WorksRequest } from '../../corpus/index.ts';
import type { JsonObject } from '../answer.ts';
import { scalarText } from '../answer.ts';
import { readListCursor, writeListCursor } from '../cursor.ts';
import { ANSWER, PAGING, RUN, runsNamed, tool, workLine } from '../tool.ts';

const SORTS = ['id', 'title', 'year', 'venue', 'outcome', 'reason', 'license'] as const;
const filter = (what: string): z.ZodOptional<z.ZodString> => z.string().max(300).optional().describe(what);

export const worksTool = tool({
  name: 'works',
  title: 'List works',
  description: 'Lists works by filters, including those without a text, with the reason why a text is missing.',
  input: z.strictObject({
    ...RUN,
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
    ...PAGING,
  }),
  output: z.object({
    ...ANSWER,
    total: z.number(),
    works: z.array(
      z.object({
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
      }),
    ),
  }),
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
    const start = readListCursor(cursor, asked);
    const pages: Page[] = [];
    let [left, total] = [limit, 0];
    for (const [at, { id, corpus }] of named.entries()) {
      const from = at === start.run ? start.cursor : undefined;
      const wanted =
        at < start.run || left === 0 ? undefined : await corpus.library.works({ ...query, limit: left, cursor: from });
      const { total: all } = wanted ?? (await corpus.library.works({ ...query, limit: 1 }));
      total += all;
      if (!wanted) continue;
      left -= wanted.works.length;
      pages.push({ at, id, from, works: wanted.works, next: wanted.next, library: corpus.library });
    }
    return {
      head: { total },
      list: 'works',
      summary: `${total} works.`,
      items: pages.flatMap(({ id, works }) => works.map((work) => ({ data: workData(id, work), line }))),
      cursorAfter: async (count) => await placeBehind(count, pages, named.length, query, asked),
    };
  },
});

/** The works of one corpus in an answer. */
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
    return writeListCursor({ run: at, cursor: behind ?? undefined }, asked);
  }
  const last = pages.at(-1)?.at ?? runs;
  return last + 1 < runs ? writeListCursor({ run: last + 1, cursor: undefined }, asked) : null;
}

function workData(run: string, work: LibraryWork): JsonObject {
  return {
    run,
    work: work.id,
    title: work.title,
    authors: work.authors.length > 5 ? [...work.authors.slice(0, 4), '…'] : work.authors,
    year: work.year,
    venue: work.venue,
    type: work.type,
    doi: work.doi,
    license: work.licence,
    outcome: work.outcome,
    reason: work.reason ?? '',
    retracted: work.isRetracted,
  };
}

function line(data: JsonObject): string {
  const { run, work, title, authors, year, outcome, reason, doi, retracted } = data;
  const name = workLine({
    title: title === null ? null : scalarText(title),
    authors: Array.isArray(authors) ? authors.map(scalarText) : [],
    year: typeof year === 'number' ? year : null,
  });
  const state =
    outcome === 'saved' || outcome === 'own' ? 'text available' : `no text: ${scalarText(reason || outcome)}`;
  return `${retracted === true ? 'RETRACTED: ' : ''}${name}\nwork ${scalarText(work)} of ${scalarText(run)} · ${state}${
    doi === null ? '' : ` · doi ${scalarText(doi)}`
  }`;
}
