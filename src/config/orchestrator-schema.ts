import * as z from 'zod';

import { flag, seconds, setting } from './setting.ts';

/** How jobs are run: how many at once, for how long they are leased, how often they are tried. */
export const orchestratorSchema = z
  .strictObject({
    max_workers: setting(
      z.int().min(1).max(256).default(8),
      'Maximum number of jobs that run concurrently in this process.',
      flag('--workers <n>', 'download', 'queue-run'),
    ),
    max_per_resolver: setting(
      z.record(z.string().min(1), z.int().min(1)).default({}),
      'Maximum concurrent downloads per resolver, for example {"unpaywall": 2}; resolvers not listed have no limit.',
      flag('--max-per-resolver <a:2,b:3>', 'queue-run'),
    ),
    max_per_host: setting(
      z.int().min(1).default(4),
      'Maximum concurrent downloads per host.',
      flag('--max-per-host <n>', 'queue-run'),
    ),
    lease_ttl_seconds: setting(
      z.int().min(30).default(600),
      'Lease duration. A job whose worker has sent no heartbeat for this long can be leased by another worker.',
    ),
    heartbeat_seconds: setting(
      z.int().min(5).default(30),
      'How often a worker extends the leases of its running jobs; at most a third of lease_ttl_seconds.',
    ),
    max_job_attempts: setting(z.int().min(1).default(3), 'Attempts before a failing job ends in state error.'),
    max_job_deaths: setting(
      z.int().min(1).default(3),
      'Crashes of its process, while the job ran alone, after which the job ends in state error (up to three times as many if processes without it also crashed in the last hour). A job runs alone after two crashes while running with others.',
    ),
    retry_backoff_seconds: setting(
      z.int().min(1).default(60),
      'Delay before the second attempt; doubles with each further attempt.',
    ),
    jitter_seconds: setting(z.int().min(0).default(15), 'Maximum random delay added to each retry delay.'),
    retry_max_delay_seconds: setting(z.int().min(1).default(3600), 'Maximum retry delay, not counting jitter.'),
    job_timeout_seconds: setting(
      seconds(0).default(3600),
      'Maximum run time of a job. A job that runs longer is aborted and counts as failed; 0 means no limit.',
    ),
    shutdown_grace_seconds: setting(
      seconds(0).default(30),
      'How long running jobs may take to finish after the first Ctrl-C before they are aborted.',
    ),
    max_parked: setting(
      z.int().min(0).default(256),
      'Maximum number of jobs waiting for a busy host without occupying a worker; further jobs go back to the queue.',
    ),
    ready_per_host: setting(
      z.int().min(0).max(16).default(1),
      'Jobs leased in advance for each busy host, so that one can start as soon as the host has capacity; they do not occupy a worker.',
    ),
  })
  .refine(({ heartbeat_seconds, lease_ttl_seconds }) => heartbeat_seconds * 3 <= lease_ttl_seconds, {
    path: ['heartbeat_seconds'],
    error:
      'must be at most a third of orchestrator.lease_ttl_seconds, so that a lease never runs out under a job that runs',
  });
