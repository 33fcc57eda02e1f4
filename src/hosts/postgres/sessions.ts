import type pg from 'pg';

import type { Clock } from '../../base/index.ts';
import { backoffDelay, wait } from '../../base/index.ts';

export interface SessionsOptions {
  readonly url: string;
  /** Settings of every session, such as search_path; plain names and values. */
  readonly settings: Readonly<Record<string, string>>;
  readonly max: number;
  readonly name: string;
  readonly timeoutMs?: number | undefined;
  /** See `Sessions`. */
  readonly pooler?: boolean | undefined;
}

/**
 * Connections to a server, directly or through a pooler in transaction mode. Behind a pooler each transaction may run
 * in another session, so there are no prepared statements and no LISTEN, and every transaction sets its own settings.
 */
export class Sessions {
  readonly #pool: pg.Pool;
  readonly #begin: string;
  readonly isPooled: boolean;

  private constructor(pool: pg.Pool, { settings, pooler = false }: SessionsOptions) {
    this.#pool = pool;
    this.isPooled = pooler;
    const local = Object.entries(settings).map(([name, value]) => `; SET LOCAL ${name} TO ${value}`);
    this.#begin = pooler ? `BEGIN${local.join('')}` : 'BEGIN';
    // An idle connection that breaks is replaced; the next statement reports the outage.
    pool.on('error', () => undefined);
    // One that breaks in use also fails its query. From the first moment: the server may end it as it hands it over.
    pool.on('connect', (client) => client.on('error', () => undefined));
  }

  static async open(options: SessionsOptions): Promise<Sessions> {
    const { url, settings, max, name, timeoutMs = 10_000, pooler = false } = options;
    const { default: driver } = await import('pg');
    const flags = Object.entries(settings).map(([key, value]) => `-c ${key}=${value}`);
    const pool = new driver.Pool({
      connectionString: url,
      max,
      connectionTimeoutMillis: timeoutMs,
      keepAlive: true,
      application_name: name,
      // Poolers reject options that they do not know.
      ...(!pooler && { options: flags.join(' ') }),
      types: {
        // Ids and moments stay below 2^53, so plain numbers hold them.
        getTypeParser: (oid: number, format?: 'text' | 'binary') =>
          oid === 20 ? Number : driver.types.getTypeParser(oid, format),
      },
    });
    return new Sessions(pool, options);
  }

  /** Runs one statement; a connection on which it fails is closed, since its server may have been demoted. */
  async query<R extends object>(text: string, values: readonly unknown[], name?: string): Promise<R[]> {
    if (this.isPooled) return await this.transaction(async (client) => (await client.query<R>(text, [...values])).rows);
    return await this.#withClient(async (client) => {
      const { rows } = await client.query<R>({ text, values: [...values], ...(name !== undefined && { name }) });
      return rows;
    });
  }

  async transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return await this.#withClient(async (client) => {
      await client.query(this.#begin);
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    });
  }

  async #withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.connect();
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // A connection in an unknown state does not return to the pool.
      client.release(true);
      throw error;
    }
  }

  /** A dedicated connection, for LISTEN. */
  async connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      // The driver gives no code to a connection that was not there in time.
      throw error instanceof Error && !('code' in error) ? Object.assign(error, { code: 'ETIMEDOUT' }) : error;
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/** How often to poll if LISTEN does not work. */
const LOOK_MS = 1_000;

/**
 * Receives notifications on a separate connection; behind a pooler, which does not support LISTEN, it polls.
 *
 *   connecting ──▶ listening ──lost──▶ waiting ──▶ connecting …        (a lost connection is released at once)
 */
export class Listener implements Disposable {
  readonly #sessions: Pick<Sessions, 'isPooled' | 'connect'>;
  readonly #channel: string;
  readonly #clock: Clock;
  readonly #received: (message: string | undefined, look: number) => void;
  readonly #closed = new AbortController();

  /** `received` gets undefined when messages may have been missed, and with every poll behind a pooler. */
  constructor(
    sessions: Pick<Sessions, 'isPooled' | 'connect'>,
    channel: string,
    clock: Clock,
    received: (message: string | undefined, look: number) => void,
  ) {
    this.#sessions = sessions;
    this.#channel = channel;
    this.#clock = clock;
    this.#received = received;
    void (sessions.isPooled ? this.#look() : this.#listen());
  }

  [Symbol.dispose](): void {
    this.#closed.abort();
  }

  async #look(): Promise<void> {
    for (let look = 0; !this.#closed.signal.aborted; look += 1) {
      this.#received(undefined, look);
      await this.#pause(LOOK_MS);
    }
  }

  async #listen(): Promise<void> {
    for (let attempt = 1; !this.#closed.signal.aborted; attempt += 1) {
      try {
        await this.#listenUntilLost(() => (attempt = 1));
      } catch {
        // The server is unreachable; the next statement reports it.
      }
      await this.#pause(backoffDelay(attempt, { baseMs: 200, capMs: 5_000 }));
    }
  }

  async #listenUntilLost(listening: () => void): Promise<void> {
    const client = await this.#sessions.connect();
    const lost = Promise.withResolvers<void>();
    // Stays attached: a broken connection emits both `error` and `end`, in any order.
    client.on('error', () => lost.resolve());
    client.once('end', () => lost.resolve());
    client.on('notification', ({ payload }) => this.#received(payload, 0));
    const { signal } = this.#closed;
    signal.addEventListener('abort', () => lost.resolve(), { once: true });
    try {
      await client.query(`LISTEN "${this.#channel}"`);
      listening();
      // Messages sent before LISTEN were missed.
      if (!signal.aborted) this.#received(undefined, 0);
      if (!signal.aborted) await lost.promise;
    } finally {
      client.release(true);
    }
  }

  #pause(ms: number): Promise<void> {
    return wait(this.#clock, ms, this.#closed.signal).catch(() => undefined);
  }
}
