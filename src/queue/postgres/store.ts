import { createAdmin } from '../admin.ts';
import { settledRow } from '../handler.ts';
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
  Standing,
  StoreChange,
  WorkerInfo,
} from '../types.ts';
import { DEATHS_REMEMBERED_MS, LANE_COUNT_LIMIT } from '../types.ts';
import { adminDatabase, COUNTED_CODE, ERROR_CODE, NOW, RESOLVER, tally } from './admin.ts';
import { Watchers } from '../watchers.ts';
import type { PostgresOptions, Values } from './connection.ts';
import { PostgresConnection } from './connection.ts';

/** Without LISTEN, operators' commands are read at every nth poll. */
const CONTROL_LOOKS = 5;

const READY = "state = 'queued' AND available_at IS NULL AND quarantined_since IS NULL";
const READY_QUARANTINED = "state = 'queued' AND available_at IS NULL AND quarantined_since IS NOT NULL";

/**
 * Settles and leases in one statement; both see the queue as before, so a requeued job is not leased again at once.
 * Returns the leased jobs and, if a lease was lost, a row without an id that names the settled jobs. Jobs are looked up
 * by ctid: the planner expects a tenth of the queue and would read all of it.
 *
 * A server that crashes may forget a lease that was not synced. The next token must differ from the forgotten one, so a
 * token is at least the time in microseconds.
 */
const exchangeSql = (ready: string, order: string): string => `
    WITH moment AS MATERIALIZED (
      SELECT ${NOW} AS now, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS microseconds
    ), settled AS (
      UPDATE runs SET state = input.state,
        available_at = CASE WHEN input.delay > 0 THEN ceil((SELECT now FROM moment) + input.delay)::bigint END,
        last_error = CASE WHEN input.state = 'queued' THEN coalesce(input.error, last_error) ELSE input.error END,
        result = input.result, attempts = attempts - input.refund,
        deaths = CASE WHEN input.state <> 'queued' OR input.refund = 1 OR quarantined_since IS NULL THEN deaths ELSE 0 END,
        deaths_alone = CASE WHEN input.state <> 'queued' OR input.refund = 1 THEN deaths_alone ELSE 0 END,
        quarantined_since = CASE WHEN input.refund = 1 THEN quarantined_since END,
        lane = coalesce(input.host || ' ' || ${RESOLVER}, lane),
        lease_expires_at = NULL, worker_id = NULL, updated_at = (SELECT now FROM moment)
      FROM unnest(:ids::bigint[], :tokens::bigint[], :states::text[], :delays::float8[], :errors::text[], :refunds::int[], :hosts::text[], :results::text[])
        AS input(id, token, state, delay, error, refund, host, result)
      -- A leased job has a worker; asked for by its state, jobs would be looked up among all that were ever leased.
      WHERE runs.id = input.id AND runs.token = input.token AND runs.worker_id IS NOT NULL
      RETURNING runs.id, runs.token, runs.state, runs.lane, runs.last_error, runs.available_at
    ), chosen AS MATERIALIZED (
      SELECT job.at FROM unnest(:lanes::text[], :limits::int[]) AS picks(lane, places) CROSS JOIN LATERAL (
        SELECT ctid AS at FROM runs WHERE ${ready} AND runs.lane = picks.lane
        ORDER BY ${order} LIMIT picks.places FOR UPDATE SKIP LOCKED
      ) AS job
    ), leased AS (
      UPDATE runs SET state = 'in_progress', attempts = attempts + 1,
        token = greatest(token + 1, (SELECT microseconds FROM moment)), worker_id = :worker,
        lease_expires_at = (SELECT now FROM moment) + :leaseMs::bigint, updated_at = (SELECT now FROM moment)
      WHERE ctid = ANY (ARRAY(SELECT at FROM chosen))
      RETURNING id, token, attempts, lane, priority, deaths_alone, last_error
    ), ended AS (
      SELECT CASE WHEN available_at IS NULL THEN state ELSE 'delayed' END AS state, ${RESOLVER} AS resolver,
        ${COUNTED_CODE} AS code, count(*) AS jobs
      FROM settled GROUP BY 1, 2, 3
    ), begun AS (
      SELECT ${RESOLVER} AS resolver, ${ERROR_CODE} AS code, count(*) AS jobs FROM leased GROUP BY 1, 2
    ), tallied AS (
      INSERT INTO tally SELECT state, resolver, code, sum(jobs) FROM (
        SELECT state, resolver, code, jobs FROM ended
        UNION ALL SELECT 'in_progress', resolver, '', -jobs FROM ended
        UNION ALL SELECT 'in_progress', resolver, '', jobs FROM begun
        UNION ALL SELECT 'queued', resolver, code, -jobs FROM begun
      ) AS changes GROUP BY 1, 2, 3 HAVING sum(jobs) <> 0
    )
    SELECT answer.* FROM (
      SELECT id, token, attempts AS attempt, lane, priority, deaths_alone AS "deathsAlone",
        artifact_id AS "artifactId", artifact_json AS "artifactJson", NULL AS settled
      FROM leased CROSS JOIN LATERAL (
        SELECT artifact_id, artifact_json FROM artifacts WHERE artifacts.id = leased.id OFFSET 0) AS artifact
      UNION ALL
      SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, coalesce(string_agg(id || ':' || token, ' '), '')
      FROM settled HAVING count(*) < cardinality(:ids::bigint[])
    ) AS answer
    -- How this commit waits for the disk: NULL leaves it as the server is set.
    CROSS JOIN (SELECT set_config('synchronous_commit', coalesce(:commit, current_setting('synchronous_commit')), true) OFFSET 0) AS commit`;

