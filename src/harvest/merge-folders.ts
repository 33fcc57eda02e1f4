import { createHash, hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, extname, join } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';

import type { Clock } from '../base/index.ts';
import { AppError, describeDiskError, partPath, readJsonl, sha256File } from '../base/index.ts';
import type { ManifestRow } from '../download/index.ts';
import { FileCommits, parseManifestRow, PartFolder } from '../download/index.ts';
import { CorpusStore } from '../store/index.ts';
import { ManifestFolder, manifestsIn } from './ledger/manifest-folder.ts';
import { newRecordLines } from './merge-records.ts';

/** Rows of one transaction, and of one append to the manifest with one sync. */
const BATCH_ROWS = 10_000;
const COPY_BYTES = 1 << 20;
const MOST_NAMED = 1_000;

/** The result of merging folders. */
export interface Merged {
  readonly folders: number;
  readonly works: number;
  readonly files: number;
  readonly bytes: number;
  readonly records: number;
  /** Rows that say `saved` whose file is missing, is another one, or is not in a folder of downloads: the first thousand. */
  readonly missing: readonly string[];
  readonly missingCount: number;
}

interface Options {
  readonly clock: Clock;
  readonly runId: string;
  readonly warn: (message: string) => void;
}

/** A row of one of the folders; the first folder is the one that is merged into. */
interface Candidate {
  readonly work: string;
  readonly folder: number;
  readonly row: string;
}

/**
 * Merges the folders of several machines: of each work the latest saved file that is whole, else the latest row; what
 * services said about the works; and the reports. Rows wait in a temporary database, not in memory. Merging again adds
 * what is new; a merge that is killed is continued by the next one.
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
  using candidates = new Candidates();
  const all = [out, ...folders];
  for (const [at, folder] of all.entries()) await candidates.read(folder, at, options.warn, signal);
  using copies = new FileCopies(out, options.clock);
  const missing: string[] = [];
  let [files, bytes, missingCount] = [0, 0, 0];
  let batch: ManifestRow[] = [];
  const write = async (): Promise<void> => {
    await copies.settled();
    await manifest.writeAll(batch);
    batch = [];
  };
  for (const first of candidates.best()) {
    signal?.throwIfAborted();
    for (const { work, folder, row: text } of candidates.from(first)) {
      const row = JSON.parse(text) as ManifestRow;
      const path = row.path === null ? null : await copies.copy(row, all[folder] ?? out);
      if (row.path !== null && path === null) {
        missingCount += 1;
        if (missing.length < MOST_NAMED) missing.push(`${work}: ${join(all[folder] ?? '', row.path)}`);
        continue;
      }
      if (folder === 0) break;
      if (path !== null) {
        files += 1;
        bytes += row.bytes ?? 0;
      }
      batch.push({ ...row, path });
      break;
    }
    if (batch.length >= BATCH_ROWS) await write();
  }
  await write();
  let records = 0;
  for (const [at, folder] of all.entries())
    for await (const lines of newRecordLines(join(folder, 'records.jsonl'), candidates, options.warn)) {
      signal?.throwIfAborted();
      if (at === 0) continue;
      store.appendRecords(lines);
      records += lines.length;
    }
  store.ingestAll();
  return { folders: folders.length, works: candidates.works, files, bytes, records, missing, missingCount };
}

/** The rows of all folders in a temporary database, which the system removes with the process. */
class Candidates implements Disposable {
  readonly #database = new DatabaseSync('');
  #note: StatementSync | undefined;

