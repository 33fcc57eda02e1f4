const READY = "state = 'queued' AND available_at IS NULL";
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

/** A delayed job is queued, but counted apart; a running or finished job's earlier errors are not counted. */
const TALLY = (rows: string, state: string, sign: string, code: string): string =>
  `INSERT INTO tally SELECT ${state}, coalesce(resolver_hint, ''), ${code}, ${sign}count(*) FROM ${rows} GROUP BY 1, 2, 3`;

/** How the commit of this very statement waits for the disk: NULL leaves it as the server is set. */
const COMMIT = (level: string): string =>
  `(SELECT set_config('synchronous_commit', coalesce(${level}, current_setting('synchronous_commit')), true) OFFSET 0) AS commit`;

/** Every statement of the working queue. `$1` is the moment, or NULL for the server's own. */
export const SQL = {
  enqueue: `
    WITH input AS (
      SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int[]) WITH ORDINALITY
        AS input(artifact_id, artifact_json, resolver_hint, host, priority, place)
    ), added AS (
      INSERT INTO jobs (artifact_id, artifact_json, resolver_hint, host, priority, created_at, updated_at)
      SELECT artifact_id, artifact_json, resolver_hint, host, priority, ${NOW}, ${NOW} FROM input ORDER BY place
      ON CONFLICT DO NOTHING RETURNING artifact_id, resolver_hint
    ), tallied AS (${TALLY('added', "'queued'", '', "''")}),
    told AS (SELECT pg_notify($7, 'jobs') FROM added LIMIT 1)
    SELECT artifact_id AS "artifactId" FROM added LEFT JOIN told ON true`,

  wake: `
    WITH due AS (
      SELECT id FROM jobs WHERE state = 'queued' AND available_at <= ${NOW} ORDER BY available_at LIMIT 1000 FOR UPDATE SKIP LOCKED
    ), woken AS (
      UPDATE jobs SET available_at = NULL FROM due WHERE jobs.id = due.id RETURNING resolver_hint, last_error
    ), stale AS (
      SELECT id FROM jobs WHERE state = 'in_progress' AND lease_expires_at <= ${NOW} FOR UPDATE SKIP LOCKED
    ), back AS (
      UPDATE jobs SET lease_expires_at = NULL, worker_id = NULL, updated_at = ${NOW},
        state = CASE WHEN attempts >= $2 THEN 'error' ELSE 'queued' END,
        last_error = CASE WHEN attempts >= $2
          THEN 'LEASE_EXPIRED: its worker ' || coalesce(worker_id, '') || ' died or hung on the last of ' || attempts || ' attempts'
          ELSE last_error END
      FROM stale WHERE jobs.id = stale.id RETURNING state, resolver_hint, last_error
    ), t1 AS (${TALLY('woken', "'delayed'", '-', ERROR_CODE)}),
    t2 AS (${TALLY('woken', "'queued'", '', ERROR_CODE)}),
    t3 AS (${TALLY('back', "'in_progress'", '-', "''")}),
    t4 AS (${TALLY('back', 'state', '', ERROR_CODE)})
    SELECT count(*) FILTER (WHERE state = 'error') AS exhausted FROM back`,

  // Walks from lane to lane through the index instead of reading every job.
  lanes: `
    WITH RECURSIVE lanes(lane) AS (
      (SELECT lane FROM jobs WHERE ${READY} ORDER BY lane LIMIT 1)
      UNION ALL
      SELECT (SELECT jobs.lane FROM jobs WHERE ${READY} AND jobs.lane > lanes.lane ORDER BY jobs.lane LIMIT 1)
      FROM lanes WHERE lanes.lane IS NOT NULL
    )
    SELECT lane,
      (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE ${READY} AND jobs.lane = lanes.lane LIMIT $1) AS first_ones) AS jobs,
      (SELECT priority FROM jobs WHERE ${READY} AND jobs.lane = lanes.lane ORDER BY lane, priority DESC LIMIT 1) AS priority
    FROM lanes WHERE lane IS NOT NULL`,

  extend: `
    UPDATE jobs SET lease_expires_at = ${NOW} + $2::bigint
    FROM unnest($3::bigint[], $4::bigint[]) AS held(id, token)
    WHERE jobs.id = held.id AND jobs.token = held.token AND state = 'in_progress'
    RETURNING jobs.id, jobs.token`,

  // Settles, then leases: all of it sees the queue as it was before, so a job that is put back is not taken at once.
  exchange: `
    WITH ${MOMENT}, input AS (
      SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::float8[], $6::text[], $7::int[], $8::text[])
        AS input(id, token, state, delay, error, refund, host)
    ), settled AS (
      UPDATE jobs SET state = input.state,
        available_at = CASE WHEN input.delay > 0 THEN ceil(${THEN} + input.delay)::bigint END,
        last_error = CASE WHEN input.state = 'queued' THEN coalesce(input.error, last_error) ELSE input.error END,
        attempts = attempts - input.refund, host = coalesce(input.host, jobs.host),
        lease_expires_at = NULL, worker_id = NULL, updated_at = ${THEN}
      FROM input WHERE jobs.id = input.id AND jobs.token = input.token AND jobs.state = 'in_progress'
      RETURNING jobs.id, jobs.token, jobs.state, jobs.resolver_hint, jobs.last_error, jobs.available_at
    ), picks AS (SELECT * FROM unnest($9::text[], $10::int[]) WITH ORDINALITY AS picks(lane, places, place)
    ), chosen AS (
      SELECT job.id, picks.place FROM picks CROSS JOIN LATERAL (
        SELECT id FROM jobs WHERE ${READY} AND jobs.lane = picks.lane
        ORDER BY jobs.lane, priority DESC, id LIMIT picks.places FOR UPDATE SKIP LOCKED
      ) AS job
    ), leased AS (
      UPDATE jobs SET state = 'in_progress', attempts = attempts + 1,
        token = greatest(token + 1, (SELECT microseconds FROM moment)), worker_id = $11,
        lease_expires_at = ${THEN} + $12::bigint, updated_at = ${THEN}
      FROM chosen WHERE jobs.id = chosen.id
      RETURNING jobs.id, token, attempts, artifact_id, artifact_json, resolver_hint, host, priority, last_error, place
    ), tallied AS (
      INSERT INTO tally SELECT state, coalesce(resolver_hint, ''), code, sum(jobs) FROM (
        SELECT 'in_progress' AS state, resolver_hint, '' AS code, -1 AS jobs FROM settled
        UNION ALL SELECT CASE WHEN available_at IS NULL THEN state ELSE 'delayed' END, resolver_hint,
          CASE WHEN state = 'done' THEN '' ELSE ${ERROR_CODE} END, 1 FROM settled
        UNION ALL SELECT 'in_progress', resolver_hint, '', 1 FROM leased
        UNION ALL SELECT 'queued', resolver_hint, ${ERROR_CODE}, -1 FROM leased
      ) AS changes GROUP BY 1, 2, 3 HAVING sum(jobs) <> 0
    )
    SELECT answer.* FROM (
      SELECT id, token, NULL::int AS attempt, NULL AS "artifactId", NULL AS "artifactJson", NULL AS "resolverHint",
        NULL AS host, 0 AS place, 0 AS priority FROM settled
      UNION ALL
      SELECT id, token, attempts, artifact_id, artifact_json, resolver_hint, host, place, priority FROM leased
    ) AS answer CROSS JOIN ${COMMIT('$13')} ORDER BY place, priority DESC, id`,

  // Only the holder of a token can have ended its lease without raising the token.
  alreadySettled: `
    SELECT id, token FROM jobs JOIN unnest($1::bigint[], $2::bigint[]) AS held(id, token) USING (id, token) WHERE state <> 'in_progress'`,

  expire: `UPDATE jobs SET lease_expires_at = ${NOW} WHERE state = 'in_progress' AND worker_id = ANY($2) RETURNING id`,

  // Jobs leased by a statement whose answer never arrived: given back as if it had not been sent.
  releaseOrphans: `
    WITH back AS (
      UPDATE jobs SET state = 'queued', attempts = attempts - 1, lease_expires_at = NULL, worker_id = NULL, updated_at = ${NOW}
      WHERE state = 'in_progress' AND worker_id = $2 AND NOT (id = ANY($3::bigint[])) RETURNING resolver_hint, last_error
    ), t1 AS (${TALLY('back', "'in_progress'", '-', "''")}),
    t2 AS (${TALLY('back', "'queued'", '', ERROR_CODE)})
    SELECT count(*) AS jobs FROM back`,

  announce: `
    INSERT INTO workers (worker_id, info_json, updated_at) VALUES ($2, $3, ${NOW})
    ON CONFLICT (worker_id) DO UPDATE SET info_json = excluded.info_json, updated_at = excluded.updated_at`,

  leave: `DELETE FROM workers WHERE worker_id = $1`,

  outlook: `
    SELECT
      (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE ${READY} LIMIT 1000) AS first_ones)
        + (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'queued' AND available_at <= ${NOW} LIMIT 1000) AS first_ones) AS ready,
      (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'queued' AND available_at > ${NOW} LIMIT 1000) AS first_ones) AS delayed,
      (SELECT count(*) FROM jobs WHERE state = 'in_progress') AS "inProgress",
      least((SELECT min(available_at) FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL),
            (SELECT min(lease_expires_at) FROM jobs WHERE state = 'in_progress')) AS "nextAt",
      (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "serverNow"`,
} as const;
