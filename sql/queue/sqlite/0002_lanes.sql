-- Adds priority, delay, host and the lease's token; moments become epoch milliseconds. The table is rebuilt because
-- SQLite cannot change the type of a column; every job keeps its id.
DROP INDEX IF EXISTS idx_jobs_artifact;
DROP INDEX IF EXISTS idx_jobs_state;
DROP INDEX IF EXISTS idx_jobs_updated;
ALTER TABLE jobs RENAME TO jobs_0001;

CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  artifact_id TEXT NOT NULL,
  artifact_json TEXT NOT NULL,
  -- Written out because IN (…) would build a table at every write.
  state TEXT NOT NULL CHECK (state = 'queued' OR state = 'in_progress' OR state = 'done' OR state = 'skipped' OR state = 'error'),
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  resolver_hint TEXT NOT NULL DEFAULT '',  -- empty when not known
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  lease_expires_at INTEGER,
  worker_id TEXT,
  priority INTEGER NOT NULL DEFAULT 0,
  available_at INTEGER,                    -- set while a queued job is delayed, NULL once it may run
  host TEXT NOT NULL DEFAULT '',           -- where the job will download from; empty until known
  token INTEGER NOT NULL DEFAULT 0         -- counts leases; every write to a leased job must name it
);

INSERT INTO jobs (id, artifact_id, artifact_json, state, attempts, last_error, resolver_hint,
                  created_at, updated_at, lease_expires_at, worker_id, token)
SELECT id, artifact_id, artifact_json,
       CASE WHEN lower(state) IN ('queued', 'in_progress', 'done', 'skipped', 'error') THEN lower(state) ELSE 'error' END,
       attempts,
       CASE WHEN lower(state) IN ('queued', 'in_progress', 'done', 'skipped', 'error') THEN last_error
            ELSE 'STATE_UNKNOWN: was in state ' || state || coalesce('; ' || last_error, '') END,
       coalesce(resolver_hint, ''),
       coalesce(CAST(round(unixepoch(created_at, 'subsec') * 1000) AS INTEGER), 0),
       coalesce(CAST(round(unixepoch(updated_at, 'subsec') * 1000) AS INTEGER), 0),
       CASE WHEN lower(state) = 'in_progress'
            THEN coalesce(CAST(round(unixepoch(lease_expires_at, 'subsec') * 1000) AS INTEGER), 0) END,
       CASE WHEN lower(state) = 'in_progress' THEN worker_id END,
       attempts
FROM jobs_0001;
DROP TABLE jobs_0001;

CREATE UNIQUE INDEX idx_jobs_artifact ON jobs(artifact_id);
-- A lane: the jobs that wait for the same host and resolver.
CREATE INDEX idx_jobs_ready ON jobs(host, resolver_hint, priority DESC, id) WHERE state = 'queued' AND available_at IS NULL;
CREATE INDEX idx_jobs_delayed ON jobs(available_at) WHERE state = 'queued' AND available_at IS NOT NULL;
CREATE INDEX idx_jobs_leased ON jobs(lease_expires_at) WHERE state = 'in_progress';

-- The number of jobs by state (delayed ones separately), updated in the same transactions, so that statistics are cheap.
CREATE TABLE tally (
  state TEXT NOT NULL,
  resolver_hint TEXT NOT NULL,
  error_code TEXT NOT NULL,
  jobs INTEGER NOT NULL,
  PRIMARY KEY (state, resolver_hint, error_code)
) WITHOUT ROWID;
INSERT INTO tally
SELECT state, resolver_hint,
       CASE WHEN instr(last_error, ':') > 0 THEN substr(last_error, 1, instr(last_error, ':') - 1) ELSE '' END,
       count(*)
FROM jobs GROUP BY 1, 2, 3;

-- Pauses by operators: everything (scope 'all'), one host or one resolver.
CREATE TABLE pauses (
  scope TEXT NOT NULL CHECK (scope IN ('all', 'host', 'resolver')),
  name TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (scope, name)
) WITHOUT ROWID;

-- Incremented by pause, resume and cancel, so that running orchestrators check the queue.
CREATE TABLE control (version INTEGER NOT NULL);
INSERT INTO control VALUES (0);

-- Processes that run jobs, and their last reports.
CREATE TABLE workers (
  worker_id TEXT PRIMARY KEY,
  info_json TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
