import * as z from 'zod';

import { flag, seconds } from './setting.ts';

/** How every stage runs its documents. What is null here is for the stage to say, and a flag wins over both. */
export const stageSchema = z.strictObject({
  source: z
    .enum(['files', 'queue'])
    .default('files')
    .describe(
      'Where documents come from: files (each runner scans the input folder) or queue (runners on several machines share one queue).',
    )
    .meta(flag('--source <source>', 'stage')),
  policy: z
    .enum(['io', 'cpu', 'gpu'])
    .nullable()
    .default(null)
    .describe('Where documents are processed: in the main thread (io, gpu) or in child processes (cpu).')
    .meta(flag('--policy <policy>', 'stage')),
  scheduling: z
    .enum(['fifo', 'sjf', 'lpt'])
    .nullable()
    .default(null)
    .describe('Processing order: fifo (as planned), sjf (cheapest first) or lpt (most expensive first).')
    .meta(flag('--scheduling <order>', 'stage')),
  workers: z
    .int()
    .min(1)
    .max(1_024)
    .nullable()
    .default(null)
    .describe('Maximum number of documents processed concurrently.')
    .meta(flag('--workers <n>', 'stage')),
  max_queue: z
    .int()
    .min(0)
    .max(1_000_000)
    .nullable()
    .default(null)
    .describe('Maximum number of documents waiting for a worker.')
    .meta(flag('--max-queue <n>', 'stage')),
  timeout_s: seconds(0)
    .max(604_800)
    .nullable()
    .default(null)
    .describe('Timeout for one document; 0 means no limit.')
    .meta(flag('--timeout-s <s>', 'stage')),
  retries: z
    .int()
    .min(0)
    .max(100)
    .nullable()
    .default(null)
    .describe('Retries per document after a transient error.')
    .meta(flag('--retries <n>', 'stage')),
  retry_backoff_s: seconds(0)
    .max(3_600)
    .default(1)
    .describe('Delay before the first retry; doubles with each retry, ± 25 %.')
    .meta(flag('--retry-backoff-s <s>', 'stage')),
  error_budget: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .default(0)
    .describe('Number of failed documents above which the stage stops; 0 means never.')
    .meta(flag('--error-budget <n>', 'stage')),
  resume: z.boolean().default(true).describe('Skip documents that an earlier run has already processed.'),
  verify_hash: z
    .boolean()
    .default(false)
    .describe('Rehash every input and output instead of comparing size and modification time.')
    .meta(flag('--verify-hash', 'stage')),
  diagnostics_interval_s: seconds(0)
    .max(86_400)
    .default(30)
    .describe('How often to print progress when output is not a terminal; 0 means never.')
    .meta(flag('--diagnostics-interval-s <s>', 'stage')),
  recycle_after_items: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .nullable()
    .default(null)
    .describe('Replace a cpu worker after this many documents; 0 means never.'),
  durable: z
    .boolean()
    .default(true)
    .describe('Sync outputs and manifest rows to disk before a document counts as done.'),
});
