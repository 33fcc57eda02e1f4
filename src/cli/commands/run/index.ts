import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';

import { Command } from 'commander';

import { AppError } from '../../../base/index.ts';
import type { Config, Layer } from '../../../config/index.ts';
import type { Corpus, RunRequest, RunAccount, RunAsked } from '../../../corpus/index.ts';
import { corpusLayer, openCorpus } from '../../../corpus/index.ts';
import { slug } from '../../../download/index.ts';
import { asksOpenAlex, fleetLayer, queueLayer, simulatedLayer } from '../../../run/index.ts';
import type { Work } from '../../../works/index.ts';
import type { Session } from '../../session.ts';
import { openSession, settingOptions, shared, stopSignal } from '../../session.ts';
import type { FlagsOf } from '../../options.ts';
import { webTimeOf } from '../../simulation.ts';
import { webOptions, wholeNumber, worksOption } from '../../options.ts';
import { counted } from '../../terminal.ts';
import { runProgress } from './progress.ts';
import type { RunEnd } from './summary.ts';
import { nextSteps, printAccount, printLines, printRun } from './summary.ts';

const RUN_EXAMPLES = `
Examples:
  docstokg run --topic "coral bleaching" --max 100 --mailto you@university.example
  docstokg run 10.1371/journal.pone.0000217 arXiv:1706.03762 --mailto you@university.example
  docstokg run --input library.bib --out runs/library --mailto you@university.example
  docstokg run --input ./papers            # a folder of PDF, HTML or XML: nothing is downloaded
  docstokg run --topic "coral bleaching" --mailto me@example.org --fleet postgres://user@host/db --store s3://bucket/corals --out here
  docstokg run --out runs/library          # resumes that run
  docstokg run --out runs/review --works included --mailto you@university.example  # only what screening included

Ctrl-C stops after the running works; run the same command again to resume.
`;

export function runCommand() {
  return worksOption(
    downloadOptions(shared(new Command('run')), 'JSONL, CSV, BibTeX or RIS file, list of ids, or folder of papers'),
  )
    .description('download, parse, chunk, embed and index works into a searchable corpus')
    .option(
      '--fleet <url>',
      'PostgreSQL server that makes this command on any number of machines one run; needs --store',
    )
    .addHelpText('after', RUN_EXAMPLES)
    .action(async (ids, options, self) => run(ids, options, openSession(self)));
}

type RunOptions = DownloadOptions & { readonly works?: string };

async function run(ids: readonly string[], options: RunOptions, session: Session): Promise<void> {
  if (!asksOpenAlex(options) && options.input === undefined && ids.length === 0 && options.out === undefined)
    throw new AppError('USAGE_NOTHING_TO_RUN', 'no works or papers given', {
      hint: 'give --topic, --input or ids, or the --out of an earlier run; docstokg run --help shows examples',
    });
  const asked = { ...askedFor(ids, options), works: options.works };
  const out = options.out ?? folderFor(asked, session.load().config);
  using stop = stopSignal((name) => session.info(`${name}: finishing running work; Ctrl-C again to quit`));
  const isFirst = !existsSync(join(out, 'run.json'));
  await using corpus = await openCorpus(out, {
    config: await configFor(out, options, session),
    web: await webTimeOf(options.sim),
  });
  if (isFirst && asksOpenAlex(options)) for (const hint of keyHints(corpus.config)) session.info(hint);
  printRun(await runCorpus(corpus, asked, session, stop.signal), corpus, session);
}