export const SQL = {
  enqueue: `
    WITH input AS (
      SELECT * FROM unnest(:artifactIds::text[], :artifactJsons::text[], :lanes::text[], :priorities::int[]) WITH ORDINALITY
        AS input(artifact_id, artifact_json, lane, priority, place)
    ), added AS (
      INSERT INTO artifacts (artifact_id, artifact_json, created_at)
      SELECT artifact_id, artifact_json, ${NOW} FROM input ORDER BY place
      ON CONFLICT DO NOTHING RETURNING id, artifact_id, created_at
    ), come AS (
      -- The first of several equal ids is the one that was added.
      INSERT INTO runs (id, lane, priority, updated_at)
      SELECT DISTINCT ON (id) id, lane, priority, created_at FROM added JOIN input USING (artifact_id) ORDER BY id, place
      RETURNING lane
    ), tallied AS (${tally('come', "'queued'", '', "''")}),
    notified AS (SELECT pg_notify(:channel, 'jobs') FROM added LIMIT 1)
    SELECT artifact_id AS "artifactId" FROM added LEFT JOIN notified ON true`,

  wake: `
    WITH due AS (
      SELECT id FROM runs WHERE state = 'queued' AND available_at <= ${NOW} ORDER BY available_at LIMIT 1000 FOR UPDATE SKIP LOCKED
    ), woken AS (
      UPDATE runs SET available_at = NULL FROM due WHERE runs.id = due.id RETURNING lane, last_error
    ), stale AS (
      SELECT id, coalesce(worker_id, '') AS holder, CASE WHEN quarantined_since IS NULL THEN 0 ELSE deaths_alone + 1 END AS alone,
        -- One more death is allowed for each process that died without this job.
        least(:most::int, :alone::int + greatest(0, (SELECT count(*) FROM deaths
          WHERE at > ${NOW} - :rememberMs::bigint AND worker_id <> coalesce(runs.worker_id, '')) - deaths)) AS allowed
      FROM runs WHERE state = 'in_progress' AND lease_expires_at <= ${NOW} FOR UPDATE SKIP LOCKED
    ), forgotten AS (
      DELETE FROM deaths WHERE at <= ${NOW} - :rememberMs::bigint AND EXISTS (SELECT FROM stale) AND worker_id NOT IN (SELECT holder FROM stale)
    ), noted AS (
      INSERT INTO deaths (worker_id, at) SELECT holder, ${NOW} FROM stale GROUP BY holder ORDER BY holder
      ON CONFLICT (worker_id) DO UPDATE SET at = excluded.at
    ), back AS (
      UPDATE runs SET lease_expires_at = NULL, worker_id = NULL, updated_at = ${NOW},
        attempts = attempts - 1, deaths = deaths + 1, deaths_alone = stale.alone,
        quarantined_since = CASE WHEN stale.alone >= stale.allowed THEN NULL ELSE coalesce(quarantined_since, CASE WHEN deaths + 1 >= :shared::int THEN ${NOW} END) END,
        state = CASE WHEN stale.alone >= stale.allowed THEN 'error' ELSE 'queued' END,
        last_error = CASE WHEN stale.alone >= stale.allowed
          THEN 'PROCESS_DIED: its worker ' || coalesce(worker_id, '') || ' died or hung, the last of ' || stale.alone || ' that did so while it ran alone'
          ELSE last_error END
      FROM stale WHERE runs.id = stale.id RETURNING state, lane, last_error
    ), t1 AS (${tally('woken', "'delayed'", '-', ERROR_CODE)}),
    t2 AS (${tally('woken', "'queued'", '', ERROR_CODE)}),
    t3 AS (${tally('back', "'in_progress'", '-', "''")}),
    t4 AS (${tally('back', 'state', '', ERROR_CODE)})
    SELECT count(*) FILTER (WHERE state = 'error') AS exhausted FROM back`,

  // Walks from lane to lane through the index instead of reading every job. A row `due` says that `wake` has something to do.
  lanes: `
    WITH RECURSIVE lanes(lane) AS (
      (SELECT lane FROM runs WHERE ${READY} ORDER BY lane LIMIT 1)
      UNION ALL
      SELECT (SELECT runs.lane FROM runs WHERE ${READY} AND runs.lane > lanes.lane ORDER BY runs.lane LIMIT 1)
      FROM lanes WHERE lanes.lane IS NOT NULL
    )
    SELECT lane, 'trusted' AS standing, 0 AS deaths, 0 AS oldest,
      (SELECT count(*) FROM (SELECT 1 FROM runs WHERE ${READY} AND runs.lane = lanes.lane LIMIT ${LANE_COUNT_LIMIT}) AS first_ones) AS jobs,
      (SELECT priority FROM runs WHERE ${READY} AND runs.lane = lanes.lane ORDER BY lane, priority DESC LIMIT 1) AS priority
    FROM lanes WHERE lane IS NOT NULL
    UNION ALL
    SELECT lane, 'quarantined', min(deaths_alone), min(id), count(*), max(priority) FROM runs WHERE ${READY_QUARANTINED} GROUP BY lane
    UNION ALL
    SELECT '', 'due', 0, 0, 0, 0 WHERE EXISTS (SELECT FROM runs WHERE state = 'queued' AND available_at <= (SELECT ${NOW}))
      OR EXISTS (SELECT FROM runs WHERE state = 'in_progress' AND lease_expires_at <= (SELECT ${NOW}))
    ORDER BY deaths, priority DESC, oldest`,

  exchange: exchangeSql(READY, 'runs.lane, priority DESC, id'),
  exchangeQuarantined: exchangeSql(READY_QUARANTINED, 'deaths_alone, priority DESC, id'),

  extend: `
    UPDATE runs SET lease_expires_at = ${NOW} + :leaseMs::bigint
    FROM unnest(:ids::bigint[], :tokens::bigint[]) AS held(id, token)
    WHERE runs.id = held.id AND runs.token = held.token AND state = 'in_progress'
    RETURNING runs.id, runs.token`,

  // Only the holder of a token can have ended its lease without raising the token.
  alreadySettled: `
    SELECT id, token FROM runs JOIN unnest(:ids::bigint[], :tokens::bigint[]) AS held(id, token) USING (id, token)
    WHERE state <> 'in_progress'`,

  expire: `UPDATE runs SET lease_expires_at = ${NOW} WHERE state = 'in_progress' AND worker_id = ANY(:workers::text[]) RETURNING id`,

  // Requeues jobs leased by a statement whose reply never arrived, or whose settlement was lost with the server, as if
  // they had not been leased.
  release: `
    WITH back AS (
      UPDATE runs SET state = 'queued', attempts = attempts - 1, lease_expires_at = NULL, worker_id = NULL, updated_at = ${NOW}
      WHERE state = 'in_progress' AND worker_id = :worker AND NOT (id = ANY(:held::bigint[])) RETURNING lane, last_error
    ), t1 AS (${tally('back', "'in_progress'", '-', "''")}),
    t2 AS (${tally('back', "'queued'", '', ERROR_CODE)})
    SELECT count(*) AS jobs FROM back`,

  announce: `
    INSERT INTO workers (worker_id, info_json, updated_at) VALUES (:worker, :info, ${NOW})
    ON CONFLICT (worker_id) DO UPDATE SET info_json = excluded.info_json, updated_at = excluded.updated_at`,

  leave: `DELETE FROM workers WHERE worker_id = :worker`,

  outlook: `
    SELECT
      (SELECT count(*) FROM (SELECT 1 FROM runs WHERE ${READY} LIMIT 1000) AS first_ones)
        + (SELECT count(*) FROM runs WHERE ${READY_QUARANTINED})
        + (SELECT count(*) FROM (SELECT 1 FROM runs WHERE state = 'queued' AND available_at <= ${NOW} LIMIT 1000) AS first_ones) AS ready,
      (SELECT count(*) FROM (SELECT 1 FROM runs WHERE state = 'queued' AND available_at > ${NOW} LIMIT 1000) AS first_ones) AS delayed,
      (SELECT count(*) FROM runs WHERE state = 'in_progress') AS "inProgress",
      least((SELECT min(available_at) FROM runs WHERE state = 'queued' AND available_at IS NOT NULL),
            (SELECT min(lease_expires_at) FROM runs WHERE state = 'in_progress')) AS "nextAt",
      (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "serverNow"`,
} as const;

