import * as z from 'zod';

import {
  citation,
  count,
  documentHead,
  documentLine,
  fields,
  box,
  number,
  passage,
  runEvent,
  stepCount,
  text,
  work,
} from '../../library/shapes/index.ts';
import { answerSentence, answerShape, column, tableRow } from '../../ask/shapes/index.ts';
import { JOB_STATES } from '../../queue/index.ts';

// The OpenAPI document is generated from these schemas, and tests check real responses against them.

const at = text.describe('ISO 8601.');
const counts = z.record(z.string(), count);

export const next = text.describe('Cursor of the next page; null on the last page.');

export function page<T extends z.ZodType>(item: T): z.ZodObject<{ items: z.ZodArray<T>; next: typeof text }> {
  return z.object({ items: z.array(item), next });
}

const stage = stepCount.extend(fields(number, 'per_minute', 'seconds_left'));

const tried = z
  .object({
    ...fields(z.string(), 'run', 'at', 'outcome', 'reason'),
    ...fields(text, 'sentence', 'detail', 'resolver', 'url', 'file'),
    attempts: z.array(
      z.object({
        ...fields(z.string(), 'resolver', 'host', 'url', 'reason', 'started_at'),
        status: number,
        sentence: text,
        ...fields(z.number(), 'bytes', 'duration_ms'),
      }),
    ),
  })
  .meta({ id: 'Tried' });

export const run = z
  .object({
    ...fields(z.string(), 'id', 'title', 'folder'),
    state: z.enum(['running', 'done', 'stopped', 'failed', 'unknown']),
    ...fields(at, 'started_at', 'ended_at'),
    ...fields(count, 'works', 'saved', 'documents'),
    ...fields(z.boolean(), 'has_search', 'has_graph'),
  })
  .meta({ id: 'Run' });

export const about = z.object({
  ...fields(z.string(), 'name', 'version', 'now'),
  ...fields(z.boolean(), 'control', 'queue', 'mcp'),
  worker_command: text.describe('What to type to start a worker of the queue.'),
  runs: z.array(run),
});

export const event = runEvent
  .extend({
    id: z.int(),
    kind: z.enum([...runEvent.shape.kind.options, 'queue', 'control']),
    run: text,
    title: text.describe('Title of the document.'),
  })
  .meta({ id: 'Event' });

export const now = z.object({
  run,
  state: run.shape.state,
  stages: z.array(stage),
  outcomes: counts,
  ...fields(number, 'rate_per_minute', 'seconds_left'),
  events: z.array(event),
});

const state = z.enum(JOB_STATES);
const byState = fields(count, ...JOB_STATES);

const ended = z.object({
  code: z.string(),
  state,
  jobs: count,
  retryable: z.boolean().describe('Whether trying again may give another result.'),
});

export const history = z.object({
  points: z.array(z.object({ at: z.string(), ...fields(count, 'works', 'saved', 'parsed', 'chunked', 'embedded') })),
});

export const queue = z
  .object({
    ...byState,
    ...fields(count, 'total', 'quarantined'),
    ...fields(z.int(), 'due', 'delayed'),
    ...fields(number, 'per_second', 'left_seconds'),
    ...fields(at, 'oldest_queued_at', 'next_available_at'),
    oldest_queued_id: text,
    counts: z.object(fields(count, 'running', 'waiting_for_host', 'retrying', 'processes', 'workers')),
    by_error_code: z.array(ended).describe('Failed, skipped and retried jobs by reason.'),
    by_resolver: z.array(z.object({ resolver: text, state, jobs: count })),
    workers: z.array(
      z.object({
        ...fields(z.string(), 'worker_id', 'hostname'),
        alive: z.boolean(),
        pid: z.int(),
        holds: count.describe('Leased jobs.'),
        ...fields(count, 'maxWorkers', 'running', 'parked'),
        per_second: z.number(),
        ...fields(at, 'lease_ends_at', 'started_at', 'updated_at'),
      }),
    ),
    leases: z.array(z.object({ worker_id: text, jobs: count, expires_at: at })),
    slowed_hosts: z.array(
      z.object({ host: z.string(), cap: number, per_second: number, held_until: at, held_why: text }),
    ),
    pauses: z.array(z.object({ scope: z.enum(['all', 'host', 'resolver']), name: z.string(), since: at })),
  })
  .meta({ id: 'Queue' });

