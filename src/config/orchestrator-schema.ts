import * as z from 'zod';

import { flag, seconds } from './setting.ts';

/** How jobs are run: how many at once, for how long they are leased, how often they are tried. */
export const orchestratorSchema = z
  .strictObject({
    max_workers: z
      .int()
      .min(1)
      .max(256)
      .default(8)
      .describe('Jobs that run at once in this process.')
      .meta(flag('--workers <n>', 'download', 'queue-run')),
    max_per_resolver: z
      .record(z.string().min(1), z.int().min(1))
      .default({})
      .describe(
        'Downloads in flight per resolver, for example {"unpaywall": 2}; a resolver not named has no cap of its own.',
      )
      .meta(flag('--max-per-resolver <a:2,b:3>', 'queue-run')),
    max_per_host: z
      .int()
      .min(1)
      .default(4)
      .describe('Downloads in flight at one host.')
      .meta(flag('--max-per-host <n>', 'queue-run')),
    lease_ttl_seconds: z
      .int()
      .min(30)
      .default(600)
      .describe('A job whose worker sent no heartbeat for this long is leased again.'),
    heartbeat_seconds: z
      .int()
      .min(5)
      .default(30)
      .describe('How often leases of running jobs are extended: at most a third of lease_ttl_seconds.'),
    max_job_attempts: z.int().min(1).default(3).describe('A job that failed this often ends in state error.'),
    max_job_deaths: z
      .int()
      .min(1)
      .default(3)
      .describe(
        'A job whose process died this often while it ran alone ends in state error, or up to three times as often where other processes died without it in the last hour; alone runs what was in hand at two deaths beside others, since most jobs in the hands of a process that dies have not killed it.',
      ),
    retry_backoff_seconds: z
      .int()
      .min(1)
      .default(60)
      .describe('Delay before the second attempt; it doubles with each further one.'),
    jitter_seconds: z.int().min(0).default(15).describe('Up to this much is added to each retry delay by chance.'),
    retry_max_delay_seconds: z
      .int()
      .min(1)
      .default(3600)
      .describe('No retry is delayed longer than this, jitter aside.'),
    job_timeout_seconds: seconds(0)
      .default(3600)
      .describe('A job running longer is aborted and counts as failed; 0 means no limit.'),
    shutdown_grace_seconds: seconds(0)
      .default(30)
      .describe('How long running jobs may finish after the first Ctrl-C before they are aborted.'),
    max_parked: z
      .int()
      .min(0)
      .default(256)
      .describe('Jobs that may wait for a busy host without holding a worker; beyond it they go back to the queue.'),
    ready_per_host: z
      .int()
      .min(0)
      .max(16)
      .default(1)
      .describe('Jobs that are leased ahead for a busy host and begin the moment it has room; they hold no worker.'),
  })
  .refine(({ heartbeat_seconds, lease_ttl_seconds }) => heartbeat_seconds * 3 <= lease_ttl_seconds, {
    path: ['heartbeat_seconds'],
    error:
      'must be at most a third of orchestrator.lease_ttl_seconds, so that a lease never runs out under a job that runs',
  });
