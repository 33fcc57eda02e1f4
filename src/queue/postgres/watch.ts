import { equalJitterDelay, wait } from '../../base/index.ts';
import type { StoreChange } from '../types.ts';
import type { PostgresConnection } from './connection.ts';

/** Polling interval without LISTEN; operators' commands are polled every `CONTROL_TURNS` intervals. */
const POLL_MS = 1_000;
const CONTROL_TURNS = 5;

/**
 * Receives changes made by other processes through LISTEN, and reconnects after an outage.
 *
 *   connecting ──▶ listening ──lost──▶ waiting ──▶ connecting …        (a lost connection is released at once)
 */
export class PostgresWatch implements AsyncDisposable {
  readonly channel: string;
  readonly #connection: Pick<PostgresConnection, 'schema' | 'clock' | 'closing' | 'connect' | 'canListen'>;
  readonly #listeners = new Set<(change: StoreChange) => void>();
  #isListening = false;
  #closed = false;
  #leave: () => void = () => undefined;

  constructor(connection: Pick<PostgresConnection, 'schema' | 'clock' | 'closing' | 'connect' | 'canListen'>) {
    this.#connection = connection;
    this.channel = `docstokg_${connection.schema}`;
  }

  add(listener: (change: StoreChange) => void): Disposable {
    this.#listeners.add(listener);
    if (!this.#isListening) void (this.#connection.canListen ? this.#listen() : this.#poll());
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    this.#leave();
  }

  /** A pooler does not support LISTEN, so changes are polled. */
  async #poll(): Promise<void> {
    const { closing, clock } = this.#connection;
    this.#isListening = true;
    for (let turn = 1; !this.#closed && this.#listeners.size > 0; turn += 1) {
      await wait(clock, POLL_MS, closing).catch(() => undefined);
      if (closing.aborted) break;
      this.#notify('jobs');
      if (turn % CONTROL_TURNS === 0) this.#notify('control');
    }
    this.#isListening = false;
  }

  async #listen(): Promise<void> {
    const { closing, clock } = this.#connection;
    this.#isListening = true;
    for (let attempt = 1; !this.#closed && !closing.aborted; attempt += 1) {
      try {
        await this.#listenUntilLost(() => (attempt = 1));
      } catch {
        // The server is unreachable; the next statement reports it.
      }
      if (this.#listeners.size === 0) break;
      // Closing aborts the wait and ends the loop.
      await wait(clock, equalJitterDelay(attempt, { baseMs: 200, capMs: 5000 }), closing).catch(() => undefined);
    }
    this.#isListening = false;
  }

  async #listenUntilLost(onListening: () => void): Promise<void> {
    const client = await this.#connection.connect();
    const lost = Promise.withResolvers<void>();
    this.#leave = lost.resolve;
    // Stays attached: a broken connection emits both `error` and `end`, in any order.
    client.on('error', () => lost.resolve());
    client.once('end', () => lost.resolve());
    client.on('notification', ({ payload }) => this.#notify(payload === 'control' ? 'control' : 'jobs'));
    try {
      await client.query(`LISTEN "${this.channel}"`);
      onListening();
      // Notifications sent before LISTEN were missed.
      this.#notify('control');
      this.#notify('jobs');
      if (!this.#closed) await lost.promise;
    } finally {
      client.release(true);
    }
  }

  #notify(change: StoreChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