/** Runs the pipeline, shows progress, writes the report and sets the exit code. */
export async function runCorpus(
  corpus: Corpus,
  asked: RunRequest,
  session: Session,
  signal: AbortSignal,
): Promise<RunEnd> {
  const isFleet = corpus.config.queue.fleet;
  const run = corpus.run(asked, signal);
  const progress = runProgress(session, run, isFleet);
  using _line = progress.show();
  let account: RunAccount | undefined;
  let downloaded: RunEnd['downloaded'];
  for await (const event of run) {
    progress.see(event);
    // In a fleet, works that this machine did not try were tried by another one, not by an earlier run.
    if (event.kind === 'downloaded')
      downloaded = isFleet ? { ...event, run: { ...event.run, earlier_by_reason: {} } } : event;
    if (event.kind === 'ended') ({ account } = event);
  }
  if (!account)
    throw new AppError('ENDED_EARLY', 'the run ended without a summary', { hint: 'this is a bug; please report it' });
  const { listed = 0, unidentified = 0, failed = 0, waiting = 0, deferred = 0 } = account.works ?? {};
  const isEmpty = account.documents === 0 && listed === unidentified;
  if (isEmpty && account.stopped === null) session.log('error', nothingFound(asked));
  const hasCrashed = (downloaded?.summary.crashed ?? 0) > 0 && waiting + deferred > 0;
  const isIncomplete = failed > 0 || account.failures.length > 0 || hasCrashed;
  if (isEmpty || isIncomplete || account.stopped !== null) process.exitCode ??= 1;
  if (account.index) {
    progress.reporting();
    const { writeReport } = await import('../../../serve/index.ts');
    await writeReport({ folder: corpus.folder, corpus: { config: corpus.config }, signal });
  }
  return { account, downloaded };
}

export async function configFor(
  out: string,
  options: DownloadOptions,
  session: Session,
  extra: Layer = [],
): Promise<Config> {
  const flags = [...corpusLayer(out, 'option --out'), ...(await downloadFlags(options)), ...extra];
  return session.load(flags).config;
}

/** Default run folder: `runs/coral-bleaching`, next to `download.out`. */
function folderFor({ topic, input, ids }: RunAsked, { download }: Config): string {
  const name = topic ?? (input?.[0] === undefined ? undefined : basename(input[0])) ?? ids?.[0] ?? 'run';
  const words = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}.]+/gu, '-')
    .replaceAll(/^[-.]+|(?<![-.])[-.]+$/g, '');
  return join(download.out, '..', slug(words.slice(0, 60) || 'run'));
}

const DOWNLOAD_EXAMPLES = `
Examples:
  contentdownload --topic "machine learning" --max 100 --workers 8 --mailto you@university.example
  contentdownload 10.1371/journal.pone.0000217 arXiv:1706.03762 --mailto you@university.example
  contentdownload --input library.bib --out runs/library --mailto you@university.example
  contentdownload --topic "coral bleaching" --estimate --mailto you@university.example

Ctrl-C stops after the running downloads; run the same command again to resume.
`;

export function downloadCommand(command: Command) {
  return downloadOptions(shared(command), 'JSONL, CSV, BibTeX or RIS file, or list of ids')
    .option('--estimate', 'estimate works, open-access share, API credits, time and disk space from two OpenAlex pages')
    .option('--dry-run', 'find and count the works; download nothing')
    .addHelpText('after', DOWNLOAD_EXAMPLES)
    .action(async (ids, options, self) => download(ids, options, openSession(self)));
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
  await using corpus = await openCorpus(config.download.out, { config, web: await webTimeOf(options.sim) });
  const request = askedFor(ids, options);
  const isLooking = isEstimate || options.dryRun;
  using stop = stopSignal(
    isLooking ? undefined : (name) => session.info(`${name}: finishing running downloads; Ctrl-C again to quit`),
  );
  const looking = { tell: session.info, signal: stop.signal };
  if (isEstimate) return session.print(await corpus.estimate(request, looking));
  if (options.dryRun) return await printWorks(corpus.find(request, looking), request, session);
  const end = await runCorpus(corpus, { ...request, until: 'files' }, session, stop.signal);
  printDownload(end, session, config);
}

async function printWorks(works: AsyncIterable<Work>, request: RunAsked, session: Session): Promise<void> {
  let found = 0;
  for await (const work of works) {
    found += 1;
    session.print(
      { work: work.id, doi: work.ids.doi, title: work.title, year: work.year },
      `${work.id}  ${work.year ?? '    '}  ${work.title ?? ''}`,
    );
  }
  session.info(`${counted(found, 'work')}; nothing was downloaded`);
  if (found > 0) return;
  session.log('error', nothingFound(request));
  process.exitCode ??= 1;
}

