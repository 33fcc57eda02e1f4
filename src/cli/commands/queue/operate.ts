import { Command, Option } from 'commander';

import { AppError, hostKey } from '../../../base/index.ts';
import type { Config } from '../../../config/index.ts';
import { Pools } from '../../../hosts/index.ts';
import type { JobFilter, Pause, WorkQueue } from '../../../queue/index.ts';
import { overviewOf } from '../../../queue/kept/index.ts';
import { count, plain } from '../../terminal.ts';
import { codeOfReason, findJob, queueOptions, withQueue } from './shared.ts';
import { wholeNumber } from '../../options.ts';

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
