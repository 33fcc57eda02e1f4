import type { Clock } from '../../base/index.ts';
import { systemClock } from '../../base/index.ts';
import type { Admission, Facts, HostEvent } from '../admission.ts';
import { Hosts } from '../hosts.ts';
import type { HostTable } from '../host-table.ts';
import type { HostState, PolicySettings } from '../host.ts';
import { isOrdinary, DEFAULT_POLICY } from '../host.ts';
import { Fleet } from './fleet.ts';
import { SharedLimits } from './shared-limits.ts';
import { SharedFacts } from './shared-facts.ts';
import type { StoredRow } from './shared-hosts.ts';
import { hostOf, storedOf } from './shared-hosts.ts';

export interface PostgresAdmissionOptions {
  readonly url: string;
  readonly schema?: string;
  readonly pooler?: boolean | undefined;
  readonly table: HostTable;
  readonly clock?: Clock;
  /** Slots of a process that has not renewed them for this long go back; 15 s by default. */
  readonly leaseMs?: number;
  readonly policy?: Partial<PolicySettings>;
  readonly report?: ((event: HostEvent) => void) | undefined;
  /** Called once when the server goes away and once when it is back. */
  readonly reportOutage?: ((isAway: boolean, message: string) => void) | undefined;
}

export interface SharedAdmission extends Admission {
  readonly facts: Facts;
  readonly fleet: Pick<Fleet, 'calls'>;
}

/** A message between processes: a new hold, a slot that is free or wanted, or a changed row. */
interface Message {
  readonly key: string;
  readonly place?: 'free' | 'wanted';
  readonly hold?: { readonly at: number; readonly reason: 'rate-limited' | 'host-held' };
}

/**
 * Opens the admission shared by all processes on one PostgreSQL: caps, rates, holds, slow-downs, circuits and facts, on
 * the server's clock. During an outage each process uses its share of the limits.
 */
export async function openPostgresAdmission(options: PostgresAdmissionOptions): Promise<SharedAdmission> {
  const clock = options.clock ?? systemClock;
  const { table } = options;
  const fleet = await Fleet.open({
    ...options,
    schema: options.schema ?? 'docstokg',
    clock,
    onMessage: (message) => {
      const said = message === undefined ? undefined : (JSON.parse(message) as Message);
      if (said?.hold) {
        const { at, reason } = said.hold;
        hosts.holdElsewhere(said.key, { at: clock.now() + fleet.untilMs(at), reason });
      } else if (said?.place) fleet.slotNews(said.key, said.place);
      else void read(said?.key).catch(() => undefined);
    },
  });
  const hosts: Hosts = new Hosts({
    clock,
    table,
    policy: { ...DEFAULT_POLICY, ...options.policy },
    report: options.report,
    limits: (key, pace, changed) => {
      const limits = new SharedLimits({
        key,
        clock,
        pace,
        margin: table.margin,
        ask: (inMs) => fleet.ask(key, inMs),
        isAway: () => fleet.away,
        forget: () => fleet.forget(key),
      });
      fleet.register(key, limits, changed);
      return limits;
    },
    learned: (state, change) => {
      void announceHold(state)
        .then(() => write(state.key, change))
        .catch(() => undefined);
    },
  });

  /** Holds are urgent: they are announced while they are written. */
  async function announceHold({ key, hold }: HostState): Promise<void> {
    if (hold === null || hold.reason === 'paused' || hold.at <= clock.now()) return;
    await fleet.query(
      `WITH moment AS (SELECT server_ms() + $2 AS at), held AS (
         INSERT INTO hosts AS h (key, held_until) SELECT $1, at FROM moment
         ON CONFLICT (key) DO UPDATE SET held_until = greatest(h.held_until, excluded.held_until) RETURNING 1)
       SELECT pg_notify($4, json_build_object('key', $1::text, 'hold', json_build_object('at', at, 'reason', $3::text))::text)
       FROM moment, held`,
      [key, hold.at - clock.now(), hold.reason, fleet.channel],
    );
  }

  /** Stores what was learned, merged with what others stored, and notifies all processes. */
  async function write(key: string, change: (state: HostState) => HostState): Promise<void> {
    await fleet.transaction(async (client) => {
      await client.query('INSERT INTO hosts (key) VALUES ($1) ON CONFLICT DO NOTHING', [key]);
      const { rows } = await client.query<StoredRow>(
        'SELECT key, learned, server_ms() AS now_ms FROM hosts WHERE key = $1 FOR UPDATE',
        [key],
      );
      const [row] = rows;
      if (!row) return;
      const after = change(hostOf(row, table.rulesOf(key), clock));
      const stored = isOrdinary(after) ? null : storedOf(after, row.now_ms, clock);
      await client.query('UPDATE hosts SET learned = $2, held_until = $3 WHERE key = $1', [
        key,
        stored === null ? null : JSON.stringify(stored),
        stored?.hold?.at ?? 0,
      ]);
      await client.query('SELECT pg_notify($1, $2)', [fleet.channel, JSON.stringify({ key })]);
    });
  }

  async function read(key: string | undefined): Promise<void> {
    const rows = await fleet.query<StoredRow>(
      `SELECT key, learned, server_ms() AS now_ms FROM hosts
       WHERE ${key === undefined ? '$1::text IS NULL AND learned IS NOT NULL' : 'key = $1'}`,
      [key ?? null],
    );
    for (const row of rows) hosts.learn(row.key, hostOf(row, table.rulesOf(row.key), clock));
  }

  const facts = new SharedFacts(fleet);
  hosts.closing.use(fleet);
  hosts.closing.use(facts);
  return Object.assign(hosts, { facts, fleet });
}
