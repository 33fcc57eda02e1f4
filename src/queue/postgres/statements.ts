const READY = "state = 'queued' AND available_at IS NULL AND suspect_since IS NULL";
const READY_SUSPECT = "state = 'queued' AND available_at IS NULL AND suspect_since IS NOT NULL";
const TRUSTED = { ready: READY, order: 'runs.lane, priority DESC, id' };
const SUSPECT = { ready: READY_SUSPECT, order: 'deaths_alone, priority DESC, id' };
const NOW = 'coalesce($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)';

/**
 * The moment, taken once. A lease that did not wait for the disk may be forgotten with its server while its holder lives
 * on, and the next token counted up from the last would be the same again; one that is at least the time in microseconds
 * is not.
 */
const MOMENT = `moment AS MATERIALIZED (
      SELECT ${NOW} AS now, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS microseconds)`;
const THEN = '(SELECT now FROM moment)';

/** The code of a kept error, empty for none. */
export const ERROR_CODE = "coalesce(substring(last_error FROM '^([A-Z][A-Z0-9_]*):'), '')";

/** The code under which an ended job is counted: what became of one that went well is no error. */
export const ENDED_CODE = `CASE WHEN state = 'done' THEN '' ELSE ${ERROR_CODE} END`;

/** The resolver that a job names, empty for none. */
export const RESOLVER = "split_part(lane, ' ', 2)";

/** A delayed job is queued, but counted apart; a running or finished job's earlier errors are not counted. */
export const TALLY = (rows: string, state: string, sign: string, code: string): string =>
  `INSERT INTO tally SELECT ${state}, ${RESOLVER}, ${code}, ${sign}count(*) FROM ${rows} GROUP BY 1, 2, 3`;

/** How the commit of this very statement waits for the disk: NULL leaves it as the server is set. */
const COMMIT = (level: string): string =>
  `(SELECT set_config('synchronous_commit', coalesce(${level}, current_setting('synchronous_commit')), true) OFFSET 0) AS commit`;

/** A leased job has a worker. Asked for by its state, jobs would be looked up among all that were ever leased, most of them gone. */
const HELD = 'runs.id = input.id AND runs.token = input.token AND runs.worker_id IS NOT NULL';

/**
 * Settles, then leases: all of it sees the queue as it was before, so a job that is put back is not taken at once. Answers
 * the leased jobs and, where leases were lost, a row without an id that names those that were settled. Jobs are looked up
 * by their places, one by one: nobody can tell the server how few there will be, and where it expects a tenth of the queue
 * it would read all of it. Those beyond the number that is begun at once are leased ahead, unless they were spared before.
 */
const exchangeSql = (settle: string, { ready, order } = TRUSTED): string => `
    WITH ${MOMENT}, settled AS (${settle}
      RETURNING runs.id, runs.token, runs.state, runs.lane, runs.last_error, runs.available_at
    ), chosen AS MATERIALIZED (
      SELECT job.at, job.place > picks.places AS ahead
      FROM unnest($2::text[], $3::int[], $9::int[]) AS picks(lane, places, more) CROSS JOIN LATERAL (
        SELECT at, was_spared, row_number() OVER () AS place FROM (
          SELECT ctid AS at, ahead = 2 AS was_spared FROM runs WHERE ${ready} AND runs.lane = picks.lane
          ORDER BY ${order} LIMIT picks.places + picks.more FOR UPDATE SKIP LOCKED
        ) AS first_ones
      ) AS job WHERE job.place <= picks.places OR NOT job.was_spared
    ), leased AS (
      UPDATE runs SET state = 'in_progress', attempts = attempts + 1,
        token = greatest(token + 1, (SELECT microseconds FROM moment)), worker_id = $4,
        lease_expires_at = ${THEN} + $5::bigint, updated_at = ${THEN},
        ahead = CASE WHEN ctid IN (SELECT at FROM chosen WHERE chosen.ahead) THEN 1 WHEN ahead = 2 THEN 2 ELSE 0 END
      WHERE ctid = ANY (ARRAY(SELECT at FROM chosen))
      RETURNING id, token, attempts, lane, priority, last_error, ahead
    ), ended AS (
      SELECT CASE WHEN available_at IS NULL THEN state ELSE 'delayed' END AS state, ${RESOLVER} AS resolver,
        ${ENDED_CODE} AS code, count(*) AS jobs
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
      SELECT id, token, attempts, lane, priority, artifact_id, artifact_json, ahead FROM leased CROSS JOIN LATERAL (
        SELECT artifact_id, artifact_json FROM artifacts WHERE artifacts.id = leased.id OFFSET 0) AS artifact
      UNION ALL
      SELECT NULL, NULL, NULL, string_agg(id || ':' || token, ' '), NULL, NULL, NULL, NULL FROM settled HAVING count(*) < cardinality($7)
    ) AS answer CROSS JOIN ${COMMIT('$6')}`;

