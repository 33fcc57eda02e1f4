import { z } from 'zod';

import { QUESTIONS } from '../../questions/index.ts';
import type { Route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runRoute } from './context.ts';
import { next } from './shapes/basics.ts';
import { Turns } from './turns.ts';

/** A search uses a whole core, so more concurrent questions would only slow each other down. */
const AT_ONCE = 2;
/** The page has its own routes for these, with more in the answers. */
const OWN_ROUTES = new Set(['ask', 'table', 'account']);

/** A route for each question: GET, or POST where it has lists. */
export function questionRoutes(context: Context): Route[] {
  const turns = new Turns(AT_ONCE);
  return QUESTIONS.filter(({ name }) => !OWN_ROUTES.has(name)).map(
    ({ name, description, input, head, list, item, ask }) => {
      const isBody = Object.values(input.shape).some((field) => field instanceof z.ZodArray);
      // Pages of a list are read from the database at once.
      const isPaged = 'cursor' in input.shape;
      return runRoute(context, {
        path: `/${name}`,
        summary: description,
        ...(isBody ? { bodySchema: input } : { querySchema: input }),
        schema: z.object({ ...head, [list]: z.array(item), ...(isPaged && { next }) }),
        value: async (run, { query, body, signal }) => {
          using _turn = isPaged ? undefined : await turns.take(signal);
          const { head: about, items, cursorAfter } = await ask(isBody ? body : query, [run], signal);
          return { ...about, [list]: items, ...(cursorAfter && { next: await cursorAfter(items.length) }) };
        },
      });
    },
  );
}
