import { once } from 'node:events';

import { Command, Option } from 'commander';

import { AppError, hostKey } from '../../../base/index.ts';
import type { Config } from '../../../config/index.ts';
import type { BadArtifact } from '../../../harvest/queue/index.ts';
import { readArtifacts } from '../../../harvest/queue/index.ts';
import { Pools } from '../../../hosts/index.ts';
import type { Job, JobFilter, JobState, Pause, QueueAdmin, WorkQueue } from '../../../queue/kept/index.ts';
import { JOB_STATES, jobJson, overviewOf } from '../../../queue/kept/index.ts';
import { wholeNumber } from '../../options.ts';
import { showProgress } from '../../progress.ts';
import type { Session } from '../../session.ts';
import { count, plain } from '../../terminal.ts';
import { queueOptions, withQueue } from './shared.ts';

/** Bad lines printed individually; the rest are only counted. */
const SHOWN_BAD_LINES = 20;

export function enqueueCommand(): Command {
  return queueOptions(new Command('enqueue'))
    .description('add one job, or the jobs of a JSONL file')
    .argument('[id]', 'unique id of the job, such as doi:10.1234/example; does nothing if the id exists')
    .argument('[json]', 'payload of the job', '{}')
    .option('-i, --input <file>', 'JSONL file of jobs, or - for standard input')
    .option('--resolver <name>', 'resolver expected to serve this job')
    .option('--priority <n>', 'jobs with a higher priority run first', wholeNumber())
    .addHelpText(
      'after',
      `\nExample:\n  contentdownload queue enqueue doi:10.1234/example '{"doi":"10.1234/example"}'\n`,
    )
    .action(
      async (
        id: string | undefined,
        json: string,
        options: { input?: string; resolver?: string; priority?: number },
        self: Command,
      ) => {
        if ((id === undefined) === (options.input === undefined)) {
          throw new AppError('USAGE_ENQUEUE', 'give either an id or --input', {
            hint: 'contentdownload queue enqueue --help shows an example',
          });
        }
        await withQueue(self, async (queue, session) => {
          if (options.input !== undefined) return importArtifacts(queue, session, options.input, Infinity);
          const added = await queue.enqueue(id ?? '', parsePayload(json), {
            resolverHint: options.resolver,
            priority: options.priority,
          });
          session.print({ artifact_id: id, added }, plain(added ? `added ${id}` : `${id} is already in the queue`));
        });
      },
    );
}

export function importCommand(): Command {
  return queueOptions(new Command('import'))
    .description('add jobs from a JSONL file, optionally gzipped')
    .argument('<file>', 'the file, or - for standard input')
    .option('--limit <n>', 'maximum number of lines to add', wholeNumber(0))
    .addHelpText(
      'after',
      `
A line is {"artifact_id", "artifact", "resolver_hint"?, "priority"?} or an
artifact itself, whose id is its artifact_id, id, doi, url, or a hash of its
content. Known ids are skipped, so importing again is safe. Bad lines are
reported with their number, the rest is imported, and the exit code is 1.

Example:
  contentdownload queue import artifacts.jsonl --limit 10000
`,
    )
    .action(async (file: string, options: { limit?: number }, self: Command) => {
      await withQueue(self, (queue, session) => importArtifacts(queue, session, file, options.limit ?? Infinity));
    });
}

