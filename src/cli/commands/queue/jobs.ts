import { once } from 'node:events';

import { Argument, InvalidArgumentError, Option } from 'commander';

import { AppError, errorInfo, hostKey } from '../../../base/index.ts';
import type { BadArtifact } from '../../../run/queue/index.ts';
import { readArtifacts } from '../../../run/queue/index.ts';
import type { Job, JobFilter, Pause, QueueAdmin, WorkQueue } from '../../../queue/kept/index.ts';
import { JOB_STATES, jobJson, queueJson } from '../../../queue/kept/index.ts';
import { timeSpan, wholeNumber } from '../../options.ts';
import { count, counted, plain, showProgress } from '../../terminal.ts';
import type { OpenedQueue } from './shared.ts';
import { onQueue, queueCommand, workerCommand } from './shared.ts';

/** Bad lines printed individually; the rest are only counted. */
const SHOWN_BAD_LINES = 20;
/** Bad lines in the JSON. */
const MOST_BAD_LINES = 1_000;

export function enqueueCommand() {
  return queueCommand('enqueue')
    .description('add one job, or the jobs of a JSONL file')
    .argument('[id]', 'unique id of the job, such as doi:10.1234/example; does nothing if the id exists')
    .addArgument(new Argument('[json]', 'payload of the job').argParser(parsePayload).default({}, '{}'))
    .option('-i, --input <file>', 'JSONL file of jobs, or - for standard input')
    .option('--resolver <name>', 'resolver expected to serve this job')
    .option('--priority <n>', 'jobs with a higher priority run first', wholeNumber())
    .addHelpText(
      'after',
      `\nExample:\n  contentdownload queue enqueue doi:10.1234/example '{"doi":"10.1234/example"}'\n`,
    )
    .hook('preAction', (self) => {
      const { input } = self.opts();
      if (self.args.length > 0 === (input === undefined)) return;
      const hint = 'contentdownload queue enqueue --help shows an example';
      throw new AppError('USAGE_ENQUEUE', 'give either an id or --input', { hint });
    })
    .action(
      onQueue(async (opened, { input, resolver, priority }, id = '', payload) => {
        if (input !== undefined) return await importArtifacts(opened, input, Infinity);
        const added = await opened.queue.enqueue(id, payload, { resolverHint: resolver, priority });
        opened.session.print(
          { artifact_id: id, added },
          plain(added ? `added ${id}` : `${id} is already in the queue`),
        );
      }),
    );
}

export function importCommand() {
  return queueCommand('import')
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
    .action(onQueue((opened, { limit = Infinity }, file) => importArtifacts(opened, file, limit)));
}

function parsePayload(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    throw new InvalidArgumentError(
      `not JSON (${errorInfo(error).message}); quote it for the shell, for example '{"doi":"10.1234/example"}'`,
    );
  }
}

