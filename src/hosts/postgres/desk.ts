import { randomBytes } from 'node:crypto';

import type pg from 'pg';

import type { Clock } from '../../base/index.ts';
import { equalJitterDelay } from '../../base/index.ts';
import { Listening } from './listening.ts';
import { ServerClock } from './server-clock.ts';
import type { SharedAllowance } from './shared-allowance.ts';
import { createTables, unreachable } from './tables.ts';
import type { Grant, Registered, Wish } from './wishes.ts';
import { takeWishes } from './wishes.ts';

/** The server is asked at most once in so long; what is wanted meanwhile goes together. */
const GATHER_MS = 80;
/** What nobody waits for goes with the next wish, or by itself after so long. */
const NO_HURRY_MS = 500;
/** A turn further off than this is not reserved. */
const RESERVED_AHEAD_MS = 10_000;
const CLOCK_QUESTIONS = 8;

interface Row {
  readonly key: string;
  readonly now_ms: number;
  readonly first_at: number;
  readonly next_at: number;
  readonly turns_given: number;
  readonly slots_given: number;
  readonly contended: boolean;
  readonly holders: number;
}

export interface DeskOptions {
  readonly url: string;
  readonly schema: string;
  readonly clock: Clock;
  /** Real milliseconds per millisecond of the clock; below 1 for a simulated web. */
  readonly timeScale: number;
  /** A place at a host that its holder has not renewed for this long is free again. */
  readonly leaseMs: number;
  /** Told once when the server goes away and once when it is back. */
  readonly report?: ((isAway: boolean, message: string) => void) | undefined;
  /** What others say; undefined when anything may have been missed. */
  readonly heard: (message: string | undefined) => void;
}

/** Where a process asks the fleet's database for turns and places, gathered, and hears what others have learned. */
export class Desk implements AsyncDisposable {
  readonly holder = randomBytes(8).toString('hex');
  readonly #options: DeskOptions;
  readonly #pool: pg.Pool;
  readonly #allowances = new Map<string, Registered>();
  readonly #asked = new Set<string>();
  #sentAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;
  #renewal: NodeJS.Timeout | undefined;
  #isAsking = false;
  #isClosed = false;
  #workers = 1;
  #awaySince: number | undefined;
  #failures = 0;
  readonly #listening: Listening;
  readonly #serverClock = new ServerClock();
  /** Calls to the server, for whoever measures. */
  calls = 0;

  private constructor(pool: pg.Pool, options: DeskOptions) {
    this.#pool = pool;
    this.#options = options;
    pool.on('error', () => undefined);
    this.#listening = new Listening(pool, this.channel, options.heard);
    this.#renewSoon();
  }

  static async open(options: DeskOptions): Promise<Desk> {
    const { default: driver } = await import('pg');
    const pool = new driver.Pool({
      connectionString: options.url,
      max: 3,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      application_name: 'docstokg hosts',
      options: `-c search_path=${options.schema} -c synchronous_commit=off`,
    });
    try {
      await createTables(pool, options.schema);
    } catch (error) {
      await pool.end();
      throw unreachable(error, options.schema);
    }
    const desk = new Desk(pool, options);
    await desk.#learnClock();
    await desk.#send([]);
    desk.#listening.start();
    return desk;
  }

  /** How many processes were seen last, while the server is away. */
  get away(): number | undefined {
    return this.#awaySince === undefined ? undefined : this.#workers;
  }

  register(key: string, allowance: SharedAllowance, changed: () => void): void {
    this.#allowances.set(key, { allowance, changed });
  }

  forget(key: string): void {
    this.#allowances.delete(key);
  }

  /** Somebody gave back a place at the key, or waits for one. */
  placeAt(key: string, news: 'free' | 'wanted'): void {
    this.#allowances.get(key)?.allowance.heard(news);
  }

  /** Has the key asked for in so long, together with others. */
  ask(key: string, inMs: number): void {
    this.#asked.add(key);
    this.#schedule(Math.max(this.#sentAt + GATHER_MS - performance.now(), inMs));
  }

