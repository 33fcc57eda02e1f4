import * as z from 'zod';

import { flag, seconds, setting } from './setting.ts';

/** How every stage runs its documents. What is null here is for the stage to say, and a flag wins over both. */
export const stageSchema = z.strictObject({
  source: setting(
    z.enum(['files', 'queue']).default('files'),
    'Where documents come from: files (each runner scans the input folder) or queue (runners on several machines share one queue).',
    flag('--source <source>', 'stage'),
  ),
  policy: setting(
    z.enum(['io', 'cpu', 'gpu']).nullable().default(null),
    'Where documents are processed: in the main thread (io, gpu) or in child processes (cpu).',
    flag('--policy <policy>', 'stage'),
  ),
  scheduling: setting(
    z.enum(['fifo', 'sjf', 'lpt']).nullable().default(null),
    'Processing order: fifo (as planned), sjf (cheapest first) or lpt (most expensive first).',
    flag('--scheduling <order>', 'stage'),
  ),
  workers: setting(
    z.int().min(1).max(1_024).nullable().default(null),
    'Maximum number of documents processed concurrently.',
    flag('--workers <n>', 'stage'),
  ),
  max_queue: setting(
    z.int().min(0).max(1_000_000).nullable().default(null),
    'Maximum number of documents waiting for a worker.',
    flag('--max-queue <n>', 'stage'),
  ),
  timeout_s: setting(
    seconds(0).max(604_800).nullable().default(null),
    'Timeout for one document; 0 means no limit.',
    flag('--timeout-s <s>', 'stage'),
  ),
  retries: setting(
    z.int().min(0).max(100).nullable().default(null),
    'Retries per document after a transient error.',
    flag('--retries <n>', 'stage'),
  ),
  retry_backoff_s: setting(
    seconds(0).max(3_600).default(1),
    'Delay before the first retry; doubles with each retry, ± 25 %.',
    flag('--retry-backoff-s <s>', 'stage'),
  ),
  error_budget: setting(
    z.int().min(0).max(1_000_000_000).default(0),
    'Number of failed documents above which the stage stops; 0 means never.',
    flag('--error-budget <n>', 'stage'),
  ),
  resume: setting(z.boolean().default(true), 'Skip documents that an earlier run has already processed.'),
  verify_hash: setting(
    z.boolean().default(false),
    'Rehash every input and output instead of comparing size and modification time.',
    flag('--verify-hash', 'stage'),
  ),
  diagnostics_interval_s: setting(
    seconds(0).max(86_400).default(30),
    'How often to print progress when output is not a terminal; 0 means never.',
    flag('--diagnostics-interval-s <s>', 'stage'),
  ),
  durable: setting(
    z.boolean().default(true),
    'Sync outputs and manifest rows to disk before a document counts as done.',
  ),
});
