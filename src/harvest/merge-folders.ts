import { constants, existsSync } from 'node:fs';
import { copyFile, lstat, mkdir, open, realpath, rm } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';

import type { Clock } from '../base/index.ts';
import { AppError, commitPart, partPath, readJsonl, sha256File } from '../base/index.ts';
import type { ManifestRow } from '../download/index.ts';
import { parseManifestRow } from '../download/index.ts';
import { ManifestFolder } from './ledger/manifest-folder.ts';

/** The result of merging folders. */
export interface Merged {
  readonly folders: number;
  readonly works: number;
  readonly files: number;
  readonly bytes: number;
  /** Rows that say `saved` whose file is missing, is another one, or is not in a folder of downloads. */
  readonly missing: readonly string[];
}

interface Candidate {
  readonly row: ManifestRow;
  readonly folder: string;
}

/**
 * Merges the folders of several machines: the latest row of each work by its `at`, its file, and the reports. Merging
 * again adds what is new.
 */
export async function mergeFolders(
  folders: readonly string[],
  out: string,
  options: { readonly clock: Clock; readonly runId: string; readonly warn: (message: string) => void },
): Promise<Merged> {
  const latest = new Map<string, Candidate>();
  for (const folder of [...(existsSync(join(out, 'manifest.jsonl')) ? [out] : []), ...folders]) {
    for (const row of await rowsOf(folder, options.warn)) {
      const before = latest.get(row.work);
      if (!before || Date.parse(row.at) > Date.parse(before.row.at)) latest.set(row.work, { row, folder });
    }
  }
  const missing: string[] = [];
  let [files, bytes] = [0, 0];
  await using manifest = await ManifestFolder.open({
    folder: out,
    clock: options.clock,
    runId: options.runId,
    warn: options.warn,
  });
  for (const { row, folder } of latest.values()) {
    if (resolve(folder) === resolve(out)) continue;
    const path = row.path === null ? null : await bringFile(row, folder, out);
    if (row.path !== null && path === null) {
      missing.push(`${row.work}: ${join(folder, row.path)}`);
      continue;
    }
    if (path !== null) {
      files += 1;
      bytes += row.bytes ?? 0;
    }
    await manifest.write({ ...row, path });
  }
  await manifest.report();
  return { folders: folders.length, works: latest.size, files, bytes, missing };
}

async function rowsOf(folder: string, warn: (message: string) => void): Promise<ManifestRow[]> {
  const path = join(folder, 'manifest.jsonl');
  if (!existsSync(path)) {
    throw new AppError('MERGE_NO_MANIFEST', `${folder} has no manifest.jsonl`, {
      hint: 'name the folders that runs wrote to with --out',
    });
  }
  const rows: ManifestRow[] = [];
  for await (const line of readJsonl(path)) {
    const parsed = line.kind === 'bad' ? { row: undefined, problem: line.reason } : parseManifestRow(line.value);
    if (parsed.row) rows.push(parsed.row);
    else warn(`${path}, line ${line.line}: ${parsed.problem}; skipped`);
  }
  return rows;
}

/** Where downloads are saved: `PDF/name.pdf`, or by their hash. Nothing else of a foreign folder is copied. */
const SAVED_FILE =
  /^(?:(?:PDF|HTML|XML)\/(?!\.)[^/\\\p{Cc}]{1,200}|cas\/[0-9a-f]{2}\/[0-9a-f]{64})\.(?:pdf|html|xml)$/u;

/** Copies the file of a row and returns its path in the joined folder; null where the file is not what the row says. */
async function bringFile(row: ManifestRow, folder: string, out: string): Promise<string | null> {
  const name = row.path ?? '';
  if (!SAVED_FILE.test(name)) return null;
  const from = join(folder, name);
  // The folder is foreign: a link in it may lead to any file of this machine.
  const [root, real] = await Promise.all([realpath(folder), realpath(from).catch(() => null)]);
  if (real !== join(root, name)) return null;
  const found = await lstat(real);
  if (!found.isFile() || (row.bytes !== null && found.size !== row.bytes)) return null;
  const part = partPath(join(out, name));
  await mkdir(dirname(part), { recursive: true });
  await copyFile(real, part, constants.COPYFILE_FICLONE);
  const digest = await sha256File(part);
  const path = row.sha256 !== null && digest !== row.sha256 ? null : await freeName(out, name, digest);
  if (path === null || existsSync(join(out, path))) {
    await rm(part);
    return path;
  }
  {
    await using copy = await open(part, 'r+');
    await copy.sync();
  }
  await commitPart(part, join(out, path));
  return path;
}

/** The name itself, or one with the hash where another file has the name: two machines may give it to two works. */
async function freeName(out: string, name: string, digest: string): Promise<string> {
  if (!existsSync(join(out, name)) || (await sha256File(join(out, name))) === digest) return name;
  const extension = extname(name);
  return `${name.slice(0, -extension.length)}-${digest.slice(0, 12)}${extension}`;
}
