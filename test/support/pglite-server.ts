import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { vector } from '@electric-sql/pglite-pgvector';

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
  const db = await PGlite.create({ extensions: { vector } });
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
