import type { Clock } from '../../base/index.ts';
import { systemClock } from '../../base/index.ts';
import type { Admission, HostEvent } from '../admission.ts';
import type { Facts } from '../facts.ts';
import { Gatekeeper } from '../gatekeeper.ts';
import type { HostTable } from '../host-table.ts';
import type { Host } from '../host.ts';
import { isOrdinary } from '../host.ts';
import type { PolicySettings } from '../policy.ts';
import { DEFAULT_POLICY } from '../policy.ts';
import { Desk } from './desk.ts';
import { SharedAllowance } from './shared-allowance.ts';
import { SharedFacts } from './shared-facts.ts';
import type { StoredRow } from './stored-host.ts';
import { hostOf, storedOf } from './stored-host.ts';

export interface PostgresAdmissionOptions {
  readonly url: string;
  readonly schema?: string;
  readonly table: HostTable;
  readonly clock?: Clock;
  /** Real milliseconds per millisecond of the clock; below 1 for a simulated web. */
  readonly timeScale?: number;
  /** Places of a process that has not been heard of for this long go back. */
  readonly leaseMs?: number;
  readonly policy?: Partial<PolicySettings>;
  readonly report?: ((event: HostEvent) => void) | undefined;
  /** Told once when the server goes away and once when it is back. */
  readonly reportOutage?: ((isAway: boolean, message: string) => void) | undefined;
}

/** An authority over hosts that a fleet shares. */
export interface SharedAdmission extends Admission {
  readonly facts: Facts;
  /** Calls to the server so far. */
  readonly calls: number;
}

/** What processes say to each other: a hold that counts at once, a place that is free or wanted, or that there is something to read. */
interface Message {
  readonly key: string;
  readonly place?: 'free' | 'wanted';
  readonly hold?: { readonly at: number; readonly reason: 'rate-limited' | 'host-held' };
}

/** How late a timer of a busy process may fire, in real milliseconds. */
const JITTER_MS = 20;

/**
 * Opens the authority over hosts of everybody on one PostgreSQL: caps, rates, holds, slow-downs, circuits and facts are
 * shared, on the server's clock. While the server is away each process keeps to its share of the limits.
 */
export async function openPostgresAdmission(options: PostgresAdmissionOptions): Promise<SharedAdmission> {
  const clock = options.clock ?? systemClock;
  const scale = options.timeScale ?? 1;
  const { table } = options;
  const time = { clock, scale };
  const desk = await Desk.open({
    url: options.url,
    schema: options.schema ?? 'docstokg',
    clock,
    timeScale: scale,
    leaseMs: options.leaseMs ?? 15_000,
    report: options.reportOutage,
    heard: (message) => {
      const said = message === undefined ? undefined : (JSON.parse(message) as Message);
      if (said?.hold) {
        const { at, reason } = said.hold;
        keeper.heard(said.key, { at: clock.now() + desk.untilMs(at), reason });
      } else if (said?.place) desk.placeAt(said.key, said.place);
      else void read(said?.key).catch(() => undefined);
    },
  });
  const keeper: Gatekeeper = new Gatekeeper({
    clock,
    table,
    policy: { ...DEFAULT_POLICY, ...options.policy },
    report: options.report,
    allowance: (key, pace, changed) => {
      const allowance = new SharedAllowance({
        key,
        pace,
        margin: table.margin,
        jitterMs: JITTER_MS / scale,
        ask: (inMs) => desk.ask(key, inMs),
        isAway: () => desk.away,
        forget: () => desk.forget(key),
      });
      desk.register(key, allowance, changed);
      return allowance;
    },
    learned: (host, change) => {
      void tellHold(host)
        .then(() => write(host.key, change))
        .catch(() => undefined);
    },
  });

  /** A hold cannot wait: everybody hears of it in the moment in which it is written. */
  async function tellHold({ key, hold }: Host): Promise<void> {
    if (hold === null || hold.reason === 'paused' || hold.at <= clock.now()) return;
    await desk.query(
      `WITH moment AS (SELECT server_ms() + $2 AS at), held AS (
         INSERT INTO hosts AS h (key, held_until) SELECT $1, at FROM moment
         ON CONFLICT (key) DO UPDATE SET held_until = greatest(h.held_until, excluded.held_until) RETURNING 1)
       SELECT pg_notify($4, json_build_object('key', $1::text, 'hold', json_build_object('at', at, 'reason', $3::text))::text)
       FROM moment, held`,
      [key, (hold.at - clock.now()) * scale, hold.reason, desk.channel],
    );
  }

  /** Writes down what was learned, on top of what others have, and tells everybody. */
  async function write(key: string, change: (host: Host) => Host): Promise<void> {
    await desk.transaction(async (client) => {
      await client.query('INSERT INTO hosts (key) VALUES ($1) ON CONFLICT DO NOTHING', [key]);
      const { rows } = await client.query<StoredRow>(
        'SELECT key, learned, server_ms() AS now_ms FROM hosts WHERE key = $1 FOR UPDATE',
        [key],
      );
      const [row] = rows;
      if (!row) return;
      const after = change(hostOf(row, table.rulesOf(key), time));
      const stored = isOrdinary(after) ? null : storedOf(after, row.now_ms, time);
      await client.query('UPDATE hosts SET learned = $2, held_until = $3 WHERE key = $1', [
        key,
        stored === null ? null : JSON.stringify(stored),
        stored?.hold?.at ?? 0,
      ]);
      await client.query('SELECT pg_notify($1, $2)', [desk.channel, JSON.stringify({ key })]);
    });
  }

  async function read(key: string | undefined): Promise<void> {
    const rows = await desk.query<StoredRow>(
      `SELECT key, learned, server_ms() AS now_ms FROM hosts
       WHERE ${key === undefined ? '$1::text IS NULL AND learned IS NOT NULL' : 'key = $1'}`,
      [key ?? null],
    );
    for (const row of rows) keeper.learn(row.key, hostOf(row, table.rulesOf(row.key), time));
  }

  const facts = new SharedFacts(desk, scale);

  return {
    table,
    facts,
    get calls() {
      return desk.calls;
    },
    room: (keys) => keeper.room(keys),
    held: (keys) => keeper.held(keys),
    acquire: (keys, asked) => keeper.acquire(keys, asked),
    observe: (keys, what) => keeper.observe(keys, what),
    hold: (key, hold) => keeper.hold(key, hold),
    snapshot: () => keeper.snapshot(),
    watch: (changed) => keeper.watch(changed),
    async [Symbol.asyncDispose]() {
      await keeper[Symbol.asyncDispose]();
      await facts[Symbol.asyncDispose]();
      await desk[Symbol.asyncDispose]();
    },
  };
}
