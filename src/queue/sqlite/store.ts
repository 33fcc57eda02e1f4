import type { StatementSync } from 'node:sqlite';

import type { AdminDatabase } from '../admin.ts';
import { adminChanges, adminQueries, createAdmin, matches } from '../admin.ts';
import { settledRow } from '../handler.ts';
import type { Count } from '../stats.ts';
import { RETIRED } from '../stats.ts';
import type {
  Backlog,
  DeathLimits,
  Exchange,
  ExchangeRequest,
  LaneBacklog,
  Lease,
  LeasedJob,
  NewJob,
  Outlook,
  QueueAdmin,
  QueueStore,
  SettledLease,
  StoreChange,
  WorkerInfo,
} from '../types.ts';
import { DEATHS_REMEMBERED_MS, LANE_COUNT_LIMIT } from '../types.ts';
import { Watchers } from '../watchers.ts';
import type { SqliteOptions } from './connection.ts';
import { SqliteConnection, watchFile } from './connection.ts';

/** Delayed jobs made ready per transaction, so that none takes long. */
const WAKE_BATCH = 1000;

/** Must equal the condition of the index of ready jobs; otherwise a statement reads every job. */
const READY = "state = 'queued' AND available_at IS NULL AND quarantined_since IS NULL";
const READY_QUARANTINED = "state = 'queued' AND available_at IS NULL AND quarantined_since IS NOT NULL";
const DUE = "state = 'queued' AND available_at IS NOT NULL AND available_at <= :now";
const LEASE_EXPIRED = "state = 'in_progress' AND lease_expires_at <= :now";
const HELD = "id = :id AND token = :token AND state = 'in_progress'";

const leaseSql = (ready: string, order: string): string => `
  UPDATE jobs SET state = 'in_progress', attempts = attempts + 1, token = token + 1,
    worker_id = :worker, lease_expires_at = :expiresAt, updated_at = :now
  WHERE id IN (SELECT id FROM jobs WHERE ${ready} AND host = :host AND resolver_hint = :resolver ORDER BY ${order} LIMIT :limit)
  RETURNING id, token, attempts AS attempt, priority, deaths_alone AS deathsAlone, artifact_id AS artifactId, artifact_json AS artifactJson`;

