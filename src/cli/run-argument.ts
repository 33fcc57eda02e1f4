import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import type { Command, OptionValues } from 'commander';

import { AppError } from '../base/index.ts';
import type { Layer } from '../config/index.ts';
import type { Corpus } from '../corpus/index.ts';
import { copyNotice, corpusLayer, findSearchPlace, openCorpus, openDatabaseCorpus } from '../corpus/index.ts';
import type { Session } from './session.ts';
import { stopSignal } from './session.ts';

const RUN_FILES = [
  'run.json',
  'corpus.sqlite',
  'manifest.sqlite3',
  'manifest.jsonl',
  'records.jsonl',
  'Data',
  'Index',
  'Graph',
];

export function runArgument<Args extends unknown[], Flags extends OptionValues>(command: Command<Args, Flags>) {
  return command.argument('[run]', 'run folder; default: the newest run');
}

interface Split {
  readonly run: string | undefined;
  readonly words: readonly string[];
}

/** Splits words after an optional RUN: `set RUN NAME`. Names in brackets are optional. */
export function splitRun(given: readonly string[], names: readonly string[]): Split {
  const needed = names.filter((name) => !name.startsWith('[')).length;
  const [first = ''] = given;
  const takesRun = first !== '' && isRun(first);
  // A file, or a folder that is not a run, in the place of the run.
  if (given.length > needed && !takesRun && existsSync(first)) notARun(first);
  const words = takesRun ? given.slice(1) : given;
  if (words.length < needed || words.length > names.length)
    throw new AppError(
      'USAGE_ARGUMENTS',
      `expected ${names.length === 0 ? 'at most a run folder' : `[run] ${names.join(' ')}`}, got ${given.length === 0 ? 'nothing' : given.join(' ')}`,
      { hint: given.length > names.length && !takesRun ? `${given[0] ?? ''} is not a run folder` : 'see --help' },
    );
  return { run: takesRun ? first : undefined, words };
}

export function isRun(folder: string): boolean {
  return RUN_FILES.some((name) => existsSync(join(folder, name)));
}

/** Returns the folder named by the user; any other path is misuse. */
export function requireFolder(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() ? path : notARun(path, found ? 'is a file, not a run folder' : 'does not exist');
}

export function requireRun(folder: string): string {
  return isRun(requireFolder(folder)) ? folder : notARun(folder);
}

function notARun(path: string, why = 'is not a run folder'): never {
  throw new AppError('USAGE_RUN', `${path} ${why}`, {
    hint: 'give the output folder of docstokg run, contentdownload or docparse parse',
  });
}

/** Splits `[run] question`. A path before a question names a run, or a folder of parsed papers. */
export function splitQuestion(given: readonly string[]): Split {
  const [first = '', ...rest] = given;
  if (isRun(first)) return { run: first, words: rest };
  const isPath = rest.length > 0 && (/[\\/]/.test(first) || existsSync(first));
  return isPath ? { run: requireFolder(first), words: rest } : { run: undefined, words: given };
}

let ofProcess: AbortSignal | undefined;

/** Ends waiting for a database that is away, in commands with work to finish and in others. */
function stopOfProcess(): AbortSignal {
  return (ofProcess ??= stopSignal().signal);
}

/** Opens a run folder, or a folder of parsed papers; by default the newest run. */
export async function corpusOf(session: Session, named: string | undefined, settings: Layer = []): Promise<Corpus> {
  const { database, clock, web, warn } = session;
  if (database !== undefined)
    return await openDatabaseCorpus(database, {
      load: (layer) => session.load([...layer, ...settings]).config,
      copy: named,
      clocks: { clock, web },
      warn,
      stop: stopOfProcess(),
    });
  const isNamed = named !== undefined && isRun(requireFolder(named));
  const { folder, dataRoot } = isNamed
    ? { folder: named, dataRoot: join(named, 'Data') }
    : findSearchPlace(session.load(settings).config, named);
  const origin = 'the folder of the run';
  const data = { path: ['parse', 'data_root'], value: dataRoot, origin };
  const { config } = session.load([...corpusLayer(folder, origin), data, ...settings]);
  const notice = copyNotice(folder);
  if (notice !== undefined) session.info(notice);
  return await openCorpus(folder, { config, clock: session.clock, web: session.web });
}

export async function openCorpora(
  folders: readonly (string | undefined)[],
  session: Session,
  opened: AsyncDisposableStack,
): Promise<{ readonly id: string; readonly corpus: Corpus }[]> {
  const runs: { id: string; corpus: Corpus }[] = [];
  for (const folder of folders) {
    const corpus = opened.use(await corpusOf(session, folder));
    const name = corpus.shared ? corpus.config.queue.schema : corpus.folder;
    runs.push({ id: shortName(name, new Set(runs.map(({ id }) => id))), corpus });
  }
  return runs;
}

/** A folder name made safe for URLs and unique by a numeric suffix. */
function shortName(folder: string, taken: ReadonlySet<string>): string {
  const name =
    basename(resolve(folder))
      .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^[.-]+/, '')
      .slice(0, 60) || 'run';
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? name : `${name}-${number}`;
    if (!taken.has(id)) return id;
  }
}
