import type { Command } from 'commander';

import type { Account, RunCounts } from '../../../ask/index.ts';
import { AppError } from '../../../base/index.ts';
import type { Config } from '../../../config/index.ts';
import type { Corpus, RunAsked } from '../../../corpus/index.ts';
import { openCorpus } from '../../../corpus/index.ts';
import type { DownloadSummary } from '../../../download/index.ts';
import { asksOpenAlex } from '../../../harvest/index.ts';
import type { Session } from '../../session.ts';
import { openSession, shared, stopSignal } from '../../session.ts';
import { count, duration, plain } from '../../terminal.ts';
import { RunProgress } from '../run/progress.ts';
import { countsLine, printLabelled, printWorks } from '../run/summary.ts';
import type { DownloadOptions } from './options.ts';
import { askedFor, downloadFlags, downloadOptions, keyHints, loadRun, nothingFound } from './options.ts';

const EXAMPLES = `
Examples:
  contentdownload --topic "machine learning" --max 100 --workers 8 --mailto you@university.example
  contentdownload 10.1371/journal.pone.0000217 arXiv:1706.03762 --mailto you@university.example
  contentdownload --input library.bib --out runs/library --mailto you@university.example
  contentdownload --topic "coral bleaching" --estimate --mailto you@university.example

Ctrl-C stops after the running downloads; run the same command again to resume.
`;

/** Adds the download arguments and options to `contentdownload`. */
export function downloadCommand(command: Command): Command {
  return downloadOptions(shared(command), 'JSONL, CSV, BibTeX or RIS file, or list of ids')
    .option('--estimate', 'estimate works, open-access share, API credits, time and disk space from two OpenAlex pages')
    .option('--dry-run', 'find and count the works; download nothing')
    .option('--list-only', 'list the URLs that the resolvers find; download and write nothing')
    .addHelpText('after', EXAMPLES)
    .action(async (ids: string[], options: DownloadOptions, self: Command) =>
      download(ids, options, openSession(self)),
    );
}

async function download(ids: readonly string[], options: DownloadOptions, session: Session): Promise<void> {
  const isEstimate = options.estimate === true;
  const isEarlier = isEstimate && options.out !== undefined;
  if (!asksOpenAlex(options) && ids.length === 0 && options.input === undefined && !isEarlier) {
    throw new AppError('USAGE_NOTHING_TO_DOWNLOAD', 'no works given', {
      hint: 'give --topic, --input or ids; contentdownload --help shows examples',
    });
  }
  const config = loadRun(session, await downloadFlags(options));
  await using corpus = await openCorpus(config.download.out, { config, clock: session.clock });
  const request = askedFor(ids, options);
  if (isEstimate) {
    using stop = stopSignal();
    const tell = session.info;
    const estimate = await corpus.estimate(request, { tell, signal: stop.signal });
    session.print(estimate);
    return;
  }
  if (options.dryRun) return await dryRun(corpus, request, session);
  if (options.listOnly) return await listPlans(corpus, request, session);
  using stop = stopSignal((name) => session.info(`${name}: finishing running downloads; Ctrl-C again to quit`));
  const gathering = corpus.gather({ ...request, until: 'files' }, stop.signal);
  const progress = new RunProgress(session, gathering);
  const startedAt = session.clock.monotonic();
  using _line = progress.show();
  for await (const event of gathering) {
    progress.see(event);
    if (event.kind !== 'gathered') continue;
    const { summary, counts } = event;
    printAccount(event, session.clock.monotonic() - startedAt, session, config);
    const isEmpty = counts.listed + counts.unreadable_entries === 0 && summary.reason !== 'stopped';
    if (isEmpty) session.log('error', nothingFound(request));
    if (isEmpty || summary.crashed > 0 || counts.failed > 0) process.exitCode ??= 1;
  }
}

async function dryRun(corpus: Corpus, request: RunAsked, session: Session): Promise<void> {
  let found = 0;
  using stop = stopSignal();
  const tell = session.info;
  for await (const work of corpus.find(request, { tell, signal: stop.signal })) {
    found += 1;
    session.terminal.print(
      session.json
        ? JSON.stringify({ work: work.id, doi: work.ids.doi, title: work.title, year: work.year })
        : `${work.id}  ${work.year ?? '    '}  ${work.title ?? ''}`,
    );
  }
  session.info(`${found} works; nothing was downloaded`);
  if (found === 0) {
    session.log('error', nothingFound(request));
    process.exitCode ??= 1;
  }
}

/** Lists every URL the resolvers return. Downloads nothing and writes no job or manifest row. */
async function listPlans(corpus: Corpus, request: RunAsked, session: Session): Promise<void> {
  const { terminal, json } = session;
  let [works, places] = [0, 0];
  using stop = stopSignal();
  const tell = session.info;
  for await (const { work, findings } of corpus.plans(request, { tell, signal: stop.signal })) {
    works += 1;
    for (const finding of findings) {
      if (finding.kind === 'problem') {
        session.warn(`${work.id}: ${finding.resolver}: ${finding.message}`);
        continue;
      }
      const { resolver, url, expect, license } = finding.plan;
      places += 1;
      terminal.print(
        json
          ? JSON.stringify({ work: work.id, doi: work.ids.doi, resolver, url, expect, license })
          : `${work.id}  ${resolver}  ${expect}  ${url}`,
      );
    }
  }
  session.info(`${works} works, ${places} URLs; nothing was downloaded`);
}

export function printAccount(
  { summary, counts, run }: { readonly summary: DownloadSummary; readonly counts: Account; readonly run: RunCounts },
  elapsedMs: number,
  session: Session,
  config: Config,
): void {
  const { terminal } = session;
  const { found, crashed, bytes, reason } = summary;
  if (session.json) {
    const { by_resolver, by_reason, earlier_by_reason, given_up, deferred } = run;
    const how = { by_resolver, by_reason, ended_before: earlier_by_reason, given_up, waiting: deferred.works };
    const ended = { ...run.outcomes, kept_before: summary.keptBefore, crashed, bytes, reason };
    terminal.print(JSON.stringify({ found, ...ended, ...how, counts, out: config.download.out }));
    return;
  }
  printWorks(counts, terminal);
  printLabelled(terminal, 'Not retried', countsLine(run.earlier_by_reason));
  if (crashed > 0) printLabelled(terminal, 'Crashed', `${count(crashed)} of the failed works`);
  const { works, first } = run.deferred;
  for (const each of first) printLabelled(terminal, 'Deferred', plain(each));
  if (works > first.length) printLabelled(terminal, '', `and ${count(works - first.length)} more`);
  for (const message of run.given_up) session.warn(plain(message));
  terminal.print(`\nfiles and manifests in ${config.download.out}  (${duration(elapsedMs)})`);
  for (const hint of hints(summary, config)) session.info(hint);
}

function hints(summary: DownloadSummary, config: Config): string[] {
  const queue = `--queue ${config.queue.backend === 'postgres' ? 'postgres://…' : config.queue.path}`;
  return [
    ...(summary.reason === 'stopped' ? ['stopped early; resume: run the same command'] : []),
    ...(summary.parked > 0 ? ['some works were deferred or failed; run the same command later to retry them'] : []),
    ...(summary.failed > 0
      ? [`see failures: contentdownload queue stats ${queue}; retry: contentdownload queue retry-failed ${queue}`]
      : []),
    ...keyHints(config),
  ];
}
