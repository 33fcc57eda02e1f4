import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir, open, stat } from 'node:fs/promises';
import { dirname, extname, join, relative, resolve } from 'node:path';

import type { Clock } from '../base/index.ts';
import { AppError, commitPart, partPath, readJsonl, sha256File } from '../base/index.ts';
import type { ManifestRow } from '../download/index.ts';
import { ManifestFolder } from './ledger/manifest-folder.ts';

/** What came of joining folders. */
export interface Merged {
  readonly folders: number;
  readonly works: number;
  readonly files: number;
  readonly bytes: number;
  /** Rows that say `saved` and whose file is not there, or is another one. */
  readonly missing: readonly string[];
}

interface Candidate {
  readonly row: ManifestRow;
  readonly folder: string;
}

/**
 * Joins the folders of a fleet: of each work the latest row by its `at`, its file beside it, and the reports over all.
 * Joining again adds what is new.
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
    if (line.kind === 'bad') warn(`${path}, line ${line.line}: ${line.reason}`);
    else rows.push(line.value as ManifestRow);
  }
  return rows;
}

/** Where the row's file stands in the joined folder; null when it is not what the row says. */
async function bringFile(row: ManifestRow, folder: string, out: string): Promise<string | null> {
  const from = join(folder, row.path ?? '');
  // A manifest that somebody else wrote must not reach beyond its folder.
  if (relative(folder, from).startsWith('..')) return null;
  const found = await stat(from).catch(() => undefined);
  if (!found?.isFile() || (row.bytes !== null && found.size !== row.bytes)) return null;
  const digest = await sha256File(from);
  if (row.sha256 !== null && digest !== row.sha256) return null;
  let path = row.path ?? '';
  if (existsSync(join(out, path)) && (await sha256File(join(out, path))) !== digest) {
    // Two machines gave two works one name.
    const extension = extname(path);
    path = `${path.slice(0, path.length - extension.length)}-${digest.slice(0, 12)}${extension}`;
  }
  const to = join(out, path);
  if (existsSync(to)) return path;
  await mkdir(dirname(to), { recursive: true });
  const part = partPath(to);
  await copyFile(from, part, constants.COPYFILE_FICLONE);
  {
    await using copy = await open(part, 'r+');
    await copy.sync();
  }
  await commitPart(part, to);
  return path;
}
