import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runOf } from './context.ts';
import { noPath, noQuery, runPath } from './parameters.ts';
import * as shapes from './shapes/operating.ts';
import { z } from 'zod';

const EVENTS = 50;

/** Routes for runs, their progress and the event stream. */
export function runRoutes(context: Context): Route[] {
  const { world, clock } = context;
  return [
    route({
      path: '/',
      summary: 'The runs served, and whether there is a queue.',
      pathSchema: noPath,
      querySchema: noQuery,
      gives: { kind: 'json', schema: shapes.about },
      handle: () => ({
        kind: 'json',
        value: {
          name: 'docstokg',
          version: context.version,
          now: new Date(clock.now()).toISOString(),
          steering: context.steering.isAllowed,
          queue: world.queue !== undefined,
          mcp: context.hasMcp,
          runs: [...world.runs.values()].map((run) => run.line()),
        },
      }),
    }),
    route({
      path: '/runs/{run}',
      summary: 'One run.',
      pathSchema: runPath,
      querySchema: noQuery,
      gives: { kind: 'json', schema: shapes.run },
      version: ({ path }) => runOf(context, path.run).version,
      handle: ({ path }) => ({ kind: 'json', value: runOf(context, path.run).line() }),
    }),
    route({
      path: '/runs/{run}/now',
      summary:
        'Progress of a run: works, downloaded, parsed, chunked, embedded, with rates, time left and the latest events.',
      pathSchema: runPath,
      querySchema: noQuery,
      gives: { kind: 'json', schema: shapes.now },
      version: ({ path }) => `${runOf(context, path.run).version} ${world.revision}`,
      handle: ({ path }) => {
        const run = runOf(context, path.run);
        const history = run.series.points.map(({ at, ...counts }) => ({ at: new Date(at).toISOString(), ...counts }));
        return {
          kind: 'json',
          value: { ...run.figures(), run: run.line(), history, events: world.events.last(EVENTS, run.id) },
        };
      },
    }),
    route({
      path: '/events',
      summary: 'Changes as server-sent events: now, queue, hosts, event. Send Last-Event-ID to resume a stream.',
      pathSchema: noPath,
      querySchema: z.strictObject({ run: z.string().max(200).optional().describe('Only events of this run.') }),
      gives: { kind: 'bytes', types: ['text/event-stream'] },
      handle: ({ query, request }) => {
        const run = query.run === undefined ? null : runOf(context, query.run).id;
        const lastId = request.headers['last-event-id'];
        return { kind: 'watch', run, lastId: typeof lastId === 'string' ? lastId.slice(0, 100) : null };
      },
    }),
  ];
}
