import type { Command } from 'commander';

import { AppError } from '../../../base/index.ts';
import type { WorkProvider } from '../../../download/index.ts';
import { startTelemetry } from '../../../telemetry/index.ts';
import {
  assembleDownload,
  isQueueEvent,
  listingPath,
  openInspector,
  openQueue,
  wantedWorks,
} from '../../../harvest/index.ts';
import type { DownloadAssembly } from '../../../harvest/index.ts';
import type { Session } from '../../session.ts';
import { openSession, shared } from '../../session.ts';
import { stopSignal } from '../../stop-signal.ts';
import { DownloadProgress, printAccount } from './account.ts';
import type { DownloadOptions } from './options.ts';
import { downloadOptions, downloadFlags } from './options.ts';

const EXAMPLES = `
Examples:
  contentdownload --topic "machine learning" --max 100 --workers 8 --mailto you@university.example
  contentdownload 10.1371/journal.pone.0000217 arXiv:1706.03762 --mailto you@university.example
  contentdownload --input library.bib --out runs/library --mailto you@university.example

Ctrl-C lets running downloads finish; the same command goes on where it stopped.
`;

/** Adds what a download takes to a command: `docstokg download`, or `contentdownload` itself. */
export function downloadCommand(command: Command): Command {
  return downloadOptions(shared(command), 'works of a JSONL, CSV, BibTeX or RIS file, or a list of ids')
    .option('--dry-run', 'find the works, count them, fetch nothing')
    .option('--list-only', 'ask the resolvers, fetch no file')
    .addHelpText('after', EXAMPLES)
    .action(async (ids: string[], options: DownloadOptions, self: Command) =>
      download(ids, options, openSession(self)),
    );
}

async function download(ids: readonly string[], options: DownloadOptions, session: Session): Promise<void> {
  if (options.topic === undefined && ids.length === 0 && options.input === undefined) {
    throw new AppError('USAGE_NOTHING_TO_DOWNLOAD', 'nothing says which works are wanted', {
      hint: 'give --topic, --input or ids; contentdownload --help shows examples',
    });
  }
  const { config } = session.load(await downloadFlags(options));
  const tell = (message: string): void => session.log('info', message);
  await using queue = await openQueue(config, session);
  await using telemetry = await startTelemetry(config.telemetry, queue.store, session.clock);
  using inspector = openInspector();
  const progress = new DownloadProgress(session);
  await using assembly = await assembleDownload(config, session, {
    queue,
    inspect: inspector.inspect,
    listOnly: options.listOnly ?? false,
    provider: (parts) => (signal) =>
      wantedWorks(ids, options, { ...parts, signal, tell, statePath: listingPath(config.download.out) }),
    report: (event) => {
      progress.see(event);
      if (isQueueEvent(event)) telemetry.report(event);
      else telemetry.download?.download(event);
    },
    reportHttp: telemetry.download?.http,
    around: telemetry.around,
  });
  if (options.dryRun) return await dryRun(assembly, ids, options, session);
  using stop = stopSignal((name) => tell(`${name}: letting running downloads finish; once more ends at once`));
  using _line = progress.show(assembly);
  const summary = await assembly.run.run({ drain: 'due', signal: stop.signal });
  printAccount(summary, progress, session, config);
  if (summary.crashed > 0 && process.exitCode === undefined) process.exitCode = 1;
}

async function dryRun(
  assembly: DownloadAssembly,
  ids: readonly string[],
  options: DownloadOptions,
  session: Session,
): Promise<void> {
  let found = 0;
  const provider: WorkProvider = (signal) =>
    wantedWorks(ids, options, {
      ...assembly,
      signal,
      tell: (message) => session.log('info', message),
      statePath: undefined,
    });
  using stop = stopSignal();
  for await (const work of provider(stop.signal)) {
    found += 1;
    session.terminal.print(
      session.json
        ? JSON.stringify({ work: work.id, doi: work.ids.doi, title: work.title, year: work.year })
        : `${work.id}  ${work.year ?? '    '}  ${work.title ?? ''}`,
    );
  }
  session.log('info', `${found} works; nothing was fetched`);
}
