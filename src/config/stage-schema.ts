import * as z from 'zod';

import { flag, seconds } from './setting.ts';

/** How every stage runs its documents. What is null here is for the stage to say, and a flag wins over both. */
export const stageSchema = z.strictObject({
  source: z
    .enum(['files', 'queue'])
    .default('files')
    .describe('Where documents come from: each runner finds them by itself, or all runners share them by a queue.')
    .meta(flag('--source <source>', 'stage')),
  policy: z
    .enum(['io', 'cpu', 'gpu'])
    .nullable()
    .default(null)
    .describe('Where the work is done: in this thread (io, gpu) or in child processes (cpu).')
    .meta(flag('--policy <policy>', 'stage')),
  scheduling: z
    .enum(['fifo', 'sjf', 'lpt'])
    .nullable()
    .default(null)
    .describe("Which documents come first: the plan's order, cheapest first, or most expensive first.")
    .meta(flag('--scheduling <order>', 'stage')),
  workers: z
    .int()
    .min(1)
    .max(1_024)
    .nullable()
    .default(null)
    .describe('Documents at once.')
    .meta(flag('--workers <n>', 'stage')),
  max_queue: z
    .int()
    .min(0)
    .max(1_000_000)
    .nullable()
    .default(null)
    .describe('Documents that may wait for a worker.')
    .meta(flag('--max-queue <n>', 'stage')),
  timeout_s: seconds(0)
    .max(604_800)
    .nullable()
    .default(null)
    .describe('Longest time for one document; 0 means any.')
    .meta(flag('--timeout-s <s>', 'stage')),
  abort_grace_s: seconds(0)
    .max(3_600)
    .default(2)
    .describe('How long an io document that was told to stop may take before it is left behind.'),
  retries: z
    .int()
    .min(0)
    .max(100)
    .nullable()
    .default(null)
    .describe('Attempts after the first, for errors that may pass.')
    .meta(flag('--retries <n>', 'stage')),
  retry_backoff_s: seconds(0)
    .max(3_600)
    .default(1)
    .describe('Delay before the first retry; it doubles, ± 25 %.')
    .meta(flag('--retry-backoff-s <s>', 'stage')),
  error_budget: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .default(0)
    .describe('A stage stops after more failed documents than this; 0 means never.')
    .meta(flag('--error-budget <n>', 'stage')),
  resume: z.boolean().default(true).describe('Skip what an earlier run has done.'),
  verify_hash: z
    .boolean()
    .default(false)
    .describe('Hash every input and output again instead of trusting size and time.')
    .meta(flag('--verify-hash', 'stage')),
  diagnostics_interval_s: seconds(0)
    .max(86_400)
    .default(30)
    .describe('How often a pipe is told how far a stage is; 0 means never.')
    .meta(flag('--diagnostics-interval-s <s>', 'stage')),
  recycle_after_items: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .nullable()
    .default(null)
    .describe('Documents after which a cpu worker is replaced; 0 means never.'),
  recycle_over_mb: z
    .int()
    .min(0)
    .max(1_048_576)
    .default(0)
    .describe('A cpu worker that holds more between two documents is replaced; 0 means never.'),
  warm_spare: z
    .boolean()
    .nullable()
    .default(null)
    .describe('Keep one more cpu worker ready, in case one has to be killed; null leaves it to the stage.'),
  durable: z
    .boolean()
    .default(true)
    .describe('Whether outputs and rows are on the disk before a document counts as done.'),
});
