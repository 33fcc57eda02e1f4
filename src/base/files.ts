import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
  readdirSync,
  readSync,
  renameSync,
} from 'node:fs';
import { rmSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';

import { AppError, describeDiskError, hasCode } from './errors.ts';
import { forEachOf } from './once-per.ts';

/** The package's folder with `sql/` and `package.json`, from source and from `dist/`. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version;
}

/** The real path; undefined if missing or outside: a run folder of other people may have links or `..`. */
export function fileInside(folder: string, path: string): string | undefined {
  try {
    const file = realpathSync(resolve(folder, path));
    return file.startsWith(realpathSync(folder) + sep) && statSync(file).isFile() ? file : undefined;
  } catch (error) {
    // Besides missing files: too long a name, a symlink loop, a NUL byte, no permission.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/** Windows returns these while a virus scanner or an indexer has the file open. */
const PASSING = ['EPERM', 'EBUSY', 'EACCES'];
const TRIES = 8;
const FIRST_WAIT_MS = 5;

/** The file itself, or all files below a folder, sorted, without hidden ones. Links are followed. */
export function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const visited = new Set<string>();
  const walk = (at: string): string[] => {
    const real = realpathSync(at);
    if (visited.has(real)) return [];
    visited.add(real);
    return readdirSync(at)
      .filter((name) => !name.startsWith('.'))
      .flatMap((name) => {
        const each = join(at, name);
        const found = statSync(each, { throwIfNoEntry: false });
        if (found?.isDirectory()) return walk(each);
        return found?.isFile() ? [each] : [];
      });
  };
  return walk(path).sort();
}

/** Writes a file atomically: a `.part` beside it, fsync, rename, fsync of the folder. Pipes and devices are written to. */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  replace: typeof renameFile = renameFile,
): Promise<void> {
  if (isDevice(path)) {
    await writeFile(path, data);
    return;
  }
  const part = partPath(path);
  try {
    // On a read-only disk the first call fails with ENOENT, the second one with the true reason.
    await mkdir(dirname(path), { recursive: true }).catch(() => mkdir(dirname(path)));
    await using file = await open(part, 'wx');
    await file.writeFile(data);
    await file.sync();
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw describeDiskError(error, path);
  }
  await commitPart(part, path, replace);
}

/** Like `writeFileAtomic`, under a name of ours: a file there that is not ours is moved aside (see `replaceFile`). */
export async function writeOwnFile(path: string, data: string | Uint8Array): Promise<void> {
  await writeFileAtomic(path, data, replaceFile);
}

/** Identifies this process and thread among all writers. */
const WRITER = `${process.pid.toString(36)}${randomBytes(5).toString('hex')}`;
let parts = 0;

/** A unique name for the unfinished bytes of `path`. */
export function partPath(path: string): string {
  parts += 1;
  return `${path}.${WRITER}-${parts.toString(36)}.part`;
}

/** Removes unfinished files below a folder that have this prefix and whose process is gone. */
export function removeDeadParts(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /\.([0-9a-z]{1,7})[0-9a-f]{10}-[0-9a-z]+\.part$/.exec(name)?.[1];
    if (pid !== undefined && name.startsWith(prefix) && !isProcessAlive(Number.parseInt(pid, 36)))
      rmSync(join(folder, name), { force: true });
  }
}

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: a process of another user, which is alive.
    return !hasCode(error, 'ESRCH');
  }
}

