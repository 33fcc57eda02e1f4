import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describeDiskError } from './disk-error.ts';

/** What Windows answers while a virus scanner or an indexer has the file open; it is over in a moment. */
const PASSING = new Set(['EPERM', 'EBUSY', 'EACCES']);
const TRIES = 8;
const FIRST_WAIT_MS = 5;

/**
 * Writes a file so that its final name never shows half of it, whatever happens: a `.part` beside it, fsync,
 * rename, fsync of the folder. A leftover `.part` belongs to nobody and may be removed.
 */
export async function writeFileAtomic(path: string, data: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = partPath(path);
  try {
    await using file = await open(part, 'wx');
    await file.writeFile(data);
    await file.sync();
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw describeDiskError(error, path);
  }
  await commitPart(part, path);
}

/** What tells this process, and this thread of it, from every other that ever wrote here. */
const WRITER = `${process.pid.toString(36)}${randomBytes(5).toString('hex')}`;
let parts = 0;

/** A name for unfinished bytes that will become `path`: unique, so that two writers never share it. */
export function partPath(path: string): string {
  parts += 1;
  return `${path}.${WRITER}-${parts.toString(36)}.part`;
}

/** Removes unfinished bytes below a folder whose names begin so and whose writers, processes of this machine, are gone. */
export function removeDeadParts(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /\.([0-9a-z]{1,7})[0-9a-f]{10}-[0-9a-z]+\.part$/.exec(name)?.[1];
    if (pid !== undefined && name.startsWith(prefix) && !isAlive(Number.parseInt(pid, 36)))
      rmSync(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is alive as well.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** Gives synced bytes their final name, durably. */
export async function commitPart(part: string, path: string): Promise<void> {
  renameFile(part, path);
  await syncFolder(dirname(path));
}

/** Makes a folder's entries (new, renamed, removed files) survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder for this; NTFS journals the rename itself.
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/**
 * Gives a file another name, and tries again for half a second where somebody else looks at it just now. On the thread
 * itself: a rename costs less than the way to another thread and back, and waiting is rare.
 */
export function renameFile(from: string, to: string): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
      if (!PASSING.has(code) || attempt === TRIES) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FIRST_WAIT_MS * 2 ** (attempt - 1));
  }
}