export function printDownload(end: RunEnd, session: Session, config: Config): void {
  const { account, downloaded } = end;
  const { out } = config.download;
  if (session.json && downloaded) {
    const { summary, counts, run } = downloaded;
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

/** Options of `run` and `contentdownload`; `out` is a setting. */
type DownloadOptions = FlagsOf<typeof downloadOptions> & {
  readonly out?: string;
  readonly fleet?: string;
  readonly estimate?: boolean;
  readonly dryRun?: boolean;
};

function downloadOptions(command: Command, input: string) {
  const asking = command
    .argument('[ids...]', 'DOIs, arXiv ids, PMIDs, PMCIDs, OpenAlex ids or URLs')
    .option('--topic <text>', 'search OpenAlex for works about this topic')
    .option('-i, --input <file...>', input)
    .option('--max <n>', 'maximum number of works', wholeNumber(1))
    .option('--year-start <year>', 'published in this year or later', wholeNumber(1000))
    .option('--year-end <year>', 'published in this year or earlier', wholeNumber(1000))
    .option('--oa-only', 'only works that OpenAlex lists as open access')
    .option('--type <type>', 'only works of this type, such as article')
    .option('--language <code>', 'only works in this language, such as en')
    .option('--filter <conditions>', 'OpenAlex filter expression; the URL of an OpenAlex list also works as an id')
    .option('--orcid <id...>', 'works by these authors')
    .option('--ror <id...>', 'works from these institutions (ROR ids)')
    .option('--cites <work...>', 'works that cite these (DOIs or OpenAlex ids)')
    .option('--cited-by <work...>', 'same as --cites')
    .option('--references <work...>', 'works cited by these')
    .option('--depth <n>', 'number of citation steps to follow', wholeNumber(1))
    .option('--queue <path|url>', 'SQLite file or postgres:// URL of the queue; default: in the run folder');
  return settingOptions(webOptions(asking), ['download']);
}

function askedFor(ids: readonly string[], options: DownloadOptions): RunAsked {
  const { topic, input, max, yearStart, yearEnd, oaOnly, type, language, mailto } = options;
  const { filter, orcid, ror, cites, citedBy, references, depth } = options;
  const around = { filter, orcid, ror, cites, citedBy, references, depth };
  return { topic, ids, input, max, yearStart, yearEnd, oaOnly, type, language, ...around, mailto };
}

async function downloadFlags(options: DownloadOptions): Promise<Layer> {
  return [...(await simulatedLayer(options)), ...queueLayer(options.queue), ...fleetLayer(options.fleet)];
}

/** The settings of a run. The queue is stored in the run folder unless `--queue` names another. */
export function loadRun(session: Session, flags: Layer): Config {
  const { config, origins } = session.load(flags);
  const named = origins.get('queue.path');
  const isNamed = named === 'option --queue' || (named !== undefined && origins.get('download.out') !== 'option --out');
  if (config.queue.backend !== 'sqlite' || isNamed) return config;
  const path = join(config.download.out, 'state', 'workqueue.sqlite');
  return session.load([...flags, { path: ['queue', 'path'], value: path, origin: 'the run folder' }]).config;
}

export function keyHints({ keys }: Config): string[] {
  return [
    ...(keys.openalex === ''
      ? ['an OpenAlex key (DOCSTOKG_KEYS__OPENALEX) raises the daily budget; a contact address alone no longer does']
      : []),
    ...(keys.core === '' ? ['a CORE key (DOCSTOKG_KEYS__CORE) raises its daily limit'] : []),
  ];
}

function nothingFound({ topic, input = [], yearStart, yearEnd, oaOnly, type, language }: RunAsked): string {
  const filters = Object.entries({
    '--year-start': yearStart,
    '--year-end': yearEnd,
    '--oa-only': oaOnly,
    '--type': type,
    '--language': language,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  const tries = [
    ...(filters.length > 0 ? [`leave out ${filters.join(', ')}`] : []),
    ...(topic === undefined ? [] : ['use fewer or more common words, or an OpenAlex topic id such as T10017']),
    ...(input.length > 0
      ? [`check ${input.join(', ')}: no work with an id, and no readable paper, was found in it`]
      : []),
  ];
  return `no works found${topic === undefined ? '' : ` on "${topic}"`}; ${tries.join('; or ') || 'try another query'}`;
}
