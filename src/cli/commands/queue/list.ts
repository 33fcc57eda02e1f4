import { once } from 'node:events';

import { Command, Option } from 'commander';

import type { Job, JobFilter, JobState, QueueAdmin } from '../../../queue/kept/index.ts';
import { JOB_STATES, jobJson } from '../../../queue/kept/index.ts';
import { codeOfReason, findJob, queueOptions, withQueue } from './shared.ts';
import { wholeNumber } from '../../options.ts';

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
        if (id !== undefined) return session.print(jobJson(await findJob(queue.store.admin, id)));
        if (options.export) return await exportJobs(queue.store.admin, filterOf(options));
        const jobs = await queue.store.admin.list(filterOf(options), { limit: options.limit });
        if (json) for (const job of jobs) terminal.print(JSON.stringify(jobJson(job)));
        else
          session.print(
            jobs.map(({ id: number, artifactId: artifact, state, attempts, lastError }) => ({ number, artifact, state, attempts, lastError })), // prettier-ignore
          );
        if (jobs.length === options.limit)
          session.log('info', `only the first ${options.limit} are shown; --limit shows more, --export all`);
      });
    });
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
