-- The queue. Beside the columns of the source documents it has priorities, delays, hosts and the lease's token; moments are
-- epoch milliseconds. The table is rebuilt because SQLite cannot change the type of a column; every job keeps its id.
-- Counts are kept by triggers: every program that writes to this file keeps them right.
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
  token INTEGER NOT NULL DEFAULT 0,        -- counts leases; every write to a leased job must name it
  result TEXT,                             -- of a successful job, as JSON
  -- How often its lease expired. Expired leases are not attempts: most jobs of a process that dies have not killed it.
  deaths INTEGER NOT NULL DEFAULT 0,
  -- A job that was running at several deaths is quarantined from then on and runs alone. Its deaths alone are counted, to
  -- tell a job that kills its process from those that ran beside it.
  deaths_alone INTEGER NOT NULL DEFAULT 0,
  quarantined_since INTEGER,
  -- The CODE of an error written as `CODE: message`; empty for none.
  error_code TEXT GENERATED ALWAYS AS (
    CASE WHEN last_error GLOB '[A-Z]*:*' AND substr(last_error, 1, instr(last_error, ':') - 1) NOT GLOB '*[^A-Z0-9_]*'
         THEN substr(last_error, 1, instr(last_error, ':') - 1) ELSE '' END) VIRTUAL,
  -- The state a job is counted under: a delayed job is queued, but counted separately.
  counted_as TEXT GENERATED ALWAYS AS (
    CASE WHEN available_at IS NULL THEN state ELSE 'delayed' END) VIRTUAL,
  -- The code a job is counted under: earlier errors of a job that runs or is done do not count.
  counted_code TEXT GENERATED ALWAYS AS (
    CASE WHEN state = 'in_progress' OR state = 'done' THEN '' ELSE error_code END) VIRTUAL
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
CREATE INDEX idx_jobs_ready ON jobs(host, resolver_hint, priority DESC, id)
  WHERE state = 'queued' AND available_at IS NULL AND quarantined_since IS NULL;
CREATE INDEX idx_jobs_delayed ON jobs(available_at) WHERE state = 'queued' AND available_at IS NOT NULL;
CREATE INDEX idx_jobs_leased ON jobs(lease_expires_at) WHERE state = 'in_progress';
CREATE INDEX idx_jobs_quarantined ON jobs(quarantined_since) WHERE quarantined_since IS NOT NULL;

-- The number of jobs by state (delayed ones separately), updated in the same transactions, so that statistics are cheap.
CREATE TABLE tally (
  state TEXT NOT NULL,
  resolver_hint TEXT NOT NULL,
  error_code TEXT NOT NULL,
  jobs INTEGER NOT NULL,
  PRIMARY KEY (state, resolver_hint, error_code)
) WITHOUT ROWID;
INSERT INTO tally (state, resolver_hint, error_code, jobs)
SELECT counted_as, resolver_hint, counted_code, count(*) FROM jobs GROUP BY 1, 2, 3;

CREATE TRIGGER jobs_added AFTER INSERT ON jobs BEGIN
  INSERT INTO tally VALUES (new.counted_as, new.resolver_hint, new.counted_code, 1) ON CONFLICT DO UPDATE SET jobs = jobs + 1;
END;
CREATE TRIGGER jobs_changed AFTER UPDATE OF state, available_at, last_error, resolver_hint ON jobs BEGIN
  UPDATE tally SET jobs = jobs - 1
  WHERE state = old.counted_as AND resolver_hint = old.resolver_hint AND error_code = old.counted_code;
  INSERT INTO tally VALUES (new.counted_as, new.resolver_hint, new.counted_code, 1) ON CONFLICT DO UPDATE SET jobs = jobs + 1;
END;
CREATE TRIGGER jobs_removed AFTER DELETE ON jobs BEGIN
  UPDATE tally SET jobs = jobs - 1
  WHERE state = old.counted_as AND resolver_hint = old.resolver_hint AND error_code = old.counted_code;
END;

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
-- Processes that died recently while running jobs: if many die, their jobs are not to blame.
CREATE TABLE deaths (worker_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
