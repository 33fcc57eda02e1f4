import { statSync } from 'node:fs';
import { basename, join } from 'node:path';

import { Command } from 'commander';

import { AppError } from '../../../base/index.ts';
import type { Config, Layer } from '../../../config/index.ts';
import { slug } from '../../../download/index.ts';
import { writeReport } from '../../../report/index.ts';
import type { CorpusRequest, RunAccount, RunAsked } from '../../../corpus/index.ts';
import { buildCorpus, readRunFile, RunFolder } from '../../../corpus/index.ts';
import type { Session } from '../../session.ts';
import { openSession, shared } from '../../session.ts';
import { stopSignal } from '../../stop-signal.ts';
import type { DownloadOptions } from '../download/options.ts';
import { downloadFlags, downloadOptions } from '../download/options.ts';
import { RunProgress } from './progress.ts';
import { printRun } from './summary.ts';

const EXAMPLES = `
Examples:
  docstokg run --topic "coral bleaching" --max 100 --mailto you@university.example
  docstokg run 10.1371/journal.pone.0000217 arXiv:1706.03762 --mailto you@university.example
  docstokg run --input library.bib --out runs/library --mailto you@university.example
  docstokg run --input ./papers            # a folder of PDF, HTML or XML: nothing is downloaded
  docstokg run --out runs/library          # goes on with what that run was asked for

Ctrl-C lets what runs finish; the same command goes on where it stopped.
`;

/** `run`. */
export function runCommand(): Command {
  return downloadOptions(
    shared(new Command('run')),
    'works of a JSONL, CSV, BibTeX or RIS file or a list of ids, or a folder of papers',
  )
    .description('download, parse, chunk, embed and index: from a question to a corpus that can be searched')
    .addHelpText('after', EXAMPLES)
    .action(async (ids: string[], options: DownloadOptions, self: Command) => run(ids, options, openSession(self)));
}

async function run(ids: readonly string[], options: DownloadOptions, session: Session): Promise<void> {
  const asked = await askedFor(ids, options);
  const request = await requestOf(asked, options, session);
  using stop = stopSignal((name) => session.log('info', `${name}: letting what runs finish; once more ends at once`));
  const account = await runCorpus(request, asked, session, stop.signal);
  printRun(account, request.config.download.out, session);
}

/** Runs a request in its folder, from `run.json` to the report, and sets the exit code. */
export async function runCorpus(
  request: CorpusRequest,
  asked: RunAsked,
  session: Session,
  signal: AbortSignal,
): Promise<RunAccount> {
  const { out } = request.config.download;
  using folder = await RunFolder.open(out, asked, session.clock);
  const progress = new RunProgress(session);
  using _line = progress.show();
  const account = await buildCorpus(request, session, progress, signal).catch(async (error: unknown) => {
    await folder.end('failed');
    throw error;
  });
  await folder.end(account.stopped === null ? 'done' : 'stopped', account);
  if (account.failures.length > 0 || account.stopped !== null) process.exitCode ??= 1;
  if (account.index) {
    progress.reporting();
    await writeReport({ folder: out });
  }
  return account;
}

/** What this run is about; a folder alone means what it was asked for last. */
async function askedFor(ids: readonly string[], options: DownloadOptions): Promise<RunAsked> {
  const { topic, input, max, yearStart, yearEnd, oaOnly, type, language, mailto, out } = options;
  if (topic !== undefined || input !== undefined || ids.length > 0) {
    const all = { topic, ids, input, max, yearStart, yearEnd, oaOnly, type, language, mailto };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  }
  const before = out === undefined ? undefined : await readRunFile(out);
  if (before) return mailto === undefined ? before.asked : { ...before.asked, mailto };
  throw new AppError('USAGE_NOTHING_TO_RUN', 'nothing says which works or papers are wanted', {
    hint: 'give --topic, --input or ids, or the --out of an earlier run; docstokg run --help shows examples',
  });
}

/** The request with its settings: everything a run makes stands in one folder. */
export async function requestOf(
  asked: RunAsked,
  options: DownloadOptions,
  session: Session,
  besides: Layer = [],
): Promise<CorpusRequest> {
  const { ids = [], input = [], mailto, ...wanted } = asked;
  const [papers, lists] = partition(input, isPapers);
  const out = options.out ?? folderFor(asked, session.load().config);
  const flags: Layer = [
    ...(await downloadFlags({ ...options, ...(mailto !== undefined && { mailto }), out })),
    { path: ['parse', 'data_root'], value: join(out, 'Data'), origin: 'option --out' },
    ...besides,
  ];
  return {
    ids,
    papers,
    options: { ...options, ...wanted, input: lists },
    config: session.load(flags).config,
  };
}

/** `runs/coral-bleaching`, beside where downloads go. */
function folderFor({ topic, input, ids }: RunAsked, { download }: Config): string {
  const name = topic ?? (input?.[0] === undefined ? undefined : basename(input[0])) ?? ids?.[0] ?? 'run';
  const words = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}.]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  return join(download.out, '..', slug(words.slice(0, 60) || 'run'));
}

/** A folder, or a file that is a paper and not a list of works. */
function isPapers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true || /\.(pdf|x?html?|n?xml)(\.gz)?$/i.test(path);
}

function partition<T>(values: readonly T[], belongs: (value: T) => boolean): [T[], T[]] {
  return [values.filter(belongs), values.filter((value) => !belongs(value))];
}
