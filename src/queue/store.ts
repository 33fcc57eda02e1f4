import type { Clock } from '../base/index.ts';
import type { OutageEvent, PostgresConnection } from './postgres/connection.ts';
import type { QueueStore } from './types.ts';

export interface StoreOptions {
  /** Which commits wait for the disk: those that accept jobs (the default), all of them, or none. */
  readonly durability?: 'enqueue' | 'all' | 'none';
  /** SQLite: write-ahead logging, which lets several processes read and write at once; on by default. */
  readonly walMode?: boolean;
  /** How long to wait for a database that another process has locked, or for the first connection; 10 s by default. */
  readonly timeoutMs?: number;
  /** PostgreSQL: the schema that holds the tables; `docstokg` by default. */
  readonly schema?: string;
  /** PostgreSQL: connect through a pooler in transaction mode: no prepared statements, and polling instead of LISTEN. */
  readonly pooler?: boolean | undefined;
  /** PostgreSQL: maximum number of connections, 4 by default; one of them listens. */
  readonly maxConnections?: number | undefined;
  readonly clock?: Clock;
  /** PostgreSQL: called when the server becomes unreachable, and when it is back. */
  readonly report?: (event: OutageEvent) => void;
}

/** By the path of a SQLite file, the URL of a PostgreSQL database, or `:memory:`. Dispose of it after use. */
export async function openStore(where: string, options: StoreOptions = {}): Promise<QueueStore> {
  if (/^postgres(ql)?:\/\//.test(where)) {
    const { PostgresStore } = await import('./postgres/store.ts');
    return PostgresStore.open({ ...options, url: where });
  }
  const { SqliteStore } = await import('./sqlite/store.ts');
  return SqliteStore.open({ ...options, path: where });
}

/** A connection to a PostgreSQL database, with the tables of the queue in its schema. Dispose of it after use. */
export async function openPostgres(url: string, options: StoreOptions = {}): Promise<PostgresConnection> {
  const { PostgresConnection } = await import('./postgres/connection.ts');
  return PostgresConnection.open({ ...options, url });
}
