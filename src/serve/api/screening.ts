import { z } from 'zod';

import { decideQuestion, reviewer as by, screened, screeningShape } from '../../questions/index.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { RunWatch } from '../watch/run-watch.ts';
import type { Context } from './context.ts';
import { checkControl } from './context.ts';

const words = z.array(z.string().max(200)).max(200);
const protocol = z.strictObject({
  by,
  reviewers: z.int().min(1).max(10).optional().describe('How many decide about each work, blind to each other.'),
  question: z.string().max(4_000).optional().describe('The ranking begins with it.'),
  criteria: z.string().max(4_000).optional(),
  reasons: words.optional(),
  highlight: words.optional().describe('Words to mark.'),
});

/** Changes of a screening; they require `--allow-control` and answer like the question `screening`. */
export function screeningRoutes(context: Context): Route[] {
  const answer = async (...asked: Parameters<typeof screened>) => {
    const { head, items } = await screened(...asked);
    return { ...head, next: items };
  };
  const change = <B extends z.ZodType>(
    act: string,
    summary: string,
    bodySchema: B,
    value: (run: RunWatch, body: z.output<B>, signal: AbortSignal) => unknown,
  ): Route =>
    route({
      path: `/runs/{run}/screening/${act}`,
      summary,
      body: bodySchema,
      schema: screeningShape,
      value: ({ run, body, signal }) => {
        checkControl(context, 'decide, or use docstokg screen');
        return value(run, body, signal);
      },
    });
  return [
    change('decide', decideQuestion.description, decideQuestion.input, async (run, body, signal) => {
      const { head, items } = await decideQuestion.ask(body, [run], signal);
      return { ...head, next: items };
    }),
    change(
      'sample',
      'Begins a random sample of the undecided works, which says when to stop.',
      z.strictObject({ by }),
      (run, { by: who }) => {
        run.screening().sample(who);
        return answer(run, who);
      },
    ),
    change(
      'protocol',
      'Changes question, criteria, reasons, marked words or the number of reviewers: a new version of the protocol.',
      protocol,
      (run, { by: who, ...given }) => {
        const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
        run.screening().setProtocol(changed, who);
        return answer(run, who);
      },
    ),
  ];
}
