import { UNCOUNTED } from './tally.ts';

/** What the index of ready jobs is of: a statement that says anything else reads every job. */
const READY = "state = 'queued' AND available_at IS NULL AND suspect_since IS NULL";
const READY_SUSPECT = "state = 'queued' AND available_at IS NULL AND suspect_since IS NOT NULL";

/** Every statement of the working queue; those of operators stand in admin.ts. */
export const SQL = {
  insertedSince: `SELECT artifact_id FROM jobs WHERE id > ?`,

  newest: `SELECT coalesce(max(id), 0) AS id FROM jobs`,

  anythingToWake: `
    SELECT 1 FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at <= ?
    UNION ALL
    SELECT 1 FROM jobs WHERE state = 'in_progress' AND lease_expires_at <= ? LIMIT 1`,

  wakeDelayed: `
    UPDATE jobs SET available_at = NULL
    WHERE id IN (SELECT id FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at <= ?
                 ORDER BY available_at LIMIT ?)
    RETURNING id, resolver_hint, last_error`,

  forgetDeaths: `DELETE FROM deaths WHERE at <= ?`,

  noteDeaths: `
    INSERT INTO deaths (worker_id, at)
    SELECT DISTINCT coalesce(worker_id, ''), :now FROM jobs WHERE state = 'in_progress' AND lease_expires_at <= :now
    ON CONFLICT (worker_id) DO UPDATE SET at = excluded.at`,

  // One death more is allowed for each process that died without it.
  giveUp: `
    UPDATE jobs SET state = 'error', lease_expires_at = NULL, updated_at = :now, attempts = attempts - 1, deaths = deaths + 1,
      deaths_alone = deaths_alone + 1, suspect_since = NULL,
      last_error = 'PROCESS_DIED: its worker ' || coalesce(worker_id, '') || ' died or hung, the last of ' || (deaths_alone + 1) || ' that did so while it ran alone',
      worker_id = NULL
    WHERE state = 'in_progress' AND lease_expires_at <= :now AND suspect_since IS NOT NULL
      AND deaths_alone + 1 >= min(:most, :alone + max(0, (SELECT count(*) FROM deaths WHERE worker_id <> coalesce(jobs.worker_id, '')) - deaths))
    RETURNING id, resolver_hint, last_error`,

  takeBack: `
    UPDATE jobs SET state = 'queued', lease_expires_at = NULL, worker_id = NULL, updated_at = :now, attempts = attempts - 1,
      deaths = deaths + (ahead <> 1), deaths_alone = deaths_alone + (suspect_since IS NOT NULL),
      suspect_since = coalesce(suspect_since, CASE WHEN deaths + (ahead <> 1) >= :shared THEN :now END),
      ahead = CASE WHEN ahead = 1 THEN 2 ELSE ahead END
    WHERE state = 'in_progress' AND lease_expires_at <= :now
    RETURNING id, resolver_hint, last_error`,

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
      (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE ${READY} AND jobs.host = lanes.host AND jobs.resolver_hint = lanes.resolver LIMIT ?)) AS jobs
    FROM lanes`,

  suspects: `
    SELECT nullif(host, '') AS host, nullif(resolver_hint, '') AS resolver, max(priority) AS priority, count(*) AS jobs
    FROM jobs WHERE ${READY_SUSPECT} GROUP BY jobs.host, jobs.resolver_hint
    ORDER BY min(deaths_alone), max(priority) DESC, min(id)`,

  extend: `UPDATE jobs SET lease_expires_at = ? WHERE id = ? AND token = ? AND state = 'in_progress'`,

  finish: `
    UPDATE jobs SET state = ?, last_error = ?, result = ?, lease_expires_at = NULL, worker_id = NULL, suspect_since = NULL,
      updated_at = ?
    WHERE id = ? AND token = ? AND state = 'in_progress'`,

  requeue: `
    UPDATE jobs SET state = 'queued', available_at = ?1, last_error = coalesce(?2, last_error), attempts = attempts - ?3,
      deaths = CASE WHEN ?3 = 1 OR suspect_since IS NULL THEN deaths ELSE 0 END, deaths_alone = deaths_alone * ?3,
      suspect_since = CASE WHEN ?3 = 1 THEN suspect_since END, ahead = CASE WHEN ahead = 2 THEN 2 * ?3 ELSE 0 END,
      host = coalesce(?4, host), lease_expires_at = NULL, worker_id = NULL, updated_at = ?5
    WHERE id = ?6 AND token = ?7 AND state = 'in_progress'
    RETURNING id, resolver_hint, last_error`,

  expire: `UPDATE jobs SET lease_expires_at = ? WHERE state = 'in_progress' AND worker_id = ?`,

  release: `
    UPDATE jobs SET state = 'queued', attempts = attempts - 1, lease_expires_at = NULL, worker_id = NULL, updated_at = ?
    WHERE state = 'in_progress' AND worker_id = ? AND id NOT IN (SELECT value FROM json_each(?))
    RETURNING id, resolver_hint, last_error`,

  announce: `
    INSERT INTO workers (worker_id, info_json, updated_at) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET info_json = excluded.info_json, updated_at = excluded.updated_at`,

  leave: `DELETE FROM workers WHERE worker_id = ?`,

  outlook: `
    SELECT
      coalesce((SELECT sum(jobs) FROM tally WHERE state = 'queued'), 0) + (SELECT count(*) FROM ${UNCOUNTED})
        + (SELECT count(*) FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at <= ?) AS ready,
      (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at > ? LIMIT 1000)) AS delayed,
      coalesce((SELECT sum(jobs) FROM tally WHERE state = 'in_progress'), 0) AS inProgress,
      (SELECT min(at) FROM (
        SELECT min(available_at) AS at FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL
        UNION ALL SELECT min(lease_expires_at) FROM jobs WHERE state = 'in_progress')) AS nextAt`,
} as const;

/** A job to lease as its statement answers it: arrays cost half of what objects do. */
export type ChosenRow = readonly [
  id: number,
  token: number,
  attempt: number,
  artifactId: string,
  artifactJson: string,
  lastError: string | null,
  isSpared: 0 | 1,
];

/** The first jobs of a lane. The limit is written into the statement: bound, it makes each job half as expensive again. */
export const chooseSql = (limit: number): string => `
  SELECT id, token + 1, attempts + 1, artifact_id, artifact_json, last_error, ahead = 2 FROM jobs
  WHERE ${READY} AND host = ? AND resolver_hint = ? ORDER BY priority DESC, id LIMIT ${limit}`;

/** Suspects of a lane, those first that died alone least often. */
export const chooseSuspectSql = (limit: number): string => `
  SELECT id, token + 1, attempts + 1, artifact_id, artifact_json, last_error, ahead = 2 FROM jobs
  WHERE ${READY_SUSPECT} AND host = ? AND resolver_hint = ? ORDER BY deaths_alone, priority DESC, id LIMIT ${limit}`;

/** Leases jobs that were just chosen to be begun at once. */
export const leaseSql = (jobs: number): string => leaseAs('CASE WHEN ahead = 2 THEN 2 ELSE 0 END', jobs);

/** Leases jobs that were just chosen to wait in their process. */
export const leaseAheadSql = (jobs: number): string => leaseAs('1', jobs);

const leaseAs = (ahead: string, jobs: number): string => `
  UPDATE jobs SET state = 'in_progress', attempts = attempts + 1, token = token + 1, ahead = ${ahead},
    worker_id = ?, lease_expires_at = ?, updated_at = ?
  WHERE id IN (${places(jobs)})`;

/** Ends jobs that went well and were leased with the same token: together they cost half of what each alone would. */
export const finishSql = (jobs: number): string => `
  UPDATE jobs SET state = 'done', last_error = NULL, result = NULL, lease_expires_at = NULL, worker_id = NULL,
    suspect_since = NULL, updated_at = ?
  WHERE token = ? AND state = 'in_progress' AND id IN (${places(jobs)})`;

export const insertSql = (jobs: number): string => `
  INSERT INTO jobs (artifact_id, artifact_json, state, resolver_hint, host, priority, created_at, updated_at)
  VALUES ${Array.from({ length: jobs }, () => "(?, ?, 'queued', ?, ?, ?, ?, ?)").join(', ')} ON CONFLICT DO NOTHING`;

const places = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
