import type { HostGroup } from '../host-jobs.ts';
import { hostJobsOf } from '../host-jobs.ts';
import type { HostJobs, Job, JobFilter, JobPage, JobState, Pause, QueueAdmin, QueueStats } from '../types.ts';
import { JOB_STATES } from '../types.ts';
import { parseWorkerInfo } from '../worker-info.ts';
import type { PostgresConnection } from './connection.ts';
import { ENDED_CODE, ERROR_CODE, RESOLVER, TALLY } from './statements.ts';
import type { PostgresWatch } from './watch.ts';

const COLUMNS = `id, artifact_id AS "artifactId", artifact_json AS "artifactJson", state, attempts, priority,
  resolver_hint AS "resolverHint", host, last_error AS "lastError", result, deaths, deaths_alone AS "deathsAlone", suspect_since AS "suspectSince", created_at AS "createdAt", updated_at AS "updatedAt",
  available_at AS "availableAt", lease_expires_at AS "leaseExpiresAt", worker_id AS "workerId"`;

const MATCHES = `state = ANY($1::text[])
  AND ($2::text IS NULL OR ${RESOLVER} = $2)
  AND ($3::text IS NULL OR split_part(lane, ' ', 1) = $3)
  AND ($4::text IS NULL OR ${ERROR_CODE} = $4)
  AND ($5::int IS NULL OR attempts < $5)
  AND ($6::bigint IS NULL OR updated_at < $6)`;

