-- Runs inside the queue's own schema. Moments are epoch milliseconds of the server's clock.
CREATE TABLE jobs (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  artifact_id TEXT NOT NULL UNIQUE,
  artifact_json TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'in_progress', 'done', 'skipped', 'error')),
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  resolver_hint TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  lease_expires_at BIGINT,
  worker_id TEXT,
  priority INTEGER NOT NULL DEFAULT 0,
  available_at BIGINT,               -- set while a queued job is delayed, NULL once it may run
  host TEXT,                         -- where the job will download from, once known
  token BIGINT NOT NULL DEFAULT 0,   -- a new one with each lease; every write to a leased job must name it
  -- The jobs that wait for the same host and resolver. Compared byte by byte, whatever the language.
  lane TEXT COLLATE "C" GENERATED ALWAYS AS (coalesce(host, '') || ' ' || coalesce(resolver_hint, '')) STORED
);
CREATE INDEX idx_jobs_ready ON jobs (lane, priority DESC, id) WHERE state = 'queued' AND available_at IS NULL;
CREATE INDEX idx_jobs_delayed ON jobs (available_at) WHERE state = 'queued' AND available_at IS NOT NULL;
CREATE INDEX idx_jobs_leased ON jobs (lease_expires_at) WHERE state = 'in_progress';

-- A queue's rows are rewritten often: clean up early, and leave room on each page.
ALTER TABLE jobs SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
                      autovacuum_vacuum_cost_delay = 0);

-- Changes of the number of jobs by state. Rows are only added, so that writers never wait for each other, and folded
-- together from time to time.
CREATE TABLE tally (
  state TEXT NOT NULL,
  resolver_hint TEXT NOT NULL,
  error_code TEXT NOT NULL,
  jobs BIGINT NOT NULL
);

CREATE TABLE pauses (
  scope TEXT NOT NULL CHECK (scope IN ('all', 'host', 'resolver')),
  name TEXT NOT NULL,
  since BIGINT NOT NULL,
  PRIMARY KEY (scope, name)
);

-- Processes that run jobs, and their last reports.
CREATE TABLE workers (
  worker_id TEXT PRIMARY KEY,
  info_json TEXT NOT NULL,
  updated_at BIGINT NOT NULL
);
