import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { AppError, commitPart, isDamaged, packageRoot, partPath, removeDeadParts } from '../../base/index.ts';

const CACHE_KILOBYTES = 32_768;

function migrations(): readonly { readonly version: number; readonly sql: string }[] {
  const folder = join(packageRoot(), 'sql', 'graph', 'sqlite');
  return readdirSync(folder)
    .filter((file) => /^\d{4}_.*\.sql$/.test(file))
    .sort()
    .map((file) => ({ version: Number(file.slice(0, 4)), sql: readFileSync(join(folder, file), 'utf8') }));
}

/** Opens the file of a graph; with `readOnly` it has to be there. */
export function openDatabase(path: string, options: { readonly readOnly: boolean }): DatabaseSync {
  if (!options.readOnly && path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(path, { readOnly: options.readOnly });
  } catch (cause) {
    throw new AppError('GRAPH_MISSING', `no graph found at ${path}`, {
      hint: 'create it with docstokg graph build',
      cause,
    });
  }
  try {
    database.exec(`PRAGMA cache_size = -${CACHE_KILOBYTES}; PRAGMA temp_store = FILE; PRAGMA busy_timeout = 10000`);
    migrate(database, path, options.readOnly);
    return database;
  } catch (error) {
    database.close();
    throw options.readOnly ? describeDamage(error, path) : error;
  }
}

/** What to do about a graph that is damaged; other errors stay as they are. */
export function describeDamage(error: unknown, path: string): unknown {
  if (!isDamaged(error)) return error;
  return new AppError('GRAPH_DAMAGED', `${path} is damaged`, {
    hint: 'docstokg graph build moves it aside and rebuilds it',
    cause: error,
  });
}

function migrate(database: DatabaseSync, path: string, readOnly: boolean): void {
  const { user_version: have } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  const all = migrations();
  const newest = all.at(-1)?.version ?? 0;
  if (have > newest)
    throw new AppError('GRAPH_SCHEMA_NEWER', `${path} was written by a newer version`, { hint: 'upgrade docstokg' });
  if (have === newest) return;
  if (readOnly)
    throw new AppError('GRAPH_SCHEMA_OLDER', `${path} was written by an older version`, {
      hint: 'run docstokg graph build',
    });
  for (const { version, sql } of all.filter((each) => each.version > have))
    database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${version}; COMMIT`);
}

/**
 * Writes the graph anew, as it would be if it had been built at once: rows in the order of their keys, no free pages. Two
 * graphs with equal rows become equal files. The old file stays until the new one has its name.
 */
export async function compactInto(database: DatabaseSync, path: string): Promise<void> {
  removeDeadParts(dirname(path), path.slice(dirname(path).length + 1));
  const part = partPath(path);
  database.prepare('VACUUM INTO ?').run(part);
  await using file = await open(part, 'r+');
  // The schema cookie (bytes 40 to 43 of the header, sqlite.org/fileformat) is that of the source and one more: it would
  // tell how often the file was written anew.
  await file.write(Buffer.from([0, 0, 0, 1]), 0, 4, 40);
  await file.sync();
  await commitPart(part, path);
}
