import { z } from 'zod';

import { decided, inPhase, reviewer as by, screened, screeningShape } from '../../questions/index.ts';
import { CHOICES } from '../../screen/index.ts';
import type { Route } from '../http/route.ts';
import type { RunWatch } from '../watch/run-watch.ts';
import type { Context, noQuery, runPath } from './context.ts';
import { checkControl, runRoute } from './context.ts';

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
    value: (run: RunWatch, body: z.output<B>) => unknown,
  ): Route =>
    runRoute<typeof runPath, typeof noQuery, B>(context, {
      path: `/screening/${act}`,
      summary,
      bodySchema,
      schema: screeningShape,
      value: (run, { body }) => {
        checkControl(context, 'decide, or use docstokg screen');
        return value(run, body);
      },
    });
  return [
    change(
      'decide',
      'Logs a decision, which is on the disk when this answers. Answers like the GET.',
      z.strictObject({
        ...decided,
        id: z.string().min(1).max(100).optional().describe('Made by the sender: sent again, it is the same decision.'),
        decision: z.enum(CHOICES),
      }),
      (run, body) => {
        run.screening().decide(body);
        return answer(run, body.by, body.phase);
      },
    ),
    change(
      'undo',
      'Undoes the last decision of a reviewer in a phase.',
      z.strictObject({ by, phase: inPhase }),
      (run, { by: who, phase }) => answer(run, who, phase, 1, run.screening().undo(who, phase)),
    ),
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
