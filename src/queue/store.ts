import type { PostgresConnection } from './postgres/connection.ts';
import type { QueueStore } from './types.ts';
import type { StoreOptions } from './store-options.ts';

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
