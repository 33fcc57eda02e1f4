import type { AdminDatabase } from '../admin.ts';
import { adminChanges, adminQueries, matches } from '../admin.ts';
import type { Count } from '../stats.ts';
import { RETIRED } from '../stats.ts';
import type { SqliteConnection, SqliteWatch } from './connection.ts';

/** Must equal the condition of the index of ready jobs; otherwise a statement reads every job. */
export const READY = "state = 'queued' AND available_at IS NULL AND suspect_since IS NULL";

const DIALECT = {
  now: ':now',
  table: 'jobs',
  hosted: 'jobs',
  inStates: 'state IN (SELECT value FROM json_each(:states))',
  host: 'host',
  resolver: 'resolver_hint',
  code: 'error_code',
};

const QUERIES = {
  ...adminQueries(DIALECT),

  // The oldest ready job has the least id: the first of each lane and priority, found through the index.
  moments: `
    WITH RECURSIVE heads(host, resolver, priority, id) AS (
      SELECT * FROM (SELECT host, resolver_hint, priority, id FROM jobs WHERE ${READY} ORDER BY host, resolver_hint, priority DESC, id LIMIT 1)
      UNION ALL
      SELECT next.host, next.resolver_hint, next.priority, next.id FROM heads JOIN jobs AS next ON next.id = coalesce(
        (SELECT id FROM jobs WHERE ${READY} AND jobs.host = heads.host AND jobs.resolver_hint = heads.resolver AND jobs.priority < heads.priority
         ORDER BY jobs.priority DESC, jobs.id LIMIT 1),
        (SELECT id FROM jobs WHERE ${READY} AND jobs.host = heads.host AND jobs.resolver_hint > heads.resolver
         ORDER BY jobs.resolver_hint, jobs.priority DESC, jobs.id LIMIT 1),
        (SELECT id FROM jobs WHERE ${READY} AND jobs.host > heads.host
         ORDER BY jobs.host, jobs.resolver_hint, jobs.priority DESC, jobs.id LIMIT 1))
    ), moments AS (
      SELECT :now AS at,
        (SELECT count(*) FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at <= :now) AS due,
        (SELECT count(*) FROM jobs WHERE state = 'in_progress' AND lease_expires_at > :now) AS running,
        (SELECT count(*) FROM jobs WHERE suspect_since IS NOT NULL) AS suspects,
        (SELECT min(available_at) FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at > :now) AS nextAvailableAt,
        (SELECT coalesce(max(id), 0) FROM jobs) AS newestId
    )
    SELECT moments.*, artifact_id AS oldestQueuedId, created_at AS oldestQueuedAt FROM moments LEFT JOIN jobs ON jobs.id = (SELECT min(id) FROM (
      SELECT id FROM heads UNION ALL
      SELECT id FROM jobs WHERE state = 'queued' AND available_at IS NULL AND suspect_since IS NOT NULL UNION ALL
      SELECT id FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at <= :now))`,
};

const { requeued, cancelled, pause, resume } = adminChanges(DIALECT);
const OLD = "SELECT id FROM jobs WHERE state IN ('done', 'skipped', 'error') ORDER BY id LIMIT :limit";

/** Each is one transaction; the last statement changes the rows that are counted. */
const CHANGES = {
  requeue: [`UPDATE jobs SET ${requeued} WHERE ${matches(DIALECT)}`],
  cancel: [`UPDATE jobs SET ${cancelled} WHERE id = :id AND state IN ('queued', 'in_progress')`],
  prune: [`DELETE FROM jobs WHERE ${matches(DIALECT)}`],
  retire: [
    // A trigger subtracts removed jobs from the counts.
    `INSERT INTO tally
     SELECT counted_as, resolver_hint, counted_code, count(*) FROM jobs WHERE id IN (${OLD}) GROUP BY 1, 2, 3
     UNION ALL SELECT '${RETIRED}', '', '', count(*) FROM (${OLD}) WHERE true
     ON CONFLICT DO UPDATE SET jobs = jobs + excluded.jobs`,
    `DELETE FROM jobs WHERE id IN (${OLD})`,
  ],
  pause: [pause],
  resume: [resume],
};

/** Other processes notice the new version. */
const CONTROLLED = 'UPDATE control SET version = version + 1';

export function adminDatabase(connection: SqliteConnection, watch: SqliteWatch): AdminDatabase {
  const prepare = (sql: string): ReturnType<SqliteConnection['prepare']> => {
    const statement = connection.prepare(sql);
    statement.setAllowUnknownNamedParameters(true);
    return statement;
  };
  return {
    async read<R>(query: keyof typeof QUERIES, values = {}) {
      const statement = prepare(QUERIES[query]);
      return connection.read(() => statement.all(values).map((row) => ({ ...row }))) as R[];
    },
    async write(change, values, notify) {
      const statements = [...(notify === 'control' ? [CONTROLLED] : []), ...CHANGES[change]].map(prepare);
      const changed = await connection.write(
        () => statements.reduce((_, statement) => Number(statement.run(values).changes), 0),
        { accepting: true },
      );
      if (notify && changed > 0) watch.notify(notify);
      return changed;
    },
    async counts() {
      const all = 'SELECT state, resolver_hint AS resolver, error_code AS code, jobs FROM tally WHERE jobs <> 0';
      return connection.read(() => connection.prepare(all).all()) as unknown as Count[];
    },
  };
}
