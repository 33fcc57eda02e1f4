import type { SQLInputValue } from 'node:sqlite';

import type { Count, HostCount, StatsParts } from '../stats.ts';
import { conditionsOf, finishedRows, finishedStates, hostJobs, queueStats, RETIRED } from '../stats.ts';
import type { HostJobs, Job, JobFilter, JobPage, JobState, Pause, QueueAdmin, QueueStats } from '../types.ts';
import { JOB_STATES, RETIRED_AT_ONCE } from '../types.ts';
import type { SqliteConnection, SqliteWatch } from './connection.ts';

type Values = Record<string, SQLInputValue>;

const COLUMNS = `id, artifact_id AS artifactId, artifact_json AS artifactJson, state, attempts, priority,
  nullif(resolver_hint, '') AS resolverHint, nullif(host, '') AS host, last_error AS lastError, result, deaths,
  deaths_alone AS deathsAlone, suspect_since AS suspectSince, created_at AS createdAt, updated_at AS updatedAt,
  available_at AS availableAt, lease_expires_at AS leaseExpiresAt, worker_id AS workerId`;

/** Absent conditions are NULL and match all; states are a JSON list. */
const MATCHES = `state IN (SELECT value FROM json_each(:states))
  AND (:resolver IS NULL OR resolver_hint = :resolver)
  AND (:host IS NULL OR host = :host)
  AND (:errorCode IS NULL OR error_code = :errorCode)
  AND (:belowAttempts IS NULL OR attempts < :belowAttempts)
  AND (:updatedBefore IS NULL OR updated_at < :updatedBefore)`;

function matching(filter: JobFilter, states: readonly JobState[] = filter.states ?? JOB_STATES): Values {
  return { states: JSON.stringify(states), ...conditionsOf(filter) };
}

/** Must equal the condition of the index of ready jobs; otherwise a statement reads every job. */
export const READY = "state = 'queued' AND available_at IS NULL AND suspect_since IS NULL";

/** The ready job with the least id: the first of each lane and priority, found through the index. */
const OLDEST = `
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
  )
  SELECT artifact_id AS oldestQueuedId, created_at AS oldestQueuedAt FROM jobs WHERE id = (SELECT min(id) FROM (
    SELECT id FROM heads UNION ALL
    SELECT id FROM jobs WHERE state = 'queued' AND available_at IS NULL AND suspect_since IS NOT NULL UNION ALL
    SELECT id FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at <= :now))`;

type Moments = Pick<StatsParts, 'due' | 'running' | 'nextAvailableAt' | 'newestId' | 'suspects'>;

const MOMENTS = `
  SELECT (SELECT count(*) FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at <= :now) AS due,
         (SELECT min(available_at) FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at > :now) AS nextAvailableAt,
         (SELECT count(*) FROM jobs WHERE state = 'in_progress' AND lease_expires_at > :now) AS running,
         (SELECT coalesce(max(id), 0) FROM jobs) AS newestId,
         (SELECT count(*) FROM jobs WHERE suspect_since IS NOT NULL) AS suspects`;

export class SqliteAdmin implements QueueAdmin {
  readonly #connection: SqliteConnection;
  readonly #watch: SqliteWatch;

  constructor(connection: SqliteConnection, watch: SqliteWatch) {
    this.#connection = connection;
    this.#watch = watch;
  }

