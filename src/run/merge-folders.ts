import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { constants, copyFileSync, existsSync, linkSync, mkdirSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';

import type { Clock } from '../base/index.ts';
import { AppError, describeDiskError, fileInside, partPath, readJsonl, sha256File } from '../base/index.ts';
import type { ManifestRow } from '../download/index.ts';
import { commitFiles, openPartFolder, parseManifestRow } from '../download/index.ts';
import { ManifestFolder, manifestsIn } from './download/manifest-folder.ts';
import { CorpusStore, isRecord } from '../database/index.ts';
import { FolderJournal, LogFolder } from '../journal/index.ts';

/** Rows of one append to the manifest, and lines of one append to the records, each with one sync. */
const BATCH_ROWS = 10_000;
const MOST_NAMED = 1_000;
/** Above this, syncing a whole disk is much cheaper than file by file. */
const MANY_FILES = 64;

/** What a merge found and wrote. */
export interface Merged {
  readonly folders: number;
  /** In the merged folder. */
  readonly works: number;
  /** Copied or linked by this merge. */
  readonly files: number;
  readonly bytes: number;
  /** Lines added to the records. */
  readonly records: number;
  /** The first saved rows whose file is missing, differs, or is outside the download folders. */
  readonly missing: readonly string[];
  readonly missingCount: number;
}

interface Options {
  readonly clock: Clock;
  readonly runId: string;
  readonly warn: (message: string) => void;
}

type SavedFile = Pick<ManifestRow, 'path' | 'sha256' | 'bytes'>;

/**
 * Merges the folders of several machines: for each work the latest complete file, or else the latest row. Merging again
 * adds what is new, and completes a merge that was killed.
 */
export async function mergeFolders(
  folders: readonly string[],
  out: string,
  options: Options,
  signal?: AbortSignal,
): Promise<Merged> {
  for (const folder of folders)
    if (!existsSync(folder) || manifestsIn(folder).length === 0)
      throw new AppError('MERGE_NO_MANIFEST', `${folder} has no manifest.jsonl`, {
        hint: 'give run folders',
      });
  mkdirSync(out, { recursive: true });
  using store = CorpusStore.create(out, { warn: options.warn });
  await using journal = new FolderJournal(new LogFolder(out), options);
  await using _manifest = await ManifestFolder.open({ folder: out, store, journal, ...options });
  const candidates = openCandidates(store);
  const all = [out, ...folders];
  for (const [at, folder] of all.entries())
    for (const path of manifestsIn(folder))
      for await (const line of readJsonl(path)) {
        signal?.throwIfAborted();
        const parsed = line.kind === 'bad' ? { row: undefined, problem: line.reason } : parseManifestRow(line.value);
        if (parsed.row) candidates.add(parsed.row, at);
        else options.warn(`${path}, line ${line.line}: ${parsed.problem}; skipped`);
      }
  using copies = openCopies(out, options.clock);
  const missing: string[] = [];
  let [files, bytes, missingCount] = [0, 0, 0];
  let batch: string[] = [];
  const write = async (): Promise<void> => {
    await copies.settled();
    await journal.append([{ log: 'manifest', lines: batch }]);
    batch = [];
  };
  let merged: string | undefined;
  for (const candidate of candidates.rows()) {
    signal?.throwIfAborted();
    const { work, folder, row } = candidate;
    if (work === merged) continue;
    const path = candidate.path === null ? null : await copies.copy(candidate, all[folder] ?? out);
    if (candidate.path !== null && path === null) {
      missingCount += 1;
      if (missing.length < MOST_NAMED) missing.push(`${work}: ${join(all[folder] ?? '', candidate.path)}`);
      continue;
    }
    merged = work;
    if (folder === 0) continue;
    if (path !== null) {
      files += 1;
      bytes += candidate.bytes ?? 0;
    }
    batch.push(path === candidate.path ? row : JSON.stringify({ ...(JSON.parse(row) as ManifestRow), path }));
    if (batch.length >= BATCH_ROWS) await write();
  }
  await write();
  let records = 0;
  for (const [at, folder] of all.entries())
    for await (const lines of newRecordLines(join(folder, 'records.jsonl'), candidates, options.warn)) {
      signal?.throwIfAborted();
      if (at === 0) continue;
      await journal.append([{ log: 'records', lines }]);
      records += lines.length;
    }
  store.ingestAll();
  const works = store.count("works where outcome <> 'unreadable'");
  return { folders: folders.length, works, files, bytes, records, missing, missingCount };
}

/** The first folder is the target. */
interface Candidate extends SavedFile {
  readonly work: string;
  readonly folder: number;
  readonly row: string;
}

interface Candidates {
  add(row: ManifestRow, folder: number): void;
  /** Notes a line of records; false if the same one was noted before. */
  note(line: string): boolean;
  /** For each work saved rows first, then the latest. Works are in the order of their best rows. */
  rows(): Generator<Candidate>;
}

/** The rows of all folders, in temporary tables of the target's database: they may be too many for the memory. */
function openCandidates(store: CorpusStore): Candidates {
  store.database.exec(`
    create temp table candidates (id integer primary key, work text not null, saved integer not null,
      at integer not null, folder integer not null, path text, sha256 text, bytes integer, row text not null);
    create temp table seen_lines (line text primary key) without rowid;
  `);
  return {
    add(row, folder) {
      const { work, outcome, path, sha256, bytes } = row;
      const saved = outcome === 'saved' && path !== null ? 1 : 0;
      const at = Date.parse(row.at);
      store.insert('candidates', { work, saved, at, folder, path, sha256, bytes, row: JSON.stringify(row) });
    },

    note: (line) => store.insert('seen_lines', { line: hash('sha256', line, 'base64url') }, 'or ignore') === 1,

    *rows() {
      store.database.exec('create index temp.by_work on candidates (work, saved desc, at desc, folder, id desc)');
      // The order is made of small rows, and each is read when its turn comes.
      const order = store.iterate<{ id: number }>(
        `select id from (
           select id, row_number() over best as place,
             first_value(at) over best as at, first_value(id) over best as first
           from candidates window best as (partition by work order by saved desc, at desc, folder, id desc)
         ) order by at, first, place`,
      );
      const columns = 'work, folder, path, sha256, bytes, row';
      for (const { id } of order) {
        const row = store.get<Candidate>(`select ${columns} from candidates where id = ?`, id);
        if (row) yield row;
      }
    },
  };
}

/** Paths of downloads: `PDF/name.pdf`, or by hash. Nothing else is copied from another machine's folder. */
const SAVED_FILE =
  /^(?:(?:PDF|HTML|XML)\/(?!\.)[^/\\\p{Cc}]{1,200}|cas\/[0-9a-f]{2}\/[0-9a-f]{64})\.(?:pdf|html|xml)$/u;

/** `settled` gives the files their names; unfinished ones of a killed process are removed by the next one. */
function openCopies(out: string, clock: Clock) {
  const parts = openPartFolder(join(out, '.parts'), clock);
  /** By the path they will have. */
  const waiting = new Map<string, { readonly part: string; readonly digest: string }>();

  /** The name, or one with the hash if another file has it: two machines may use it for different works. */
  const freeName = async (name: string, digest: string): Promise<string> => {
    const path = join(out, name);
    const taken = waiting.get(name)?.digest ?? (existsSync(path) ? await sha256File(path) : undefined);
    if (taken === undefined || taken === digest) return name;
    const extension = extname(name);
    return `${name.slice(0, -extension.length)}-${digest.slice(0, 12)}${extension}`;
  };

  return {
    /** Resolves when every file would survive a power cut. */
    async settled(): Promise<void> {
      const commits = Array.from(waiting, ([path, { part }]) => ({ part, path: join(out, path) }));
      for (const { path } of commits) mkdirSync(dirname(path), { recursive: true });
      const areSynced = commits.length > MANY_FILES && (await syncDisk(out));
      const [failure] = (await commitFiles(commits, areSynced)).values();
      if (failure !== undefined) throw failure;
      waiting.clear();
    },

    /** The path of a row's file in the target folder; null if the file is not what the row says. */
    async copy(row: SavedFile, folder: string): Promise<string | null> {
      const name = row.path ?? '';
      // The folder comes from another machine: a link in it may point to any file of this one.
      const from = SAVED_FILE.test(name) ? fileInside(folder, name) : undefined;
      if (from === undefined || (row.bytes !== null && statSync(from).size !== row.bytes)) return null;
      if (folder === out) return name;
      const digest = await sha256File(from);
      if (row.sha256 !== null && digest !== row.sha256) return null;
      const path = await freeName(name, digest);
      if (waiting.has(path) || existsSync(join(out, path))) return path;
      const part = partPath(join(parts.path, 'body'));
      linkOrCopy(from, part);
      waiting.set(path, { part, digest });
      return path;
    },

    [Symbol.dispose]: () => parts[Symbol.dispose](),
  };
}

/** Downloads are never changed in place, so a link is as good as a copy; other disks, and some systems, have none. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
    return;
  } catch {
    // It is copied, which reports any other problem.
  }
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  } catch (error) {
    throw describeDiskError(error, to);
  }
}

async function syncDisk(folder: string): Promise<boolean> {
  // Elsewhere `sync` does not wait.
  if (process.platform !== 'linux') return false;
  const syncing = promisify(execFile)('sync', ['-f', folder]);
  return await syncing.then(() => true).catch(() => false);
}

/** Skips lines about the user's own papers and parsed documents, which name files that are not merged. */
async function* newRecordLines(
  path: string,
  seen: { note(line: string): boolean },
  warn: (message: string) => void,
): AsyncGenerator<readonly string[]> {
  if (!existsSync(path)) return;
  let batch: string[] = [];
  for await (const line of readJsonl(path)) {
    const text = line.kind === 'bad' ? undefined : mergedLine(line.value);
    if (text === undefined) {
      warn(`${path}, line ${line.line}: not a line of records; skipped`);
      continue;
    }
    if (text !== '' && seen.note(text)) batch.push(text);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The line for the merged folder: '' for one that is left out, undefined for a damaged one. */
function mergedLine(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const { kind, record } = value as { readonly kind?: unknown; readonly record?: unknown };
  switch (kind) {
    case 'record':
    case 'whole':
      // Records of another folder are added and replace nothing.
      return isRecord(record) ? JSON.stringify({ kind: 'record', record }) : undefined;
    case 'input':
      // The same, for lists of one name: a piece that is not the first replaces nothing.
      return JSON.stringify({ ...value, from: 1 });
    case 'notice':
    case 'arxiv':
    case 'repeats':
    case 'answer':
      return JSON.stringify(value);
    case 'paper':
    case 'words':
      return '';
    default:
      return undefined;
  }
}
