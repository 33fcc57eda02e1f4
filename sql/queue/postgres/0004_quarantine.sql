-- A job that was running at several deaths is quarantined from then on and runs alone. Its deaths alone are counted, to tell
-- a job that kills its process from those that ran beside it.
ALTER TABLE runs ADD COLUMN deaths_alone INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN quarantined_since BIGINT;
DROP INDEX idx_jobs_ready;
CREATE INDEX idx_jobs_ready ON runs (lane, priority DESC, id)
  WHERE state = 'queued' AND available_at IS NULL AND quarantined_since IS NULL;
CREATE INDEX idx_jobs_quarantined ON runs (quarantined_since) WHERE quarantined_since IS NOT NULL;
CREATE OR REPLACE VIEW jobs AS
SELECT id, artifact_id, artifact_json, state, attempts, last_error, nullif(split_part(lane, ' ', 2), '') AS resolver_hint,
       created_at, updated_at, lease_expires_at, worker_id, priority, available_at,
       nullif(split_part(lane, ' ', 1), '') AS host, token, lane, result, deaths, deaths_alone, quarantined_since
FROM artifacts JOIN runs USING (id);
