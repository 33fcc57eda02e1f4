import { z } from 'zod';

import { count, counts, text } from './basics.ts';

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