/** Writes down what became of jobs; a suspect that ends or fails by itself is trusted again. */
const SETTLE = `
      UPDATE runs SET state = input.state,
        available_at = CASE WHEN input.delay > 0 THEN ceil(${THEN} + input.delay)::bigint END,
        last_error = CASE WHEN input.state = 'queued' THEN coalesce(input.error, last_error) ELSE input.error END,
        result = input.result, attempts = attempts - input.refund,
        deaths = CASE WHEN input.state <> 'queued' OR input.refund = 1 OR suspect_since IS NULL THEN deaths ELSE 0 END,
        deaths_alone = CASE WHEN input.state <> 'queued' OR input.refund = 1 THEN deaths_alone ELSE 0 END,
        suspect_since = CASE WHEN input.refund = 1 THEN suspect_since END,
        ahead = CASE WHEN ahead = 2 AND input.state = 'queued' THEN 2 * input.refund ELSE 0 END, lane = coalesce(input.host || ' ' || ${RESOLVER}, lane),
        lease_expires_at = NULL, worker_id = NULL, updated_at = ${THEN}
      FROM unnest($7::bigint[], $8::bigint[], $10::text[], $11::float8[], $12::text[], $13::int[], $14::text[], $15::text[])
        AS input(id, token, state, delay, error, refund, host, result)
      WHERE ${HELD}`;

