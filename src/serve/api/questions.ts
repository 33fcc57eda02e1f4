import * as z from 'zod';

import { eventStream } from '../../corpus/index.ts';
import type { Question } from '../../questions/index.ts';
import {
  askQuestion,
  decidedQuestion,
  noteQuestion,
  QUESTIONS,
  SCREENING_CHANGES,
  setQuestion,
  setsQuestion,
  shownAnswer,
} from '../../questions/index.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import { LINES_TYPE } from '../http/send.ts';
import type { Context } from './context.ts';
import { checkControl, turnsOf } from './context.ts';
import { answerLine, next } from './shapes.ts';

/** A search uses a whole core, so more at once would only slow each other down; answers mostly wait for a model. */
const AT_ONCE = { search: 2, ask: 4 };
/** The page has its own routes for these, with more in the answers. */
const OWN_ROUTES = new Set(['table', 'account']);

/**
 * A route for each question: GET, or POST where it has lists or changes something. A client that disconnects stops the
 * work.
 */
export function questionRoutes(context: Context): Route[] {
  const turns = turnsOf(context.clock, AT_ONCE);
  const routeOf = (each: Question, path: string, isChange = false): Route => {
    const { description, input, head, list, item, ask } = each;
    const isBody = isChange || Object.values(input.shape).some((field) => field instanceof z.ZodArray);
    // Pages of a list are read from the database at once.
    const isPaged = 'cursor' in input.shape;
    return route({
      path: `/runs/{run}/${path}`,
      summary: description,
      ...(isBody ? { body: input } : { query: input.shape }),
      schema: z.object({ ...head, [list]: z.array(item), ...(isPaged && { next }) }),
      value: async ({ run, query, body, signal }) => {
        if (isChange) checkControl(context, 'decide and write notes, or use docstokg screen and docstokg notes');
        const turn = each === askQuestion ? 'ask' : 'search';
        using _turn = isPaged || isChange ? undefined : await turns.take(turn, signal);
        const { head: about, items, cursorAfter } = await ask(isBody ? body : query, [run], signal, true);
        return { ...about, [list]: items, ...(cursorAfter && { next: await cursorAfter(items.length) }) };
      },
    });
  };
  return [
    ...QUESTIONS.filter(({ name }) => !OWN_ROUTES.has(name)).map((each) => routeOf(each, each.name)),
    ...SCREENING_CHANGES.map((each) => routeOf(each, `screening/${each.name}`, true)),
    routeOf(decidedQuestion, 'screening/decided'),
    routeOf(noteQuestion, 'note', true),
    routeOf(setsQuestion, 'sets'),
    routeOf(setQuestion, 'set', true),
    route({
      path: '/runs/{run}/ask.ndjson',
      summary: 'An answer, streamed: the passages, each sentence when it has passed the gate, then the whole.',
      query: askQuestion.input.shape,
      gives: { types: [LINES_TYPE], schema: answerLine },
      handle: ({ run, query, signal }) => {
        const lines = eventStream<z.output<typeof answerLine>>(async (tell, stop) => {
          using _turn = await turns.take('ask', stop);
          const answer = await shownAnswer(run, query as never, { usesModel: true, tell }, stop);
          tell({ kind: 'answer', answer });
        }, signal);
        return { kind: 'lines', lines };
      },
    }),
  ];
}
