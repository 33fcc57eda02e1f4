-- Processes that died with jobs in hand, of late: where many die, the job that was in hand is not to blame.
CREATE TABLE deaths (worker_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
