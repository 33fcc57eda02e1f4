import { existsSync, globSync, readdirSync, statSync } from 'node:fs';
import { mkdtempDisposable, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { AppError, FileLock, forEachOf, sha256File } from '../../base/index.ts';
import type { Config, Layer } from '../../config/index.ts';
import { withoutPasswords } from '../../config/index.ts';
import { isSharedPath, removeStore } from '../../database/index.ts';
import type { Journal, LogName } from '../../journal/index.ts';
import {
  isFleetFolder,
  leaveFleet,
  linesOf,
  LogFolder,
  manifestNames,
  refuseFleetFolder,
  tellRun,
  tellStore,
} from '../../journal/index.ts';
import type { IndexEvent } from '../../search/index.ts';
import { corpusLayer } from '../corpus-layer.ts';
import { FleetIndex } from '../fleet/fleet-index.ts';
import type { Runtime } from '../queue/open-queue.ts';
import { openCorpusServer } from '../queue/open-queue.ts';
import { readRunFile, writeRunFile } from '../run-file.ts';
import { portable, portableRow } from '../stages/stored-outputs.ts';
import { findDatabase } from './shared-corpus.ts';
import type { StoredFiles } from './corpus-files.ts';
import { openStored, storePlace } from './storage.ts';

/** Where files are that machines share, in the order in which they are made. */
const FOLDERS = [
  'PDF',
  'HTML',
  'XML',
  'cas',
  ...['DocTagsFiles', 'ChunkedDocTagFiles', 'Embeddings', 'GraphFacts', 'Tables'].map((name) => `Data/${name}`),
];
/** What is copied of the logs. Lines about objects belong to one store, lines about hosts to one machine. */
const LOGS: readonly LogName[] = ['manifest', 'records', 'decisions', 'doctags', 'chunk', 'embed'];
const STAGES: ReadonlySet<LogName> = new Set(['doctags', 'chunk', 'embed']);
/** Files that are stored with one append, and groups of them at the same time. */
const GROUP = 50;
const TOGETHER = 8;
/** Lines of one append. */
const MOST_LINES = 2_000;
const MOST_CHARACTERS = 4_000_000;

/** What was copied; what had been copied before does not count. */
export interface Copied {
  readonly lines: number;
  readonly files: number;
  readonly bytes: number;
}

/**
 * Copies a corpus folder into a database and a store. The folder stays as it is. A copy that was stopped continues, and one
 * that is made again adds what the folder has since; a corpus that others have changed is refused.
 */
export async function copyToDatabase(
  folder: string,
  load: (layer: Layer) => Config,
  runtime: Runtime,
  report: (event: IndexEvent) => void,
  signal: AbortSignal,
): Promise<Copied> {
  refuseFleetFolder(folder);
  using lock = new FileLock(join(folder, 'state', 'run.lock'), runtime.clock);
  using taken = lock.tryTake();
  if (!taken)
    throw new AppError('RUN_FOLDER_BUSY', `a run is working on ${folder}`, { hint: 'let it finish, or stop it' });
  // The database has the logs: what is here of them is only compared with those of the folder.
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-copy-'));
  const config = load(corpusLayer(temporary.path, 'the copy of the corpus'));
  await using storage = await openStored(config, runtime);
  const { journal, files } = storage;
  const from = new LogFolder(folder, join(folder, 'Data', 'Manifests'));
  const added = LOGS.map((log) => ({ log, lines: newLines(from, journal, log, withoutPasswords(config.queue.url)) }));
  const stored = await storeFiles(folder, files, signal);
  let lines = 0;
  for (const { log, lines: own } of added) lines += await append(journal, log, own, signal);
  await files.refresh();
  await using connection = await openCorpusServer(config, runtime);
  await tellStore(connection, storePlace(config));
  const run = await readRunFile(folder);
  if (run) await tellRun(connection, run);
  const warn = (message: string): void => runtime.log('warn', message);
  await (await FleetIndex.open({ connection, files, config, warn })).refresh(report, signal);
  return { lines, ...stored };
}

/**
 * Copies a corpus in PostgreSQL into a folder that does not exist, or has a part of such a copy. It is a folder like any
 * other afterwards: what is decided there stays there.
 */
export async function copyToFolder(
  folder: string,
  load: (layer: Layer) => Config,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Copied> {
  const config = load(corpusLayer(folder, 'the folder of the copy'));
  const { run } = await findDatabase(config, runtime);
  if (!isFleetFolder(folder) && existsSync(folder) && readdirSync(folder).length > 0)
    throw new AppError('COPY_FOLDER', `${folder} is not empty`, { hint: 'copy into a new folder' });
  let copied: Copied;
  {
    // Until everything is here the folder is one of a fleet, which never answers from a part.
    await using storage = await openStored(config, runtime, false);
    await storage.files.refresh();
    const lines = LOGS.reduce((sum, log) => sum + countOf(storage.journal.logs, log), 0);
    copied = { lines, ...(await storage.files.bringAll('', undefined, signal)) };
  }
  signal.throwIfAborted();
  if (run) await writeRunFile(folder, run);
  // It says what is in the store of the fleet, which is not this folder's.
  removeStore(folder);
  await rm(new LogFolder(folder).of('objects').path, { force: true });
  await leaveFleet(folder);
  return copied;
}

/** Lines of the folder's log after those that the journal has; throws if those are others. */
function newLines(from: LogFolder, to: Journal, log: LogName, place: string): Generator<string> {
  const known = to.logs.of(log).path;
  const lines = portableLines(from, log);
  for (const line of existsSync(known) ? linesOf(known) : []) {
    if (lines.next().value === line.toString('utf8')) continue;
    throw new AppError('COPY_OTHER', `${place} has a corpus with other lines in its log "${log}"`, {
      hint: 'copy into an empty schema: --set queue.schema=NAME, with a --store of its own',
    });
  }
  return lines;
}

/** The lines of a log in order, with paths that are the same on all machines. */
function* portableLines(from: LogFolder, log: LogName): Generator<string> {
  const names = log === 'manifest' ? manifestNames(from.path) : [from.of(log).name];
  for (const { path } of names.map((name) => from.named(name)))
    for (const line of existsSync(path) ? linesOf(path) : []) {
      const text = line.toString('utf8');
      yield STAGES.has(log) ? portableRow(text, from.path) : text;
    }
}

async function append(journal: Journal, log: LogName, lines: Iterable<string>, signal: AbortSignal): Promise<number> {
  let [all, characters]: [number, number] = [0, 0];
  let batch: string[] = [];
  const flush = async (): Promise<void> => {
    signal.throwIfAborted();
    await journal.append([{ log, lines: batch }]);
    all += batch.length;
    [batch, characters] = [[], 0];
  };
  for (const line of lines) {
    batch.push(line);
    characters += line.length;
    if (batch.length >= MOST_LINES || characters >= MOST_CHARACTERS) await flush();
  }
  if (batch.length > 0) await flush();
  return all;
}

/** Stores the files of a folder before any line refers to them. */
async function storeFiles(
  folder: string,
  files: StoredFiles,
  signal: AbortSignal,
): Promise<Pick<Copied, 'files' | 'bytes'>> {
  let [count, bytes] = [0, 0];
  for (const each of FOLDERS) {
    const paths = globSync('**/*', { cwd: join(folder, each) })
      .map((name) => portable(join(folder, each, name), folder))
      .filter((path) => isSharedPath(path) && statSync(join(folder, path)).isFile())
      .sort();
    const groups = Array.from({ length: Math.ceil(paths.length / GROUP) }, (_, at) =>
      paths.slice(at * GROUP, (at + 1) * GROUP),
    );
    await forEachOf(groups, TOGETHER, async (group) => {
      signal.throwIfAborted();
      const added: string[] = [];
      for (const path of group) if (files.of(path)?.sha256 !== (await sha256File(join(folder, path)))) added.push(path);
      await files.save(added, { from: folder });
      count += added.length;
      for (const path of added) bytes += statSync(join(folder, path)).size;
    });
  }
  return { files: count, bytes };
}

function countOf(logs: LogFolder, log: LogName): number {
  const { path } = logs.of(log);
  let lines = 0;
  if (existsSync(path)) for (const _ of linesOf(path)) lines += 1;
  return lines;
}