const NOW = (parameter: string): string =>
  `coalesce(${parameter}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;
const FINISHED: readonly JobState[] = ['done', 'skipped', 'error'];

/** Rows of changes above which the tally is folded together. */
const FOLD_ABOVE = 5000;

function parameters(filter: JobFilter, states: readonly JobState[] = filter.states ?? JOB_STATES): unknown[] {
  return [
    [...states],
    filter.resolver ?? null,
    filter.host ?? null,
    filter.errorCode ?? null,
    filter.belowAttempts ?? null,
    filter.updatedBefore ?? null,
  ];
}

function finished(filter: JobFilter): readonly JobState[] {
  return (filter.states ?? FINISHED).filter((state) => FINISHED.includes(state));
}

/** What operators ask of a queue in PostgreSQL. */
export class PostgresAdmin implements QueueAdmin {
  readonly #connection: PostgresConnection;
  readonly #watch: PostgresWatch;

  constructor(connection: PostgresConnection, watch: PostgresWatch) {
    this.#connection = connection;
    this.#watch = watch;
  }

  async stats(now: number): Promise<QueueStats> {
    const moment = this.#connection.moment(now);
    const tally = await this.#tally();
    const [moments] = await this.#run<{
      at: number;
      due: number;
      oldest: number | null;
      next: number | null;
      newest: number;
      suspects: number;
    }>(
      'moments',
      `SELECT ${NOW('$1')} AS at,
         (SELECT count(*) FROM runs WHERE state = 'queued' AND available_at <= ${NOW('$1')}) AS due,
         least((SELECT min(id) FROM runs WHERE state = 'queued' AND available_at IS NULL AND suspect_since IS NULL),
               (SELECT min(id) FROM runs WHERE state = 'queued' AND available_at IS NULL AND suspect_since IS NOT NULL)) AS oldest,
         (SELECT count(*) FROM runs WHERE suspect_since IS NOT NULL) AS suspects,
         (SELECT min(available_at) FROM runs WHERE state = 'queued' AND available_at > ${NOW('$1')}) AS next,
         (SELECT coalesce(max(id), 0) FROM artifacts) AS newest`,
      [moment],
    );
    const [oldest] = await this.#run<{ id: string; at: number }>(
      'oldest',
      'SELECT artifact_id AS id, created_at AS at FROM artifacts WHERE id = $1',
      [moments?.oldest ?? -1],
    );
    const leases = await this.#run<{ workerId: string; jobs: number; expiresAt: number }>(
      'leases',
      `SELECT worker_id AS "workerId", count(*) AS jobs, min(lease_expires_at) AS "expiresAt"
       FROM runs WHERE state = 'in_progress' GROUP BY worker_id ORDER BY worker_id`,
      [],
    );
    const sum = (rows: readonly { readonly jobs: number }[]): number =>
      rows.reduce((total, { jobs }) => total + jobs, 0);
    const count = (...states: string[]): number => sum(tally.filter(({ state }) => states.includes(state)));
    const plain = (state: string): JobState => (state === 'delayed' ? 'queued' : (state as JobState));
    const group = <K extends object>(
      rows: typeof tally,
      key: (row: (typeof tally)[number]) => K,
    ): (K & { readonly jobs: number })[] =>
      [...Map.groupBy(rows, (row) => JSON.stringify(key(row)))].map(([text, members]) => ({
        ...(JSON.parse(text) as K),
        jobs: sum(members),
      }));
    const due = moments?.due ?? 0;
    return {
      at: moments?.at ?? now,
      states: Object.fromEntries(
        JOB_STATES.map((state) => [state, state === 'queued' ? count('queued', 'delayed') : count(state)]),
      ) as Record<JobState, number>,
      total: sum(tally),
      due: count('queued') + due,
      delayed: count('delayed') - due,
      oldestQueuedAt: oldest?.at ?? null,
      oldestQueuedId: oldest?.id ?? null,
      newestId: moments?.newest ?? 0,
      nextAvailableAt: moments?.next ?? null,
      suspects: moments?.suspects ?? 0,
      byResolver: group(tally, ({ resolver, state }) => ({ resolver: resolver || null, state: plain(state) })),
      byErrorCode: group(
        tally.filter(({ code }) => code !== ''),
        ({ code, state }) => ({ code, state: plain(state) }),
      ),
      leases,
      workers: (
        await this.#run<{ workerId: string; info: string; updatedAt: number }>(
          'workers',
          'SELECT worker_id AS "workerId", info_json AS info, updated_at AS "updatedAt" FROM workers ORDER BY worker_id',
          [],
        )
      ).map(({ workerId, info, updatedAt }) => ({ ...parseWorkerInfo(info), workerId, updatedAt })),
      pauses: await this.pauses(),
    };
  }

  async hosts(now: number): Promise<HostJobs[]> {
    return hostJobsOf(
      await this.#run<HostGroup>(
        'hosts',
        `SELECT host, CASE WHEN state = 'queued' AND available_at > ${NOW('$1')} THEN 'delayed' ELSE state END AS state,
                ${ERROR_CODE} AS code, count(*) AS jobs,
                min(CASE WHEN available_at > ${NOW('$1')} THEN available_at END) AS "nextAvailableAt"
         FROM (SELECT split_part(lane, ' ', 1) AS host, state, available_at, last_error FROM runs) AS hosted
         WHERE host <> '' GROUP BY 1, 2, 3`,
        [this.#connection.moment(now)],
      ),
    );
  }

  async list(filter: JobFilter, page: JobPage): Promise<Job[]> {
    return this.#run(
      'list',
      `SELECT ${COLUMNS} FROM jobs WHERE ${MATCHES} AND id > $7 AND id <= $8 ORDER BY id LIMIT $9`,
      [...parameters(filter), page.after ?? 0, page.upTo ?? Number.MAX_SAFE_INTEGER, page.limit],
    );
  }

  async find(id: number | string): Promise<Job | undefined> {
    const column = typeof id === 'number' ? 'id' : 'artifact_id';
    const [job] = await this.#run<Job>(`find_${column}`, `SELECT ${COLUMNS} FROM jobs WHERE ${column} = $1`, [id]);
    return job;
  }

  async requeue(filter: JobFilter, now: number, options: { readonly dryRun: boolean }): Promise<number> {
    const values = parameters(filter, finished(filter));
    if (options.dryRun) return this.#count(values);
    return this.#counted(
      'requeue',
      `WITH before AS (SELECT id, state, lane, last_error FROM runs WHERE ${MATCHES} FOR UPDATE),
       changed AS (UPDATE runs SET state = 'queued', attempts = 0, deaths = 0, deaths_alone = 0, ahead = 0, available_at = NULL, updated_at = ${NOW('$7')}
                   FROM before WHERE runs.id = before.id RETURNING runs.id),
       gone AS (${TALLY('before', 'state', '-', ENDED_CODE)}),
       come AS (${TALLY('before', "'queued'", '', ERROR_CODE)}),
       told AS (SELECT pg_notify($8, 'jobs'))
       SELECT (SELECT count(*) FROM changed) AS jobs FROM told`,
      [...values, this.#connection.moment(now), this.#watch.channel],
    );
  }

  async cancel(id: number, now: number): Promise<boolean> {
    const jobs = await this.#counted(
      'cancel',
      `WITH before AS (SELECT id, CASE WHEN available_at IS NULL THEN state ELSE 'delayed' END AS state, lane, last_error
                       FROM runs WHERE id = $1 AND state IN ('queued', 'in_progress') FOR UPDATE),
       changed AS (UPDATE runs SET state = 'skipped', last_error = 'CANCELLED: cancelled by an operator', token = token + 1,
                     available_at = NULL, suspect_since = NULL, lease_expires_at = NULL, worker_id = NULL, updated_at = ${NOW('$2')}
                   FROM before WHERE runs.id = before.id RETURNING runs.id),
       gone AS (${TALLY('before', 'state', '-', `CASE WHEN state = 'in_progress' THEN '' ELSE ${ERROR_CODE} END`)}),
       come AS (${TALLY('before', "'skipped'", '', "'CANCELLED'")}),
       told AS (SELECT pg_notify($3, 'control'))
       SELECT (SELECT count(*) FROM changed) AS jobs FROM told`,
      [id, this.#connection.moment(now), this.#watch.channel],
    );
    return jobs > 0;
  }

  async prune(filter: JobFilter, options: { readonly dryRun: boolean }): Promise<number> {
    const values = parameters(filter, finished(filter));
    if (options.dryRun) return this.#count(values);
    return this.#counted(
      'prune',
      `WITH gone AS (DELETE FROM runs WHERE ${MATCHES} RETURNING id, state, lane, last_error),
       forgotten AS (DELETE FROM artifacts USING gone WHERE artifacts.id = gone.id),
       tallied AS (${TALLY('gone', 'state', '-', ENDED_CODE)})
       SELECT count(*) AS jobs FROM gone`,
      values,
    );
  }

  async pauses(): Promise<Pause[]> {
    return this.#run('pauses', 'SELECT scope, name, since FROM pauses ORDER BY scope, name', []);
  }

  async pause(scope: Pause['scope'], name: string, now: number): Promise<boolean> {
    const jobs = await this.#counted(
      'pause',
      `WITH added AS (INSERT INTO pauses (scope, name, since) VALUES ($1, $2, ${NOW('$3')}) ON CONFLICT DO NOTHING RETURNING 1),
       told AS (SELECT pg_notify($4, 'control')) SELECT (SELECT count(*) FROM added) AS jobs FROM told`,
      [scope, name, this.#connection.moment(now), this.#watch.channel],
    );
    return jobs > 0;
  }

  async resume(scope: Pause['scope'], name: string): Promise<boolean> {
    const jobs = await this.#counted(
      'resume',
      `WITH removed AS (DELETE FROM pauses WHERE scope = $1 AND name = $2 RETURNING 1),
       told AS (SELECT pg_notify($3, 'control')) SELECT (SELECT count(*) FROM removed) AS jobs FROM told`,
      [scope, name, this.#watch.channel],
    );
    return jobs > 0;
  }

  /** Counts by state; folds the rows of changes together when they have become many. */
  async #tally(): Promise<
    { readonly state: string; readonly resolver: string; readonly code: string; readonly jobs: number }[]
  > {
    const rows = await this.#run<{ state: string; resolver: string; code: string; jobs: number; changes: number }>(
      'tally',
      `SELECT state, resolver_hint AS resolver, error_code AS code, sum(jobs)::bigint AS jobs, count(*) AS changes
       FROM tally GROUP BY 1, 2, 3 HAVING sum(jobs) <> 0`,
      [],
    );
    if (rows.reduce((total, { changes }) => total + changes, 0) > FOLD_ABOVE) await this.#fold();
    return rows;
  }

  async #fold(): Promise<void> {
    await this.#run(
      'fold',
      `WITH gone AS (DELETE FROM tally WHERE ctid = ANY (ARRAY(SELECT ctid FROM tally FOR UPDATE SKIP LOCKED)) RETURNING *)
       INSERT INTO tally SELECT state, resolver_hint, error_code, sum(jobs) FROM gone GROUP BY 1, 2, 3 HAVING sum(jobs) <> 0`,
      [],
    );
  }

  async #count(values: readonly unknown[]): Promise<number> {
    return this.#counted('count', `SELECT count(*) AS jobs FROM runs WHERE ${MATCHES}`, values);
  }

  async #counted(name: string, sql: string, values: readonly unknown[]): Promise<number> {
    const [row] = await this.#run<{ jobs: number }>(name, sql, values);
    return row?.jobs ?? 0;
  }

  #run<R extends object>(name: string, sql: string, values: readonly unknown[]): Promise<R[]> {
    return this.#connection.run<R>(`admin_${name}`, sql, values);
  }
}