const SQL = {
  insert: `
    INSERT INTO jobs (artifact_id, artifact_json, state, resolver_hint, host, priority, created_at, updated_at)
    VALUES (:artifactId, :artifactJson, 'queued', :resolver, :host, :priority, :now, :now) ON CONFLICT DO NOTHING`,

  anythingToWake: `SELECT 1 FROM jobs WHERE ${DUE} UNION ALL SELECT 1 FROM jobs WHERE ${LEASE_EXPIRED} LIMIT 1`,

  wakeDelayed: `
    UPDATE jobs SET available_at = NULL
    WHERE id IN (SELECT id FROM jobs WHERE ${DUE} ORDER BY available_at LIMIT ${WAKE_BATCH})`,

  forgetDeaths: `DELETE FROM deaths WHERE at <= :before`,

  noteDeaths: `
    INSERT INTO deaths (worker_id, at) SELECT DISTINCT coalesce(worker_id, ''), :now FROM jobs WHERE ${LEASE_EXPIRED}
    ON CONFLICT (worker_id) DO UPDATE SET at = excluded.at`,

  // One more death is allowed for each process that died without this job.
  giveUp: `
    UPDATE jobs SET state = 'error', lease_expires_at = NULL, updated_at = :now, attempts = attempts - 1, deaths = deaths + 1,
      deaths_alone = deaths_alone + 1, quarantined_since = NULL,
      last_error = 'PROCESS_DIED: its worker ' || coalesce(worker_id, '') || ' died or hung, the last of ' || (deaths_alone + 1) || ' that did so while it ran alone',
      worker_id = NULL
    WHERE ${LEASE_EXPIRED} AND quarantined_since IS NOT NULL
      AND deaths_alone + 1 >= min(:most, :alone + max(0, (SELECT count(*) FROM deaths WHERE worker_id <> coalesce(jobs.worker_id, '')) - deaths))`,

  takeBack: `
    UPDATE jobs SET state = 'queued', lease_expires_at = NULL, worker_id = NULL, updated_at = :now, attempts = attempts - 1,
      deaths = deaths + 1, deaths_alone = deaths_alone + (quarantined_since IS NOT NULL),
      quarantined_since = coalesce(quarantined_since, CASE WHEN deaths + 1 >= :shared THEN :now END)
    WHERE ${LEASE_EXPIRED}`,

  // Walks from lane to lane through the index instead of reading every job.
  lanes: `
    WITH RECURSIVE lanes(host, resolver, priority) AS (
      SELECT * FROM (SELECT host, resolver_hint, priority FROM jobs WHERE ${READY} ORDER BY host, resolver_hint, priority DESC LIMIT 1)
      UNION ALL
      SELECT next.host, next.resolver_hint, next.priority FROM lanes JOIN jobs AS next ON next.id = coalesce(
        (SELECT id FROM jobs WHERE ${READY} AND jobs.host = lanes.host AND jobs.resolver_hint > lanes.resolver
         ORDER BY jobs.resolver_hint, jobs.priority DESC LIMIT 1),
        (SELECT id FROM jobs WHERE ${READY} AND jobs.host > lanes.host
         ORDER BY jobs.host, jobs.resolver_hint, jobs.priority DESC LIMIT 1))
    )
    SELECT nullif(host, '') AS host, nullif(resolver, '') AS resolver, priority,
      (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE ${READY} AND jobs.host = lanes.host AND jobs.resolver_hint = lanes.resolver LIMIT ${LANE_COUNT_LIMIT})) AS jobs
    FROM lanes`,

  quarantined: `
    SELECT nullif(host, '') AS host, nullif(resolver_hint, '') AS resolver, max(priority) AS priority, count(*) AS jobs
    FROM jobs WHERE ${READY_QUARANTINED} GROUP BY jobs.host, jobs.resolver_hint
    ORDER BY min(deaths_alone), max(priority) DESC, min(id)`,

  leaseTrusted: leaseSql(READY, 'priority DESC, id'),
  leaseQuarantined: leaseSql(READY_QUARANTINED, 'deaths_alone, priority DESC, id'),

  extend: `UPDATE jobs SET lease_expires_at = :expiresAt WHERE ${HELD}`,

  settle: `
    UPDATE jobs SET state = :state, available_at = :availableAt, result = :result, attempts = attempts - :refund,
      last_error = CASE WHEN :state = 'queued' THEN coalesce(:lastError, last_error) ELSE :lastError END,
      deaths = CASE WHEN :state <> 'queued' OR :refund = 1 OR quarantined_since IS NULL THEN deaths ELSE 0 END,
      deaths_alone = CASE WHEN :state <> 'queued' OR :refund = 1 THEN deaths_alone ELSE 0 END,
      quarantined_since = CASE WHEN :refund = 1 THEN quarantined_since END,
      host = coalesce(:host, host), lease_expires_at = NULL, worker_id = NULL, updated_at = :now
    WHERE ${HELD}`,

  expire: `UPDATE jobs SET lease_expires_at = :now WHERE state = 'in_progress' AND worker_id = :worker`,

  release: `
    UPDATE jobs SET state = 'queued', attempts = attempts - 1, lease_expires_at = NULL, worker_id = NULL, updated_at = :now
    WHERE state = 'in_progress' AND worker_id = :worker AND id NOT IN (SELECT value FROM json_each(:held))`,

  announce: `
    INSERT INTO workers (worker_id, info_json, updated_at) VALUES (:worker, :info, :now)
    ON CONFLICT DO UPDATE SET info_json = excluded.info_json, updated_at = excluded.updated_at`,

  leave: `DELETE FROM workers WHERE worker_id = :worker`,

  outlook: `
    SELECT
      coalesce((SELECT sum(jobs) FROM tally WHERE state = 'queued'), 0) + (SELECT count(*) FROM jobs WHERE ${DUE}) AS ready,
      (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at > :now LIMIT 1000)) AS delayed,
      coalesce((SELECT sum(jobs) FROM tally WHERE state = 'in_progress'), 0) AS inProgress,
      (SELECT min(at) FROM (
        SELECT min(available_at) AS at FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL
        UNION ALL SELECT min(lease_expires_at) FROM jobs WHERE state = 'in_progress')) AS nextAt`,
} as const;

type LeasedRow = Pick<LeasedJob, 'id' | 'token' | 'attempt' | 'artifactId' | 'artifactJson'> & {
  readonly priority: number;
  readonly deathsAlone: number;
};

/** A queue in one SQLite file, shared by the processes of one machine. */
export class SqliteStore implements QueueStore {
  readonly admin: QueueAdmin;
  readonly #connection: SqliteConnection;
  readonly #watchers: Watchers;
  readonly #sql: { readonly [Name in keyof typeof SQL]: StatementSync };

