import type { HostEvent } from '../admission.ts';
import type { HostTable } from '../host-table.ts';
import type { PolicySettings } from '../host.ts';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type pg from 'pg';

import { AppError, backoffDelay, errorInfo, hasCode, packageRoot, systemClock } from '../../base/index.ts';
import { Listener, Sessions } from './sessions.ts';
import type { Grant, LimitRequest, Registered, SharedLimits } from './shared-limits.ts';
import { takeRequests } from './shared-limits.ts';

export interface PostgresAdmissionOptions extends SharedPlace {
  /** Slots of a process that has not renewed them for this long go back; 15 s by default. */
  readonly leaseMs?: number;
  readonly policy?: Partial<PolicySettings>;
  readonly report?: ((event: HostEvent) => void) | undefined;
  /** Called once when the server goes away and once when it is back. */
  readonly reportOutage?: ((isAway: boolean, message: string) => void) | undefined;
}

export interface SharedPlace {
  readonly url: string;
  readonly schema: string;
  readonly pooler?: boolean | undefined;
  /** Aborted when somebody wants to stop: a server that does not answer is then waited for only briefly. */
  readonly stop?: AbortSignal | undefined;
  readonly table: HostTable;
}

/** How long a server may be silent: every statement about hosts is short, and requests wait for it. */
const SILENT_MS = 5_000;

/** Connections for what machines share of hosts. */
export async function openSessions(
  { url, pooler, stop }: Pick<SharedPlace, 'url' | 'pooler' | 'stop'>,
  settings: Readonly<Record<string, string>>,
  max: number,
): Promise<Sessions> {
  return await Sessions.open({ url, settings, pooler, stop, max, name: 'docstokg hosts', silentMs: SILENT_MS });
}

/** Minimum time between two calls to the server; requests in between are sent together. */
const GATHER_MS = 80;
/** What no request waits for is sent with the next call, or after this delay. */
const NO_HURRY_MS = 500;
const RESERVED_AHEAD_MS = 10_000;
const CLOCK_QUESTIONS = 8;

interface Row extends Omit<Grant, 'firstAt'> {
  readonly key: string;
  readonly now_ms: number;
  readonly first_at: number;
  readonly holders: number;
}

interface FleetOptions extends Omit<PostgresAdmissionOptions, 'table' | 'policy' | 'report'> {
  /** Called with a message of another process; with undefined when some may have been missed. */
  readonly onMessage: (message: string | undefined) => void;
}

const LEASE_MS = 15_000;

/** Asks the database for turns and slots in batches, and receives what other processes have learned. */
export class Fleet implements AsyncDisposable {
  readonly holder = randomBytes(8).toString('hex');
  readonly leaseMs: number;
  readonly channel: string;
  readonly #options: FleetOptions;
  readonly #sessions: Sessions;
  readonly #limits = new Map<string, Registered>();
  /** When each key is to be requested at the latest; it goes with any earlier call. */
  readonly #asked = new Map<string, number>();
  #sentAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;
  #renewal: NodeJS.Timeout | undefined;
  #isAsking = false;
  #isClosed = false;
  #workers = 1;
  #awaySince: number | undefined;
  #failures = 0;
  #listener: Listener | undefined;
  readonly #serverClock = new ServerClock();
  calls = 0;

  private constructor(sessions: Sessions, options: FleetOptions) {
    this.#sessions = sessions;
    this.#options = options;
    this.leaseMs = options.leaseMs ?? LEASE_MS;
    this.channel = `docstokg_hosts_${options.schema}`;
    this.#renewSoon();
  }

  static async open(options: FleetOptions): Promise<Fleet> {
    const { schema } = options;
    const sessions = await openSessions(options, { search_path: schema, synchronous_commit: 'off' }, 3);
    try {
      await createTables(sessions, schema);
    } catch (error) {
      await sessions.end();
      throw unreachable(error, schema);
    }
    const fleet = new Fleet(sessions, options);
    await fleet.#learnClock();
    await fleet.#send([]);
    fleet.#listener = new Listener(sessions, fleet.channel, systemClock, options.onMessage);
    return fleet;
  }

  /** The last known number of processes during an outage; undefined otherwise. */
  get away(): number | undefined {
    return this.#awaySince === undefined ? undefined : this.#workers;
  }

  register(key: string, limits: SharedLimits, changed: () => void): void {
    this.#limits.set(key, { limits, changed });
  }

  forget(key: string): void {
    this.#limits.delete(key);
  }

