import type pg from 'pg';

import { equalJitterDelay, isAbort, wait } from '../../base/index.ts';
import type { StoreChange } from '../types.ts';
import type { PostgresConnection } from './connection.ts';

/** Hears what other processes did to the queue through LISTEN, and listens again after the server was away. */
export class PostgresWatch implements AsyncDisposable {
  readonly channel: string;
  readonly #connection: PostgresConnection;
  readonly #listeners = new Set<(change: StoreChange) => void>();
  #client: pg.PoolClient | undefined;
  #listening = false;
  #closed = false;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.channel = `docstokg_${connection.schema}`;
  }

  add(listener: (change: StoreChange) => void): Disposable {
    this.#listeners.add(listener);
    if (!this.#listening) void this.#listen();
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    this.#client?.release(true);
    this.#client = undefined;
  }

  async #listen(): Promise<void> {
    this.#listening = true;
    for (let attempt = 1; !this.#closed && !this.#connection.closing.aborted; attempt += 1) {
      try {
        const client = await this.#connection.connect();
        if (this.#closed) {
          client.release(true);
          return;
        }
        this.#client = client;
        client.on('notification', ({ payload }) => this.#tell(payload === 'control' ? 'control' : 'jobs'));
        client.once('error', () => this.#lost(client));
        client.once('end', () => this.#lost(client));
        await client.query(`LISTEN "${this.channel}"`);
        // Whatever was said while nobody listened was missed.
        this.#tell('control');
        this.#tell('jobs');
        return;
      } catch {
        this.#client = undefined;
        await wait(
          this.#connection.clock,
          equalJitterDelay(attempt, { baseMs: 200, capMs: 5000 }),
          this.#connection.closing,
        ).catch((error: unknown) => {
          if (!isAbort(error) && !this.#connection.closing.aborted) throw error;
        });
      }
    }
  }

  #lost(client: pg.PoolClient): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.release(true);
    if (this.#listeners.size > 0 && !this.#connection.closing.aborted) void this.#listen();
    else this.#listening = false;
  }

  #tell(change: StoreChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
