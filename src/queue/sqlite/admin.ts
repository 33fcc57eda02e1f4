import type { HostGroup } from '../host-jobs.ts';
import { hostJobsOf } from '../host-jobs.ts';
import type { HostJobs, Job, JobFilter, JobPage, JobState, Pause, QueueAdmin, QueueStats } from '../types.ts';
import { JOB_STATES } from '../types.ts';
import { parseWorkerInfo } from '../worker-info.ts';
import type { SqliteConnection } from './connection.ts';
import type { Tally, TallyState } from './tally.ts';
import { UNCOUNTED } from './tally.ts';
import type { SqliteWatch } from './watch.ts';

const COLUMNS = `id, artifact_id AS artifactId, artifact_json AS artifactJson, state, attempts, priority,
  nullif(resolver_hint, '') AS resolverHint, nullif(host, '') AS host, last_error AS lastError, result, deaths, deaths_alone AS deathsAlone, suspect_since AS suspectSince, created_at AS createdAt, updated_at AS updatedAt,
  available_at AS availableAt, lease_expires_at AS leaseExpiresAt, worker_id AS workerId`;

/** Absent conditions are NULL and match all; the states come as a JSON list. */
const MATCHES = `state IN (SELECT value FROM json_each(:states))
  AND (:resolver IS NULL OR resolver_hint = :resolver)
  AND (:host IS NULL OR host = :host)
  AND (:errorCode IS NULL OR error_code(last_error) = :errorCode)
  AND (:belowAttempts IS NULL OR attempts < :belowAttempts)
  AND (:updatedBefore IS NULL OR updated_at < :updatedBefore)`;

function parameters(
  filter: JobFilter,
  states: readonly JobState[] = filter.states ?? JOB_STATES,
): Record<string, string | number | null> {
  return {
    states: JSON.stringify(states),
    resolver: filter.resolver ?? null,
    host: filter.host ?? null,
    errorCode: filter.errorCode ?? null,
    belowAttempts: filter.belowAttempts ?? null,
    updatedBefore: filter.updatedBefore ?? null,
  };
}

const FINISHED: readonly JobState[] = ['done', 'skipped', 'error'];

function finished(filter: JobFilter): readonly JobState[] {
  return (filter.states ?? FINISHED).filter((state) => FINISHED.includes(state));
}

interface Group {
  readonly state: TallyState;
  readonly resolver: string | null;
  readonly lastError: string | null;
  readonly jobs: number;
}

/** What operators ask of a queue in SQLite. */
export class SqliteAdmin implements QueueAdmin {
  readonly #connection: SqliteConnection;
  readonly #tally: Tally;
  readonly #watch: SqliteWatch;

  constructor(connection: SqliteConnection, tally: Tally, watch: SqliteWatch) {
    this.#connection = connection;
    this.#tally = tally;
    this.#watch = watch;
  }

