import type pg from 'pg';

import type { Clock, Timer } from '../../base/index.ts';
import { backoffDelay, errorInfo, systemClock, wait } from '../../base/index.ts';

export interface SessionsOptions {
  readonly url: string;
  /** Settings of every session, such as search_path; plain names and values. */
  readonly settings: Readonly<Record<string, string>>;
  readonly max: number;
  readonly name: string;
  readonly timeoutMs?: number | undefined;
  /** See `Sessions`. */
  readonly pooler?: boolean | undefined;
  /** How long a server may be silent before it is asked whether it is there; 30 s by default. */
  readonly silentMs?: number | undefined;
  /** Aborted when somebody wants to stop: then it is asked after a second. */
  readonly stop?: AbortSignal | undefined;
}

const SILENT_MS = 30_000;
/** How long an answer to that may take at least, and at most after somebody wanted to stop. */
const LEAST_MS = 1_000;
const AT_STOP_MS = 5_000;
/** A single question may be lost. */
const MOST_UNANSWERED = 2;

/**
 * Connections to a server, directly or through a pooler in transaction mode. Behind a pooler each transaction may run
 * in another session, so there are no prepared statements and no LISTEN, and every transaction sets its own settings.
 */
export class Sessions {
  readonly #pool: pg.Pool;
  readonly #begin: string;
  readonly isPooled: boolean;
  readonly #options: SessionsOptions;
  readonly #opened = new Set<pg.Client>();
  readonly #ask: (limitMs: number) => Promise<boolean>;

  private constructor(pool: pg.Pool, options: SessionsOptions, ask: (limitMs: number) => Promise<boolean>) {
    const { settings, pooler = false } = options;
    this.#pool = pool;
    this.#options = options;
    this.#ask = ask;
    this.isPooled = pooler;
    const local = Object.entries(settings).map(([name, value]) => `; SET LOCAL ${name} TO ${value}`);
    this.#begin = pooler ? `BEGIN${local.join('')}` : 'BEGIN';
    // An idle connection that breaks is replaced; the next statement reports the outage.
    pool.on('error', () => undefined);
    // One that breaks in use also fails its query. From the first moment: the server may end it as it hands it over.
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
      this.#opened.add(client);
      client.once('end', () => this.#opened.delete(client));
    });
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
    return new Sessions(pool, options, (limitMs) => isThere(new driver.Client(driverOptions(url, limitMs))));
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
    using watch = this.#watch(client);
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // A connection in an unknown state does not return to the pool.
      client.release(true);
      if (!watch.hasEnded) throw error;
      throw Object.assign(new Error('it does not answer', { cause: error }), { code: 'ETIMEDOUT' });
    }
  }

  /**
   * Ends a connection whose server has stopped answering: it is suspended, or unreachable without a word. A statement may
   * take as long as it needs: every `silentMs` another connection is asked whether the server is there, and only if it
   * is not either does this one end.
   */
  #watch(client: pg.PoolClient): Disposable & { readonly hasEnded: boolean } {
    const { silentMs = SILENT_MS, stop } = this.#options;
    let [isOver, hasEnded] = [false, false];
    let [timer, unanswered] = [systemClock.setTimer(silentMs, () => void ask()), 0];
    const ask = async (): Promise<void> => {
      const isThere = await this.#ask(stop?.aborted ? AT_STOP_MS : Math.max(LEAST_MS, silentMs));
      if (isOver) return;
      unanswered = isThere ? 0 : unanswered + 1;
      if (unanswered > 0 && (unanswered >= MOST_UNANSWERED || stop?.aborted)) {
        hasEnded = true;
        // With a statement in it, this breaks the connection at once.
        void (client as unknown as pg.Client).end().catch(() => undefined);
      } else askIn(unanswered > 0 ? 0 : silentMs);
    };
    const askIn = (ms: number): void => {
      timer[Symbol.dispose]();
      timer = systemClock.setTimer(ms, () => void ask());
    };
    const stopping = whenAborted(stop, () => askIn(Math.min(silentMs, LEAST_MS)));
    return {
      get hasEnded(): boolean {
        return hasEnded;
      },
      [Symbol.dispose]() {
        isOver = true;
        stopping[Symbol.dispose]();
        timer[Symbol.dispose]();
      },
    };
  }

  /** A dedicated connection, for LISTEN. */
  async connect(): Promise<pg.PoolClient> {
    try {
      return await this.#connectUnlessStopped();
    } catch (error) {
      // The driver gives no code to a connection that was not there in time.
      throw error instanceof Error && !('code' in error) ? Object.assign(error, { code: 'ETIMEDOUT' }) : error;
    }
  }

  /** A connection is waited for only briefly when somebody wants to stop. */
  async #connectUnlessStopped(): Promise<pg.PoolClient> {
    const connecting = this.#pool.connect();
    const late = Promise.withResolvers<never>();
    let timer: Timer | undefined;
    using _stopping = whenAborted(this.#options.stop, () => {
      timer = systemClock.setTimer(AT_STOP_MS, () => late.reject(new Error('no connection in time')));
    });
    try {
      return await Promise.race([connecting, late.promise]);
    } catch (error) {
      // One that comes too late is not needed.
      connecting.then(
        (client) => client.release(true),
        () => undefined,
      );
      throw error;
    } finally {
      timer?.[Symbol.dispose]();
    }
  }

  async end(): Promise<void> {
    await this.#pool.end();
    // A server that does not answer does not close its side: that must not keep this process.
    for (const client of this.#opened) unref(client);
  }
}

/** Calls back when a signal is aborted, or at once if it is, until it is disposed of. */
function whenAborted(signal: AbortSignal | undefined, act: () => void): Disposable {
  if (signal?.aborted) act();
  else signal?.addEventListener('abort', act, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', act) };
}

function driverOptions(url: string, limitMs: number): pg.ClientConfig {
  return { connectionString: url, connectionTimeoutMillis: limitMs, query_timeout: limitMs };
}

/** The driver's types lack it. */
function unref(client: pg.Client): void {
  (client as pg.Client & { unref(): void }).unref();
}

/** Whether a server answers, if only that it has no connection left; a pooler must have a server to answer. */
async function isThere(client: pg.Client): Promise<boolean> {
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch (error) {
    return /^(?!08|57)\d[\dA-Z]{4}$/.test(errorInfo(error).code);
  } finally {
    void client.end().catch(() => undefined);
    unref(client);
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
