import { z } from 'zod';

import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runOf } from './context.ts';
import { runPath, share, wholeNumber, words, yesOrNo } from './parameters.ts';
import * as shapes from './shapes/corpus.ts';

/** A search keeps a core busy: more at once would only make each of them slower. */
const AT_ONCE = 2;
const MOST_WAITING = 64;

/** Asks a run's passages, as `docstokg search` does. */
export function searchRoutes(context: Context): Route[] {
  const turns = new Turns();
  return [
    route({
      path: '/runs/{run}/search',
      summary: 'The passages that answer a question best, with the works they are from and where they stand.',
      pathSchema: runPath,
      querySchema: z.strictObject({
        q: words.min(1).describe('The question.'),
        top: wholeNumber(1, 100).optional().describe('How many passages; 10 unless said otherwise.'),
        mode: z.enum(['hybrid', 'dense', 'lexical']).optional().describe('By words and meaning unless said otherwise.'),
        year: words.optional().describe('2020, 2018-2022, 2018-, -2022.'),
        author: words.optional().describe('Part of a name, or an ORCID.'),
        venue: words.optional().describe('Part of the name of a journal or repository.'),
        type: words.optional().describe('Such as article or preprint.'),
        license: words.optional().describe('Such as cc-by; several with commas.'),
        section: words.optional().describe('Parts of papers, with commas: methods,results.'),
        has: z.enum(['table', 'figure']).optional().describe('Only passages that hold one.'),
        exclude_retracted: yesOrNo.optional().describe('No works that were retracted.'),
        min_score: share.optional().describe('How far a passage has to answer.'),
      }),
      gives: { kind: 'json', schema: shapes.hits },
      handle: async ({ path, query, signal }) => {
        const run = runOf(context, path.run);
        if (!run.search.isThere)
          throw new Problem(404, 'NO_INDEX', 'there is nothing to search in this run yet', {
            hint: 'docstokg run and docstokg search make the index',
          });
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
  ];
}

/** Lets a few in at once and a bounded number wait. */
class Turns {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  async take(signal: AbortSignal): Promise<Disposable> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= MOST_WAITING)
        throw new Problem(503, 'TOO_BUSY', 'too many questions wait to be answered', {
          headers: { 'retry-after': '2' },
        });
      await new Promise<void>((go) => this.#waiting.push(go));
    } else this.#running += 1;
    const turn = { [Symbol.dispose]: () => this.#next() };
    if (signal.aborted) {
      turn[Symbol.dispose]();
      throw new Problem(503, 'GONE', 'whoever asked has gone');
    }
    return turn;
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running -= 1;
  }
}