export const queueHistory = z.object({ points: z.array(z.object({ at: z.string(), ...byState })) });

export const job = z
  .object({
    artifact_id: z.string(),
    state,
    ...fields(z.int(), 'id', 'attempts', 'deaths', 'deaths_alone', 'priority'),
    ...fields(text, 'title', 'resolver_hint', 'host', 'last_error', 'error_code', 'worker_id'),
    ...fields(at, 'quarantined_since', 'created_at', 'updated_at', 'available_at', 'lease_expires_at'),
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
    ...fields(count, 'in_flight', 'waiting', 'refused', 'failed'),
    ...fields(at, 'next_at', 'held_until', 'last_at'),
    held_why: text.describe('rate-limited, host-held, paused, …'),
    paused: z.boolean(),
    budget_left: number,
    requests: count.describe('Requests from the host logs of the runs; refused means 429 or 503.'),
  })
  .meta({ id: 'Host' });

export const act = z
  .object({
    at: z.string(),
    who: z.string().describe('IP address and operator name.'),
    act: z.enum(['pause', 'resume', 'retry']),
    scope: z.enum(['all', 'host', 'resolver']).nullable(),
    ...fields(text, 'name', 'error_code'),
    changed: z.int().describe('Number of requeued jobs, or 1 for a pause or resume.'),
  })
  .meta({ id: 'Act' });

export const problem = z
  .object({
    ...fields(z.string(), 'type', 'title', 'detail', 'code'),
    status: z.int(),
    hint: text,
  })
  .meta({ id: 'Problem' });

export { documentLine };

export const wholeWork = work.extend({
  ...fields(text, 'abstract', 'url', 'apa', 'bibtex'),
  file: z.boolean(),
  history: z.array(tried),
});

const facet = z.array(z.object({ value: z.string(), works: count, sentence: text }));

export const facets = z.object(fields(facet, 'outcome', 'reason', 'licence', 'version', 'type', 'year'));

export const wholeDocument = z.object({
  ...documentHead,
  ...fields(text, 'kind', 'apa', 'bibtex'),
  before: text.describe('The document before this one in the list.'),
  after: text.describe('The document after this one in the list.'),
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
      cites: text.describe('The work of this corpus that a reference names.'),
      doi: text.describe('The DOI that a reference prints.'),
    }),
  ),
  next: number.describe('The next block; null at the end.'),
});

export const citations = z.object({ items: z.array(citation) });

export const pageText = z.object({
  ...fields(z.number(), 'width', 'height'),
  lines: z.array(z.object({ text: z.string(), ...fields(z.number(), 'left', 'right', 'baseline', 'size') })),
  links: z.array(
    z.object({
      ...fields(z.number(), 'left', 'top', 'right', 'bottom'),
      url: text.describe('Where it leads on the web.'),
      page: number.describe('Where it leads in the same file.'),
    }),
  ),
});

const failure = z.object({ kind: z.literal('error'), problem }).describe('The last line, where the work failed.');

export const answerLine = z.discriminatedUnion('kind', [
  z
    .object({ kind: z.literal('passages'), passages: z.array(passage) })
    .describe('Sent again where the question is asked in other words.'),
  z.object({ kind: z.literal('sentence'), sentence: answerSentence }).describe('A sentence that passed the gate.'),
  z.object({ kind: z.literal('answer'), answer: answerShape }).describe('The whole answer: the last line.'),
  failure,
]);

const tableHead = {
  id: z.string(),
  columns: z.array(column),
  model: text.describe('The model that filled it in; null where none was asked.'),
};

export const row = z.object({ row: tableRow.nullable() });

export const tables = z.object({ items: z.array(z.object({ ...tableHead, at })) });

const screenedOut = count.describe(
  'Works without a row because screening excluded them; 0 if `works` is given, such as excluded.',
);

