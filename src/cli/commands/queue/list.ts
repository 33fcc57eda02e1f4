import { once } from 'node:events';

import { Command, Option } from 'commander';

import { AppError } from '../../../base/index.ts';
import type { Job, JobFilter, JobState, QueueAdmin } from '../../../queue/index.ts';
import { JOB_STATES } from '../../../queue/index.ts';
import type { Session } from '../../session.ts';
import { plain, table } from '../../terminal.ts';
import { wholeNumber } from '../../whole-number.ts';
import { codeOfReason, queueOptions, withQueue } from './shared.ts';

interface FilterOptions {
  readonly state?: JobState;
  readonly resolver?: string;
  readonly host?: string;
  readonly errorCode?: string;
}

interface ListOptions {
  readonly limit: number;
  readonly export?: boolean;
}

function filterOptions(command: Command): Command {
  return queueOptions(command)
    .addOption(new Option('--state <state>', 'only jobs in this state').choices([...JOB_STATES]))
    .option('--resolver <name>', 'only jobs of this resolver')
    .option('--host <host>', 'only jobs at this host')
    .option('--error-code <code>', 'only jobs whose last error has this code or this manifest reason');
}

function filterOf({ state, resolver, host, errorCode }: FilterOptions): JobFilter {
  return { ...(state && { states: [state] }), resolver, host, errorCode: codeOfReason(errorCode) };
}

export function listCommand(): Command {
  return filterOptions(new Command('list'))
    .description('list jobs, or show one job in full')
    .argument('[id]', 'number or artifact id of a job')
    .option('--limit <n>', 'maximum number of jobs', wholeNumber(1), 50)
    .option('--export', 'print all matching jobs as JSONL for queue import')
    .addHelpText(
      'after',
      '\nExamples:\n  contentdownload queue list --state error --error-code HTTP_404\n  contentdownload queue list doi:10.1234/example\n  contentdownload queue list --state error --export > failed.jsonl\n',
    )
    .action(async (id: string | undefined, options: FilterOptions & ListOptions, self: Command) => {
      await withQueue(self, async (queue, session) => {
        const { terminal, json } = session;
        if (id !== undefined) return await showJob(id, queue.store.admin, session);
        if (options.export) return await exportJobs(queue.store.admin, filterOf(options));
        const jobs = await queue.store.admin.list(filterOf(options), { limit: options.limit });
        if (json) for (const job of jobs) terminal.print(JSON.stringify(jobJson(job)));
        else {
          const rows = jobs.map((job) => [
            job.id,
            plain(job.artifactId),
            job.state,
            job.attempts,
            plain(job.lastError ?? '').slice(0, 60),
          ]);
          terminal.print(table(rows, ['id', 'artifact', 'state', 'attempts', 'last error']));
        }
        if (jobs.length === options.limit)
          session.log('info', `only the first ${options.limit} are shown; --limit shows more, --export all`);
      });
    });
}

async function showJob(id: string, admin: QueueAdmin, { terminal, json }: Session): Promise<void> {
  const job = (await admin.find(id)) ?? (/^\d+$/.test(id) ? await admin.find(Number(id)) : undefined);
  if (!job) throw new AppError('JOB_UNKNOWN', `job not found: ${id}`, { hint: 'see queue list' });
  const fields = jobJson(job);
  if (json) return terminal.print(JSON.stringify(fields));
  const rows = Object.entries(fields).map(([name, value]) => [
    name,
    plain(typeof value === 'string' ? value : JSON.stringify(value)),
  ]);
  terminal.print(table(rows));
}

async function exportJobs(admin: QueueAdmin, filter: JobFilter): Promise<void> {
  for await (const job of everyJob(admin, filter))
    if (!process.stdout.write(`${JSON.stringify(jobJson(job))}\n`)) await once(process.stdout, 'drain');
}

async function* everyJob(admin: QueueAdmin, filter: JobFilter): AsyncGenerator<Job> {
  for (let after = 0; ;) {
    const page = await admin.list(filter, { limit: 1000, after });
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.id;
  }
}

/** A job with its SQL column names; timestamps as ISO 8601. */
function jobJson(job: Job): Record<string, unknown> {
  const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
  return {
    id: job.id,
    artifact_id: job.artifactId,
    artifact: parsed(job.artifactJson),
    state: job.state,
    attempts: job.attempts,
    last_error: job.lastError,
    result: job.result === null ? null : parsed(job.result),
    deaths: job.deaths,
    deaths_alone: job.deathsAlone,
    suspect_since: iso(job.suspectSince),
    resolver_hint: job.resolverHint,
    host: job.host,
    priority: job.priority,
    created_at: iso(job.createdAt),
    updated_at: iso(job.updatedAt),
    available_at: iso(job.availableAt),
    lease_expires_at: iso(job.leaseExpiresAt),
    worker_id: job.workerId,
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    // Jobs enqueued by other programs may hold a payload that is not JSON.
    return json;
  }
}