  slotNews(key: string, news: 'free' | 'wanted'): void {
    this.#limits.get(key)?.limits.slotNews(news);
  }

  ask(key: string, inMs: number): void {
    const now = performance.now();
    this.#asked.set(key, Math.min(this.#asked.get(key) ?? Infinity, now + inMs));
    this.#schedule(Math.max(this.#sentAt + GATHER_MS - now, inMs));
  }

  async query<R extends object>(text: string, values: readonly unknown[]): Promise<R[]> {
    this.calls += 1;
    return await this.#sessions.query<R>(text, values);
  }

  async transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    this.calls += 1;
    return await this.#sessions.transaction(work);
  }

  untilMs(serverMs: number): number {
    return this.#serverClock.untilMs(serverMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The last responses start pauses, which the other processes must know.
    clearTimeout(this.#timer);
    if (this.#awaySince === undefined) await this.#flush();
    this.#isClosed = true;
    clearTimeout(this.#renewal);
    this.#listener?.[Symbol.dispose]();
    await this.#sessions
      .query('WITH gone AS (DELETE FROM host_slots WHERE holder = $1) DELETE FROM host_holders WHERE holder = $1', [
        this.holder,
      ])
      .catch(() => undefined);
    await this.#sessions.end();
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

  /** The next call: when the first key is due, and not before `leastMs`. */
  #scheduleNext(leastMs: number): void {
    if (this.#asked.size > 0) this.#schedule(Math.max(leastMs, Math.min(...this.#asked.values()) - performance.now()));
  }

  #renewSoon(): void {
    this.#renewal = setTimeout(() => {
      if (this.#isClosed) return;
      const requests = [...this.#limits.values()].flatMap(({ limits }) => limits.renewal() ?? []);
      void this.#send(requests).finally(() => this.#renewSoon());
    }, this.leaseMs / 4);
    this.#renewal.unref();
  }

  async #flush(): Promise<void> {
    if (this.#isAsking || this.#isClosed) return;
    const untilSent = this.#sentAt + NO_HURRY_MS - performance.now();
    if (untilSent > 0 && !this.#isUrgent()) {
      this.#scheduleNext(untilSent);
      return;
    }
    this.#isAsking = true;
    try {
      const requests = takeRequests(this.#asked, this.#limits, performance.now());
      if (requests.length > 0) await this.#send(requests);
    } finally {
      this.#isAsking = false;
      this.#scheduleNext(GATHER_MS);
    }
  }

  #isUrgent(): boolean {
    return this.#asked.keys().some((key) => this.#limits.get(key)?.limits.isUrgent ?? false);
  }

  async #send(requests: readonly LimitRequest[]): Promise<void> {
    const sorted = [...requests].sort((a, b) => (a.key < b.key ? -1 : 1));
    const sentAt = performance.now();
    this.#sentAt = sentAt;
    const asked = {
      me: this.holder,
      ttl_ms: this.leaseMs,
      ahead_ms: RESERVED_AHEAD_MS,
      lead_ms: this.#serverClock.leadMs,
      keys: sorted.map(({ key }) => key),
      caps: sorted.map(({ pace }) => Math.min(pace.cap, 1_000_000)),
      intervals: sorted.map(({ pace }) => pace.intervalMs),
      bursts: sorted.map(({ pace }) => pace.burst),
      turns: sorted.map(({ turns }) => turns),
      slots: sorted.map(({ slots }) => Math.min(slots, 1_000_000)),
      used: sorted.map(({ used }) => used),
      spaced: sorted.map(({ spaced }) => spaced),
      from_answer: sorted.map(({ pace }) => pace.from === 'answer'),
      unused: sorted.map(({ unused }) => unused),
      behind: sorted.map(({ behind }) => behind),
    };
    const places = Object.keys(asked).map((name, at) => `${name} => $${at + 1}`);
    try {
      const rows = await this.query<Row>(
        `SELECT key, now_ms, first_at, next_at AS behind, turns_given AS turns, slots_given AS slots, contended, holders
         FROM reserve_turns(${places.join(', ')})`,
        Object.values(asked),
      );
      this.#serverClock.sample(rows.at(-1)?.now_ms, sentAt);
      const now = performance.now();
      if (rows[0]) this.#workers = Math.max(1, rows[0].holders);
      this.#back();
      for (const { key, first_at: firstAt, ...row } of rows)
        this.#limits.get(key)?.limits.granted({ ...row, firstAt: now + this.#serverClock.untilMs(firstAt, now) }, now);
      for (const row of rows) this.#limits.get(row.key)?.changed();
    } catch (error) {
      for (const { key } of sorted) this.#limits.get(key)?.limits.refused();
      this.#lost(error instanceof Error ? error.message : String(error));
      for (const { key } of sorted) this.#asked.set(key, performance.now());
      // Waiting requests continue with our share of the limits.
      for (const { changed } of this.#limits.values()) changed();
    }
  }

  /** The first replies to a new process are slow; a few more give the server's time precisely enough. */
  async #learnClock(): Promise<void> {
    for (let at = 0; at < CLOCK_QUESTIONS; at += 1) {
      const sentAt = performance.now();
      const [row] = await this.query<{ now_ms: number }>('SELECT server_ms() AS now_ms', []);
      this.#serverClock.sample(row?.now_ms, sentAt);
    }
  }

  #lost(message: string): void {
    this.#failures += 1;
    if (this.#isClosed) return;
    if (this.#awaySince === undefined) this.#options.reportOutage?.(true, message);
    this.#awaySince ??= performance.now();
    const inMs = backoffDelay(this.#failures, { baseMs: 250, capMs: 5_000 });
    const handle = setTimeout(() => void this.#send([]).then(() => this.#flush()), inMs);
    handle.unref();
  }

  #back(): void {
    this.#failures = 0;
    if (this.#awaySince === undefined) return;
    this.#awaySince = undefined;
    this.#options.reportOutage?.(false, '');
    for (const key of this.#limits.keys()) this.#asked.set(key, performance.now());
    this.#schedule(0);
    this.#options.onMessage(undefined);
  }
}

const SAMPLES = 64;
const LONGEST_LEAD_MS = 250;

/** The server's clock by the fastest reply: a lower bound, so that no turn is ever used too early. */
export class ServerClock {
  #samples: readonly { readonly roundMs: number; readonly leastAheadMs: number }[] = [];
  #aheadMs = 0;
  /** Turns are reserved this far ahead, so that they are not past when the reply arrives. */
  leadMs = 50;

  sample(serverMs: number | undefined, sentAt: number, receivedAt = performance.now()): void {
    if (serverMs === undefined) return;
    this.#samples = [
      ...this.#samples.slice(1 - SAMPLES),
      { roundMs: receivedAt - sentAt, leastAheadMs: serverMs - receivedAt },
    ];
    this.#aheadMs = Math.max(...this.#samples.map(({ leastAheadMs }) => leastAheadMs));
    const slowest = Math.max(...this.#samples.slice(-4).map(({ roundMs }) => roundMs));
    this.leadMs = Math.min(LONGEST_LEAD_MS, 2 * slowest + 5);
  }

  untilMs(serverMs: number, now = performance.now()): number {
    return serverMs - this.#aheadMs - now;
  }
}

/** PostgreSQL's code for a missing permission. */
const FORBIDDEN = '42501';
/** Advisory lock for processes that create the tables at the same time. */
const LOCK = 0x686f7374;

async function createTables(sessions: Sessions, schema: string): Promise<void> {
  await sessions.transaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    // IF NOT EXISTS would require the right to create schemas even if this one exists.
    const existing = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
    if (existing.rowCount === 0) await client.query(`CREATE SCHEMA "${schema}"`);
    const { rows } = await client.query<{ found: string | null }>('SELECT to_regclass($1) AS found', [
      `"${schema}".host_slots`,
    ]);
    if (rows[0]?.found === null) await client.query(statements('0001_hosts.sql'));
    await makeFunctions(client);
  });
}

export function unreachable(error: unknown, schema: string): AppError {
  const reasons = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const message = reasons.map((each) => errorInfo(each).message).join('; ');
  return new AppError('QUEUE_UNREACHABLE', `cannot use the tables about hosts in schema ${schema}: ${message}`, {
    hint: hasCode(error, FORBIDDEN)
      ? `as an administrator of the database: CREATE SCHEMA ${schema} AUTHORIZATION <the role in queue.url>`
      : 'check queue.url and that the server is running',
    cause: error,
  });
}

/** A role that does not own the functions uses the existing ones. */
async function makeFunctions(client: pg.PoolClient): Promise<void> {
  await client.query('SAVEPOINT functions');
  try {
    await client.query(statements('turns.sql'));
  } catch (error) {
    if (!hasCode(error, FORBIDDEN)) throw error;
    await client.query('ROLLBACK TO SAVEPOINT functions');
  }
}

function statements(file: string): string {
  return readFileSync(join(packageRoot(), 'sql', 'hosts', 'postgres', file), 'utf8');
}
