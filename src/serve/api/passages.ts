import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runOf } from './context.ts';
import { documentPath, noQuery } from './parameters.ts';
import * as shapes from './shapes/course.ts';

/** Maximum text per response. */
const MOST_CHARACTERS = 4_000_000;

export function passageRoutes(context: Context): Route[] {
  return [
    route({
      path: '/runs/{run}/documents/{document}/passages',
      summary: 'The passages of a document, in reading order.',
      pathSchema: documentPath,
      querySchema: noQuery,
      gives: { kind: 'json', schema: shapes.passages },
      handle: async ({ path: { run, document } }) => {
        const { view } = runOf(context, run);
        if (!view.documents.has(document)) throw new Problem(404, 'NO_DOCUMENT', 'document not found in this run');
        const items: unknown[] = [];
        let room = MOST_CHARACTERS;
        for await (const { id, headings, regions, text, context: around, tokens, blocks } of view.passages(document)) {
          room -= text.length + around.length;
          if (room < 0) break;
          items.push({ id, headings, page: regions[0]?.page ?? 0, text, context: around, tokens, blocks });
        }
        return { kind: 'json', value: { items } };
      },
    }),
  ];
}
