import { z } from 'zod';

import type { Answer } from '../../answers/index.ts';
import { askCorpus, openWriter } from '../../answers/index.ts';
import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runOf } from './context.ts';
import { runPath, share, wholeNumber, words, yesOrNo } from './parameters.ts';
import * as shapes from './shapes/corpus.ts';

/** A search uses a whole core, so more concurrent searches would only slow each other down. */
const AT_ONCE = 2;
const MOST_WAITING = 64;

/** Search route, equivalent to `docstokg search`. */
export function searchRoutes(context: Context): Route[] {
  const turns = new Turns();
  return [
    route({
      path: '/runs/{run}/search',
      summary: 'The best passages for a question, with their works and positions.',
      pathSchema: runPath,
      querySchema: z.strictObject({
        q: words.min(1).describe('The question.'),
        top: wholeNumber(1, 100).optional().describe('Number of passages; default 10.'),
        mode: z.enum(['hybrid', 'dense', 'lexical']).optional().describe('Default: by words and meaning.'),
        year: words.optional().describe('2020, 2018-2022, 2018-, -2022.'),
        author: words.optional().describe('Part of a name, or an ORCID.'),
        venue: words.optional().describe('Part of the name of a journal or repository.'),
        type: words.optional().describe('Such as article or preprint.'),
        license: words.optional().describe('Such as cc-by; comma-separated.'),
        section: words.optional().describe('Sections, comma-separated: methods,results.'),
        has: z.enum(['table', 'figure']).optional().describe('Only passages that contain one.'),
        exclude_retracted: yesOrNo.optional().describe('Exclude retracted works.'),
        min_score: share.optional().describe('Minimum score of a passage, 0 to 1.'),
      }),
      gives: { kind: 'json', schema: shapes.hits },
      handle: async ({ path, query, signal }) => {
        const run = runOf(context, path.run);
        if (!run.search.isThere) throw noIndex();
        const { q, top = 10, exclude_retracted: excludeRetracted, min_score: minFit, mode, ...filter } = query;
        using _turn = await turns.take(signal);
        const startedAt = context.clock.monotonic();
        return await run.search.use(async (session) => {
          const options = {
            top,
            ...filter,
            excludeRetracted,
            ...(mode !== undefined && { mode }),
            ...(minFit !== undefined && { minFit }),
          };
          const hits = await session.search(q, options, signal);
          return {
            kind: 'json',
            value: {
              question: q,
              mode: mode ?? session.mode,
              passages: session.passages,
              took_ms: Math.round((context.clock.monotonic() - startedAt) * 10) / 10,
              hits: hits.map(({ rank, score, fit, passage, work, link }) => ({
                rank,
                score,
                fit,
                id: passage.id,
                document: passage.document,
                title: work?.title ?? passage.title,
                headings: passage.headings,
                part: passage.section,
                page: passage.page ?? null,
                boxes: passage.boxes.map(({ page, box }) => ({ page, ...box })),
                text: passage.text,
                work,
                link,
              })),
            },
          };
        });
      },
    }),
    route({
      path: '/runs/{run}/ask',
      summary:
        'An answer from the papers, every sentence with quotes that are in them; without sentences, they do not answer.',
      pathSchema: runPath,
      querySchema: z.strictObject({
        q: words.min(1).describe('The question.'),
        works: words.optional().describe('A saved set, included, a filter such as year:2020-2022, or ids with commas.'),
        passages: wholeNumber(1, 50).optional().describe('Passages that the answer is made from; 10 by default.'),
      }),
      gives: { kind: 'json', schema: shapes.answer },
      handle: async ({ path, query, signal }) => {
        const run = runOf(context, path.run);
        if (!run.search.isThere) throw noIndex();
        using _turn = await turns.take(signal);
        await using opened = new AsyncDisposableStack();
        const writer = openWriter(run.corpus, opened);
        const chosen = query.works === undefined ? {} : { works: run.corpus.chooseWorks(query.works) };
        const asked = { ...chosen, writer, ...(query.passages !== undefined && { passages: query.passages }) };
        const answer = await run.search.use((session) => askCorpus(session, query.q, asked, signal));
        return { kind: 'json', value: shownAnswer(answer) };
      },
    }),
  ];
}

function noIndex(): Problem {
  return new Problem(404, 'NO_INDEX', 'there is nothing to search in this run yet', {
    hint: 'docstokg run and docstokg search make the index',
  });
}

/** An answer with its passages by id. */
function shownAnswer({ question, model, sentences, dropped, passages }: Answer): z.output<typeof shapes.answer> {
  const titleOf = (number: number): string | null => {
    const hit = passages[number - 1];
    return hit?.work?.title ?? hit?.passage.title ?? null;
  };
  return {
    question,
    model,
    sentences: sentences.map(({ text, fit, quotes }) => ({
      text,
      fit,
      quotes: quotes.map(({ passage, work, link: _link, ...quote }) => ({
        ...quote,
        passage: passages[passage - 1]?.passage.id ?? '',
        title: titleOf(passage),
        citation: work?.apa ?? null,
      })),
    })),
    dropped,
    nearest: passages.map(({ passage, work }) => ({
      id: passage.id,
      document: passage.document,
      title: work?.title ?? passage.title,
      page: passage.page ?? null,
    })),
  };
}

/** A semaphore with a bounded number of waiters. */
class Turns {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  async take(signal: AbortSignal): Promise<Disposable> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= MOST_WAITING)
        throw new Problem(503, 'TOO_BUSY', 'too many searches are waiting', {
          headers: { 'retry-after': '2' },
        });
      await new Promise<void>((go) => this.#waiting.push(go));
    } else this.#running += 1;
    const turn = { [Symbol.dispose]: () => this.#next() };
    if (signal.aborted) {
      turn[Symbol.dispose]();
      throw new Problem(503, 'GONE', 'the client disconnected');
    }
    return turn;
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running -= 1;
  }
}
