import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';

import { Command } from 'commander';

import { AppError } from '../../../base/index.ts';
import type { Config, Layer } from '../../../config/index.ts';
import type { Corpus, GatherRequest, RunAccount, RunAsked } from '../../../corpus/index.ts';
import { corpusLayer, openCorpus } from '../../../corpus/index.ts';
import { slug } from '../../../download/index.ts';
import { asksOpenAlex } from '../../../harvest/index.ts';
import type { Session } from '../../session.ts';
import { openSession, shared, stopSignal } from '../../session.ts';
import { worksOption } from '../../options.ts';
import type { DownloadOptions } from '../download/options.ts';
import { askedFor, downloadFlags, downloadOptions, keyHints, nothingFound } from '../download/options.ts';
import { RunProgress } from './progress.ts';
import type { RunEnd } from './summary.ts';
import { printRun } from './summary.ts';

const EXAMPLES = `
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

export function runCommand(): Command {
  return worksOption(
    downloadOptions(shared(new Command('run')), 'JSONL, CSV, BibTeX or RIS file, list of ids, or folder of papers'),
  )
    .description('download, parse, chunk, embed and index works into a searchable corpus')
    .option(
      '--fleet <url>',
      'PostgreSQL server that makes this command on any number of machines one run; needs --store',
    )
    .addHelpText('after', EXAMPLES)
    .action(async (ids: string[], options: RunOptions, self: Command) => run(ids, options, openSession(self)));
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
  await using corpus = await openCorpus(out, { config: await configFor(out, options, session) });
  if (isFirst && asksOpenAlex(options)) for (const hint of keyHints(corpus.config)) session.info(hint);
  printRun(await runCorpus(corpus, asked, session, stop.signal), corpus, session);
}

/** Runs the pipeline, shows progress, writes the report and sets the exit code. */
export async function runCorpus(
  corpus: Corpus,
  asked: GatherRequest,
  session: Session,
  signal: AbortSignal,
): Promise<RunEnd> {
  const gathering = corpus.gather(asked, signal);
  const progress = new RunProgress(session, gathering);
  using _line = progress.show();
  let account: RunAccount | undefined;
  let gathered: RunEnd['gathered'];
  for await (const event of gathering) {
    progress.see(event);
    if (event.kind === 'gathered') gathered = event;
    if (event.kind === 'ended') ({ account } = event);
  }
  if (!account)
    throw new AppError('ENDED_EARLY', 'the run ended without a summary', { hint: 'this is a bug; please report it' });
  const { listed = 0, failed = 0, waiting = 0, deferred = 0, unreadable_entries: unreadable = 0 } = account.works ?? {};
  const isEmpty = account.documents === 0 && listed + unreadable === 0;
  if (isEmpty && account.stopped === null) session.log('error', nothingFound(asked));
  const hasCrashed = (gathered?.summary.crashed ?? 0) > 0 && waiting + deferred > 0;
  const isIncomplete = failed > 0 || account.failures.length > 0 || hasCrashed;
  if (isEmpty || isIncomplete || account.stopped !== null) process.exitCode ??= 1;
  if (account.index) {
    progress.reporting();
    const { writeReport } = await import('../../../serve/index.ts');
    await writeReport({ folder: corpus.folder, corpus: { config: corpus.config }, signal });
  }
  return { account, gathered };
}

/** The settings of a run, with all paths inside its folder. */
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
