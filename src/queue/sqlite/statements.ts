const READY = "state = 'queued' AND available_at IS NULL";

/** Every statement of the working queue; those of operators stand in admin.ts. */
export const SQL = {
  insert: `
    INSERT INTO jobs (artifact_id, artifact_json, state, resolver_hint, host, priority, created_at, updated_at)
    VALUES (?, ?, 'queued', ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,

  anythingToWake: `
    SELECT 1 FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at <= ?
    UNION ALL
    SELECT 1 FROM jobs WHERE state = 'in_progress' AND lease_expires_at <= ? LIMIT 1`,

  wakeDelayed: `
    UPDATE jobs SET available_at = NULL
    WHERE id IN (SELECT id FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at <= ?
                 ORDER BY available_at LIMIT ?)
    RETURNING id, resolver_hint, last_error`,

  giveUp: `
    UPDATE jobs SET state = 'error', lease_expires_at = NULL, updated_at = ?,
      last_error = 'LEASE_EXPIRED: its worker ' || coalesce(worker_id, '') || ' died or hung on the last of ' || attempts || ' attempts',
      worker_id = NULL
    WHERE state = 'in_progress' AND lease_expires_at <= ? AND attempts >= ?
    RETURNING id, resolver_hint, last_error`,

  takeBack: `
    UPDATE jobs SET state = 'queued', lease_expires_at = NULL, worker_id = NULL, updated_at = ?
    WHERE state = 'in_progress' AND lease_expires_at <= ?
    RETURNING id, resolver_hint, last_error`,

  // Walks from lane to lane through the index instead of reading every job.
  lanes: `
    WITH RECURSIVE lanes(lane) AS (
      SELECT min(lane) FROM jobs WHERE ${READY}
      UNION ALL
      SELECT (SELECT min(jobs.lane) FROM jobs WHERE ${READY} AND jobs.lane > lanes.lane) FROM lanes WHERE lanes.lane IS NOT NULL
    )
    SELECT lane,
      (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE ${READY} AND jobs.lane = lanes.lane LIMIT ?)) AS jobs,
      (SELECT priority FROM jobs WHERE ${READY} AND jobs.lane = lanes.lane ORDER BY priority DESC LIMIT 1) AS priority
    FROM lanes WHERE lane IS NOT NULL`,

  lease: `
    UPDATE jobs SET state = 'in_progress', attempts = attempts + 1, token = token + 1,
      worker_id = ?, lease_expires_at = ?, updated_at = ?
    WHERE id IN (SELECT id FROM jobs WHERE ${READY} AND lane = ? ORDER BY priority DESC, id LIMIT ?)
    RETURNING id, token, attempts, artifact_id, artifact_json, resolver_hint, host, priority, last_error`,

  extend: `UPDATE jobs SET lease_expires_at = ? WHERE id = ? AND token = ? AND state = 'in_progress'`,

  finish: `
    UPDATE jobs SET state = ?, last_error = ?, lease_expires_at = NULL, worker_id = NULL, updated_at = ?
    WHERE id = ? AND token = ? AND state = 'in_progress'
    RETURNING id, resolver_hint`,

  requeue: `
    UPDATE jobs SET state = 'queued', available_at = ?, last_error = coalesce(?, last_error), attempts = attempts - ?,
      host = coalesce(?, host), lease_expires_at = NULL, worker_id = NULL, updated_at = ?
    WHERE id = ? AND token = ? AND state = 'in_progress'
    RETURNING id, resolver_hint, last_error`,

  expire: `UPDATE jobs SET lease_expires_at = ? WHERE state = 'in_progress' AND worker_id = ?`,

  outlook: `
    SELECT
      coalesce((SELECT sum(jobs) FROM tally WHERE state = 'queued'), 0)
        + (SELECT count(*) FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at <= ?) AS ready,
      (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL AND available_at > ? LIMIT 1000)) AS delayed,
      coalesce((SELECT sum(jobs) FROM tally WHERE state = 'in_progress'), 0) AS inProgress,
      (SELECT min(at) FROM (
        SELECT min(available_at) AS at FROM jobs WHERE state = 'queued' AND available_at IS NOT NULL
        UNION ALL SELECT min(lease_expires_at) FROM jobs WHERE state = 'in_progress')) AS nextAt`,
} as const;
