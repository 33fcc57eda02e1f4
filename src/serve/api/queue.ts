import { z } from 'zod';

import type { Job, JobFilter } from '../../queue/index.ts';
import { isoTime, JOB_STATES, jobJson } from '../../queue/index.ts';
import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { pageQuery, queueOf, words } from './context.ts';
import * as shapes from './shapes.ts';
import { triedOf } from './works.ts';

const LOOK_JOBS = 10_000;
const LOOK_MS = 40;

/** The position in a list whose cursors are numbers. */
function positionOf(cursor: string | undefined): number {
  const position = cursor === undefined || cursor === '' ? 0 : Number(cursor);
  if (Number.isSafeInteger(position) && position >= 0) return position;
  throw new Problem(400, 'USAGE_CURSOR', 'the cursor does not belong to this list');
}

export function queueRoutes(context: Context): Route[] {
  const { world } = context;
  /**
   * Jobs are scanned in batches until a page is full or the time limit is reached: a rare match may be a million jobs
   * away.
   */
  const jobsFrom = async (
    from: number,
    limit: number,
    filter: JobFilter,
  ): Promise<{ readonly jobs: readonly Job[]; readonly next: number | null }> => {
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
        const history = [...world.runs.values()].flatMap(({ id, view }) =>
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
        const items = world.hosts.slice(from, from + limit);
        const next = from + limit < world.hosts.length ? String(from + limit) : null;
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
