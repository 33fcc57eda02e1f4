import { z } from 'zod';

import { JOB_STATES } from '../../../queue/index.ts';
import { at, count, counts, number, stage, text, tried } from './basics.ts';

// Schemas for runs, the queue, hosts and control.

export const run = z
  .object({
    id: z.string(),
    title: z.string(),
    folder: z.string(),
    state: z.enum(['running', 'done', 'stopped', 'failed', 'unknown']),
    started_at: at,
    ended_at: at,
    works: count,
    saved: count,
    documents: count,
    has_search: z.boolean(),
    has_graph: z.boolean(),
  })
  .meta({ id: 'Run' });

export const about = z.object({
  name: z.string(),
  version: z.string(),
  now: z.string(),
  steering: z.boolean(),
  queue: z.boolean(),
  mcp: z.boolean(),
  runs: z.array(run),
});

export const event = z
  .object({
    id: z.int(),
    at: z.string(),
    run: text,
    kind: z.enum(['work', 'stage', 'host', 'queue', 'steering']),
    level: z.enum(['info', 'warn', 'error']),
    text: z.string(),
    work: text,
    document: text,
    title: text.describe('Title of the document.'),
    host: text,
    reason: text,
  })
  .meta({ id: 'Event' });

export const figures = z.object({
  run: z.string(),
  state: run.shape.state,
  stages: z.array(stage),
  outcomes: counts,
  rate_per_minute: number,
  seconds_left: number,
});

export const now = figures.extend({
  run: run,
  history: z.array(
    z.object({ at: z.string(), works: count, saved: count, parsed: count, chunked: count, embedded: count }),
  ),
  events: z.array(event),
});

const state = z.enum(JOB_STATES);

const ended = z.object({
  code: z.string(),
  state,
  jobs: count,
  retryable: z.boolean().describe('Whether trying again may give another result.'),
});

export const queue = z
  .object({
    queued: count,
    in_progress: count,
    done: count,
    skipped: count,
    error: count,
    total: count,
    due: z.int(),
    delayed: z.int(),
    suspects: count,
    per_second: number,
    left_seconds: number,
    oldest_queued_at: at,
    oldest_queued_id: text,
    next_available_at: at,
    counts: z.object({ running: count, waiting_for_host: count, retrying: count, processes: count, workers: count }),
    by_error_code: z.array(ended).describe('Failed, skipped and retried jobs by reason.'),
    by_resolver: z.array(z.object({ resolver: text, state, jobs: count })),
    workers: z.array(
      z.object({
        worker_id: z.string(),
        alive: z.boolean(),
        pid: z.int(),
        hostname: z.string(),
        holds: count.describe('Leased jobs.'),
        lease_ends_at: at,
        maxWorkers: count,
        running: count,
        parked: count,
        per_second: z.number(),
        started_at: at,
        updated_at: at,
      }),
    ),
    leases: z.array(z.object({ worker_id: text, jobs: count, expires_at: at })),
    slowed_hosts: z.array(
      z.object({ host: z.string(), cap: number, per_second: number, held_until: at, held_why: text }),
    ),
    pauses: z.array(z.object({ scope: z.enum(['all', 'host', 'resolver']), name: z.string(), since: at })),
  })
  .meta({ id: 'Queue' });

export const queueHistory = z.object({
  points: z.array(
    z.object({ at: z.string(), queued: count, in_progress: count, done: count, skipped: count, error: count }),
  ),
});

export const job = z
  .object({
    id: z.int(),
    artifact_id: z.string(),
    title: text,
    state,
    attempts: z.int(),
    deaths: z.int(),
    deaths_alone: z.int(),
    suspect_since: at,
    priority: z.int(),
    resolver_hint: text,
    host: text,
    last_error: text,
    error_code: text,
    created_at: at,
    updated_at: at,
    available_at: at,
    lease_expires_at: at,
    worker_id: text,
  })
  .meta({ id: 'Job' });

export const jobWithHistory = job.extend({
  artifact: z.unknown().describe('The payload that was enqueued.'),
  result: z.unknown().describe('The result.'),
  history: z.array(tried),
});

export const host = z
  .object({
    kind: z.enum(['host', 'service', 'crawl-delay', 'resolver']),
    host: z.string(),
    cap: number.describe('Maximum concurrent requests; null if unlimited or unknown.'),
    per_second: number.describe('Maximum requests per second; null if unlimited or unknown.'),
    slowed: z.boolean().describe('Whether its rate is reduced because the host asked for it.'),
    in_flight: count,
    waiting: count,
    next_at: at,
    held_until: at,
    held_why: text.describe('rate-limited, host-held, paused, …'),
    paused: z.boolean(),
    budget_left: number,
    requests: count.describe('Requests from the host logs of the runs; refused means 429 or 503.'),
    refused: count,
    failed: count,
    last_at: at,
  })
  .meta({ id: 'Host' });

export const act = z
  .object({
    at: z.string(),
    who: z.string().describe('IP address and operator name.'),
    act: z.enum(['pause', 'resume', 'retry']),
    scope: z.enum(['all', 'host', 'resolver']).nullable(),
    name: text,
    error_code: text,
    changed: z.int().describe('Number of requeued jobs, or 1 for a pause or resume.'),
  })
  .meta({ id: 'Act' });

export const steering = z.object({ allowed: z.boolean(), acts: z.array(act) });

export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    hint: text,
  })
  .meta({ id: 'Problem' });
