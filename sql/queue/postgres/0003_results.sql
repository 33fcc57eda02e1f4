-- The result of a successful job, as JSON, and how often its lease expired. Expired leases are not attempts: most jobs of
-- a process that dies have not killed it.
ALTER TABLE runs ADD COLUMN result TEXT;
ALTER TABLE runs ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
CREATE OR REPLACE VIEW jobs AS
SELECT id, artifact_id, artifact_json, state, attempts, last_error, nullif(split_part(lane, ' ', 2), '') AS resolver_hint,
       created_at, updated_at, lease_expires_at, worker_id, priority, available_at,
       nullif(split_part(lane, ' ', 1), '') AS host, token, lane, result, deaths
FROM artifacts JOIN runs USING (id);