/** Every statement of the working queue. `$1` is the moment, or NULL for the server's own. */
export const SQL = {
  enqueue: `
    WITH input AS (
      SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::int[]) WITH ORDINALITY
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
    ), tallied AS (${TALLY('come', "'queued'", '', "''")}),
    told AS (SELECT pg_notify($6, 'jobs') FROM added LIMIT 1)
    SELECT artifact_id AS "artifactId" FROM added LEFT JOIN told ON true`,

  wake: `
    WITH due AS (
      SELECT id FROM runs WHERE state = 'queued' AND available_at <= ${NOW} ORDER BY available_at LIMIT 1000 FOR UPDATE SKIP LOCKED
    ), woken AS (
      UPDATE runs SET available_at = NULL FROM due WHERE runs.id = due.id RETURNING lane, last_error
    ), stale AS (
      SELECT id, coalesce(worker_id, '') AS holder, CASE WHEN suspect_since IS NULL THEN 0 ELSE deaths_alone + 1 END AS alone,
        CASE WHEN ahead = 1 THEN 0 ELSE 1 END AS blame,
        -- One death more is allowed for each process that died without it.
        least($4, $3 + greatest(0, (SELECT count(*) FROM deaths
          WHERE at > ${NOW} - $5::bigint AND worker_id <> coalesce(runs.worker_id, '')) - deaths)) AS allowed
      FROM runs WHERE state = 'in_progress' AND lease_expires_at <= ${NOW} FOR UPDATE SKIP LOCKED
    ), forgotten AS (
      DELETE FROM deaths WHERE at <= ${NOW} - $5::bigint AND EXISTS (SELECT FROM stale) AND worker_id NOT IN (SELECT holder FROM stale)
    ), noted AS (
      INSERT INTO deaths (worker_id, at) SELECT holder, ${NOW} FROM stale GROUP BY holder ORDER BY holder
      ON CONFLICT (worker_id) DO UPDATE SET at = excluded.at
    ), back AS (
      UPDATE runs SET lease_expires_at = NULL, worker_id = NULL, updated_at = ${NOW},
        attempts = attempts - 1, deaths = deaths + stale.blame, deaths_alone = stale.alone, ahead = CASE WHEN ahead = 1 THEN 2 ELSE ahead END,
        suspect_since = CASE WHEN stale.alone >= stale.allowed THEN NULL ELSE coalesce(suspect_since, CASE WHEN deaths + stale.blame >= $2 THEN ${NOW} END) END,
        state = CASE WHEN stale.alone >= stale.allowed THEN 'error' ELSE 'queued' END,
        last_error = CASE WHEN stale.alone >= stale.allowed
          THEN 'PROCESS_DIED: its worker ' || coalesce(worker_id, '') || ' died or hung, the last of ' || stale.alone || ' that did so while it ran alone'
          ELSE last_error END
      FROM stale WHERE runs.id = stale.id RETURNING state, lane, last_error
    ), t1 AS (${TALLY('woken', "'delayed'", '-', ERROR_CODE)}),
    t2 AS (${TALLY('woken', "'queued'", '', ERROR_CODE)}),
    t3 AS (${TALLY('back', "'in_progress'", '-', "''")}),
    t4 AS (${TALLY('back', 'state', '', ERROR_CODE)})
    SELECT count(*) FILTER (WHERE state = 'error') AS exhausted FROM back`,

  // Walks from lane to lane through the index instead of reading every job.
  lanes: `
    WITH RECURSIVE lanes(lane) AS (
      (SELECT lane FROM runs WHERE ${READY} ORDER BY lane LIMIT 1)
      UNION ALL
      SELECT (SELECT runs.lane FROM runs WHERE ${READY} AND runs.lane > lanes.lane ORDER BY runs.lane LIMIT 1)
      FROM lanes WHERE lanes.lane IS NOT NULL
    )
    SELECT lane, 'trusted' AS standing, 0 AS deaths, 0 AS oldest,
      (SELECT count(*) FROM (SELECT 1 FROM runs WHERE ${READY} AND runs.lane = lanes.lane LIMIT $1) AS first_ones) AS jobs,
      (SELECT priority FROM runs WHERE ${READY} AND runs.lane = lanes.lane ORDER BY lane, priority DESC LIMIT 1) AS priority
    FROM lanes WHERE lane IS NOT NULL
    UNION ALL
    SELECT lane, 'suspect', min(deaths_alone), min(id), count(*), max(priority) FROM runs WHERE ${READY_SUSPECT} GROUP BY lane
    ORDER BY deaths, priority DESC, oldest`,

  extend: `
    UPDATE runs SET lease_expires_at = ${NOW} + $2::bigint
    FROM unnest($3::bigint[], $4::bigint[]) AS held(id, token)
    WHERE runs.id = held.id AND runs.token = held.token AND state = 'in_progress'
    RETURNING runs.id, runs.token`,

  exchange: exchangeSql(SETTLE),

  // The same where a suspect is wanted.
  exchangeSuspect: exchangeSql(SETTLE, SUSPECT),

  // The same where all jobs went well, of which there is little to tell.
  exchangeDone: exchangeSql(`
      UPDATE runs SET state = 'done', last_error = NULL, result = NULL, lease_expires_at = NULL, worker_id = NULL, suspect_since = NULL,
        updated_at = ${THEN}
      FROM unnest($7::bigint[], $8::bigint[]) AS input(id, token)
      WHERE ${HELD}`),

  // Only the holder of a token can have ended its lease without raising the token.
  alreadySettled: `
    SELECT id, token FROM runs JOIN unnest($1::bigint[], $2::bigint[]) AS held(id, token) USING (id, token) WHERE state <> 'in_progress'`,

  expire: `UPDATE runs SET lease_expires_at = ${NOW} WHERE state = 'in_progress' AND worker_id = ANY($2) RETURNING id`,

  // Jobs leased by a statement whose answer never arrived, or whose settlement was lost with the server: given back as if
  // they had not been leased.
  releaseOrphans: `
    WITH back AS (
      UPDATE runs SET state = 'queued', attempts = attempts - 1, lease_expires_at = NULL, worker_id = NULL, updated_at = ${NOW}
      WHERE state = 'in_progress' AND worker_id = $2 AND NOT (id = ANY($3::bigint[])) RETURNING lane, last_error
    ), t1 AS (${TALLY('back', "'in_progress'", '-', "''")}),
    t2 AS (${TALLY('back', "'queued'", '', ERROR_CODE)})
    SELECT count(*) AS jobs FROM back`,

  announce: `
    INSERT INTO workers (worker_id, info_json, updated_at) VALUES ($2, $3, ${NOW})
    ON CONFLICT (worker_id) DO UPDATE SET info_json = excluded.info_json, updated_at = excluded.updated_at`,

  leave: `DELETE FROM workers WHERE worker_id = $1`,

  outlook: `
    SELECT
      (SELECT count(*) FROM (SELECT 1 FROM runs WHERE ${READY} LIMIT 1000) AS first_ones)
        + (SELECT count(*) FROM runs WHERE ${READY_SUSPECT})
        + (SELECT count(*) FROM (SELECT 1 FROM runs WHERE state = 'queued' AND available_at <= ${NOW} LIMIT 1000) AS first_ones) AS ready,
      (SELECT count(*) FROM (SELECT 1 FROM runs WHERE state = 'queued' AND available_at > ${NOW} LIMIT 1000) AS first_ones) AS delayed,
      (SELECT count(*) FROM runs WHERE state = 'in_progress') AS "inProgress",
      least((SELECT min(available_at) FROM runs WHERE state = 'queued' AND available_at IS NOT NULL),
            (SELECT min(lease_expires_at) FROM runs WHERE state = 'in_progress')) AS "nextAt",
      (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "serverNow"`,
} as const;
