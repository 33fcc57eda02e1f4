import type { z } from 'zod';

import type { Clock } from '../../base/index.ts';
import { Problem } from '../http/problem.ts';
import type { Asked, Route } from '../http/route.ts';
import { jsonRoute } from '../http/route.ts';
import type { QueueWatch } from '../watch/queue-watch.ts';
import type { RunWatch } from '../watch/run-watch.ts';
import type { World } from '../watch/world.ts';
import type { noQuery } from './parameters.ts';
import { runPath } from './parameters.ts';

export interface Context {
  readonly world: World;
  readonly clock: Clock;
  readonly version: string;
  readonly steering: {
    readonly isAllowed: boolean;
    /** Log file of control actions. */
    readonly path?: string | undefined;
    readonly log?: (level: 'info', message: string) => void;
  };
  readonly hasMcp: boolean;
}

export function runOf({ world }: Context, id: string): RunWatch {
  const run = world.runs.get(id);
  if (run) return run;
  throw new Problem(404, 'NO_RUN', `run not found: ${id.slice(0, 100)}`, { hint: 'see /api/v1/ for the runs' });
}

export function checkSearchable(run: RunWatch): void {
  if (run.search.isThere) return;
  throw new Problem(404, 'NO_INDEX', 'there is nothing to search in this run yet', {
    hint: 'docstokg run and docstokg search make the index',
  });
}

/** Rejects changes on a read-only server. */
export function checkControl({ steering }: Context, what: string): void {
  if (!steering.isAllowed)
    throw new Problem(403, 'STEERING_OFF', 'this server is read-only', {
      hint: `start it with --allow-control to ${what}`,
    });
}

/** The queue, or a 404 if none is monitored. */
export function queueOf({ world }: Context): QueueWatch {
  if (world.queue) return world.queue;
  throw new Problem(404, 'NO_QUEUE', 'no queue is monitored', { hint: 'start docstokg serve with --queue PATH' });
}

/** A route below `/runs/{run}` that returns JSON. */
export function runRoute<
  P extends z.ZodObject = typeof runPath,
  Q extends z.ZodObject = typeof noQuery,
  B extends z.ZodType = z.ZodUndefined,
>(
  context: Context,
  described: {
    /** Below `/runs/{run}`. */
    readonly path: string;
    readonly summary: string;
    readonly pathSchema?: P;
    readonly querySchema?: Q;
    readonly bodySchema?: B;
    readonly schema: z.ZodType;
    readonly value: (run: RunWatch, asked: Asked<z.output<P>, z.output<Q>, z.output<B>>) => unknown;
  },
): Route {
  const { path, value, ...rest } = described;
  return jsonRoute<P, Q, B>({
    pathSchema: runPath as unknown as P,
    ...rest,
    path: `/runs/{run}${path}`,
    value: (asked) => value(runOf(context, (asked.path as { run: string }).run), asked),
  });
}
