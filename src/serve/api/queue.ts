import { appendFile, mkdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import * as z from 'zod';

import type { Job, JobFilter } from '../../queue/index.ts';
import { isoTime, JOB_STATES, jobJson } from '../../queue/index.ts';
import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { QueueWatch } from '../watch/queue-watch.ts';
import type { Context } from './context.ts';
import { checkControl, pageQuery, words } from './context.ts';
import * as shapes from './shapes.ts';
import { triedOf } from './works.ts';

const LOOK_JOBS = 10_000;
const LOOK_MS = 40;

function queueOf({ monitor }: Context): QueueWatch {
  if (monitor.queue) return monitor.queue;
  throw new Problem(404, 'NO_QUEUE', 'no queue is monitored', { hint: 'start docstokg serve with --queue PATH' });
}

function positionOf(cursor: string | undefined): number {
  const position = cursor === undefined || cursor === '' ? 0 : Number(cursor);
  if (Number.isSafeInteger(position) && position >= 0) return position;
  throw new Problem(400, 'USAGE_CURSOR', 'the cursor does not belong to this list');
}

export function queueRoutes(context: Context): Route[] {
  const { monitor } = context;
  /** Scans jobs in batches until a page is full or time is up: a rare match may be a million jobs away. */
  const jobsFrom = async (from: number, limit: number, filter: JobFilter) => {
    const { stats, queue } = queueOf(context);
    const newest = stats?.newestId ?? 0;
    const startedAt = context.clock.monotonic();
    const jobs: Job[] = [];
    let after = from;
    while (after < newest && jobs.length < limit && context.clock.monotonic() - startedAt < LOOK_MS) {
      const [upTo, room] = [after + LOOK_JOBS, limit - jobs.length];
      const found = await queue.store.admin.list(filter, { limit: room, after, upTo });
      jobs.push(...found);
      after = found.length < room ? upTo : (found.at(-1)?.id ?? upTo);
    }
    return { jobs, next: after < newest ? after : null };
  };
  return [
    route({
      path: '/queue',
      summary: 'Jobs by state and reason, workers, and pauses.',
      schema: shapes.queue,
      value: () => queueOf(context).figures,
    }),
    route({
      path: '/queue/history',
      summary: 'Jobs by state over time, since this server was started.',
      schema: shapes.queueHistory,
      value: () => ({
        points: queueOf(context).series.points.map(({ at, ended: _ended, ...states }) => ({
          at: isoTime(at),
          ...states,
        })),
      }),
    }),
    route({
      path: '/queue/jobs',
      summary:
        'Jobs in the order they were enqueued. Each page scans a bounded number of jobs, so a short page may still have a next one.',
      query: {
        ...pageQuery,
        state: z.enum(JOB_STATES).optional(),
        host: words.optional(),
        resolver: words.optional(),
        error_code: words.optional().describe('Such as HTTP_404.'),
      },
      schema: shapes.page(shapes.job),
      value: async ({ query }) => {
        const { state, host, resolver, error_code: errorCode, limit = 50, cursor } = query;
        const filter = { ...(state && { states: [state] }), host, resolver, errorCode };
        const { jobs, next } = await jobsFrom(positionOf(cursor), limit, filter);
        return { items: jobs.map(jobLine), next: next === null ? null : String(next) };
      },
    }),
    route({
      path: '/queue/jobs/{job}',
      summary: 'One job with its payload, result and attempts.',
      schema: shapes.jobWithHistory,
      value: async ({ path }) => {
        const job = await queueOf(context).queue.store.admin.find(path.job);
        if (!job) throw new Problem(404, 'NO_JOB', `job not found: ${path.job}`);
        const history = [...monitor.runs.values()].flatMap(({ id, view }) =>
          view.history(job.artifactId).map((row) => triedOf(id, row)),
        );
        const { artifact, result } = jobJson(job);
        return { ...jobLine(job), artifact, result, history };
      },
    }),
    route({
      path: '/hosts',
      summary: 'The limits, requests and state of each host; paused and rate-limited hosts first.',
      query: pageQuery,
      schema: shapes.page(shapes.host),
      value: ({ query: { limit = 50, cursor } }) => {
        const from = positionOf(cursor);
        const items = monitor.hosts.slice(from, from + limit);
        const next = from + limit < monitor.hosts.length ? String(from + limit) : null;
        return { items, next };
      },
    }),
  ];
}

function jobLine(job: Job) {
  const { artifact, result: _result, ...line } = jobJson(job);
  const { title } = (artifact ?? {}) as { readonly title?: unknown };
  return {
    ...line,
    title: typeof title === 'string' ? title.slice(0, 1_000) : null,
    error_code: /^([A-Z][A-Z0-9_]*):/.exec(job.lastError ?? '')?.[1] ?? null,
  };
}

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
export function controlRoutes(context: Context): Route[] {
  const { control, clock, monitor } = context;
  const admin = () => {
    checkControl(context, 'pause, resume and retry');
    return queueOf(context).queue.store.admin;
  };
  /** Writes the action to the log before it is confirmed. */
  const done = async (act: Act) => {
    const { at, who, scope, name, error_code: reason, changed } = act;
    const what = `${act.act} of ${[reason, scope, name].filter((each) => each).join(' ')} by ${who}`;
    control.log?.('info', `${what}: ${changed} changed`);
    const about = { reason, host: scope === 'host' ? name : null, run: null, work: null, document: null, title: null };
    monitor.addEvents([{ at, kind: 'control', level: 'info', text: what, ...about }]);
    if (control.path !== undefined) {
      await mkdir(dirname(control.path), { recursive: true });
      await appendFile(control.path, `${JSON.stringify(act)}\n`);
    }
    await monitor.lookAgain();
    return act;
  };
  const start = ({ socket }: IncomingMessage, name: string | undefined) => {
    const address = socket.remoteAddress ?? 'unknown';
    return { at: new Date(clock.now()).toISOString(), who: name ? `${name} (${address})` : address };
  };
  const pausing = (act: 'pause' | 'resume') =>
    route({
      path: `/control/${act}`,
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
      path: '/control/retry',
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
