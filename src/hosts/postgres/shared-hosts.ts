import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type pg from 'pg';

import type { Clock } from '../../base/index.ts';
import { AppError, errorInfo, hasCode, packageRoot, systemClock } from '../../base/index.ts';
import type { HostTable } from '../host-table.ts';
import type { HostReport, HostState, Rules } from '../host.ts';
import { bounded, hostReports, newState, reportOf } from '../host.ts';
import { Sessions } from './sessions.ts';

const MOST_HOSTS = 10_000;
/** PostgreSQL's code for a missing permission. */
const FORBIDDEN = '42501';

interface SharedRow extends StoredRow {
  readonly next_in: number;
  readonly held_ms: number;
  readonly places: number;
}

/** The database shared by a fleet, and the rules of hosts. */
export interface SharedPlace {
  readonly url: string;
  readonly schema: string;
  readonly pooler?: boolean | undefined;
  readonly table: HostTable;
}

/** What a fleet currently shares about hosts, for a reader: those held, slowed, in use or reserved. */
export async function readSharedHosts({ url, schema, pooler, table }: SharedPlace): Promise<HostReport[]> {
  const settings = { search_path: schema };
  const sessions = await Sessions.open({ url, settings, pooler, max: 1, name: 'docstokg hosts' });
  try {
    const found = await sessions.query<{ table: string | null }>('SELECT to_regclass($1) AS table', [
      `"${schema}".host_slots`,
    ]);
    // A queue that no fleet has worked on yet shares nothing.
    if (found[0]?.table === null) return [];
    const rows = await sessions.query<SharedRow>(
      `WITH moment AS (SELECT server_ms() AS at)
       SELECT h.key, h.learned, at AS now_ms, greatest(0, h.next_at - at) AS next_in, greatest(0, h.held_until - at) AS held_ms,
         coalesce((SELECT sum(s.slots) FROM host_slots s WHERE s.key = h.key AND s.expires_at > at), 0)::int AS places
       FROM hosts h, moment
       WHERE h.learned IS NOT NULL OR h.held_until > at OR h.next_at > at
          OR EXISTS (SELECT FROM host_slots s WHERE s.key = h.key AND s.expires_at > at)
       ORDER BY h.held_until DESC, h.key LIMIT ${MOST_HOSTS}`,
      [],
    );
    return hostReports(
      rows.map((row) => {
        const host = hostOf(row, table.rulesOf(row.key), systemClock);
        const heldMs = Math.max(row.held_ms, (host.hold?.at ?? 0) - systemClock.now());
        const report = reportOf(host, heldMs, host.hold?.reason);
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

/** A row of the hosts table, and the server's time when it was read. */
export interface StoredRow {
  readonly key: string;
  readonly learned: StoredHost | null;
  readonly now_ms: number;
}

/** The host state in a row, in our time. */
export function hostOf({ key, learned, now_ms: serverNow }: StoredRow, rules: Rules, clock: Clock): HostState {
  const host = newState(key, rules);
  if (learned === null) return host;
  const { hold, cap, perSecond, ...rest } = learned;
  return {
    ...host,
    ...rest,
    cap: cap ?? Infinity,
    perSecond: perSecond ?? Infinity,
    hold: hold && { at: clock.now() + (hold.at - serverNow), reason: hold.reason },
  };
}

export function storedOf(host: HostState, serverNow: number, clock: Clock): StoredHost {
  const { key: _key, rules: _rules, cap, perSecond, hold, ...rest } = host;
  return {
    ...rest,
    cap: bounded(cap),
    perSecond: bounded(perSecond),
    hold: hold === null || hold.reason === 'paused' ? null : { ...hold, at: serverNow + (hold.at - clock.now()) },
  };
}

/** Advisory lock for processes that create the tables at the same time. */
const LOCK = 0x686f7374;

/** Creates missing tables of the fleet, and replaces the functions with those of this version. */
export async function createTables(sessions: Sessions, schema: string): Promise<void> {
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

/** An error that says why the tables cannot be used, with the server's message. */
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