  private constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#sql = Object.fromEntries(
      Object.entries(SQL).map(([name, sql]) => [name, connection.prepare(sql)]),
    ) as unknown as { readonly [Name in keyof typeof SQL]: StatementSync };
    // A database in memory has no other connection.
    this.#watchers = new Watchers((changed) =>
      connection.path === ':memory:' ? new DisposableStack() : watchFile(connection, changed),
    );
    this.admin = createAdmin(adminDatabase(connection, this.#watchers));
  }

  static async open(options: SqliteOptions): Promise<SqliteStore> {
    return new SqliteStore(await SqliteConnection.open(options));
  }

  async enqueue(jobs: readonly NewJob[], now: number): Promise<boolean[]> {
    const { insert } = this.#sql;
    const added = await this.#connection.write(
      () =>
        jobs.map(({ artifactId, artifactJson, resolverHint = '', host = '', priority = 0 }) => {
          const { changes } = insert.run({ artifactId, artifactJson, resolver: resolverHint, host, priority, now });
          return changes > 0;
        }),
      { accepting: true },
    );
    if (added.includes(true)) this.#watchers.notify('jobs');
    return added;
  }

  async backlog(now: number, { shared, alone, most }: DeathLimits): Promise<Backlog> {
    const sql = this.#sql;
    let exhausted = 0;
    if (this.#connection.read(() => sql.anythingToWake.get({ now })) !== undefined)
      exhausted = await this.#connection.write(() => {
        sql.wakeDelayed.run({ now });
        sql.forgetDeaths.run({ before: now - DEATHS_REMEMBERED_MS });
        sql.noteDeaths.run({ now });
        const { changes } = sql.giveUp.run({ now, alone, most });
        sql.takeBack.run({ now, shared });
        return Number(changes);
      });
    return this.#connection.read(() => ({
      exhausted,
      lanes: sql.lanes.all() as unknown as LaneBacklog[],
      quarantined: sql.quarantined.all() as unknown as LaneBacklog[],
    }));
  }

  exchange(request: ExchangeRequest): Promise<Exchange> {
    return this.#connection.write(() => ({
      accepted: request.settlements.map((lease) => this.#settle(lease, request.now)),
      leased: this.#lease(request),
    }));
  }

  extend(leases: readonly Lease[], now: number, leaseMs: number): Promise<Lease[]> {
    const { extend } = this.#sql;
    return this.#connection.write(() =>
      leases.filter(({ id, token }) => extend.run({ expiresAt: now + leaseMs, id, token }).changes === 0),
    );
  }

  expire(workerIds: readonly string[], now: number): Promise<number> {
    const { expire } = this.#sql;
    return this.#connection.write(() =>
      workerIds.reduce((sum, worker) => sum + Number(expire.run({ now, worker }).changes), 0),
    );
  }

  release(workerId: string, held: readonly number[], now: number): Promise<number> {
    const { release } = this.#sql;
    return this.#connection.write(() =>
      Number(release.run({ now, worker: workerId, held: JSON.stringify(held) }).changes),
    );
  }

  async announce(worker: string, info: WorkerInfo | null, now: number): Promise<void> {
    const { announce, leave } = this.#sql;
    await this.#connection.write(() =>
      info === null ? leave.run({ worker }) : announce.run({ worker, info: JSON.stringify(info), now }),
    );
  }

  outlook(now: number): Promise<Outlook> {
    const row = this.#connection.read(() => this.#sql.outlook.get({ now })) as unknown as Outlook;
    return Promise.resolve({ ...row });
  }

  watch(changed: (change: StoreChange) => void): Disposable {
    return this.#watchers.add(changed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watchers[Symbol.dispose]();
    this.#connection.close();
  }

  #lease({ picks, workerId, now, leaseMs, standing = 'trusted' }: ExchangeRequest): LeasedJob[] {
    const statement = standing === 'trusted' ? this.#sql.leaseTrusted : this.#sql.leaseQuarantined;
    return picks.flatMap(({ host, resolver, limit }) => {
      const lane = { host: host ?? '', resolver: resolver ?? '', limit };
      const values = { ...lane, worker: workerId, expiresAt: now + leaseMs, now };
      const rows = statement.all(values) as unknown as LeasedRow[];
      // UPDATE returns its rows in any order.
      rows.sort((a, b) => a.deathsAlone - b.deathsAlone || b.priority - a.priority || a.id - b.id);
      return rows.map(({ id, token, attempt, artifactId, artifactJson }) => {
        return { id, token, attempt, artifactId, artifactJson, resolverHint: resolver, host, standing };
      });
    });
  }

  #settle({ id, token, settlement }: SettledLease, now: number): boolean {
    const { delayMs, ...row } = settledRow(settlement);
    const availableAt = delayMs > 0 ? Math.ceil(now + delayMs) : null;
    return this.#sql.settle.run({ id, token, ...row, availableAt, now }).changes > 0;
  }
}

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
        (SELECT count(*) FROM jobs WHERE quarantined_since IS NOT NULL) AS quarantined,
        (SELECT min(available_at) FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at > :now) AS nextAvailableAt,
        (SELECT coalesce(max(id), 0) FROM jobs) AS newestId
    )
    SELECT moments.*, artifact_id AS oldestQueuedId, created_at AS oldestQueuedAt FROM moments LEFT JOIN jobs ON jobs.id = (SELECT min(id) FROM (
      SELECT id FROM heads UNION ALL
      SELECT id FROM jobs WHERE state = 'queued' AND available_at IS NULL AND quarantined_since IS NOT NULL UNION ALL
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

function adminDatabase(connection: SqliteConnection, watchers: Watchers): AdminDatabase {
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
      if (notify && changed > 0) watchers.notify(notify);
      return changed;
    },
    async counts() {
      const all = 'SELECT state, resolver_hint AS resolver, error_code AS code, jobs FROM tally WHERE jobs <> 0';
      return connection.read(() => connection.prepare(all).all()) as unknown as Count[];
    },
  };
}