  async query<R extends object>(text: string, values: readonly unknown[]): Promise<R[]> {
    this.calls += 1;
    return (await this.#pool.query<R>(text, [...values])).rows;
  }

  /** Runs statements that belong together on one connection. */
  async transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    this.calls += 1;
    const client = await this.#pool.connect();
    const broken = (): void => undefined;
    client.on('error', broken);
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      client.removeListener('error', broken);
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** How far a moment of the server's clock is from now, in milliseconds of ours. */
  untilMs(serverMs: number): number {
    return this.#serverClock.untilMs(serverMs) / this.#options.timeScale;
  }

  get leaseMs(): number {
    return this.#options.leaseMs;
  }

  get channel(): string {
    return `docstokg_hosts_${this.#options.schema}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // An answer from which the next pause counts may not have been told yet.
    clearTimeout(this.#timer);
    if (this.#awaySince === undefined) await this.#flush();
    this.#isClosed = true;
    clearTimeout(this.#renewal);
    this.#listening[Symbol.dispose]();
    await this.#pool
      .query('WITH gone AS (DELETE FROM host_slots WHERE holder = $1) DELETE FROM host_holders WHERE holder = $1', [
        this.holder,
      ])
      .catch(() => undefined);
    await this.#pool.end();
  }

  #schedule(inMs: number): void {
    if (this.#isClosed) return;
    const at = performance.now() + inMs;
    if (at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => {
      this.#timerAt = Infinity;
      void this.#flush();
    }, inMs);
  }

  #renewSoon(): void {
    this.#renewal = setTimeout(() => {
      if (this.#isClosed) return;
      const wishes = [...this.#allowances.values()].flatMap(({ allowance }) => allowance.renewal() ?? []);
      void this.#send(wishes).finally(() => this.#renewSoon());
    }, this.#options.leaseMs / 4);
    this.#renewal.unref();
  }

  async #flush(): Promise<void> {
    if (this.#isAsking || this.#isClosed) return;
    const untilSent = this.#sentAt + NO_HURRY_MS - performance.now();
    if (untilSent > 0 && !this.#isUrgent()) {
      if (this.#asked.size > 0) this.#schedule(untilSent);
      return;
    }
    this.#isAsking = true;
    try {
      const wishes = takeWishes(this.#asked, this.#allowances, this.#options.clock.monotonic());
      if (wishes.length > 0) await this.#send(wishes);
    } finally {
      this.#isAsking = false;
      if (this.#asked.size > 0) this.#schedule(GATHER_MS);
    }
  }

  #isUrgent(): boolean {
    return this.#asked.values().some((key) => this.#allowances.get(key)?.allowance.isUrgent ?? false);
  }

  async #send(wishes: readonly Wish[]): Promise<void> {
    const scale = this.#options.timeScale;
    const sorted = [...wishes].sort((a, b) => (a.key < b.key ? -1 : 1));
    const sentAt = performance.now();
    this.#sentAt = sentAt;
    try {
      const rows = await this.query<Row>(
        'SELECT * FROM reserve_turns($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)',
        [
          this.holder,
          this.#options.leaseMs,
          RESERVED_AHEAD_MS * scale,
          this.#serverClock.leadMs,
          sorted.map(({ key }) => key),
          sorted.map(({ pace }) => Math.min(pace.cap, 1_000_000)),
          sorted.map(({ pace }) => pace.intervalMs * scale),
          sorted.map(({ pace }) => pace.burst),
          sorted.map(({ turns }) => turns),
          sorted.map(({ slots }) => Math.min(slots, 1_000_000)),
          sorted.map(({ used }) => used),
          sorted.map(({ spaced }) => spaced),
          sorted.map(({ pace }) => pace.from === 'answer'),
          sorted.map(({ unused }) => unused),
          sorted.map(({ behind }) => behind),
        ],
      );
      this.#serverClock.heard(rows.at(-1)?.now_ms, sentAt);
      const now = this.#options.clock.monotonic();
      if (rows[0]) this.#workers = Math.max(1, rows[0].holders);
      this.#back();
      for (const row of rows) this.#allowances.get(row.key)?.allowance.granted(this.#grantOf(row), now);
      for (const row of rows) this.#allowances.get(row.key)?.changed();
    } catch (error) {
      for (const { key } of sorted) this.#allowances.get(key)?.allowance.refused();
      this.#lost(error instanceof Error ? error.message : String(error));
      for (const { key } of sorted) this.#asked.add(key);
      // Whoever waits goes on with our share of the limits.
      for (const { changed } of this.#allowances.values()) changed();
    }
  }

  /** The first answers of a process that has just started are slow; a few more tell the server's time closely enough. */
  async #learnClock(): Promise<void> {
    for (let at = 0; at < CLOCK_QUESTIONS; at += 1) {
      const sentAt = performance.now();
      const [row] = await this.query<{ now_ms: number }>('SELECT server_ms() AS now_ms', []);
      this.#serverClock.heard(row?.now_ms, sentAt);
    }
  }

  #grantOf(row: Row): Grant {
    return {
      firstAt: this.#options.clock.monotonic() + this.untilMs(row.first_at),
      behind: row.next_at,
      turns: row.turns_given,
      slots: row.slots_given,
      contended: row.contended,
    };
  }

  #lost(message: string): void {
    this.#failures += 1;
    if (this.#isClosed) return;
    if (this.#awaySince === undefined) this.#options.report?.(true, message);
    this.#awaySince ??= performance.now();
    const inMs = equalJitterDelay(this.#failures, { baseMs: 250, capMs: 5_000 });
    const handle = setTimeout(() => void this.#send([]).then(() => this.#flush()), inMs);
    handle.unref();
  }

  #back(): void {
    this.#failures = 0;
    if (this.#awaySince === undefined) return;
    this.#awaySince = undefined;
    this.#options.report?.(false, '');
    for (const [key] of this.#allowances) this.#asked.add(key);
    this.#schedule(0);
    this.#options.heard(undefined);
  }
}
