import { once } from 'node:events';

import { Command, Option } from 'commander';

import { AppError } from '../../../base/index.ts';
import type { Job, JobFilter, JobState, QueueAdmin } from '../../../queue/index.ts';
import { JOB_STATES } from '../../../queue/index.ts';
import { plain, table } from '../../terminal.ts';
import { wholeNumber } from '../../whole-number.ts';
import { codeOfReason, queueOptions, withQueue } from './shared.ts';

interface FilterOptions {
  readonly state?: JobState;
  readonly resolver?: string;
  readonly host?: string;
  readonly errorCode?: string;
}

function filterOptions(command: Command): Command {
  return queueOptions(command)
    .addOption(new Option('--state <state>', 'only jobs in this state').choices([...JOB_STATES]))
    .option('--resolver <name>', 'only jobs of this resolver')
    .option('--host <host>', 'only jobs of this host')
    .option('--error-code <code>', 'only jobs whose last error has this code; a reason of the manifest will do');
}

function filterOf({ state, resolver, host, errorCode }: FilterOptions): JobFilter {
  return { ...(state && { states: [state] }), resolver, host, errorCode: codeOfReason(errorCode) };
}

/** `queue list`. */
export function listCommand(): Command {
  return filterOptions(new Command('list'))
    .description('show jobs')
    .option('--limit <n>', 'at most this many', wholeNumber(1), 50)
    .addHelpText('after', '\nExample:\n  contentdownload queue list --state error --error-code HTTP_404\n')
    .action(async (options: FilterOptions & { limit: number }, self: Command) => {
      await withQueue(self, async (queue, session) => {
        const { terminal, json } = session;
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
          session.log('info', `only the first ${options.limit} are shown; --limit shows more, queue export all`);
      });
    });
}

/** `queue show`. */
export function showCommand(): Command {
  return queueOptions(new Command('show'))
    .description('show everything about one job')
    .argument('<id>', 'number or artifact id')
    .addHelpText('after', '\nExample:\n  contentdownload queue show doi:10.1234/example\n')
    .action(async (id: string, _options, self: Command) => {
      await withQueue(self, async (queue, { terminal, json }) => {
        const { admin } = queue.store;
        const job = (await admin.find(id)) ?? (/^\d+$/.test(id) ? await admin.find(Number(id)) : undefined);
        if (!job) throw new AppError('JOB_UNKNOWN', `there is no job ${id}`, { hint: 'queue list shows the jobs' });
        const fields = jobJson(job);
        if (json) terminal.print(JSON.stringify(fields));
        else
          terminal.print(
            table(
              Object.entries(fields).map(([name, value]) => [
                name,
                plain(typeof value === 'string' ? value : JSON.stringify(value)),
              ]),
            ),
          );
      });
    });
}

/** `queue export`. */
export function exportCommand(): Command {
  return filterOptions(new Command('export'))
    .description('print jobs as JSONL that queue import understands')
    .addHelpText('after', '\nExample:\n  contentdownload queue export --state error > failed.jsonl\n')
    .action(async (options: FilterOptions, self: Command) => {
      await withQueue(self, async (queue) => {
        for await (const job of everyJob(queue.store.admin, filterOf(options))) {
          if (!process.stdout.write(`${JSON.stringify(jobJson(job))}\n`)) await once(process.stdout, 'drain');
        }
      });
    });
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

/** A job under the names of its columns; moments as ISO 8601. */
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
    // Shown as it is: a job of another program need not hold JSON.
    return json;
  }
}
