import { equalJitterDelay, wait } from '../../base/index.ts';
import type { StoreChange } from '../types.ts';
import type { PostgresConnection } from './connection.ts';

/** How often jobs are looked for where nobody can listen, and every how many times what operators did. */
const LOOK_MS = 1_000;
const CONTROL_TURNS = 5;

/**
 * Hears what other processes did to the queue through LISTEN, and listens again after the server was away.
 *
 *   connecting ──▶ listening ──lost──▶ waiting ──▶ connecting …        (a connection that was lost is given back at once)
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
    if (!this.#isListening) void (this.#connection.canListen ? this.#listen() : this.#look());
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    this.#leave();
  }

  /** Behind a pooler nobody can listen: jobs and what operators did are looked for from time to time. */
  async #look(): Promise<void> {
    const { closing, clock } = this.#connection;
    this.#isListening = true;
    for (let turn = 1; !this.#closed && this.#listeners.size > 0; turn += 1) {
      await wait(clock, LOOK_MS, closing).catch(() => undefined);
      if (closing.aborted) break;
      this.#tell('jobs');
      if (turn % CONTROL_TURNS === 0) this.#tell('control');
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
        // The server is away; whoever runs a statement tells of it.
      }
      if (this.#listeners.size === 0) break;
      // Ended early by the closing, which ends the loop as well.
      await wait(clock, equalJitterDelay(attempt, { baseMs: 200, capMs: 5000 }), closing).catch(() => undefined);
    }
    this.#isListening = false;
  }

  async #listenUntilLost(heard: () => void): Promise<void> {
    const client = await this.#connection.connect();
    const lost = Promise.withResolvers<void>();
    this.#leave = lost.resolve;
    // For as long as it lives: of one death a connection tells twice, the reset and the end, and either may come later.
    client.on('error', () => lost.resolve());
    client.once('end', () => lost.resolve());
    client.on('notification', ({ payload }) => this.#tell(payload === 'control' ? 'control' : 'jobs'));
    try {
      await client.query(`LISTEN "${this.channel}"`);
      heard();
      // Whatever was said while nobody listened was missed.
      this.#tell('control');
      this.#tell('jobs');
      if (!this.#closed) await lost.promise;
    } finally {
      client.release(true);
    }
  }

  #tell(change: StoreChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
