import type { Count, HostCount, StatsParts } from '../stats.ts';
import { conditionsOf, finishedRows, finishedStates, hostJobs, queueStats, RETIRED } from '../stats.ts';
import type { HostJobs, Job, JobFilter, JobPage, JobState, Pause, QueueAdmin, QueueStats } from '../types.ts';
import { JOB_STATES, RETIRED_AT_ONCE } from '../types.ts';
import type { PostgresConnection, Values } from './connection.ts';

// Parts of SQL that several statements share. Parameters are named, see PostgresConnection.run.

/** The current time: the server's, unless the caller passes one. */
export const NOW = 'coalesce(:now::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)';

/** The CODE of an error stored as `CODE: message`; empty for none. */
export const ERROR_CODE = "coalesce(substring(last_error FROM '^([A-Z][A-Z0-9_]*):'), '')";

/** The code a job is counted under: earlier errors of a running or finished job do not count. */
export const COUNTED_CODE = `CASE WHEN state IN ('in_progress', 'done') THEN '' ELSE ${ERROR_CODE} END`;

/** The resolver in the name of a lane; empty for none. */
export const RESOLVER = "split_part(lane, ' ', 2)";

/** Adds the rows of a query to the counts, or subtracts them with `-`. A delayed job is counted as `delayed`. */
export const tally = (rows: string, state: string, sign: '' | '-', code: string): string =>
  `INSERT INTO tally SELECT ${state}, ${RESOLVER}, ${code}, ${sign}count(*) FROM ${rows} GROUP BY 1, 2, 3`;

const COLUMNS = `id, artifact_id AS "artifactId", artifact_json AS "artifactJson", state, attempts, priority,
  resolver_hint AS "resolverHint", host, last_error AS "lastError", result, deaths, deaths_alone AS "deathsAlone",
  suspect_since AS "suspectSince", created_at AS "createdAt", updated_at AS "updatedAt",
  available_at AS "availableAt", lease_expires_at AS "leaseExpiresAt", worker_id AS "workerId"`;

/** Absent conditions are NULL and match all. */
const MATCHES = `state = ANY(:states::text[])
  AND (:resolver::text IS NULL OR ${RESOLVER} = :resolver)
  AND (:host::text IS NULL OR split_part(lane, ' ', 1) = :host)
  AND (:errorCode::text IS NULL OR ${ERROR_CODE} = :errorCode)
  AND (:belowAttempts::int IS NULL OR attempts < :belowAttempts)
  AND (:updatedBefore::bigint IS NULL OR updated_at < :updatedBefore)`;

type Moments = Pick<StatsParts, 'at' | 'due' | 'running' | 'nextAvailableAt' | 'newestId' | 'suspects'> & {
  readonly oldest: number | null;
};

/** Number of change rows above which the tally is compacted. */
const FOLD_ABOVE = 5000;

function matching(filter: JobFilter, states: readonly JobState[] = filter.states ?? JOB_STATES): Values {
  return { states: [...states], ...conditionsOf(filter) };
}

export class PostgresAdmin implements QueueAdmin {
  readonly #connection: PostgresConnection;
  readonly #channel: string;

  constructor(connection: PostgresConnection, channel: string) {
    this.#connection = connection;
    this.#channel = channel;
  }