export const table = z.object({
  ...tableHead,
  rows: z.array(tableRow),
  works_screened_out: screenedOut,
  next: text.describe('Cursor of the next rows; null at the end.'),
});

export const tableEstimate = z.object({
  papers: count,
  known: count.describe('Papers whose row is there, or whose answer is stored.'),
  ...fields(count, 'requests', 'input_tokens', 'most_output_tokens'),
  most_usd: number.describe('Null if prices are not set.'),
});

export const tableLine = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('row'), row: tableRow }).describe('A row that was filled in now.'),
  z
    .object({
      kind: z.literal('table'),
      table: z.string().describe('The id of the table.'),
      ...fields(count, 'rows', 'failed', 'over_budget'),
      filled: count.describe('Rows filled in now.'),
      works_screened_out: screenedOut,
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

/** A line of the stream that tells how the graph is being built. */
export const graphLine = z.discriminatedUnion('kind', [
  z
    .object({ kind: z.literal('progress'), done: count.describe('Documents read.'), total: number })
    .describe('How far the reading is.'),
  z.object({ kind: z.literal('warning'), message: z.string() }),
  z
    .object({ kind: z.literal('built'), documents: count, failed: count.describe('Documents that could not be read.') })
    .describe('The last line.'),
  failure,
]);

const unsettled = z
  .object({
    waiting: count.describe('Waiting for the decision of another reviewer.'),
    in_conflict: count.describe('The reviewers disagree.'),
    unsure: count.describe('Decided as maybe.'),
  })
  .describe('Works with decisions that do not settle them: they count as not decided.');

export const account = z.object({
  asked: z.record(z.string(), z.unknown()).nullable(),
  prisma: z
    .object({
      ...fields(
        count,
        'identified',
        'records',
        'unidentified',
        'screened',
        'not_screened',
        'excluded',
        'sought',
        'not_retrieved',
        'retrieved',
        'assessed',
        'not_assessed',
      ),
      ...fields(count, 'excluded_by_full_text', 'included'),
      ...fields(unsettled, 'not_screened_unsettled', 'not_assessed_unsettled'),
      excluded_by_full_text_reasons: counts,
    })
    .loose(),
  counts: counts.describe('Each count of the corpus; docs/reference has a sentence for each.'),
  ...fields(counts, 'outcomes', 'by_resolver', 'listed_by_file', 'repeated_by_file', 'unreadable_by_file'),
  reasons: z.array(z.object({ value: z.string(), works: count, sentence: text })),
  licences: z.array(z.object({ value: z.string(), works: count })),
  stages: z.array(stage),
  run: z.unknown().describe('The latest summary written by the run.'),
});

const place = z.number().describe('Epoch milliseconds.');

export const sources = z.object({
  ...fields(count, 'works', 'bytes'),
  resolvers: z.array(
    z.object({
      name: z.string(),
      asked: count.describe('Works looked up.'),
      answered: count.describe('Works for which it returned a result.'),
      ...fields(count, 'saved', 'attempts'),
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
      ...fields(count, 'succeeded', 'failed'),
      skipped: count.describe('Documents already processed by an earlier run.'),
      needs_ocr: count.describe('Scanned documents without text.'),
      ...fields(z.number(), 'median_s', 'p95_s', 'max_s'),
      histogram: z.array(z.object({ up_to_s: z.number(), documents: count })),
      slowest: z.array(z.object({ document: z.string(), seconds: z.number() })),
      categories: counts.describe('Failures by category.'),
      failures: z.array(z.object({ document: z.string(), category: z.string(), message: z.string() })),
    }),
  ),
});

export const lanes = z.object({
  from: z.enum(['log', 'attempts']).describe('The host log, or only the attempts that the manifest names.'),
  omitted: count.describe('Number of hosts not listed, those with the fewest requests.'),
  items: z.array(
    z.object({
      host: z.string(),
      ...fields(count, 'requests', 'bytes', 'refused', 'failed'),
      most: count.describe('Maximum number of requests in flight; 0 if unknown.'),
      cap: count.describe('Limit of requests in flight; 0 if unknown.'),
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
