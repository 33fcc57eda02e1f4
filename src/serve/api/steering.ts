import type { IncomingMessage } from 'node:http';
import { z } from 'zod';

import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { SteeringAct } from '../watch/steering.ts';
import type { Context } from './context.ts';
import { queueOf } from './context.ts';
import { noPath, noQuery } from './parameters.ts';
import * as shapes from './shapes/operating.ts';

const by = z.string().max(100).optional().describe('Who does it, for the log.');
const paused = z
  .strictObject({
    scope: z.enum(['all', 'host', 'resolver']),
    name: z.string().max(300).default('').describe('The host or resolver; empty for all.'),
    by,
  })
  .refine(
    ({ scope, name }) => (scope === 'all') === (name === ''),
    'a host or resolver has a name, everything has none',
  );
const retried = z.strictObject({
  error_code: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,99}$/)
    .describe('Only jobs that ended for this reason.'),
  state: z.enum(['error', 'skipped']).default('error'),
  dry_run: z.boolean().default(false).describe('Only count them.'),
  by,
});

/** What an operator does to a fleet; only where it was allowed, and written down with who and when. */
export function steeringRoutes(context: Context): Route[] {
  const { steering, clock, world } = context;
  const admin = () => {
    if (!steering.isAllowed)
      throw new Problem(403, 'STEERING_OFF', 'this server only shows things', {
        hint: 'start it with --allow-steering to pause, resume and retry from here',
      });
    return queueOf(context).queue.store.admin;
  };
  const done = async (act: SteeringAct) => {
    await steering.log.add(act);
    await world.lookAgain();
    return { kind: 'json', value: act } as const;
  };
  const start = (request: IncomingMessage, name: string | undefined) => ({
    at: new Date(clock.now()).toISOString(),
    who: name === undefined || name === '' ? addressOf(request) : `${name} (${addressOf(request)})`,
  });
  const pausing = (act: 'pause' | 'resume') =>
    route({
      method: 'POST',
      path: `/steering/${act}`,
      summary: act === 'pause' ? 'Holds back the jobs of a host, a resolver, or all.' : 'Lets them go again.',
      pathSchema: noPath,
      querySchema: noQuery,
      bodySchema: paused,
      gives: { kind: 'json', schema: shapes.act },
      handle: async ({ body: { scope, name, by: who }, request }) => {
        const changed = await (act === 'pause' ? admin().pause(scope, name, clock.now()) : admin().resume(scope, name));
        return await done({ ...start(request, who), act, scope, name, error_code: null, changed: changed ? 1 : 0 });
      },
    });
  return [
    route({
      path: '/steering',
      summary: 'Whether anything may be done from here, and what was done.',
      pathSchema: noPath,
      querySchema: noQuery,
      gives: { kind: 'json', schema: shapes.steering },
      handle: () => ({ kind: 'json', value: { allowed: steering.isAllowed, acts: steering.log.acts } }),
    }),
    pausing('pause'),
    pausing('resume'),
    route({
      method: 'POST',
      path: '/steering/retry',
      summary: 'Puts jobs that ended for one reason back into the queue, with all their attempts.',
      pathSchema: noPath,
      querySchema: noQuery,
      bodySchema: retried,
      gives: { kind: 'json', schema: shapes.act },
      handle: async ({ body: { error_code: errorCode, state, dry_run: dryRun, by: who }, request }) => {
        const changed = await admin().requeue({ states: [state], errorCode }, clock.now(), { dryRun });
        const act = {
          ...start(request, who),
          act: 'retry',
          scope: null,
          name: null,
          error_code: errorCode,
          changed,
        } as const;
        return dryRun ? { kind: 'json', value: act } : await done(act);
      },
    }),
  ];
}

function addressOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? 'unknown';
}
