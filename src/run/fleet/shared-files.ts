import { existsSync, statSync } from 'node:fs';
import { mkdtempDisposable, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Clock } from '../../base/index.ts';
import { AppError, forEachOf, sha256File, parseJson, fieldsOf } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import { proxyOf } from '../../config/index.ts';
import type { ObjectId, ObjectStore } from '../../objects/index.ts';
import { openObjects } from '../../objects/index.ts';
import type { JobLease, Journal, LogEntry } from '../../journal/index.ts';
import { START } from '../../journal/index.ts';
import { CorpusStore, hasStore } from '../../database/index.ts';
import { openJournal } from '../open-journal.ts';
import type { Runtime } from '../queue/open-queue.ts';

/** A line of the log that maps files of the corpus to objects: the last one of a path counts. */
interface FileLine extends ObjectId {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly at: string;
}

const READ_BYTES = 1 << 20;

/** Shared files of a corpus: downloads and stage outputs. Other paths in a log are ignored. */
const SHARED = /^(?:PDF|HTML|XML|cas|Data)(?:\/(?!\.)[^/\\\p{Cc}]{1,255}){1,8}$/u;

export type SharedFiles = ReturnType<typeof openSharedFiles>;

export function openSharedFiles({ objects, clock, journal }: SharedFilesOptions) {
  const folder = journal.logs.path;
  const log = journal.logs.of('objects');
  const table = openFileTable();
  let cursor = START;

  const of = (path: string): ObjectId | undefined => table.find.get(path) as ObjectId | undefined;
  const note = ({ path, sha256, bytes }: FileLine): void => void table.put.run(path, sha256, bytes);

  const refresh = (): void => {
    for (let isEnd = !existsSync(log.path); !isEnd;) {
      const read = journal.logs.read(log, cursor, READ_BYTES) ?? journal.logs.read(log, START, READ_BYTES);
      if (!read) return;
      ({ cursor } = read);
      isEnd = read.isEnd || read.lines.length === 0;
      for (const line of read.lines) {
        const value = parseJson(line);
        if (isFileLine(value)) note(value);
      }
    }
  };

  /** Stores what is new of these files: the bytes are there before any line refers to them. */
  const put = async (paths: readonly string[], known: ObjectId | undefined): Promise<FileLine[]> => {
    const lines: FileLine[] = [];
    for (const path of paths) {
      if (!SHARED.test(path)) throw new AppError('OBJECT_PATH', `${path} is not a file that a corpus shares`);
      const file = join(folder, path);
      const object = known ?? { sha256: await sha256File(file), bytes: statSync(file).size };
      if (of(path)?.sha256 === object.sha256) continue;
      await objects.put(file, object);
      lines.push({ path, ...object, at: new Date(clock.now()).toISOString() });
    }
    return lines;
  };

  const bring = async (path: string, signal?: AbortSignal): Promise<boolean> => {
    const object = of(path);
    const found = statSync(join(folder, path), { throwIfNoEntry: false });
    if (!object) return found?.isFile() ?? false;
    if (found?.size !== object.bytes) await objects.get(object, join(folder, path), signal).catch(namingFile(path));
    return true;
  };

  refresh();
  return {
    folder,
    objects,
    refresh,
    of,
    isReferred: (sha256: string) => table.withBytes.get(sha256) !== undefined,
    below: table.below,
    isEmpty: () => table.any.get() === undefined,
    /** Makes sure that a complete file is here, by its size; false if neither the folder nor the store has it. */
    bring,

    /** Stores files, then appends their lines, followed by `lines`. False if the lease was lost. */
    async save(paths: readonly string[], { object, lines = [], lease }: Saving = {}): Promise<boolean> {
      // A machine that was suspended stores nothing.
      if (lease && !(await journal.isHeld(lease))) return false;
      const stored = await put(paths, object);
      const objectLines = stored.map((line) => JSON.stringify(line));
      if (!(await journal.append([{ log: 'objects', lines: objectLines }, ...lines], lease))) return false;
      for (const line of stored) note(line);
      return true;
    },

    /** Uploads what the store lacks and this folder has, with the bytes of the log; returns what nobody has here. */
    async pushAll(signal?: AbortSignal) {
      let [count, bytes] = [0, 0];
      const absent: string[] = [];
      await forEachOf([...table.below('')], TOGETHER, async ({ path, ...object }) => {
        signal?.throwIfAborted();
        if ((await objects.head(object.sha256, signal)) === object.bytes) return;
        const file = join(folder, path);
        const isHere = statSync(file, { throwIfNoEntry: false })?.size === object.bytes;
        if (!isHere || (await sha256File(file)) !== object.sha256) return void absent.push(path);
        // An object of another size is damaged, and would be taken for the file.
        await objects.remove(object.sha256, signal);
        await objects.put(file, object, signal);
        count += 1;
        bytes += object.bytes;
      });
      return { files: count, bytes, absent: absent.sort() };
    },

    async bringAll(prefix: string, isWanted: (path: string) => boolean = () => true, signal?: AbortSignal) {
      let [files, bytes] = [0, 0];
      const sizeOf = (path: string): number | undefined =>
        statSync(join(folder, path), { throwIfNoEntry: false })?.size;
      const waiting = [...table.below(prefix)].filter(
        (each) => isWanted(each.path) && sizeOf(each.path) !== each.bytes,
      );
      await forEachOf(waiting, TOGETHER, async (next) => {
        signal?.throwIfAborted();
        await bring(next.path, signal);
        files += 1;
        bytes += next.bytes;
      });
      return { files, bytes };
    },

    [Symbol.dispose]: () => table.database.close(),
  };
}

