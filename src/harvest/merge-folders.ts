import { accessSync, chmodSync, constants, copyFileSync, existsSync, linkSync, lstatSync, mkdirSync } from 'node:fs';
import { realpathSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

import type { Clock, Warn } from '../base/index.ts';
import { AppError, describeDiskError, fileInside, partPath, readJsonl, sha256File } from '../base/index.ts';
import type { ManifestRow } from '../download/index.ts';
import { FileCommits, parseManifestRow, PartFolder } from '../download/index.ts';
import { ManifestFolder, manifestsIn } from './ledger/manifest-folder.ts';
import { CorpusStore, isRecord, Records } from '../store/index.ts';
import type { NoticeAbout, WorkRecord } from '../works/index.ts';

/** Rows of one append to the manifest with one sync, and records of one append. */
const BATCH = 1_000;
const MOST_NAMED = 1_000;

/** The result of merging folders. */
export interface Merged {
  readonly folders: number;
  /** Works in the merged folder. */
  readonly works: number;
  readonly files: number;
  readonly bytes: number;
  /** The first thousand `saved` rows whose file is missing, differs, or is outside the download folders. */
  readonly missing: readonly string[];
  readonly missingCount: number;
}

interface Options {
  readonly clock: Clock;
  readonly runId: string;
  readonly warn: Warn;
}

/**
 * Merges the run folders of several machines: for each work the latest complete file, or else the latest row; the
 * records of services; and the reports. Merging again adds what is new, and completes a merge that was killed.
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
  await using manifest = await ManifestFolder.open({ folder: out, store, ...options });
  using copies = new FileCopies(out, options.clock);
  const missing: string[] = [];
  let [files, bytes, missingCount] = [0, 0, 0];
  const batch = new Map<string, ManifestRow>();
  const write = async (): Promise<void> => {
    await copies.settled();
    await manifest.writeAll([...batch.values()]);
    batch.clear();
  };
  for (const folder of folders)
    for await (const row of rowsIn(folder, options.warn)) {
      signal?.throwIfAborted();
      const before = batch.get(row.work) ?? manifest.last(row.work);
      const isKept = before?.outcome === 'saved' && (batch.has(row.work) || copies.holds(before));
      const isSaved = row.outcome === 'saved' && row.path !== null;
      if (before && (isSaved === isKept ? row.at <= before.at : isKept)) continue;
      const path = isSaved ? await copies.copy(row, folder) : null;
      if (isSaved && path === null) {
        missingCount += 1;
        if (missing.length < MOST_NAMED) missing.push(`${row.work}: ${join(folder, row.path ?? '')}`);
        continue;
      }
      if (path !== null) {
        files += 1;
        bytes += row.bytes ?? 0;
      }
      batch.set(row.work, { ...row, path });
      if (batch.size >= BATCH) await write();
    }
  await write();
  const records = new Records(store);
  for (const folder of folders) await mergeRecords(join(folder, 'records.jsonl'), records, options.warn, signal);
  const works = store.count('last_outcomes');
  return { folders: folders.length, works, files, bytes, missing, missingCount };
}

async function* rowsIn(folder: string, warn: Warn): AsyncGenerator<ManifestRow> {
  for (const path of manifestsIn(folder))
    for await (const line of readJsonl(path)) {
      const parsed = line.kind === 'bad' ? { row: undefined, problem: line.reason } : parseManifestRow(line.value);
      if (parsed.row) yield parsed.row;
      else warn(`${path}, line ${line.line}: ${parsed.problem}; skipped`);
    }
}

/** Paths of downloads: `PDF/name.pdf`, or by hash. Nothing else is copied from another machine's folder. */
const SAVED_FILE =
  /^(?:(?:PDF|HTML|XML)\/(?!\.)[^/\\\p{Cc}]{1,200}|cas\/[0-9a-f]{2}\/[0-9a-f]{64})\.(?:pdf|html|xml)$/u;

/** Links or copies files into a folder. Unfinished copies of a killed process are removed by the next one. */
class FileCopies implements Disposable {
  readonly #out: string;
  readonly #parts: PartFolder;
  readonly #commits = new FileCommits();
  /** Names used by copies since the last `settled`, by hash. */
  readonly #given = new Map<string, string>();
  #committing: Promise<void>[] = [];

  constructor(out: string, clock: Clock) {
    this.#out = out;
    this.#parts = PartFolder.open(join(out, '.parts'), clock);
  }

  /** Resolves when every file would survive a power cut. */
  async settled(): Promise<void> {
    const committing = this.#committing;
    this.#committing = [];
    await Promise.all(committing);
    this.#given.clear();
  }

  /** Whether the target folder has the file of a row. */
  holds({ path, bytes }: Pick<ManifestRow, 'path' | 'bytes'>): boolean {
    const found = path === null ? undefined : statSync(join(this.#out, path), { throwIfNoEntry: false });
    return found !== undefined && (bytes === null || found.size === bytes);
  }

  /** The path of a row's file in the target folder; null if the file is not what the row says. */
  async copy(row: Pick<ManifestRow, 'path' | 'sha256' | 'bytes'>, folder: string): Promise<string | null> {
    const name = row.path ?? '';
    // The folder comes from another machine: a link in it may point to any file of this one.
    if (!SAVED_FILE.test(name) || fileInside(folder, name) !== join(realpathSync(folder), name)) return null;
    const from = join(folder, name);
    if (row.bytes !== null && lstatSync(from).size !== row.bytes) return null;
    const digest = await sha256File(from);
    if (row.sha256 !== null && digest !== row.sha256) return null;
    const path = await this.#freeName(name, digest);
    if (this.#given.has(path) || existsSync(join(this.#out, path))) return path;
    mkdirSync(join(this.#out, dirname(name)), { recursive: true });
    const part = partPath(join(this.#parts.path, 'body'));
    try {
      linkOrCopy(from, part);
    } catch (error) {
      throw describeDiskError(error, part);
    }
    this.#given.set(path, digest);
    const committed = this.#commits.commit(part, join(this.#out, path));
    committed.catch(() => undefined); // settled() throws it.
    this.#committing.push(committed);
    return path;
  }

  [Symbol.dispose](): void {
    this.#parts[Symbol.dispose]();
  }

  /** The name, or one with the hash if another file has it: two machines may use it for different works. */
  async #freeName(name: string, digest: string): Promise<string> {
    const path = join(this.#out, name);
    const taken = this.#given.get(name) ?? (existsSync(path) ? await sha256File(path) : digest);
    if (taken === digest) return name;
    const extension = extname(name);
    return `${name.slice(0, -extension.length)}-${digest.slice(0, 12)}${extension}`;
  }
}

/** Downloads are never changed in place, so a link is as good as a copy. */
function linkOrCopy(from: string, part: string): void {
  try {
    accessSync(from, constants.W_OK);
    linkSync(from, part);
  } catch {
    // Another disk, one without links, or a file that could not be synced here.
    copyFileSync(from, part, constants.COPYFILE_EXCL);
    chmodSync(part, 0o644);
  }
}

/**
 * Adds what services said about the works of a folder. Lines about the user's own papers and about parsed documents are
 * left out: they name files that are not merged.
 */
async function mergeRecords(path: string, records: Records, warn: Warn, signal?: AbortSignal): Promise<void> {
  if (!existsSync(path)) return;
  let batch: WorkRecord[] = [];
  for await (const line of readJsonl(path)) {
    signal?.throwIfAborted();
    const value = (line.kind === 'bad' ? null : line.value) as Readonly<Record<string, unknown>> | null;
    const { kind, record, about, work, version, times } = value ?? {};
    if ((kind === 'record' || kind === 'whole') && isRecord(record)) batch.push(record);
    else if (kind === 'notice') records.addNotices([about as NoticeAbout]);
    else if (kind === 'arxiv') records.noteArxivVersions([[String(work), Number(version)]]);
    else if (kind === 'repeats' && Array.isArray(times))
      records.noteRepeats(new Map((times as [string, number][]).map(([id, count]) => [id, count + 1])));
    else if (!LEFT_OUT.has(String(kind))) warn(`${path}, line ${line.line}: not a line of records; skipped`);
    if (batch.length < BATCH) continue;
    records.add(batch);
    batch = [];
  }
  records.add(batch);
}

const LEFT_OUT: ReadonlySet<string> = new Set(['paper', 'words', 'answer', 'input']);