  async stats(now: number): Promise<QueueStats> {
    const [moments] = await this.#run<Moments>(
      'moments',
      `SELECT ${NOW} AS at,
         (SELECT count(*) FROM runs WHERE state = 'queued' AND available_at <= ${NOW}) AS due,
         (SELECT count(*) FROM runs WHERE state = 'in_progress' AND lease_expires_at > ${NOW}) AS running,
         least((SELECT min(id) FROM runs WHERE state = 'queued' AND available_at IS NULL AND suspect_since IS NULL),
               (SELECT min(id) FROM runs WHERE state = 'queued' AND available_at IS NULL AND suspect_since IS NOT NULL),
               (SELECT min(id) FROM runs WHERE state = 'queued' AND available_at <= ${NOW})) AS oldest,
         (SELECT count(*) FROM runs WHERE suspect_since IS NOT NULL) AS suspects,
         (SELECT min(available_at) FROM runs WHERE state = 'queued' AND available_at > ${NOW}) AS "nextAvailableAt",
         (SELECT coalesce(max(id), 0) FROM artifacts) AS "newestId"`,
      { now: this.#connection.moment(now) },
    );
    const { oldest: id, ...times } = moments as Moments;
    const [oldest] = await this.#run<Pick<StatsParts, 'oldestQueuedId' | 'oldestQueuedAt'>>(
      'oldest',
      'SELECT artifact_id AS "oldestQueuedId", created_at AS "oldestQueuedAt" FROM artifacts WHERE id = :id',
      { id },
    );
    return queueStats(await this.#counts(), {
      ...times,
      ...(oldest ?? { oldestQueuedId: null, oldestQueuedAt: null }),
      leases: await this.#run(
        'leases',
        `SELECT worker_id AS "workerId", count(*) AS jobs, min(lease_expires_at) AS "expiresAt"
         FROM runs WHERE state = 'in_progress' GROUP BY worker_id ORDER BY worker_id`,
      ),
      workers: await this.#run(
        'workers',
        'SELECT worker_id AS "workerId", info_json AS info, updated_at AS "updatedAt" FROM workers ORDER BY worker_id',
      ),
      pauses: await this.pauses(),
    });
  }

  async hosts(now: number): Promise<HostJobs[]> {
    return hostJobs(
      await this.#run<HostCount>(
        'hosts',
        `SELECT host, CASE WHEN state = 'queued' AND available_at > ${NOW} THEN 'delayed' ELSE state END AS state,
                ${ERROR_CODE} AS code, count(*) AS jobs,
                min(CASE WHEN available_at > ${NOW} THEN available_at END) AS "nextAvailableAt"
         FROM (SELECT split_part(lane, ' ', 1) AS host, state, available_at, last_error FROM runs) AS hosted
         WHERE host <> '' GROUP BY 1, 2, 3`,
        { now: this.#connection.moment(now) },
      ),
    );
  }

  list(filter: JobFilter, { after = 0, upTo = Number.MAX_SAFE_INTEGER, limit }: JobPage): Promise<Job[]> {
    return this.#run(
      'list',
      `SELECT ${COLUMNS} FROM jobs WHERE ${MATCHES} AND id > :after AND id <= :upTo ORDER BY id LIMIT :limit`,
      { ...matching(filter), after, upTo, limit },
    );
  }

  async find(id: number | string): Promise<Job | undefined> {
    const column = typeof id === 'number' ? 'id' : 'artifact_id';
    const [job] = await this.#run<Job>(`find_${column}`, `SELECT ${COLUMNS} FROM jobs WHERE ${column} = :id`, { id });
    return job;
  }

  async requeue(filter: JobFilter, now: number, options: { readonly dryRun: boolean }): Promise<number> {
    const values = matching(filter, finishedStates(filter));
    if (options.dryRun) return this.#count(values);
    return this.#changed(
      'requeue',
      `WITH before AS (SELECT id, state, lane, last_error FROM runs WHERE ${MATCHES} FOR UPDATE),
       changed AS (UPDATE runs SET state = 'queued', attempts = 0, deaths = 0, deaths_alone = 0, available_at = NULL, updated_at = ${NOW}
                   FROM before WHERE runs.id = before.id RETURNING runs.id),
       gone AS (${tally('before', 'state', '-', COUNTED_CODE)}),
       come AS (${tally('before', "'queued'", '', ERROR_CODE)}),
       notified AS (SELECT pg_notify(:channel, 'jobs'))
       SELECT (SELECT count(*) FROM changed) AS jobs FROM notified`,
      { ...values, now: this.#connection.moment(now), channel: this.#channel },
    );
  }

  async cancel(id: number, now: number): Promise<boolean> {
    const jobs = await this.#changed(
      'cancel',
      `WITH before AS (SELECT id, CASE WHEN available_at IS NULL THEN state ELSE 'delayed' END AS state, lane, last_error
                       FROM runs WHERE id = :id AND state IN ('queued', 'in_progress') FOR UPDATE),
       changed AS (UPDATE runs SET state = 'skipped', last_error = 'CANCELLED: cancelled by an operator', token = token + 1,
                     available_at = NULL, suspect_since = NULL, lease_expires_at = NULL, worker_id = NULL, updated_at = ${NOW}
                   FROM before WHERE runs.id = before.id RETURNING runs.id),
       gone AS (${tally('before', 'state', '-', COUNTED_CODE)}),
       come AS (${tally('before', "'skipped'", '', "'CANCELLED'")}),
       notified AS (SELECT pg_notify(:channel, 'control'))
       SELECT (SELECT count(*) FROM changed) AS jobs FROM notified`,
      { id, now: this.#connection.moment(now), channel: this.#channel },
    );
    return jobs > 0;
  }

  async prune(filter: JobFilter, options: { readonly dryRun: boolean }): Promise<number> {
    const values = matching(filter, finishedStates(filter));
    if (options.dryRun) return this.#count(values);
    return this.#changed(
      'prune',
      `WITH gone AS (DELETE FROM runs WHERE ${MATCHES} RETURNING id, state, lane, last_error),
       forgotten AS (DELETE FROM artifacts USING gone WHERE artifacts.id = gone.id),
       tallied AS (${tally('gone', 'state', '-', COUNTED_CODE)})
       SELECT count(*) AS jobs FROM gone`,
      values,
    );
  }

  async retire(keep: number): Promise<number> {
    const limit = Math.min(RETIRED_AT_ONCE, finishedRows(await this.#counts()) - keep);
    if (limit <= 0) return 0;
    // One process at a time: two would remove twice as many.
    return await this.#changed(
      'retire',
      `WITH old AS (SELECT id FROM runs WHERE state IN ('done', 'skipped', 'error')
                    AND (SELECT pg_try_advisory_xact_lock(hashtext(current_schema() || ' retire'))) ORDER BY id LIMIT :limit::int),
       gone AS (DELETE FROM runs USING old WHERE runs.id = old.id AND state IN ('done', 'skipped', 'error') RETURNING runs.id),
       forgotten AS (DELETE FROM artifacts USING gone WHERE artifacts.id = gone.id),
       tallied AS (INSERT INTO tally SELECT '${RETIRED}', '', '', count(*) FROM gone HAVING count(*) > 0)
       SELECT count(*) AS jobs FROM gone`,
      { limit },
    );
  }

  pauses(): Promise<Pause[]> {
    return this.#run('pauses', 'SELECT scope, name, since FROM pauses ORDER BY scope, name');
  }

  async pause(scope: Pause['scope'], name: string, now: number): Promise<boolean> {
    const jobs = await this.#changed(
      'pause',
      `WITH added AS (INSERT INTO pauses (scope, name, since) VALUES (:scope, :name, ${NOW}) ON CONFLICT DO NOTHING RETURNING 1),
       notified AS (SELECT pg_notify(:channel, 'control')) SELECT (SELECT count(*) FROM added) AS jobs FROM notified`,
      { scope, name, now: this.#connection.moment(now), channel: this.#channel },
    );
    return jobs > 0;
  }

  async resume(scope: Pause['scope'], name: string): Promise<boolean> {
    const jobs = await this.#changed(
      'resume',
      `WITH removed AS (DELETE FROM pauses WHERE scope = :scope AND name = :name RETURNING 1),
       notified AS (SELECT pg_notify(:channel, 'control')) SELECT (SELECT count(*) FROM removed) AS jobs FROM notified`,
      { scope, name, channel: this.#channel },
    );
    return jobs > 0;
  }

  /** The counts; compacts the change rows when there are many. */
  async #counts(): Promise<Count[]> {
    const rows = await this.#run<Count & { readonly changes: number }>(
      'tally',
      `SELECT state, resolver_hint AS resolver, error_code AS code, sum(jobs)::bigint AS jobs, count(*) AS changes
       FROM tally GROUP BY 1, 2, 3 HAVING sum(jobs) <> 0`,
    );
    if (rows.reduce((total, { changes }) => total + changes, 0) > FOLD_ABOVE)
      await this.#run(
        'fold',
        `WITH gone AS (DELETE FROM tally WHERE ctid = ANY (ARRAY(SELECT ctid FROM tally FOR UPDATE SKIP LOCKED)) RETURNING *)
         INSERT INTO tally SELECT state, resolver_hint, error_code, sum(jobs) FROM gone GROUP BY 1, 2, 3 HAVING sum(jobs) <> 0`,
      );
    return rows;
  }

  #count(values: Values): Promise<number> {
    return this.#changed('count', `SELECT count(*) AS jobs FROM runs WHERE ${MATCHES}`, values);
  }

  async #changed(name: string, sql: string, values: Values): Promise<number> {
    return (await this.#run<{ jobs: number }>(name, sql, values))[0]?.jobs ?? 0;
  }

  #run<R extends object>(name: string, sql: string, values: Values = {}): Promise<R[]> {
    return this.#connection.run<R>(`admin_${name}`, sql, values);
  }
}