  async stats(now: number): Promise<QueueStats> {
    const [oldest] = this.#all<Pick<StatsParts, 'oldestQueuedId' | 'oldestQueuedAt'>>(OLDEST, { now });
    const [moments] = this.#all<Moments>(MOMENTS, { now });
    return queueStats(this.#counts(), {
      at: now,
      ...(oldest ?? { oldestQueuedId: null, oldestQueuedAt: null }),
      ...(moments as Moments),
      leases: this.#all(
        `SELECT worker_id AS workerId, count(*) AS jobs, min(lease_expires_at) AS expiresAt
         FROM jobs WHERE state = 'in_progress' GROUP BY worker_id ORDER BY worker_id`,
      ),
      workers: this.#all(
        'SELECT worker_id AS workerId, info_json AS info, updated_at AS updatedAt FROM workers ORDER BY worker_id',
      ),
      pauses: await this.pauses(),
    });
  }

  async hosts(now: number): Promise<HostJobs[]> {
    return hostJobs(
      this.#all<HostCount>(
        `SELECT host, CASE WHEN state = 'queued' AND available_at > :now THEN 'delayed' ELSE state END AS state,
                error_code AS code, count(*) AS jobs, min(CASE WHEN available_at > :now THEN available_at END) AS nextAvailableAt
         FROM jobs WHERE host <> '' GROUP BY 1, 2, 3`,
        { now },
      ),
    );
  }

  async list(filter: JobFilter, { after = 0, upTo = Number.MAX_SAFE_INTEGER, limit }: JobPage): Promise<Job[]> {
    return this.#all(
      `SELECT ${COLUMNS} FROM jobs WHERE id > :after AND id <= :upTo AND ${MATCHES} ORDER BY id LIMIT :limit`,
      { ...matching(filter), after, upTo, limit },
    );
  }

  async find(id: number | string): Promise<Job | undefined> {
    const column = typeof id === 'number' ? 'id' : 'artifact_id';
    return this.#all<Job>(`SELECT ${COLUMNS} FROM jobs WHERE ${column} = :id`, { id })[0];
  }

  async requeue(filter: JobFilter, now: number, options: { readonly dryRun: boolean }): Promise<number> {
    const values = matching(filter, finishedStates(filter));
    if (options.dryRun) return this.#count(values);
    const changed = await this.#write(
      `UPDATE jobs SET state = 'queued', attempts = 0, deaths = 0, deaths_alone = 0, available_at = NULL, updated_at = :now
       WHERE ${MATCHES}`,
      { ...values, now },
    );
    if (changed > 0) this.#watch.notify('jobs');
    return changed;
  }

  cancel(id: number, now: number): Promise<boolean> {
    return this.#control(
      `UPDATE jobs SET state = 'skipped', last_error = 'CANCELLED: cancelled by an operator', token = token + 1,
         available_at = NULL, suspect_since = NULL, lease_expires_at = NULL, worker_id = NULL, updated_at = :now
       WHERE id = :id AND state IN ('queued', 'in_progress')`,
      { id, now },
    );
  }

  async prune(filter: JobFilter, options: { readonly dryRun: boolean }): Promise<number> {
    const values = matching(filter, finishedStates(filter));
    return options.dryRun ? this.#count(values) : this.#write(`DELETE FROM jobs WHERE ${MATCHES}`, values);
  }

  async retire(keep: number): Promise<number> {
    const limit = Math.min(RETIRED_AT_ONCE, finishedRows(this.#counts()) - keep);
    if (limit <= 0) return 0;
    const old = "SELECT id FROM jobs WHERE state IN ('done', 'skipped', 'error') ORDER BY id LIMIT :limit";
    const add = 'ON CONFLICT DO UPDATE SET jobs = jobs + excluded.jobs';
    // A trigger subtracts them from the counts.
    const count = this.#connection.prepare(
      `INSERT INTO tally SELECT counted_as, resolver_hint, counted_code, count(*) FROM jobs WHERE id IN (${old}) GROUP BY 1, 2, 3 ${add}`,
    );
    const remove = this.#connection.prepare(`DELETE FROM jobs WHERE id IN (${old})`);
    const note = this.#connection.prepare(`INSERT INTO tally VALUES ('${RETIRED}', '', '', :removed) ${add}`);
    return await this.#connection.write(
      () => {
        count.run({ limit });
        const removed = Number(remove.run({ limit }).changes);
        note.run({ removed });
        return removed;
      },
      { accepting: true },
    );
  }

  async pauses(): Promise<Pause[]> {
    return this.#all('SELECT scope, name, since FROM pauses ORDER BY scope, name');
  }

  pause(scope: Pause['scope'], name: string, now: number): Promise<boolean> {
    return this.#control(
      'INSERT INTO pauses (scope, name, since) VALUES (:scope, :name, :now) ON CONFLICT DO NOTHING',
      { scope, name, now },
    );
  }

  resume(scope: Pause['scope'], name: string): Promise<boolean> {
    return this.#control('DELETE FROM pauses WHERE scope = :scope AND name = :name', { scope, name });
  }

  /** A write that every running orchestrator must notice; false if it changed nothing. */
  async #control(sql: string, values: Values): Promise<boolean> {
    const statement = this.#connection.prepare(sql);
    const raise = this.#connection.prepare('UPDATE control SET version = version + 1');
    const changed = await this.#connection.write(
      () => {
        const { changes } = statement.run(values);
        if (changes > 0) raise.run();
        return changes > 0;
      },
      { accepting: true },
    );
    if (changed) this.#watch.notify('control');
    return changed;
  }

  #counts(): Count[] {
    return this.#all('SELECT state, resolver_hint AS resolver, error_code AS code, jobs FROM tally WHERE jobs <> 0');
  }

  #count(values: Values): number {
    return this.#all<{ jobs: number }>(`SELECT count(*) AS jobs FROM jobs WHERE ${MATCHES}`, values)[0]?.jobs ?? 0;
  }

  #write(sql: string, values: Values): Promise<number> {
    const statement = this.#connection.prepare(sql);
    return this.#connection.write(() => Number(statement.run(values).changes), { accepting: true });
  }

  #all<R>(sql: string, values: Values = {}): R[] {
    const statement = this.#connection.prepare(sql);
    return this.#connection.read(() => statement.all(values).map((row) => ({ ...row }))) as R[];
  }
}
