-- Processes that died recently while running jobs: if many die, their jobs are not to blame.
CREATE TABLE deaths (worker_id TEXT PRIMARY KEY, at BIGINT NOT NULL);
