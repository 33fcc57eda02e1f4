import type { Clock } from '../base/index.ts';
import { AppError } from '../base/index.ts';
import { MemoryStore } from './memory/store.ts';
import type { OutageEvent } from './postgres/connection.ts';
import type { QueueStore } from './types.ts';

/** Where a queue is kept: the slice of the configuration that says so. */
export interface StoreOptions {
  readonly backend: 'sqlite' | 'postgres' | 'memory';
  readonly path: string;
  readonly walMode: boolean;
  readonly timeoutMs: number;
  readonly durability: 'enqueue' | 'all' | 'none';
  readonly url: string;
  readonly schema: string;
  readonly clock: Clock;
  readonly report?: (event: OutageEvent) => void;
}

/** Opens the store that the options name; its package is loaded only then. */
export async function openStore(options: StoreOptions): Promise<QueueStore> {
  switch (options.backend) {
    case 'memory':
      return new MemoryStore();
    case 'sqlite': {
      const { SqliteStore } = await import('./sqlite/store.ts');
      return SqliteStore.open(options);
    }
    case 'postgres': {
      if (options.url === '') {
        throw new AppError('CONFIG_INVALID', 'queue.url is empty although queue.backend is postgres', {
          hint: 'set queue.url, for example postgres://user@host/database, or pass --queue',
        });
      }
      const { PostgresStore } = await import('./postgres/store.ts');
      return PostgresStore.open(options);
    }
  }
}
