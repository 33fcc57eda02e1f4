import type { AdminDatabase, AdminValues } from '../admin.ts';
import { adminChanges, adminQueries, matches } from '../admin.ts';
import type { Count } from '../stats.ts';
import { RETIRED } from '../stats.ts';
import type { PostgresConnection } from './connection.ts';

// Parts of SQL that several statements share. Parameters are named, see PostgresConnection.run.

/** The current time: the server's, unless the caller passes one. */
export const NOW = 'coalesce(:now::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)';

/** The CODE of an error stored as `CODE: message`; empty for none. */
export const ERROR_CODE = "coalesce(substring(last_error FROM '^([A-Z][A-Z0-9_]*):'), '')";

/** The code a job is counted under: earlier errors of a running or finished job do not count. */
export const COUNTED_CODE = `CASE WHEN state IN ('in_progress', 'done') THEN '' ELSE ${ERROR_CODE} END`;

/** The resolver in the name of a lane; empty for none. */
export const RESOLVER = "split_part(lane, ' ', 2)";
const HOST = "split_part(lane, ' ', 1)";

/** Adds the rows of a query to the counts, or subtracts them with `-`. A delayed job is counted as `delayed`. */
export const tally = (rows: string, state: string, sign: '' | '-', code: string): string =>
  `INSERT INTO tally SELECT ${state}, ${RESOLVER}, ${code}, ${sign}count(*) FROM ${rows} GROUP BY 1, 2, 3`;

const DIALECT = {
  now: NOW,
  table: 'runs',
  hosted: `(SELECT ${HOST} AS host, state, available_at, last_error FROM runs) AS hosted`,
  inStates: 'state = ANY (ARRAY(SELECT json_array_elements_text(:states::json)))',
  host: HOST,
  resolver: RESOLVER,
  code: ERROR_CODE,
};

const QUERIES = {
  ...adminQueries(DIALECT),

  moments: `
    SELECT moments.*, artifact_id AS "oldestQueuedId", created_at AS "oldestQueuedAt" FROM (
      SELECT ${NOW} AS at,
        (SELECT count(*) FROM runs WHERE state = 'queued' AND available_at <= ${NOW}) AS due,
        (SELECT count(*) FROM runs WHERE state = 'in_progress' AND lease_expires_at > ${NOW}) AS running,
        (SELECT count(*) FROM runs WHERE quarantined_since IS NOT NULL) AS quarantined,
        (SELECT min(available_at) FROM runs WHERE state = 'queued' AND available_at > ${NOW}) AS "nextAvailableAt",
        (SELECT coalesce(max(id), 0) FROM artifacts) AS "newestId"
    ) AS moments LEFT JOIN artifacts ON id = least(
      (SELECT min(id) FROM runs WHERE state = 'queued' AND available_at IS NULL AND quarantined_since IS NULL),
      (SELECT min(id) FROM runs WHERE state = 'queued' AND available_at IS NULL AND quarantined_since IS NOT NULL),
      (SELECT min(id) FROM runs WHERE state = 'queued' AND available_at <= ${NOW}))`,
};

const { requeued, cancelled, pause, resume } = adminChanges(DIALECT);

const CHANGES = {
  requeue: `
    before AS (SELECT id, state, lane, last_error FROM runs WHERE ${matches(DIALECT)} FOR UPDATE),
    changed AS (UPDATE runs SET ${requeued} FROM before WHERE runs.id = before.id RETURNING runs.id),
    gone AS (${tally('before', 'state', '-', COUNTED_CODE)}),
    come AS (${tally('before', "'queued'", '', ERROR_CODE)})`,

  cancel: `
    before AS (SELECT id, CASE WHEN available_at IS NULL THEN state ELSE 'delayed' END AS state, lane, last_error
               FROM runs WHERE id = :id AND state IN ('queued', 'in_progress') FOR UPDATE),
    changed AS (UPDATE runs SET ${cancelled} FROM before WHERE runs.id = before.id RETURNING runs.id),
    gone AS (${tally('before', 'state', '-', COUNTED_CODE)}),
    come AS (${tally('before', "'skipped'", '', "'CANCELLED'")})`,

  prune: `
    changed AS (DELETE FROM runs WHERE ${matches(DIALECT)} RETURNING id, state, lane, last_error),
    forgotten AS (DELETE FROM artifacts USING changed WHERE artifacts.id = changed.id),
    tallied AS (${tally('changed', 'state', '-', COUNTED_CODE)})`,

  // One process at a time: two would remove twice as many.
  retire: `
    old AS (SELECT id FROM runs WHERE state IN ('done', 'skipped', 'error')
            AND (SELECT pg_try_advisory_xact_lock(hashtext(current_schema() || ' retire'))) ORDER BY id LIMIT :limit::int),
    changed AS (DELETE FROM runs USING old WHERE runs.id = old.id AND state IN ('done', 'skipped', 'error') RETURNING runs.id),
    forgotten AS (DELETE FROM artifacts USING changed WHERE artifacts.id = changed.id),
    tallied AS (INSERT INTO tally SELECT '${RETIRED}', '', '', count(*) FROM changed HAVING count(*) > 0)`,

  pause: `changed AS (${pause} RETURNING 1)`,
  resume: `changed AS (${resume} RETURNING 1)`,
};

const COUNTS = `
  SELECT state, resolver_hint AS resolver, error_code AS code, sum(jobs)::bigint AS jobs, count(*) AS changes
  FROM tally GROUP BY 1, 2, 3 HAVING sum(jobs) <> 0`;

/** Compacts the change rows of the tally. */
const FOLD = `
  WITH gone AS (DELETE FROM tally WHERE ctid = ANY (ARRAY(SELECT ctid FROM tally FOR UPDATE SKIP LOCKED)) RETURNING *)
  INSERT INTO tally SELECT state, resolver_hint, error_code, sum(jobs) FROM gone GROUP BY 1, 2, 3 HAVING sum(jobs) <> 0`;

const FOLD_ABOVE = 5000;

export function adminDatabase(connection: PostgresConnection, channel: string): AdminDatabase {
  const run = <R extends object>(name: string, sql: string, values: AdminValues = {}): Promise<R[]> =>
    connection.run<R>(`admin_${name}`, sql, { ...values, now: connection.moment(Number(values['now'])), channel });
  return {
    read: (query, values) => run(query, QUERIES[query], values),
    async write(change, values, notify) {
      const notified = notify ? `, notified AS (SELECT pg_notify(:channel, '${notify}'))` : '';
      const count = `SELECT (SELECT count(*) FROM changed) AS jobs${notify ? ' FROM notified' : ''}`;
      const [row] = await run<{ jobs: number }>(change, `WITH ${CHANGES[change]}${notified} ${count}`, values);
      return row?.jobs ?? 0;
    },
    async counts() {
      const rows = await run<Count & { readonly changes: number }>('tally', COUNTS);
      if (rows.reduce((total, { changes }) => total + changes, 0) > FOLD_ABOVE) await run('fold', FOLD);
      return rows;
    },
  };
}
