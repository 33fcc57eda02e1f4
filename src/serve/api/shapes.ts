import { z } from 'zod';

import { JOB_STATES } from '../../queue/index.ts';

// What the interface answers, described once: the OpenAPI document is made of these, and tests hold real answers to them.

const text = z.string().nullable();
const number = z.number().nullable();
const count = z.int().min(0);
const at = z.string().nullable().describe('ISO 8601.');
const counts = z.record(z.string(), count);

/** A page of a list. */
export function page<T extends z.ZodType>(item: T): z.ZodObject {
  return z.object({ items: z.array(item), next: text.describe('Where the next page begins; null on the last one.') });
}

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
    host: text,
    reason: text,
  })
  .meta({ id: 'Event' });

const stage = z.object({
  name: z.enum(['works', 'saved', 'parsed', 'chunked', 'embedded']),
  done: count,
  failed: count,
  of: number,
  per_minute: number,
  seconds_left: number,
});

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

export const queue = z
  .object({
    states: z.record(state, count),
    total: count,
    due: z.int(),
    delayed: z.int(),
    oldest_queued_at: at,
    next_available_at: at,
    per_minute: number,
    seconds_left: number,
    failures: z.array(z.object({ code: z.string(), state, jobs: count })),
    resolvers: z.array(z.object({ resolver: text, state, jobs: count })),
    workers: z.array(
      z.object({
        worker_id: z.string(),
        process: z.string(),
        started_at: z.string(),
        heard_at: z.string(),
        alive: z.boolean(),
        workers: count,
        running: count,
        parked: count,
        leases: count,
        lease_expires_at: at,
      }),
    ),
    leases_of_others: z.array(z.object({ worker_id: text, jobs: count, expires_at: at })),
    pauses: z.array(z.object({ scope: z.enum(['all', 'host', 'resolver']), name: z.string(), since: z.string() })),
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

export const tried = z
  .object({
    run: z.string(),
    at: z.string(),
    outcome: z.string(),
    reason: z.string(),
    sentence: text,
    detail: text,
    resolver: text,
    url: text,
    file: text,
    attempts: z.array(
      z.object({
        resolver: z.string(),
        host: z.string(),
        url: z.string(),
        status: number,
        reason: z.string(),
        sentence: text,
        bytes: z.number(),
        duration_ms: z.number(),
        started_at: z.string(),
      }),
    ),
  })
  .meta({ id: 'Tried' });

export const jobWithHistory = job.extend({
  artifact: z.unknown().describe('What was put into the queue.'),
  result: z.unknown().describe('What it left behind.'),
  history: z.array(tried),
});

export const host = z
  .object({
    host: z.string(),
    cap: number,
    per_second: number,
    in_flight: number,
    waiting: number,
    held_until: at,
    held_why: z.enum(['rate-limited', 'host-held', 'paused']).nullable(),
    paused: z.boolean(),
    paused_since: at,
    requests: count,
    refused: count,
    failed: count,
    last_at: at,
  })
  .meta({ id: 'Host' });

export const work = z
  .object({
    id: z.string(),
    title: text,
    authors: text,
    year: number,
    venue: text,
    doi: text,
    type: text,
    outcome: z.string(),
    reason: text,
    sentence: text,
    resolver: text,
    licence: text,
    version: text,
    bytes: number,
    document: text,
    retracted: z.boolean(),
    citations: number,
    at,
  })
  .meta({ id: 'Work' });

export const works = page(work).extend({ total: number.describe('Of all pages; null where words were looked for.') });

export const wholeWork = work.extend({
  abstract: text,
  url: text,
  apa: text,
  bibtex: text,
  file: z.boolean(),
  history: z.array(tried),
});

const facet = z.array(z.object({ value: z.string(), works: count, sentence: text }));
export const facets = z.object({
  outcome: facet,
  reason: facet,
  licence: facet,
  version: facet,
  type: facet,
  year: facet,
});

const step = z.enum(['success', 'failure', 'skip']).nullable();
export const documentLine = z
  .object({
    id: z.string(),
    work: text,
    title: text,
    authors: text,
    year: number,
    parsed: step,
    chunked: step,
    embedded: step,
    failure: text,
  })
  .meta({ id: 'Document' });

const box = z.object({ page: z.int(), left: z.number(), top: z.number(), right: z.number(), bottom: z.number() });
export const wholeDocument = z.object({
  id: z.string(),
  work: text,
  title: text,
  authors: text,
  year: number,
  kind: text,
  apa: text,
  bibtex: text,
  pages: z.array(z.object({ number: z.int(), width: z.number(), height: z.number() })),
  blocks: z.array(
    z.object({
      order: z.int(),
      tag: z.string(),
      level: number,
      text: z.string(),
      regions: z.array(box),
      rows: z.array(z.array(z.string())).nullable(),
      caption: text,
    }),
  ),
  next: number.describe('The block from which it goes on; null where this is the rest.'),
});

const citedWork = z
  .object({
    id: z.string(),
    title: text,
    authors: z.array(z.object({ name: z.string(), orcid: text })),
    year: number,
    venue: text,
    doi: text,
    url: text,
    license: text,
    apa: z.string(),
    bibtex: z.string(),
  })
  .loose()
  .meta({ id: 'CitedWork' });

export const hits = z.object({
  question: z.string(),
  mode: z.enum(['hybrid', 'dense', 'lexical']),
  passages: count,
  took_ms: z.number(),
  hits: z.array(
    z.object({
      rank: z.int(),
      score: z.number(),
      fit: number,
      id: z.string(),
      document: z.string(),
      title: text,
      headings: z.array(z.string()),
      part: text,
      page: number,
      boxes: z.array(box),
      text: z.string(),
      work: citedWork.nullable(),
      link: text,
    }),
  ),
});

export const node = z
  .object({
    id: z.string(),
    kind: z.string(),
    label: z.string(),
    year: number,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Node' });

const evidence = z
  .object({ document: z.string(), method: z.string(), score: z.number(), quote: text, page: number })
  .loose()
  .meta({ id: 'Evidence' });

export const weighted = z.object({ items: z.array(z.object({ node, weight: z.number() }).loose()) });
export const graph = z.object({
  documents: count,
  nodes: counts,
  edges: counts,
  evidence: count,
  timeline: z.array(z.object({ year: z.int(), corpus: count, cited: count })),
});
export const neighbours = z.object({
  node,
  neighbours: z.array(
    z.object({ kind: z.string(), direction: z.enum(['in', 'out']), node, evidence: z.array(evidence) }),
  ),
});
export const evidences = z.object({ items: z.array(evidence) });
export const way = z.object({
  items: z.array(z.object({ node, edge: text, direction: z.enum(['in', 'out']).nullable() })),
});

export const account = z.object({
  asked: z.record(z.string(), z.unknown()).nullable(),
  prisma: z
    .object({
      identified: count,
      screened: count,
      excluded: count,
      sought: count,
      not_retrieved: count,
      included: count,
    })
    .loose(),
  outcomes: counts,
  reasons: z.array(z.object({ value: z.string(), works: count, sentence: text })),
  licences: z.array(z.object({ value: z.string(), works: count })),
  stages: z.array(stage),
  run: z.unknown().describe('The account that the run itself wrote down last.'),
});

export const act = z
  .object({
    at: z.string(),
    who: z.string(),
    act: z.enum(['pause', 'resume', 'retry']),
    scope: z.enum(['all', 'host', 'resolver']).nullable(),
    name: text,
    error_code: text,
    changed: z.int(),
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