  constructor() {
    this.#database.exec(`
      pragma journal_mode = off; pragma synchronous = off;
      create table rows (id integer primary key, work text not null, saved integer not null, at integer not null,
        folder integer not null, row text not null);
      create table seen (line text primary key) without rowid;
    `);
  }

  async read(folder: string, at: number, warn: (message: string) => void, signal?: AbortSignal): Promise<void> {
    const insert = this.#database.prepare('insert into rows (work, saved, at, folder, row) values (?, ?, ?, ?, ?)');
    let rows = 0;
    this.#database.exec('begin');
    for (const path of manifestsIn(folder))
      for await (const line of readJsonl(path)) {
        const parsed = line.kind === 'bad' ? { row: undefined, problem: line.reason } : parseManifestRow(line.value);
        if (!parsed.row) {
          warn(`${path}, line ${line.line}: ${parsed.problem}; skipped`);
          continue;
        }
        const { work, outcome, path: saved, at: moment } = parsed.row;
        const isSaved = outcome === 'saved' && saved !== null;
        insert.run(work, isSaved ? 1 : 0, Date.parse(moment), at, JSON.stringify(parsed.row));
        rows += 1;
        if (rows % BATCH_ROWS !== 0) continue;
        signal?.throwIfAborted();
        this.#database.exec('commit; begin');
      }
    this.#database.exec('commit');
  }

  /** False where the same line was noted before. */
  note(line: string): boolean {
    if (!this.#note) {
      this.#database.exec('begin'); // Never committed: the database is temporary.
      this.#note = this.#database.prepare('insert or ignore into seen values (?)');
    }
    return this.#note.run(hash('sha256', line, 'base64url')).changes === 1;
  }

  get works(): number {
    return Number(this.#database.prepare('select count(distinct work) as works from rows').get()?.['works']);
  }

  /** The best row of each work, in the order of time: what was saved before what was not, the later before the earlier. */
  best(): Iterable<Candidate & { readonly others: number }> {
    this.#database.exec(
      'create index if not exists rows_of_works on rows (work, saved desc, at desc, folder, id desc)',
    );
    return this.#database
      .prepare(
        `select work, folder, row, others from (
           select work, folder, row, at, id, count(*) over (partition by work) - 1 as others,
             row_number() over (partition by work order by saved desc, at desc, folder, id desc) as place from rows
         ) where place = 1 order by at, id`,
      )
      .iterate() as unknown as Iterable<Candidate & { readonly others: number }>;
  }

  /** That row, then the other rows of its work, the better ones first. */
  *from(best: Candidate & { readonly others: number }): Generator<Candidate> {
    yield best;
    if (best.others === 0) return;
    const rows = this.#database.prepare(
      'select work, folder, row from rows where work = ? order by saved desc, at desc, folder, id desc',
    );
    for (const row of rows.all(best.work).slice(1)) yield row as unknown as Candidate;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** Where downloads are saved: `PDF/name.pdf`, or by their hash. Nothing else of a foreign folder is copied. */
const SAVED_FILE =
  /^(?:(?:PDF|HTML|XML)\/(?!\.)[^/\\\p{Cc}]{1,200}|cas\/[0-9a-f]{2}\/[0-9a-f]{64})\.(?:pdf|html|xml)$/u;

/** Copies files into a folder; what it has begun when the process dies is removed by the next one that writes there. */
class FileCopies implements Disposable {
  readonly #out: string;
  readonly #parts: PartFolder;
  readonly #commits = new FileCommits();
  readonly #buffer = Buffer.allocUnsafe(COPY_BYTES);
  readonly #roots = new Map<string, string>();
  /** Names that were given since the last time all files had theirs, by hash. */
  readonly #given = new Map<string, string>();
  #committing: Promise<void>[] = [];

  constructor(out: string, clock: Clock) {
    this.#out = out;
    this.#parts = PartFolder.open(join(out, '.parts'), clock);
  }

  /** Resolves when every file that was copied would survive a power cut. */
  async settled(): Promise<void> {
    const committing = this.#committing;
    this.#committing = [];
    await Promise.all(committing);
    this.#given.clear();
  }

  /** The path of a row's file in the joined folder; null where the file is not what the row says. */
  async copy(row: ManifestRow, folder: string): Promise<string | null> {
    const name = row.path ?? '';
    if (!SAVED_FILE.test(name)) return null;
    const from = join(folder, name);
    // The folder is foreign: a link in it may lead to any file of this machine.
    if (realPath(from) !== join(this.#rootOf(folder), name)) return null;
    const found = lstatSync(from);
    if (!found.isFile() || (row.bytes !== null && found.size !== row.bytes)) return null;
    if (folder === this.#out) return name;
    const part = partPath(join(this.#parts.path, 'body'));
    const digest = this.#copyBytes(from, part);
    const path = row.sha256 !== null && digest !== row.sha256 ? null : await this.#freeName(name, digest);
    if (path === null || this.#given.has(path) || existsSync(join(this.#out, path))) {
      rmSync(part);
      return path;
    }
    this.#given.set(path, digest);
    mkdirSync(dirname(join(this.#out, path)), { recursive: true });
    const committed = this.#commits.commit(part, join(this.#out, path));
    committed.catch(() => undefined); // settled() throws it.
    this.#committing.push(committed);
    // Syncing has threads of its own: they need a turn.
    if (this.#committing.length % 64 === 0) await new Promise(setImmediate);
    return path;
  }

  [Symbol.dispose](): void {
    this.#parts[Symbol.dispose]();
  }

  #rootOf(folder: string): string {
    let root = this.#roots.get(folder);
    if (root === undefined) this.#roots.set(folder, (root = realpathSync(folder)));
    return root;
  }

  /** Links or copies, and answers the hash of the bytes. A download is never changed in place, so a link is as good. */
  #copyBytes(from: string, part: string): string {
    const digest = createHash('sha256');
    const source = openSync(from, 'r');
    const copy = isLinked(from, part) ? undefined : openSync(part, 'wx');
    try {
      for (let read = 1; read > 0;) {
        read = readSync(source, this.#buffer);
        digest.update(this.#buffer.subarray(0, read));
        if (copy === undefined) continue;
        for (let written = 0; written < read;) written += writeSync(copy, this.#buffer, written, read - written);
      }
    } catch (error) {
      throw describeDiskError(error, part);
    } finally {
      closeSync(source);
      if (copy !== undefined) closeSync(copy);
    }
    return digest.digest('hex');
  }

  /** The name itself, or one with the hash where another file has the name: two machines may give it to two works. */
  async #freeName(name: string, digest: string): Promise<string> {
    const taken = this.#given.get(name) ?? (await this.#hashOf(name));
    if (taken === undefined || taken === digest) return name;
    const extension = extname(name);
    return `${name.slice(0, -extension.length)}-${digest.slice(0, 12)}${extension}`;
  }

  #hashOf(name: string): Promise<string> | undefined {
    const path = join(this.#out, name);
    return existsSync(path) ? sha256File(path) : undefined;
  }
}

/** False where the folders are on different disks, or the disk has no links. */
function isLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false; // It is copied, which says what is wrong if that fails as well.
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // It is not there, or may not be read: its row is reported.
  }
}
