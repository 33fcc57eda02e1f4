import { systemClock } from '../../base/index.ts';
import type { Admission, Facts } from '../admission.ts';
import { Hosts } from '../hosts.ts';
import type { HostReport, HostState, Rules } from '../host.ts';
import { bounded, DEFAULT_POLICY, hostReports, isOrdinary, newState, reportOf } from '../host.ts';
import { Fleet, openSessions, unreachable } from './fleet.ts';
import { SharedFacts } from './shared-facts.ts';
import { SharedLimits } from './shared-limits.ts';
import type { PostgresAdmissionOptions, SharedPlace } from './fleet.ts';

export interface SharedAdmission extends Admission {
  readonly facts: Facts;
  readonly fleet: Pick<Fleet, 'calls'>;
}

/** A new hold, a slot that is free or wanted, or else a changed row. */
interface Message {
  readonly key: string;
  readonly place?: 'free' | 'wanted';
  readonly hold?: { readonly at: number; readonly reason: 'rate-limited' | 'host-held' };
}

/** Shares all limits on the server's clock. During an outage each process uses its share of them. */
export async function openSharedAdmission(options: PostgresAdmissionOptions): Promise<SharedAdmission> {
  const { table } = options;
  const fleet = await Fleet.open({
    ...options,
    onMessage: (message) => {
      const said = message === undefined ? undefined : (JSON.parse(message) as Message);
      if (said?.hold) {
        const { at, reason } = said.hold;
        hosts.holdElsewhere(said.key, { at: systemClock.now() + fleet.untilMs(at), reason });
      } else if (said?.place) fleet.slotNews(said.key, said.place);
      else void read(said?.key).catch(() => undefined);
    },
  });
  const hosts: Hosts = new Hosts({
    clock: systemClock,
    table,
    policy: { ...DEFAULT_POLICY, ...options.policy },
    report: options.report,
    limits: (key, pace, changed) => {
      const limits = new SharedLimits({
        key,
        clock: systemClock,
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
      void tell(state, change).catch(() => undefined);
    },
  });

  /** Merges what was learned into the row, and notifies all processes; of a hold at once. */
  async function tell({ key, hold }: HostState, change: (state: HostState) => HostState): Promise<void> {
    if (hold !== null && hold.reason !== 'paused' && hold.at > systemClock.now())
      await fleet.query(
        `SELECT pg_notify($4, json_build_object('key', $1::text,
           'hold', json_build_object('at', server_ms() + $2, 'reason', $3::text))::text)`,
        [key, hold.at - systemClock.now(), hold.reason, fleet.channel],
      );
    await fleet.transaction(async (client) => {
      await client.query('INSERT INTO hosts (key) VALUES ($1) ON CONFLICT DO NOTHING', [key]);
      const { rows } = await client.query<StoredRow>(
        'SELECT key, learned, server_ms() AS now_ms FROM hosts WHERE key = $1 FOR UPDATE',
        [key],
      );
      const [row] = rows;
      if (!row) return;
      const after = change(hostOf(row, table.rulesOf(key)));
      const stored = isOrdinary(after) ? null : storedOf(after, row.now_ms);
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
    for (const row of rows) hosts.learn(row.key, hostOf(row, table.rulesOf(row.key)));
  }

  const facts = new SharedFacts(fleet);
  hosts.closing.use(fleet);
  hosts.closing.use(facts);
  return Object.assign(hosts, { facts, fleet });
}

const MOST_HOSTS = 10_000;

interface SharedRow extends StoredRow {
  readonly next_in: number;
  readonly places: number;
}

export async function readSharedHosts(place: SharedPlace): Promise<HostReport[]> {
  const { schema, table } = place;
  const sessions = await openSessions(place, { search_path: schema }, 1);
  try {
    const found = await sessions.query<{ table: string | null }>('SELECT to_regclass($1) AS table', [
      `"${schema}".host_slots`,
    ]);
    // A queue that no fleet has worked on yet shares nothing.
    if (found[0]?.table === null) return [];
    const rows = await sessions.query<SharedRow>(
      `WITH moment AS (SELECT server_ms() AS at)
       SELECT h.key, h.learned, at AS now_ms, greatest(0, h.next_at - at) AS next_in,
         coalesce((SELECT sum(s.slots) FROM host_slots s WHERE s.key = h.key AND s.expires_at > at), 0)::int AS places
       FROM hosts h, moment
       WHERE h.learned IS NOT NULL OR h.next_at > at
          OR EXISTS (SELECT FROM host_slots s WHERE s.key = h.key AND s.expires_at > at)
       ORDER BY h.held_until DESC, h.key LIMIT ${MOST_HOSTS}`,
      [],
    );
    return hostReports(
      rows.map((row) => {
        const host = hostOf(row, table.rulesOf(row.key));
        const report = reportOf(host, (host.hold?.at ?? 0) - systemClock.now(), host.hold?.reason);
        return { ...report, inFlight: row.places, nextInMs: row.next_in };
      }),
      MOST_HOSTS,
    );
  } catch (error) {
    throw unreachable(error, schema);
  } finally {
    await sessions.end();
  }
}

/** A host as stored: times by the server's clock, unlimited as null. */
type StoredHost = Omit<HostState, 'key' | 'rules' | 'cap' | 'perSecond'> & {
  readonly cap: number | null;
  readonly perSecond: number | null;
};

interface StoredRow {
  readonly key: string;
  readonly learned: StoredHost | null;
  readonly now_ms: number;
}

/** Times are converted to this machine's clock. */
function hostOf({ key, learned, now_ms: serverNow }: StoredRow, rules: Rules): HostState {
  const host = newState(key, rules);
  if (learned === null) return host;
  const { hold, cap, perSecond, ...rest } = learned;
  return {
    ...host,
    ...rest,
    cap: cap ?? Infinity,
    perSecond: perSecond ?? Infinity,
    hold: hold && { at: systemClock.now() + (hold.at - serverNow), reason: hold.reason },
  };
}

function storedOf(host: HostState, serverNow: number): StoredHost {
  const { key: _key, rules: _rules, cap, perSecond, hold, ...rest } = host;
  return {
    ...rest,
    cap: bounded(cap),
    perSecond: bounded(perSecond),
    hold: hold === null || hold.reason === 'paused' ? null : { ...hold, at: serverNow + (hold.at - systemClock.now()) },
  };
}