async function importArtifacts({ queue, session }: OpenedQueue, file: string, limit: number): Promise<void> {
  const bad: BadArtifact[] = [];
  let badLines = 0;
  let counts = { added: 0, known: 0 };
  const report = (line: BadArtifact): void => {
    badLines += 1;
    if (bad.length < MOST_BAD_LINES) bad.push(line);
    if (badLines <= SHOWN_BAD_LINES) session.warn(`line ${line.line}: ${line.reason}`);
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
  if (badLines > SHOWN_BAD_LINES) session.warn(`and ${count(badLines - SHOWN_BAD_LINES)} more bad lines`);
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

export function listCommand() {
  return queueCommand('list')
    .description('list jobs, or show one job in full')
    .argument('[id]', 'number or artifact id of a job')
    .addOption(new Option('--state <state>', 'only jobs in this state').choices([...JOB_STATES]))
    .option('--resolver <name>', 'only jobs of this resolver')
    .option('--host <host>', 'only jobs at this host')
    .option('--error-code <code>', 'only jobs whose last error has this code or this manifest reason')
    .option('--limit <n>', 'maximum number of jobs', wholeNumber(1), 50)
    .option('--export', 'print all matching jobs as JSONL for queue import')
    .addHelpText(
      'after',
      `
Examples:
  contentdownload queue list --state error --error-code HTTP_404
  contentdownload queue list doi:10.1234/example
  contentdownload queue list --state error --export > failed.jsonl
`,
    )
    .action(
      onQueue(async ({ queue, session }, options, id) => {
        const { admin } = queue.store;
        if (id !== undefined) return session.print(jobJson(await findJob(admin, id)));
        const { state, resolver, host, limit } = options;
        const filter = {
          ...(state && { states: [state] }),
          resolver,
          host,
          errorCode: codeOfReason(options.errorCode),
        };
        const jobs = take(everyJob(admin, filter), options.export ? Infinity : limit);
        if (options.export || session.json) {
          for await (const job of jobs)
            if (!process.stdout.write(`${JSON.stringify(jobJson(job))}\n`)) await once(process.stdout, 'drain');
          return;
        }
        const rows = await Array.fromAsync(jobs, (job) => {
          const { id: number, artifactId: artifact, attempts, lastError } = job;
          return { number, artifact, state: job.state, attempts, lastError };
        });
        session.print(rows);
        if (rows.length === limit) session.info(`only the first ${limit} are shown; --limit shows more, --export all`);
      }),
    );
}

async function* everyJob(admin: QueueAdmin, filter: JobFilter): AsyncGenerator<Job> {
  let page: readonly Job[] = [];
  do {
    page = await admin.list(filter, { limit: 1000, after: page.at(-1)?.id ?? 0 });
    yield* page;
  } while (page.length > 0);
}

export function retryFailedCommand() {
  return queueCommand('retry-failed')
    .alias('retry')
    .description('requeue failed jobs with a fresh attempt counter')
    .option('--max-attempts <n>', 'only jobs with at most this many attempts', wholeNumber(1))
    .option('--error-code <code>', 'only jobs that failed with this code')
    .option(
      '--reason <reason>',
      'only jobs that ended with this reason, including skipped ones: paywalled, robots-disallowed …',
    )
    .option('--resolver <name>', 'only jobs of this resolver')
    .option('--dry-run', 'only count matching jobs')
    .addHelpText(
      'after',
      `
Examples:
  contentdownload queue retry-failed --max-attempts 3
  contentdownload queue retry-failed --error-code HTTP_503 --dry-run
`,
    )
    .action(
      onQueue(async ({ queue, session, config }, options) => {
        const { maxAttempts, errorCode, reason, resolver, dryRun = false } = options;
        const filter = {
          // Skipped jobs are retried only when --reason is given.
          states: reason === undefined ? ['error'] : ['error', 'skipped'],
          errorCode: codeOfReason(reason ?? errorCode),
          resolver,
          maxAttempts,
        } satisfies JobFilter;
        const { admin } = queue.store;
        const jobs = await admin.requeue(filter, session.clock.now(), { dryRun });
        session.print(
          { requeued: dryRun ? 0 : jobs, matching: jobs, dry_run: dryRun },
          `${counted(jobs, 'failed job')} ${dryRun ? 'would be ' : ''}requeued`,
        );
        if (jobs === 0) {
          const others = await admin.requeue({ states: filter.states }, session.clock.now(), { dryRun: true });
          const shows =
            others === 1
              ? 'does not match; queue list --state error shows it'
              : 'do not match; queue list --state error shows them';
          if (others > 0) session.info(`${counted(others, 'failed job')} ${shows}`);
        }
        if (dryRun || jobs === 0 || queueJson(await queue.stats()).counts.processes > 0) return;
        session.info(`no active workers; start one: ${workerCommand(config)}, or the same docstokg run command again`);
      }),
    );
}

export function pauseCommand(verb: 'pause' | 'resume') {
  const what = verb === 'pause' ? 'start no new jobs' : 'start new jobs again';
  return queueCommand(verb)
    .description(`${what}: everywhere, at one host, or of one resolver`)
    .addOption(new Option('--host <host>', 'only jobs at this host').conflicts('resolver'))
    .option('--resolver <name>', 'only jobs of this resolver')
    .addHelpText(
      'after',
      `\nTakes effect in every worker process within a second; running jobs finish.\n\nExample:\n  contentdownload queue ${verb} --host arxiv.org\n`,
    )
    .action(
      onQueue(async ({ queue, session }, { host, resolver }) => {
        const { admin } = queue.store;
        const [scope, name] = pauseTarget(host, resolver);
        const changed =
          verb === 'pause' ? await admin.pause(scope, name, session.clock.now()) : await admin.resume(scope, name);
        const target = scope === 'all' ? 'everything' : `${scope} ${plain(name)}`;
        // Unknown names are paused too, because such jobs may be enqueued later; print a warning in case of a typo.
        const known = scope === 'all' || verb === 'resume' || (await isKnown(queue, scope, name));
        const unchanged = verb === 'pause' ? 'already paused' : 'not paused';
        session.print({ scope, name, changed, known }, changed ? `${target} ${verb}d` : `${target} was ${unchanged}`);
        if (!known)
          session.warn(
            `${target} is unknown: no job or worker uses it; check the spelling (undo: queue resume --${scope} ${plain(name)})`,
          );
      }),
    );
}

function pauseTarget(host: string | undefined, resolver: string | undefined): [Pause['scope'], string] {
  if (host !== undefined) return ['host', hostKey(host.includes('://') ? host : `https://${host}`)];
  return resolver === undefined ? ['all', ''] : ['resolver', resolver];
}

async function isKnown(queue: WorkQueue, scope: 'host' | 'resolver', name: string): Promise<boolean> {
  const [job] = await queue.store.admin.list({ [scope]: name }, { limit: 1 });
  const { workers } = await queue.stats();
  const key = scope === 'host' ? name : `resolver/${name}`;
  return job !== undefined || workers.some(({ hosts }) => hosts.some((host) => host.key === key));
}

export function cancelCommand() {
  return queueCommand('cancel')
    .description('cancel a queued or running job')
    .argument('<id>', 'number or artifact id')
    .addHelpText('after', '\nExample:\n  contentdownload queue cancel doi:10.1234/example\n')
    .action(
      onQueue(async ({ queue, session }, _options, id) => {
        const { admin } = queue.store;
        const job = await findJob(admin, id);
        const cancelled = await admin.cancel(job.id, session.clock.now());
        session.print(
          { id: job.id, artifact_id: job.artifactId, cancelled },
          plain(cancelled ? `cancelled ${job.artifactId}` : `${job.artifactId} has already ended (${job.state})`),
        );
        if (!cancelled) process.exitCode = 1;
      }),
    );
}

export function pruneCommand() {
  return queueCommand('prune')
    .description('remove finished jobs; their ids can then be enqueued again')
    .requiredOption(
      '--older-than <age>',
      'only jobs that ended longer ago than this, such as 90m, 12h, 30d (required)',
      timeSpan,
    )
    .addOption(new Option('--state <state>', 'only jobs in this state').choices(['done', 'skipped', 'error']))
    .option('--dry-run', 'only count matching jobs')
    .addHelpText('after', '\nExample:\n  contentdownload queue prune --older-than 30d --state done\n')
    .action(
      onQueue(async ({ queue, session }, { olderThan, state, dryRun = false }) => {
        const filter = { ...(state && { states: [state] }), updatedBefore: session.clock.now() - olderThan };
        const jobs = await queue.store.admin.prune(filter, { dryRun });
        session.print(
          { pruned: dryRun ? 0 : jobs, matching: jobs, dry_run: dryRun },
          `${counted(jobs, 'job')} ${dryRun ? 'would be removed' : 'removed'}`,
        );
      }),
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