/** Names the file in an error about its object, and the command that mends it. */
function namingFile(path: string): (error: unknown) => never {
  return (error) => {
    const isKnown = error instanceof AppError && ['OBJECT_MISSING', 'OBJECT_DAMAGED'].includes(error.code);
    if (!isKnown) throw error;
    throw new AppError(error.code, `${path}: ${error.message}`, {
      hint: 'docstokg store RUN --store URL --push, on a machine that has the file, uploads it again',
      cause: error,
    });
  };
}

/** The files of a corpus and their objects, in a temporary database, because a corpus can have millions of files. */
function openFileTable() {
  const database = new DatabaseSync('');
  database.exec(`pragma journal_mode = off; pragma synchronous = off;
    create table files (path text primary key, sha256 text not null, bytes integer not null) without rowid;
    create index files_by_hash on files (sha256); begin`);
  return {
    database,
    put: database.prepare('insert or replace into files values (?, ?, ?)'),
    any: database.prepare('select 1 from files limit 1'),
    find: database.prepare('select * from files where path = ?'),
    withBytes: database.prepare('select 1 from files where sha256 = ? limit 1'),
    /** Each reader gets a new statement: several may read at once. */
    below: (prefix: string) =>
      database
        .prepare('select * from files where path >= ? and path < ? order by path')
        .iterate(prefix, `${prefix}\u{10ffff}`) as Iterable<unknown> as Iterable<ObjectId & { readonly path: string }>,
  };
}

const TOGETHER = 8;

interface SharedFilesOptions {
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly journal: Journal;
}

interface Saving {
  /** The hash and size of the only file, if known. */
  readonly object?: ObjectId | undefined;
  readonly lines?: readonly LogEntry[];
  readonly lease?: JobLease | undefined;
}

/** A log may come from another machine: paths outside the folder are rejected. */
function isFileLine(value: unknown): value is FileLine {
  const { path, sha256, bytes } = fieldsOf(value);
  return (
    typeof path === 'string' &&
    SHARED.test(path) &&
    /^[0-9a-f]{64}$/.test(String(sha256)) &&
    Number.isSafeInteger(bytes) &&
    Number(bytes) >= 0
  );
}

export type StoreCheck = Awaited<ReturnType<typeof checkStore>>;

const MOST_NAMED = 1_000;