function parsePayload(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    throw new AppError(
      'USAGE_PAYLOAD',
      `the payload is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      {
        hint: `quote it for the shell, for example '{"doi":"10.1234/example"}'`,
      },
    );
  }
}

async function importArtifacts(queue: WorkQueue, session: Session, file: string, limit: number): Promise<void> {
  const bad: BadArtifact[] = [];
  let badLines = 0;
  let counts = { added: 0, known: 0 };
  const report = (line: BadArtifact): void => {
    badLines += 1;
    if (bad.length < 1000) bad.push(line);
    if (badLines <= SHOWN_BAD_LINES) session.log('warn', `line ${line.line}: ${line.reason}`);
  };
  {
    const startedAt = session.clock.monotonic();
    using _progress = showProgress(session.terminal, session.clock, () => {
      const done = counts.added + counts.known;
      const perSecond = done / ((session.clock.monotonic() - startedAt) / 1000);
      return `importing  ${count(done)} lines  ${count(perSecond)}/s  ${count(counts.added)} new  ${count(counts.known)} known  ${count(badLines)} bad`;
    });
    counts = await queue.bulkImport(take(readArtifacts(file, report), limit), (now) => (counts = now));
  }
  if (badLines > SHOWN_BAD_LINES) session.log('warn', `and ${count(badLines - SHOWN_BAD_LINES)} more bad lines`);
  session.print(
    { ...counts, bad: badLines, bad_lines: bad },
    `${count(counts.added)} added, ${count(counts.known)} already known, ${count(badLines)} bad`,
  );
  if (badLines > 0) process.exitCode = 1;
}

async function* take<T>(source: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let taken = 0;
  if (limit <= 0) return;
  for await (const each of source) {
    yield each;
    taken += 1;
    if (taken >= limit) return;
  }
}

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

export function retryFailedCommand(): Command {
  return queueOptions(new Command('retry-failed').alias('retry'))
    .description('requeue failed jobs with a fresh attempt counter')
    .option('--max-attempts <n>', 'only jobs with fewer attempts than this', wholeNumber(1))
    .option('--error-code <code>', 'only jobs that failed with this code')
    .option(
      '--reason <reason>',
      'only jobs that ended with this reason, including skipped ones: paywalled, robots-disallowed …',
    )
    .option('--resolver <name>', 'only jobs of this resolver')
    .option('--dry-run', 'only count matching jobs')
    .addHelpText('after', '\nExample:\n  contentdownload queue retry-failed --error-code HTTP_503 --dry-run\n')
    .action(
      async (
        options: { maxAttempts?: number; errorCode?: string; reason?: string; resolver?: string; dryRun?: boolean },
        self: Command,
      ) => {
        await withQueue(self, async (queue, session, { config }) => {
          const dryRun = options.dryRun ?? false;
          const filter = {
            // Skipped jobs are retried only when --reason is given.
            states: options.reason === undefined ? ['error'] : ['error', 'skipped'],
            errorCode: codeOfReason(options.reason ?? options.errorCode),
            resolver: options.resolver,
            belowAttempts: options.maxAttempts,
          } satisfies JobFilter;
          const jobs = await queue.store.admin.requeue(filter, session.clock.now(), { dryRun });
          session.print(
            { requeued: dryRun ? 0 : jobs, matching: jobs, dry_run: dryRun },
            `${count(jobs)} failed ${jobs === 1 ? 'job' : 'jobs'} ${dryRun ? 'would be ' : ''}requeued`,
          );
          if (dryRun || jobs === 0 || overviewOf(await queue.stats()).counts.processes > 0) return;
          const place = config.queue.backend === 'postgres' ? 'postgres://…' : config.queue.path;
          session.log(
            'info',
            `no active workers; start one: docstokg queue run --queue ${place}, or the same docstokg run command again`,
          );
        });
      },
    );
}

export function pauseCommand(verb: 'pause' | 'resume'): Command {
  const command = verb === 'pause' ? 'start no new jobs' : 'start new jobs again';
  return queueOptions(new Command(verb))
    .description(`${command}: everywhere, at one host, or of one resolver`)
    .option('--host <host>', 'only jobs at this host')
    .option('--resolver <name>', 'only jobs of this resolver')
    .addHelpText(
      'after',
      `\nTakes effect in every worker process within a second; running jobs finish.\n\nExample:\n  contentdownload queue ${verb} --host arxiv.org\n`,
    )
    .action(async (options: { host?: string; resolver?: string }, self: Command) => {
      const [scope, name] = pauseTarget(options);
      await withQueue(self, async (queue, session, { config }) => {
        const { admin } = queue.store;
        const changed =
          verb === 'pause' ? await admin.pause(scope, name, session.clock.now()) : await admin.resume(scope, name);
        const what = scope === 'all' ? 'everything' : `${scope} ${plain(name)}`;
        // Unknown names are paused too, because such jobs may be enqueued later; print a warning in case of a typo.
        const known = scope === 'all' || verb === 'resume' || (await isKnown(queue, config, scope, name));
        const unchanged = verb === 'pause' ? 'already paused' : 'not paused';
        session.print({ scope, name, changed, known }, changed ? `${what} ${verb}d` : `${what} was ${unchanged}`);
        if (!known)
          session.log(
            'warn',
            `${what} is unknown: no job, worker or setting uses it; check the spelling (undo: queue resume --${scope} ${plain(name)})`,
          );
      });
    });
}

/** Whether any job, worker or setting uses this host or resolver. */
async function isKnown(queue: WorkQueue, config: Config, scope: 'host' | 'resolver', name: string): Promise<boolean> {
  const [job] = await queue.store.admin.list({ [scope]: name }, { limit: 1 });
  if (job) return true;
  const { configuredServices } = await import('../../../harvest/index.ts');
  if (scope === 'host') {
    const pools = new Pools(configuredServices(config).pools());
    const { workers } = await queue.stats();
    return pools.of(name, undefined).length > 0 || workers.some(({ hosts }) => hosts.some(({ key }) => key === name));
  }
  const { RESOLVERS } = await import('../../../resolve/index.ts');
  return (
    RESOLVERS.some((resolver) => resolver.name === name) || Object.hasOwn(config.orchestrator.max_per_resolver, name)
  );
}

function pauseTarget(options: { host?: string; resolver?: string }): [Pause['scope'], string] {
  if (options.host !== undefined && options.resolver !== undefined) {
    throw new AppError('USAGE_PAUSE', 'give a host or a resolver, not both', { hint: 'run the command once for each' });
  }
  if (options.host !== undefined)
    return ['host', hostKey(options.host.includes('://') ? options.host : `https://${options.host}`)];
  return options.resolver === undefined ? ['all', ''] : ['resolver', options.resolver];
}

export function cancelCommand(): Command {
  return queueOptions(new Command('cancel'))
    .description('cancel a queued or running job')
    .argument('<id>', 'number or artifact id')
    .addHelpText('after', '\nExample:\n  contentdownload queue cancel doi:10.1234/example\n')
    .action(async (id: string, _options, self: Command) => {
      await withQueue(self, async (queue, session) => {
        const { admin } = queue.store;
        const job = await findJob(admin, id);
        const cancelled = await admin.cancel(job.id, session.clock.now());
        session.print(
          { id: job.id, artifact_id: job.artifactId, cancelled },
          plain(cancelled ? `cancelled ${job.artifactId}` : `${job.artifactId} has already ended (${job.state})`),
        );
        if (!cancelled) process.exitCode = 1;
      });
    });
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

export function pruneCommand(): Command {
  return queueOptions(new Command('prune'))
    .description('remove finished jobs; their ids can then be enqueued again')
    .requiredOption('--older-than <age>', 'only jobs that ended longer ago than this, such as 90m, 12h, 30d (required)')
    .addOption(new Option('--state <state>', 'only jobs in this state').choices(['done', 'skipped', 'error']))
    .option('--dry-run', 'only count matching jobs')
    .addHelpText('after', '\nExample:\n  contentdownload queue prune --older-than 30d --state done\n')
    .action(
      async (options: { olderThan: string; state?: 'done' | 'skipped' | 'error'; dryRun?: boolean }, self: Command) => {
        const match = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(options.olderThan);
        if (!match)
          throw new AppError('USAGE_AGE', `"${options.olderThan}" is not a valid age`, {
            hint: 'use a number and a unit: 90m, 12h, 30d',
          });
        const ageMs = Number(match[1]) * (UNITS[match[2] ?? ''] ?? 0);
        await withQueue(self, async (queue, session) => {
          const dryRun = options.dryRun ?? false;
          const filter = {
            ...(options.state && { states: [options.state] }),
            updatedBefore: session.clock.now() - ageMs,
          };
          const jobs = await queue.store.admin.prune(filter, { dryRun });
          session.print(
            { pruned: dryRun ? 0 : jobs, matching: jobs, dry_run: dryRun },
            `${count(jobs)} jobs ${dryRun ? 'would be removed' : 'removed'}`,
          );
        });
      },
    );
}

async function findJob(admin: QueueAdmin, id: string): Promise<Job> {
  const job = (await admin.find(id)) ?? (/^\d+$/.test(id) ? await admin.find(Number(id)) : undefined);
  if (job) return job;
  throw new AppError('JOB_UNKNOWN', `job not found: ${id}`, { hint: 'see queue list' });
}

/** Converts a manifest reason to an error code: `not-found` → `NOT_FOUND`. */
function codeOfReason(reason: string | undefined): string | undefined {
  return reason?.toUpperCase().replaceAll('-', '_');
}