  async stats(now: number): Promise<QueueStats> {
    const all = <T>(sql: string, ...values: number[]): T[] =>
      this.#connection
        .prepare(sql)
        .all(...values)
        .map((row) => ({ ...row })) as T[];
    return this.#connection.read(() => {
      const tally = all<{ state: TallyState; resolver: string; code: string; jobs: number }>(
        `SELECT state, resolver_hint AS resolver, error_code AS code, sum(jobs) AS jobs FROM (
           SELECT * FROM tally UNION ALL SELECT 'queued', resolver_hint, '', count(*) FROM ${UNCOUNTED} GROUP BY resolver_hint
         ) GROUP BY 1, 2, 3 HAVING sum(jobs) <> 0`,
      );
      const count = (...states: TallyState[]): number => sum(tally.filter(({ state }) => states.includes(state)));
      const [due = { jobs: 0 }] = all<{ jobs: number }>(
        "SELECT count(*) AS jobs FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at <= ?",
        now,
      );
      const [moments] = all<{ oldest: number | null; next: number | null }>(
        `SELECT (SELECT min(id) FROM (
                     WITH RECURSIVE heads(host, resolver, priority, id) AS (
                       SELECT * FROM (SELECT host, resolver_hint, priority, id FROM jobs WHERE state = 'queued' AND available_at IS NULL AND suspect_since IS NULL
                                      ORDER BY host, resolver_hint, priority DESC, id LIMIT 1)
                       UNION ALL
                       SELECT next.host, next.resolver_hint, next.priority, next.id FROM heads JOIN jobs AS next ON next.id = coalesce(
                         (SELECT id FROM jobs WHERE state = 'queued' AND available_at IS NULL AND suspect_since IS NULL AND jobs.host = heads.host
                            AND jobs.resolver_hint = heads.resolver AND jobs.priority < heads.priority
                          ORDER BY jobs.priority DESC, jobs.id LIMIT 1),
                         (SELECT id FROM jobs WHERE state = 'queued' AND available_at IS NULL AND suspect_since IS NULL AND jobs.host = heads.host
                            AND jobs.resolver_hint > heads.resolver
                          ORDER BY jobs.resolver_hint, jobs.priority DESC, jobs.id LIMIT 1),
                         (SELECT id FROM jobs WHERE state = 'queued' AND available_at IS NULL AND suspect_since IS NULL AND jobs.host > heads.host
                          ORDER BY jobs.host, jobs.resolver_hint, jobs.priority DESC, jobs.id LIMIT 1))
                     ) SELECT id FROM heads
                     UNION ALL SELECT id FROM jobs WHERE state = 'queued' AND available_at IS NULL AND suspect_since IS NOT NULL)) AS oldest,
                (SELECT min(available_at) FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at > ?) AS next`,
        now,
      );
      const [oldest] = all<{ id: string; at: number }>(
        'SELECT artifact_id AS id, created_at AS at FROM jobs WHERE id = ?',
        moments?.oldest ?? -1,
      );
      return {
        at: now,
        states: Object.fromEntries(
          JOB_STATES.map((state) => [state, state === 'queued' ? count('queued', 'delayed') : count(state)]),
        ) as Record<JobState, number>,
        total: sum(tally),
        due: count('queued') + due.jobs,
        delayed: count('delayed') - due.jobs,
        oldestQueuedAt: oldest?.at ?? null,
        oldestQueuedId: oldest?.id ?? null,
        newestId: all<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM jobs')[0]?.id ?? 0,
        nextAvailableAt: moments?.next ?? null,
        suspects:
          all<{ jobs: number }>('SELECT count(*) AS jobs FROM jobs WHERE suspect_since IS NOT NULL')[0]?.jobs ?? 0,
        byResolver: group(tally, ({ state, resolver }) => ({ resolver: resolver || null, state: plainState(state) })),
        byErrorCode: group(
          tally.filter(({ code }) => code !== ''),
          ({ state, code }) => ({ code, state: plainState(state) }),
        ),
        leases: all(
          `SELECT worker_id AS workerId, count(*) AS jobs, min(lease_expires_at) AS expiresAt
           FROM jobs WHERE state = 'in_progress' GROUP BY worker_id ORDER BY worker_id`,
        ),
        workers: all<{ workerId: string; info: string; updatedAt: number }>(
          'SELECT worker_id AS workerId, info_json AS info, updated_at AS updatedAt FROM workers ORDER BY worker_id',
        ).map(({ workerId, info, updatedAt }) => ({ ...parseWorkerInfo(info), workerId, updatedAt })),
        pauses: this.#pauses(),
      };
    });
  }

  async hosts(now: number): Promise<HostJobs[]> {
    const statement = this.#connection.prepare(
      `SELECT host, CASE WHEN state = 'queued' AND available_at > :now THEN 'delayed' ELSE state END AS state,
              error_code(last_error) AS code, count(*) AS jobs,
              min(CASE WHEN available_at > :now THEN available_at END) AS nextAvailableAt
       FROM jobs WHERE host <> '' GROUP BY 1, 2, 3`,
    );
    return hostJobsOf(this.#connection.read(() => statement.all({ now })) as unknown as HostGroup[]);
  }

  async list(filter: JobFilter, page: JobPage): Promise<Job[]> {
    const statement = this.#connection.prepare(
      `SELECT ${COLUMNS} FROM jobs WHERE id > :after AND id <= :upTo AND ${MATCHES} ORDER BY id LIMIT :limit`,
    );
    return this.#connection.read(() =>
      statement.all({
        ...parameters(filter),
        after: page.after ?? 0,
        upTo: page.upTo ?? Number.MAX_SAFE_INTEGER,
        limit: page.limit,
      }),
    ) as unknown as Job[];
  }

  async find(id: number | string): Promise<Job | undefined> {
    const column = typeof id === 'number' ? 'id' : 'artifact_id';
    const statement = this.#connection.prepare(`SELECT ${COLUMNS} FROM jobs WHERE ${column} = ?`);
    return this.#connection.read(() => statement.get(id)) as Job | undefined;
  }

  async requeue(filter: JobFilter, now: number, options: { readonly dryRun: boolean }): Promise<number> {
    const values = parameters(filter, finished(filter));
    if (options.dryRun) return this.#count(values);
    const update = this.#connection.prepare(
      `UPDATE jobs SET state = 'queued', attempts = 0, deaths = 0, deaths_alone = 0, ahead = 0, available_at = NULL, updated_at = :now WHERE ${MATCHES}`,
    );
    const changed = await this.#connection.write(
      () => {
        this.#tally.clear();
        for (const { state, resolver, lastError, jobs } of this.#groups(values)) {
          this.#tally.add(state, resolver, lastError, -jobs);
          this.#tally.add('queued', resolver, lastError, jobs);
        }
        const { changes } = update.run({ ...values, now });
        this.#tally.flush();
        return Number(changes);
      },
      { accepting: true },
    );
    if (changed > 0) this.#watch.tell('jobs');
    return changed;
  }

  async cancel(id: number, now: number): Promise<boolean> {
    const find = this.#connection.prepare(
      `SELECT CASE WHEN available_at IS NULL THEN state ELSE 'delayed' END AS state, resolver_hint AS resolver, last_error AS lastError
       FROM jobs WHERE id = ? AND state IN ('queued', 'in_progress')`,
    );
    const update = this.#connection.prepare(
      `UPDATE jobs SET state = 'skipped', last_error = 'CANCELLED: cancelled by an operator', token = token + 1, available_at = NULL, suspect_since = NULL,
         lease_expires_at = NULL, worker_id = NULL, updated_at = ? WHERE id = ?`,
    );
    return this.#control(() => {
      const job = find.get(id) as Group | undefined;
      if (!job) return false;
      update.run(now, id);
      this.#tally.add(job.state, job.resolver, job.lastError, -1);
      this.#tally.add('skipped', job.resolver, 'CANCELLED:', 1);
      return true;
    });
  }

  async prune(filter: JobFilter, options: { readonly dryRun: boolean }): Promise<number> {
    const values = parameters(filter, finished(filter));
    if (options.dryRun) return this.#count(values);
    const remove = this.#connection.prepare(`DELETE FROM jobs WHERE ${MATCHES}`);
    return this.#connection.write(() => {
      this.#tally.clear();
      this.#tally.countNew();
      for (const { state, resolver, lastError, jobs } of this.#groups(values))
        this.#tally.add(state, resolver, lastError, -jobs);
      const { changes } = remove.run(values);
      this.#tally.flush();
      return Number(changes);
    });
  }

  async pauses(): Promise<Pause[]> {
    return this.#connection.read(() => this.#pauses());
  }

  async pause(scope: Pause['scope'], name: string, now: number): Promise<boolean> {
    const insert = this.#connection.prepare(
      'INSERT INTO pauses (scope, name, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    return this.#control(() => insert.run(scope, name, now).changes > 0);
  }

  async resume(scope: Pause['scope'], name: string): Promise<boolean> {
    const remove = this.#connection.prepare('DELETE FROM pauses WHERE scope = ? AND name = ?');
    return this.#control(() => remove.run(scope, name).changes > 0);
  }

  /** A write that every running orchestrator must hear of. */
  async #control(work: () => boolean): Promise<boolean> {
    const raise = this.#connection.prepare('UPDATE control SET version = version + 1');
    const changed = await this.#connection.write(
      () => {
        this.#tally.clear();
        const result = work();
        if (result) raise.run();
        this.#tally.flush();
        return result;
      },
      { accepting: true },
    );
    if (changed) this.#watch.tell('control');
    return changed;
  }

  #pauses(): Pause[] {
    return this.#connection
      .prepare('SELECT scope, name, since FROM pauses ORDER BY scope, name')
      .all()
      .map((row) => ({ ...row })) as unknown as Pause[];
  }

  #count(values: Record<string, string | number | null>): number {
    const statement = this.#connection.prepare(`SELECT count(*) AS jobs FROM jobs WHERE ${MATCHES}`);
    return (this.#connection.read(() => statement.get(values)) as { jobs: number }).jobs;
  }

  #groups(values: Record<string, string | number | null>): Group[] {
    return this.#connection
      .prepare(
        `SELECT state, resolver_hint AS resolver, error_code(last_error) || ':' AS lastError, count(*) AS jobs
         FROM jobs WHERE ${MATCHES} GROUP BY 1, 2, 3`,
      )
      .all(values) as unknown as Group[];
  }
}

function plainState(state: TallyState): JobState {
  return state === 'delayed' ? 'queued' : state;
}

function sum(rows: readonly { readonly jobs: number }[]): number {
  return rows.reduce((total, { jobs }) => total + jobs, 0);
}

function group<R extends { readonly jobs: number }, K extends object>(
  rows: readonly R[],
  key: (row: R) => K,
): (K & { readonly jobs: number })[] {
  const groups = Map.groupBy(rows, (row) => JSON.stringify(key(row)));
  return [...groups].map(([text, members]) => ({ ...(JSON.parse(text) as K), jobs: sum(members) }));
}
