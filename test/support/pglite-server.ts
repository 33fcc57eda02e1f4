import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { vector } from '@electric-sql/pglite-pgvector';

import { hasCode } from '../../src/base/index.ts';
import { freePort } from '../postgres.ts';

/** A real PostgreSQL with the extension `vector`, in this process. */
export interface PgliteServer extends AsyncDisposable {
  /** It has one session for all connections: open it as a pooler in transaction mode. */
  readonly url: string;
}

/** Starts PostgreSQL as WebAssembly, which needs no installation; `DOCSTOKG_TEST_PGVECTOR_URL` is used instead. */
export async function startPglite(): Promise<PgliteServer> {
  const given = process.env['DOCSTOKG_TEST_PGVECTOR_URL'];
  if (given) return { url: given, [Symbol.asyncDispose]: () => Promise.resolve() };
  const db = await PGlite.create({ extensions: { vector }, loadDataDir: await emptyDatabase() });
  const port = await freePort();
  const server = new PGLiteSocketServer({ db, port, host: '127.0.0.1', maxConnections: 50 });
  await server.start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`,
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await db.close();
    },
  };
}

/** The folder of a new database as tar. To make one takes three times as long as to load it, so it is kept. */
async function emptyDatabase(): Promise<Blob> {
  const main = import.meta.resolve('@electric-sql/pglite');
  const { version } = JSON.parse(readFileSync(new URL('../package.json', main), 'utf8')) as {
    readonly version: string;
  };
  const file = resolve('node_modules', '.cache', `pglite-${version}.tar`);
  try {
    return new Blob([readFileSync(file)]);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  await using db = await PGlite.create();
  const data = await db.dumpDataDir('none');
  await mkdir(dirname(file), { recursive: true });
  // Test files that run side by side may each make one.
  const partial = `${file}.${process.pid}`;
  await writeFile(partial, data.stream());
  await rename(partial, file);
  return data;
}
