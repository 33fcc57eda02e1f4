import { existsSync, globSync, readdirSync, statSync } from 'node:fs';
import { mkdtempDisposable, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { AppError, FileLock, forEachOf, readFields, sha256File } from '../../base/index.ts';
import type { Config, Layer } from '../../config/index.ts';
import { withoutPasswords } from '../../config/index.ts';
import { isSharedPath, removeStore } from '../../database/index.ts';
import type { Journal, LogName } from '../../journal/index.ts';
import {
  FolderJournal,
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
/** The logs whose rows say which files there are. */
const FILED: ReadonlySet<LogName> = new Set(['manifest', ...STAGES]);
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
  using _taken = takeRun(lock, folder);
  // The database has the logs: what is here of them is only compared with those of the folder.
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-copy-'));
  const config = load(corpusLayer(temporary.path, 'the copy of the corpus'));
  await using storage = await openStored(config, runtime);
  const { journal, files } = storage;
  const from = new LogFolder(folder, join(folder, 'Data', 'Manifests'));
  const place = withoutPasswords(config.queue.url);
  const pairs = pairsOf(from, journal.logs, { place });
  const newer = pairs.find(({ there }) => there.length > 0);
  if (newer)
    throw new AppError('COPY_OTHER', `${place} has lines in its log "${newer.log}" that ${folder} has not`, {
      hint: `docstokg copy ${place} ${folder} first, which brings them here`,
    });
  const stored = await storeFiles(folder, files, signal);
  let lines = 0;
  for (const { log, here } of pairs) lines += await append(journal, log, here, signal);
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
 * Copies a corpus in PostgreSQL into a folder that does not exist, or has a part of such a copy; or adds what the database
 * has since to the folder that it was copied from. It is a folder like any other afterwards: what is decided there stays
 * there.
 */
export async function copyToFolder(
  folder: string,
  load: (layer: Layer) => Config,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Copied> {
  const config = load(corpusLayer(folder, 'the folder of the copy'));
  const { run } = await findDatabase(config, runtime);
  if (!isFleetFolder(folder) && existsSync(folder) && !isBegun(folder))
    return await addToFolder(folder, load, runtime, signal);
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

/** Whether a folder has nothing, or only what a copy writes before it has noted whose it is. */
function isBegun(folder: string): boolean {
  return readdirSync(folder).every((name) => name === 'state');
}

/** Adds to a folder what a database has since it was copied there: files before the lines that refer to them. */
async function addToFolder(
  folder: string,
  load: (layer: Layer) => Config,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Copied> {
  const own = new LogFolder(folder);
  if (own.files().length === 0)
    throw new AppError('COPY_FOLDER', `${folder} is not empty, and no run folder`, { hint: 'copy into a new folder' });
  using lock = new FileLock(join(folder, 'state', 'run.lock'), runtime.clock);
  using _taken = takeRun(lock, folder);
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-copy-'));
  const config = load(corpusLayer(temporary.path, 'the copy of the corpus'));
  await using storage = await openStored(config, runtime, false);
  await storage.files.refresh();
  const pairs = pairsOf(own, storage.journal.logs, { place: withoutPasswords(config.queue.url) });
  const isNewer = pairs.some(({ log, here }) => FILED.has(log) && here.length > 0);
  const moved = await bringFiles(folder, storage.files, isNewer, signal);
  await using journal = new FolderJournal(own, { clock: runtime.clock, rotateBytes: config.download.rotate_bytes });
  let lines = 0;
  for (const { log, there } of pairs) lines += await append(journal, log, there, signal);
  const { run } = await findDatabase(config, runtime);
  if (run) await writeRunFile(folder, run);
  return { lines, ...moved };
}

function takeRun(lock: FileLock, folder: string): Disposable {
  const taken = lock.tryTake();
  if (taken) return taken;
  throw new AppError('RUN_FOLDER_BUSY', `a run is working on ${folder}`, { hint: 'let it finish, or stop it' });
}

/** Fetches the files that a folder lacks, and those that are others, unless the folder's are newer. */
async function bringFiles(
  folder: string,
  files: StoredFiles,
  isNewer: boolean,
  signal: AbortSignal,
): Promise<Pick<Copied, 'files' | 'bytes'>> {
  const newer = await newerTables(folder, files, signal);
  let [count, bytes] = [0, 0];
  await forEachOf([...files.below('')], TOGETHER, async ({ path, ...object }) => {
    signal.throwIfAborted();
    const target = join(folder, path);
    if (existsSync(target)) {
      const table = tableOf(path);
      if (table === undefined ? isNewer : newer.get(table) !== 'there') return;
      if ((await sha256File(target)) === object.sha256) return;
    }
    await files.objects.get(object, target, signal);
    count += 1;
    bytes += object.bytes;
  });
  return { files: count, bytes };
}

/** The name of the table that a file belongs to. */
function tableOf(path: string): string | undefined {
  return /^Data\/Tables\/([^/]+)\//.exec(path)?.[1];
}

/**
 * Where each table was started last: its rows there are taken where both have some. A table is in no log: of one that was
 * started on both sides since, rows of the other side fill gaps.
 */
async function newerTables(
  folder: string,
  files: StoredFiles,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, 'here' | 'there' | 'both'>> {
  const newer = new Map<string, 'here' | 'there' | 'both'>();
  const startedIn = (path: string): number => Number(readFields(path)['at'] ?? 0);
  for (const { path } of files.below('Data/Tables/')) {
    const table = tableOf(path);
    if (table === undefined || !path.endsWith('/table.json')) continue;
    await files.bring(path, signal);
    const [here, there] = [startedIn(join(folder, path)), startedIn(join(files.folder, path))];
    newer.set(table, here === there ? 'both' : here > there ? 'here' : 'there');
  }
  return newer;
}

/** A log in a folder and in a database, of which one goes on where the other ends: what only it has. */
interface LogPair {
  readonly log: LogName;
  readonly here: readonly string[];
  readonly there: readonly string[];
}

/** Compares all logs of a folder with those of a database, as they were copied; throws if they are of different corpora. */
function pairsOf(folder: LogFolder, database: LogFolder, { place }: { readonly place: string }): readonly LogPair[] {
  const pairs = LOGS.map((log): LogPair => {
    const here = portableLines(folder, log);
    const known = database.of(log).path;
    const there: string[] = [];
    for (const line of existsSync(known) ? linesOf(known) : []) {
      const text = line.toString('utf8');
      const next = there.length > 0 ? undefined : here.next().value;
      if (next === undefined) there.push(text);
      else if (next !== text) throw other(place, log);
    }
    return { log, here: [...here], there };
  });
  // Files of both would belong to neither.
  const [newerHere, newerThere] = (['here', 'there'] as const).map((side) =>
    pairs.find((pair) => FILED.has(pair.log) && pair[side].length > 0),
  );
  if (newerHere && newerThere) throw other(place, newerHere.log);
  return pairs;
}

function other(place: string, log: LogName): AppError {
  return new AppError('COPY_OTHER', `${place} has a corpus with other lines in its log "${log}"`, {
    hint: 'copy into an empty schema, --set queue.schema=NAME with a --store of its own, or into a new folder',
  });
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
  const newer = await newerTables(folder, files, signal);
  let [count, bytes] = [0, 0];
  for (const each of FOLDERS) {
    const paths = globSync('**/*', { cwd: join(folder, each) })
      .map((name) => portable(join(folder, each, name), folder))
      .filter((path) => isSharedPath(path) && statSync(join(folder, path)).isFile())
      .filter((path) => files.of(path) === undefined || newer.get(tableOf(path) ?? '') !== 'there')
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
