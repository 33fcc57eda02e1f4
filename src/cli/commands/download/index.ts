import type { Command } from 'commander';

import { AppError } from '../../../base/index.ts';
import type { Config } from '../../../config/index.ts';
import type { RunAsked } from '../../../corpus/index.ts';
import { openCorpus } from '../../../corpus/index.ts';
import type { WorkPlans } from '../../../harvest/index.ts';
import { asksOpenAlex } from '../../../harvest/index.ts';
import type { Work } from '../../../works/index.ts';
import type { Session } from '../../session.ts';
import { openSession, shared, stopSignal } from '../../session.ts';
import { runCorpus } from '../run/index.ts';
import type { RunEnd } from '../run/summary.ts';
import { nextSteps, printAccount, printLines } from '../run/summary.ts';
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
  const isLooking = isEstimate || options.dryRun || options.listOnly;
  using stop = stopSignal(
    isLooking ? undefined : (name) => session.info(`${name}: finishing running downloads; Ctrl-C again to quit`),
  );
  const looking = { tell: session.info, signal: stop.signal };
  if (isEstimate) return session.print(await corpus.estimate(request, looking));
  if (options.dryRun) return await listWorks(corpus.find(request, looking), request, session);
  if (options.listOnly) return await listPlans(corpus.plans(request, looking), session);
  const end = await runCorpus(corpus, { ...request, until: 'files' }, session, stop.signal);
  printDownload(end, session, config);
}

async function listWorks(works: AsyncIterable<Work>, request: RunAsked, session: Session): Promise<void> {
  let found = 0;
  for await (const work of works) {
    found += 1;
    session.print(
      { work: work.id, doi: work.ids.doi, title: work.title, year: work.year },
      `${work.id}  ${work.year ?? '    '}  ${work.title ?? ''}`,
    );
  }
  session.info(`${found} works; nothing was downloaded`);
  if (found > 0) return;
  session.log('error', nothingFound(request));
  process.exitCode ??= 1;
}

/** Lists every URL the resolvers return. */
async function listPlans(found: AsyncIterable<WorkPlans>, session: Session): Promise<void> {
  let [works, places] = [0, 0];
  for await (const { work, findings } of found) {
    works += 1;
    for (const finding of findings) {
      if (finding.kind === 'problem') {
        session.warn(`${work.id}: ${finding.resolver}: ${finding.message}`);
        continue;
      }
      const { resolver, url, expect, license } = finding.plan;
      places += 1;
      session.print(
        { work: work.id, doi: work.ids.doi, resolver, url, expect, license },
        `${work.id}  ${resolver}  ${expect}  ${url}`,
      );
    }
  }
  session.info(`${works} works, ${places} URLs; nothing was downloaded`);
}

export function printDownload(end: RunEnd, session: Session, config: Config): void {
  const { account, gathered } = end;
  const { out } = config.download;
  if (session.json && gathered) {
    const { summary, counts, run } = gathered;
    const { found, crashed, bytes, reason } = summary;
    const { by_resolver, by_reason, earlier_by_reason, given_up, deferred } = run;
    const how = { by_resolver, by_reason, ended_before: earlier_by_reason, given_up, waiting: deferred.works };
    const ended = { ...run.outcomes, kept_before: summary.keptBefore, crashed, bytes, reason };
    return session.terminal.print(JSON.stringify({ found, ...ended, ...how, counts, out }));
  }
  printAccount(end, session, `Files and manifests in ${out}`);
  printLines(session.terminal, nextSteps(account, out, config));
  for (const hint of keyHints(config)) session.info(hint);
}