type ExchangeRow =
  | (Pick<LeasedJob, 'id' | 'token' | 'attempt' | 'artifactId' | 'artifactJson'> & {
      readonly settled: null;
      readonly lane: string;
      readonly priority: number;
      readonly deathsAlone: number;
    })
  | { readonly id: null; readonly settled: string };

/** A queue in PostgreSQL, shared by the processes of many machines. */
export class PostgresStore implements QueueStore {
  readonly admin: QueueAdmin;
  readonly #connection: PostgresConnection;
  readonly #channel: string;
  readonly #watchers: Watchers;
  /** Tokens of the leases that this process knows it holds; other leases in its name come from a lost reply. */
  readonly #held = new Map<number, number>();
  /** A lease or settlement lost with its server is repeated, so by default neither waits for the disk. */
  readonly #commit: 'off' | null;
  #orphansPossible = false;

  private constructor(connection: PostgresConnection, durability: PostgresOptions['durability']) {
    this.#commit = durability === 'all' ? null : 'off';
    this.#connection = connection;
    this.#channel = `docstokg_${connection.schema}`;
    this.admin = createAdmin(adminDatabase(connection, this.#channel));
    this.#watchers = new Watchers((changed) =>
      connection.listen(this.#channel, (message, look) => {
        const isMissed = message === undefined;
        if (isMissed ? look % CONTROL_LOOKS === 0 : message === 'control') changed('control');
        if (isMissed || message !== 'control') changed('jobs');
      }),
    );
  }