/** A pipe, a socket or a device, such as /dev/null: a rename would replace it by a file, for all programs. */
function isDevice(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/** Renames synced bytes to their final name, durably. */
export async function commitPart(part: string, path: string, replace = renameFile): Promise<void> {
  if (isDevice(path)) {
    rmSync(part, { force: true });
    throw new AppError(
      'OUTPUT_NOT_A_FILE',
      `${path} is a pipe or a device, and this output is written as a whole file`,
      {
        hint: 'name a file',
      },
    );
  }
  replace(part, path);
  await syncFolder(dirname(path));
}

const syncData = promisify(fdatasync);
const PIECE_LENGTH = 65_536;

/** A text file that is written in pieces and gets its final name when complete. */
export class AtomicText implements Disposable {
  readonly #path: string;
  readonly #part: string;
  readonly #replace: typeof renameFile;
  #descriptor: number | undefined;
  #pieces: string[] = [];
  #length = 0;

  /** With `isOwn`, a file that is not ours is moved aside (see `replaceFile`). */
  constructor(path: string, isOwn = false) {
    this.#path = path;
    this.#replace = isOwn ? replaceFile : renameFile;
    this.#part = partPath(path);
    mkdirSync(dirname(path), { recursive: true });
    this.#descriptor = openSync(this.#part, 'wx');
  }

  write(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#length >= PIECE_LENGTH) this.#flush();
  }

  async commit(): Promise<void> {
    this.#flush();
    if (this.#descriptor === undefined) return;
    await syncData(this.#descriptor);
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    await commitPart(this.#part, this.#path, this.#replace);
  }

  /** Removes an uncommitted file. */
  [Symbol.dispose](): void {
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    rmSync(this.#part, { force: true });
  }

  #flush(): void {
    if (this.#descriptor === undefined || this.#length === 0) return;
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    writeFileSync(this.#descriptor, text);
  }
}

/** Makes new, renamed and removed entries of a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder for this; NTFS journals the rename itself.
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** Windows syncs only files that are open for writing; a linked file may be read-only. */
const SYNCABLE = process.platform === 'win32' ? 'r+' : 'r';
/** Concurrent syncs: one fewer than Node has threads, so that DNS lookups need not wait. */
const SYNCS_AT_ONCE = 3;

/** Syncs files a few at a time; returns those that could not be synced, with their errors. */
export async function syncFiles(paths: readonly string[]): Promise<Map<string, unknown>> {
  const failures = new Map<string, unknown>();
  await forEachOf(paths, SYNCS_AT_ONCE, async (path) => {
    try {
      await using file = await open(path, SYNCABLE);
      await file.datasync();
    } catch (error) {
      failures.set(path, error);
    }
  });
  return failures;
}

const HEAD_BYTES = 2;

/**
 * Like `renameFile`, where `to` may exist: a file that begins with other bytes than the new one was not written by us
 * under this name, and is moved aside.
 */
export function replaceFile(from: string, to: string): void {
  moveForeignAside(to, headOf(from));
  renameFile(from, to);
}

/** Moves a file aside that does not begin with these two bytes, before it is replaced or removed. */
export function moveForeignAside(path: string, head: string): void {
  const found = headOf(path);
  if (found === '' || found === head) return;
  const aside = asideName(path);
  renameFile(path, aside);
  emitWarning(`${path} is not a file of docstokg, or is damaged: it was moved to ${aside}, and is written again`);
}

/** The first bytes of a file; empty if there is none. */
function headOf(path: string): string {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw describeDiskError(error, path);
  }
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.toString('latin1', 0, readSync(descriptor, head));
  } finally {
    closeSync(descriptor);
  }
}

/** A free name for a file that is moved or copied aside. */
export function asideName(path: string): string {
  let number = 1;
  while (existsSync(`${path}.damaged-${number}`)) number += 1;
  return `${path}.damaged-${number}`;
}

/**
 * Warns where nobody else was named to be told: programs listen to `process.on('warning')`, and Node prints the rest.
 */
export function emitWarning(message: string): void {
  process.emitWarning(message, 'DocsToKGWarning');
}

/** Retries while another program has the file open. Synchronous: a rename is cheaper than a thread hop. */
export function renameFile(from: string, to: string): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (!hasCode(error, ...PASSING) || attempt === TRIES) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FIRST_WAIT_MS * 2 ** (attempt - 1));
  }
}
