import { appendFile, mkdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { z } from 'zod';

import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { checkControl, queueOf } from './context.ts';
import * as shapes from './shapes.ts';

const by = z.string().max(100).optional().describe('Name of the operator, for the log.');
const paused = z
  .strictObject({
    scope: z.enum(['all', 'host', 'resolver']),
    name: z.string().max(300).default('').describe('Host or resolver; empty for all.'),
    by,
  })
  .refine(
    ({ scope, name }) => (scope === 'all') === (name === ''),
    'name is required for a host or resolver, and must be empty for all',
  );
const retried = z.strictObject({
  error_code: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,99}$/)
    .describe('Only jobs that ended with this reason.'),
  state: z.enum(['error', 'skipped']).default('error'),
  dry_run: z.boolean().default(false).describe('Only count matching jobs.'),
  by,
});

type Act = z.output<typeof shapes.act>;

/** Control routes: disabled unless allowed, and logged with operator and time. */
export function steeringRoutes(context: Context): Route[] {
  const { steering, clock, world } = context;
  const admin = () => {
    checkControl(context, 'pause, resume and retry');
    return queueOf(context).queue.store.admin;
  };
  /** Writes the action to the log before it is confirmed. */
  const done = async (act: Act) => {
    const { at, who, scope, name, error_code: reason, changed } = act;
    const what = `${act.act} of ${[reason, scope, name].filter((each) => each).join(' ')} by ${who}`;
    steering.log?.('info', `${what}: ${changed} changed`);
    const about = { reason, host: scope === 'host' ? name : null, run: null, work: null, document: null, title: null };
    world.watchers.events([{ at, kind: 'steering', level: 'info', text: what, ...about }]);
    if (steering.path !== undefined) {
      await mkdir(dirname(steering.path), { recursive: true });
      await appendFile(steering.path, `${JSON.stringify(act)}\n`);
    }
    await world.lookAgain();
    return act;
  };
  const start = (request: IncomingMessage, name: string | undefined) => ({
    at: new Date(clock.now()).toISOString(),
    who: name === undefined || name === '' ? addressOf(request) : `${name} (${addressOf(request)})`,
  });
  const pausing = (act: 'pause' | 'resume') =>
    route({
      path: `/steering/${act}`,
      summary: act === 'pause' ? 'Pauses the jobs of a host, a resolver, or all.' : 'Resumes them.',
      body: paused,
      schema: shapes.act,
      value: async ({ body: { scope, name, by: who }, request }) => {
        const changed = await (act === 'pause' ? admin().pause(scope, name, clock.now()) : admin().resume(scope, name));
        return await done({ ...start(request, who), act, scope, name, error_code: null, changed: changed ? 1 : 0 });
      },
    });
  return [
    pausing('pause'),
    pausing('resume'),
    route({
      path: '/steering/retry',
      summary: 'Requeues jobs that ended with a reason, with a fresh attempt counter.',
      body: retried,
      schema: shapes.act,
      value: async ({ body: { error_code: errorCode, state, dry_run: dryRun, by: who }, request }) => {
        const changed = await admin().requeue({ states: [state], errorCode }, clock.now(), { dryRun });
        const what = { act: 'retry', scope: null, name: null, error_code: errorCode, changed } as const;
        const act = { ...start(request, who), ...what };
        return dryRun ? act : await done(act);
      },
    }),
  ];
}

function addressOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? 'unknown';
}