  static async open(options: PostgresOptions): Promise<PostgresStore> {
    return new PostgresStore(await PostgresConnection.open(options), options.durability);
  }

  async enqueue(jobs: readonly NewJob[], now: number): Promise<boolean[]> {
    const rows = await this.#run<{ artifactId: string }>('enqueue', {
      now: this.#connection.moment(now),
      artifactIds: jobs.map(({ artifactId }) => artifactId),
      artifactJsons: jobs.map(({ artifactJson }) => artifactJson),
      lanes: jobs.map(({ host, resolverHint }) => laneName(host, resolverHint)),
      priorities: jobs.map(({ priority }) => priority ?? 0),
      channel: this.#channel,
    });
    const added = new Set(rows.map(({ artifactId }) => artifactId));
    // Of several equal ids in one call, the first was added.
    return jobs.map(({ artifactId }) => added.delete(artifactId));
  }

  async backlog(now: number, limits: DeathLimits): Promise<Backlog> {
    const moment = this.#connection.moment(now);
    const read = () =>
      this.#run<{ lane: string; standing: Standing | 'due'; jobs: number; priority: number }>('lanes', { now: moment });
    let rows = await read();
    let exhausted = 0;
    if (rows.some(({ standing }) => standing === 'due')) {
      const given = { now: moment, ...limits, rememberMs: DEATHS_REMEMBERED_MS };
      const [woken] = await this.#run<{ exhausted: number }>('wake', given);
      exhausted = woken?.exhausted ?? 0;
      rows = await read();
    }
    const lanesOf = (wanted: Standing): LaneBacklog[] =>
      rows.flatMap(({ lane, standing, jobs, priority }) => {
        const [host = '', resolver = ''] = lane.split(' ');
        return standing === wanted ? { host: host || null, resolver: resolver || null, jobs, priority } : [];
      });
    return { exhausted, lanes: lanesOf('trusted'), quarantined: lanesOf('quarantined') };
  }

  async exchange(request: ExchangeRequest): Promise<Exchange> {
    const { settlements, picks, workerId, standing = 'trusted' } = request;
    const now = this.#connection.moment(request.now);
    if (this.#orphansPossible && picks.length > 0) {
      this.#orphansPossible = false;
      await this.#run('release', { now, worker: workerId, held: [...this.#held.keys()] });
    }
    let uncertain = false;
    const leases = { ids: settlements.map(({ id }) => id), tokens: settlements.map(({ token }) => token) };
    const rows = await this.#run<ExchangeRow>(
      standing === 'quarantined' ? 'exchangeQuarantined' : 'exchange',
      {
        now,
        worker: workerId,
        leaseMs: request.leaseMs,
        commit: this.#commit,
        lanes: picks.map(({ host, resolver }) => laneName(host, resolver)),
        limits: picks.map(({ limit }) => limit),
        ...leases,
        ...settlementColumns(settlements),
      },
      () => {
        uncertain = true;
        this.#orphansPossible ||= picks.length > 0;
      },
    );
    const lost = rows.find((row) => row.id === null);
    const settled = lost && new Set(lost.settled.split(' '));
    if (uncertain && settled) {
      const earlier = await this.#run<Lease>('alreadySettled', leases);
      for (const lease of earlier) settled.add(leaseKey(lease));
    }
    const leased = leasedJobs(rows, request);
    // A requeued job may have been leased again since.
    for (const { id, token } of settlements) if (this.#held.get(id) === token) this.#held.delete(id);
    for (const { id, token } of leased) this.#held.set(id, token);
    return { accepted: settlements.map((lease) => settled?.has(leaseKey(lease)) ?? true), leased };
  }

  async extend(leases: readonly Lease[], now: number, leaseMs: number): Promise<Lease[]> {
    const rows = await this.#run<Lease>('extend', {
      now: this.#connection.moment(now),
      leaseMs,
      ids: leases.map(({ id }) => id),
      tokens: leases.map(({ token }) => token),
    });
    const kept = new Set(rows.map(leaseKey));
    return leases.filter((lease) => !kept.has(leaseKey(lease)));
  }

  async expire(workers: readonly string[], now: number): Promise<number> {
    return (await this.#run('expire', { now: this.#connection.moment(now), workers })).length;
  }

  async release(worker: string, held: readonly number[], now: number): Promise<number> {
    const values = { now: this.#connection.moment(now), worker, held };
    return (await this.#run<{ jobs: number }>('release', values))[0]?.jobs ?? 0;
  }

  async announce(worker: string, info: WorkerInfo | null, now: number): Promise<void> {
    if (info === null) await this.#run('leave', { worker });
    else await this.#run('announce', { now: this.#connection.moment(now), worker, info: JSON.stringify(info) });
  }

  async outlook(now: number): Promise<Outlook> {
    const moment = this.#connection.moment(now);
    const [row] = await this.#run<Outlook & { serverNow: number }>('outlook', { now: moment });
    const { serverNow = now, ...outlook } = row ?? { ready: 0, delayed: 0, inProgress: 0, nextAt: null };
    // In the caller's time: its clock may differ from the server's.
    const shift = moment === null ? now - serverNow : 0;
    return { ...outlook, nextAt: outlook.nextAt === null ? null : outlook.nextAt + shift };
  }

  watch(changed: (change: StoreChange) => void): Disposable {
    return this.#watchers.add(changed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watchers[Symbol.dispose]();
    await this.#connection[Symbol.asyncDispose]();
  }

  #run<R extends object>(name: keyof typeof SQL, values: Values, again?: () => void): Promise<R[]> {
    return this.#connection.run<R>(name, SQL[name], values, again);
  }
}

/** The leased jobs in the order of the picks, then by priority and age. */
function leasedJobs(rows: readonly ExchangeRow[], { picks, standing = 'trusted' }: ExchangeRequest): LeasedJob[] {
  const places = new Map(picks.map(({ host, resolver }, place) => [laneName(host, resolver), place]));
  const jobs = rows.flatMap((row) => (row.id === null ? [] : [{ ...row, place: places.get(row.lane) ?? 0 }]));
  jobs.sort((a, b) => a.place - b.place || a.deathsAlone - b.deathsAlone || b.priority - a.priority || a.id - b.id);
  return jobs.map(({ id, token, attempt, artifactId, artifactJson, place }) => {
    const { host = null, resolver = null } = picks[place] ?? {};
    return { id, token, attempt, artifactId, artifactJson, resolverHint: resolver, host, standing };
  });
}

/** The name of a lane: neither part contains a space. */
function laneName(host: string | null | undefined, resolver: string | null | undefined): string {
  return `${host ?? ''} ${resolver ?? ''}`;
}

function settlementColumns(settlements: readonly SettledLease[]): Values {
  const rows = settlements.map(({ settlement }) => settledRow(settlement));
  return {
    states: rows.map(({ state }) => state),
    delays: rows.map(({ delayMs }) => delayMs),
    errors: rows.map(({ lastError }) => lastError),
    refunds: rows.map(({ refund }) => refund),
    hosts: rows.map(({ host }) => host),
    results: rows.map(({ result }) => result),
  };
}

function leaseKey({ id, token }: Pick<Lease, 'id' | 'token'>): string {
  return `${id}:${token}`;
}
