import { systemClock } from '../../base/index.ts';
import type { HostReport } from '../host-report.ts';
import { hostReports } from '../host-report.ts';
import type { HostTable } from '../host-table.ts';
import { Sessions } from './sessions.ts';
import type { StoredRow } from './stored-host.ts';
import { hostOf } from './stored-host.ts';
import { unreachable } from './tables.ts';

/** Most hosts that are listed. */
const MOST_HOSTS = 10_000;

interface SharedRow extends StoredRow {
  readonly next_in: number;
  readonly held_ms: number;
  readonly places: number;
}

/** Where a fleet keeps what it shares, and what hosts allow besides. */
export interface SharedPlace {
  readonly url: string;
  readonly schema: string;
  readonly pooler?: boolean | undefined;
  readonly table: HostTable;
}

/** What a fleet shares about hosts now, for a process that only reads: those that are held, slowed, in use or reserved. */
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
        const host = hostOf(row, table.rulesOf(row.key), { clock: systemClock, scale: 1 });
        const { hold } = host;
        const heldMs = Math.max(row.held_ms, hold === null ? 0 : hold.at - systemClock.now());
        return {
          ...host,
          hold:
            heldMs > 0
              ? { at: systemClock.now() + heldMs, reason: hold?.reason ?? 'rate-limited', leftMs: heldMs }
              : null,
          inFlight: row.places,
          waiting: 0,
          nextInMs: row.next_in,
          done: 0,
          failed: {},
        };
      }),
      MOST_HOSTS,
    );
  } catch (error) {
    throw unreachable(error, schema);
  } finally {
    await sessions.end();
  }
}