/** The log is authoritative. The listing of a store, which may be outdated, only serves to find orphans. */
export async function checkStore(
  files: SharedFiles,
  options: {
    /** Reads every object and compares its hash, not only its size. */
    readonly verify: boolean;
    readonly repair: boolean;
    readonly graceMs: number;
  },
  signal?: AbortSignal,
) {
  const { objects } = files;
  const missing: string[] = [];
  const damaged: string[] = [];
  // Objects that belong to no file and are older than the grace period; a newer one may belong to a file being saved.
  const orphans: string[] = [];
  const name = (list: string[], each: string): void => void (list.length < MOST_NAMED && list.push(each));
  let [count, listed, young, removed] = [0, 0, 0, 0];
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-check-'));
  for (const { path, ...object } of files.below('')) {
    signal?.throwIfAborted();
    count += 1;
    let bytes = await objects.head(object.sha256, signal);
    // A replicated store may answer from a server that does not have it yet.
    for (let again = 0; again < 2; again += 1) bytes ??= await objects.head(object.sha256, signal);
    if (bytes === undefined) name(missing, path);
    else if (bytes !== object.bytes) name(damaged, path);
    else if (options.verify) {
      const copy = join(folder.path, 'copy');
      try {
        await objects.get(object, copy, signal);
        await rm(copy);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'OBJECT_DAMAGED') throw error;
        name(damaged, path);
      }
    }
  }
  for await (const { sha256, age } of objects.list(signal)) {
    listed += 1;
    if (files.isReferred(sha256)) continue;
    // A store that does not tell the time gives no age: its orphans stay.
    if (!(age >= options.graceMs)) {
      young += 1;
      continue;
    }
    name(orphans, sha256);
    if (!options.repair) continue;
    await objects.remove(sha256, signal);
    removed += 1;
  }
  return { files: count, objects: listed, missing, damaged, orphans, young, removed };
}

/** Parts of a corpus outside its folder: files in a store and, in a fleet, the logs. */
export interface Shared extends AsyncDisposable {
  readonly files: SharedFiles;
  readonly journal: Journal;
  /** The journal of a fleet. */
  readonly logs: Journal | undefined;
}

/** Whether a store without an owner may be claimed: by a corpus without files in it, never, or by any (`again`). */
type MayClaim = boolean | 'again';

/** Undefined if the corpus is only in its folder. */
export async function openShared(
  config: Config,
  runtime: Runtime,
  mayClaim: MayClaim = true,
): Promise<Shared | undefined> {
  const { store, queue, download } = config;
  if (queue.fleet && (store.url === '' || queue.backend !== 'postgres'))
    throw new AppError('USAGE_FLEET', 'a fleet needs a PostgreSQL server for its logs and a store for its files', {
      hint: 'give --fleet postgres://user@host/database and --store s3://bucket/prefix',
    });
  if (store.url === '') return undefined;
  const folder = download.out;
  // A shortened log would make the other objects orphans, which `docstokg store --repair` removes.
  if (hasStore(folder)) {
    const manifests = join(config.parse.data_root, 'Manifests');
    using corpus = CorpusStore.create(folder, { manifests, warn: (message) => runtime.log('warn', message) });
    corpus.mendLogs();
  }
  await using stack = new AsyncDisposableStack();
  const objects = openObjects(store, { clock: runtime.clock, state: join(folder, 'state'), proxy: proxyOf(config) });
  const journal = stack.use(await openJournal(config, runtime));
  const files = stack.use(openSharedFiles({ objects, clock: runtime.clock, journal }));
  await checkOwner(files, journal, mayClaim);
  const opened = stack.move();
  const logs = journal.isShared ? journal : undefined;
  return { files, journal, logs, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Rejects a store of another corpus: `docstokg store --repair` would remove that corpus's files. */
async function checkOwner({ objects, isEmpty }: SharedFiles, journal: Journal, mayClaim: MayClaim): Promise<void> {
  const noFiles = (): AppError =>
    new AppError('OBJECT_STORE_OTHER', `${objects.name} has no files of this corpus`, {
      hint: 'give the --store of its runs; if it was emptied, docstokg store --push uploads the files that a machine has',
    });
  let owner = await objects.owner();
  if (owner === undefined && mayClaim === false) throw noFiles();
  const ours = await journal.identity();
  if (owner === undefined && (mayClaim === 'again' || isEmpty())) {
    await objects.claim(ours);
    // Another process may have claimed it at the same time: the first claim counts.
    owner = await objects.owner();
  }
  if (owner === ours) return;
  throw owner === undefined
    ? noFiles()
    : new AppError('OBJECT_STORE_OTHER', `${objects.name} has the files of another corpus`, {
        hint: 'give each corpus its own prefix: --store s3://bucket/prefix; a fleet with a new database needs a new prefix',
      });
}
