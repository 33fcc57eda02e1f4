import { z } from 'zod';

import type { Route } from '../http/route.ts';
import type { Context } from './context.ts';
import { checkSearchable, runRoute } from './context.ts';
import { share, wholeNumber, words, yesOrNo } from './parameters.ts';
import * as shapes from './shapes/corpus.ts';
import { Turns } from './turns.ts';

/** A search uses a whole core, so more concurrent searches would only slow each other down. */
const AT_ONCE = 2;

/** Search route, equivalent to `docstokg search`. */
export function searchRoutes(context: Context): Route[] {
  const turns = new Turns(AT_ONCE);
  return [
    runRoute(context, {
      path: '/search',
      summary: 'The best passages for a question, with their works and positions.',
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
      schema: shapes.hits,
      value: async (run, { query, signal }) => {
        checkSearchable(run);
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
          };
        });
      },
    }),
  ];
}
