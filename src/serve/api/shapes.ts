import { z } from 'zod';

import { answerPassage, answerSentence, answerShape, work } from '../../questions/shapes/index.ts';
import { JOB_STATES } from '../../queue/index.ts';

// Building blocks of responses. The OpenAPI document is generated from these schemas, and tests check real responses
// against them.

export const text = z.string().nullable();

const number = z.number().nullable();

const count = z.int().min(0);

const at = z.string().nullable().describe('ISO 8601.');

const counts = z.record(z.string(), count);

export const next = text.describe('Cursor of the next page; null on the last page.');

export function page<T extends z.ZodType>(item: T): z.ZodObject<{ items: z.ZodArray<T>; next: typeof text }> {
  return z.object({ items: z.array(item), next });
}

const stage = z.object({
  name: z.enum(['works', 'saved', 'parsed', 'chunked', 'embedded']),
  done: count,
  failed: count,
  of: number,
  per_minute: number,
  seconds_left: number,
});

const tried = z
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

// Schemas for works, documents, passages, answers, tables, the drawn graph and the summary.

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

const step = z.enum(['success', 'failure', 'needs-ocr']).nullable();

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
  next: number.describe('The next block; null at the end.'),
});

const failure = z.object({ kind: z.literal('error'), problem }).describe('The last line, where the work failed.');

export const answerLine = z.discriminatedUnion('kind', [
  z
    .object({ kind: z.literal('passages'), passages: z.array(answerPassage) })
    .describe('Sent again where the question is asked in other words.'),
  z.object({ kind: z.literal('sentence'), sentence: answerSentence }).describe('A sentence that passed the gate.'),
  z.object({ kind: z.literal('answer'), answer: answerShape }).describe('The whole answer: the last line.'),
  failure,
]);

const column = z
  .object({
    name: z.string(),
    question: z.string(),
    type: z.enum(['text', 'number', 'yes/no', 'choice']),
    unit: text,
    choices: z.array(z.string()),
    field: text.describe('The field of the record that it shows; null for what is read in the paper.'),
  })
  .meta({ id: 'Column' });

const tableHead = {
  id: z.string(),
  columns: z.array(column),
  model: text.describe('The model that filled it in; null where none was asked.'),
};

const cellQuote = z
  .object({
    text: z.string(),
    page: number,
    passage: z.object({ id: z.string(), start: z.int(), end: z.int() }).nullable(),
  })
  .nullable();

const tableRow = z
  .object({
    document: z.string(),
    work: z.object({ id: z.string(), title: text, year: number, apa: z.string(), doi: text }).nullable(),
    link: text,
    cells: z
      .array(
        z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('value'), value: z.string(), from: z.string(), quote: cellQuote }),
          z.object({ kind: z.literal('empty'), reason: z.string(), sentence: z.string(), quote: cellQuote }),
        ]),
      )
      .describe('In the order of the columns.'),
  })
  .meta({ id: 'TableRow' });

export const row = z.object({ row: tableRow.nullable() });

export const tables = z.object({ items: z.array(z.object({ ...tableHead, at })) });

export const table = z.object({
  ...tableHead,
  rows: z.array(tableRow),
  next: text.describe('Cursor of the next rows; null at the end.'),
});

export const tableLine = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('row'), row: tableRow }).describe('A row that was filled in now.'),
  z
    .object({
      kind: z.literal('table'),
      table: z.string().describe('The id of the table.'),
      rows: count,
      filled: count.describe('Rows filled in now.'),
      failed: count,
      over_budget: count,
    })
    .describe('The last line.'),
  failure,
]);

export const drawnWorks = z.object({ items: z.array(z.object({ id: z.string(), label: z.string() })) });

export const picture = z.object({
  nodes: z.array(
    z
      .object({ id: z.string(), kind: z.string(), label: z.string(), year: number, x: z.number(), y: z.number() })
      .loose(),
  ),
  edges: z.array(z.object({ source: z.int(), target: z.int(), kind: z.string() }).loose()),
  leftOut: z.record(z.string(), count),
});

export const account = z.object({
  asked: z.record(z.string(), z.unknown()).nullable(),
  prisma: z
    .object({
      identified: count,
      screened: count,
      not_screened: count,
      excluded: count,
      sought: count,
      not_retrieved: count,
      retrieved: count,
      excluded_by_full_text: count,
      excluded_by_full_text_reasons: counts,
      included: count,
    })
    .loose(),
  counts: counts.describe('Each count of the corpus; docs/reference has a sentence for each.'),
  outcomes: counts,
  by_resolver: counts,
  listed_by_file: counts,
  unreadable_by_file: counts,
  reasons: z.array(z.object({ value: z.string(), works: count, sentence: text })),
  licences: z.array(z.object({ value: z.string(), works: count })),
  stages: z.array(stage),
  run: z.unknown().describe('The latest summary written by the run.'),
});

// Schemas for sources of full texts, stage durations, and host activity over time.

const place = z.number().describe('Epoch milliseconds.');

export const sources = z.object({
  works: count,
  bytes: count,
  resolvers: z.array(
    z.object({
      name: z.string(),
      asked: count.describe('Works looked up.'),
      answered: count.describe('Works for which it returned a result.'),
      saved: count,
      attempts: count,
    }),
  ),
  attempt_reasons: z
    .array(z.object({ reason: z.string(), attempts: count, sentence: text }))
    .describe('Failed attempts by reason.'),
  lost: counts.describe('Works without a full text, by the host that failed to deliver one.'),
  kinds: counts.describe('Downloaded files by kind.'),
});

export const stages = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      succeeded: count,
      failed: count,
      skipped: count.describe('Documents already processed by an earlier run.'),
      needs_ocr: count.describe('Scanned documents without text.'),
      median_s: z.number(),
      p95_s: z.number(),
      max_s: z.number(),
      histogram: z.array(z.object({ up_to_s: z.number(), documents: count })),
      slowest: z.array(z.object({ document: z.string(), seconds: z.number() })),
      categories: counts.describe('Failures by category.'),
      failures: z.array(z.object({ document: z.string(), category: z.string(), message: z.string() })),
    }),
  ),
});

export const lanes = z.object({
  from: z.enum(['log', 'attempts']).describe('The host log, or only the attempts that the manifest names.'),
  time_scale: z.number().describe('Real seconds per second of the run; below 1 for a simulated web.'),
  omitted: count.describe('Number of hosts not listed, those with the fewest requests.'),
  items: z.array(
    z.object({
      host: z.string(),
      requests: count,
      bytes: count,
      most: count.describe('Maximum number of requests in flight; 0 if unknown.'),
      cap: count.describe('Limit of requests in flight; 0 if unknown.'),
      refused: count,
      failed: count,
      waited_ms: z.number().describe('Total time requests waited for a slot.'),
      slices: z
        .array(z.tuple([place, z.number(), count, count, count]))
        .describe('Start, length in ms, requests, refused (429, 503), failed.'),
      holds: z.array(z.tuple([place, place, z.enum(['asked', 'failing'])])).describe('From, until, why.'),
    }),
  ),
});

export const passages = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      headings: z.array(z.string()),
      page: z.int().describe('0 for documents without pages.'),
      text: z.string(),
      context: z.string().describe('Title and headings, which are also searched.'),
      tokens: count,
      blocks: z.array(z.int()),
    }),
  ),
});
