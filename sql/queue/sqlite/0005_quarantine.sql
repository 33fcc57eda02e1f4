-- A job that was running at several deaths is quarantined from then on and runs alone. Its deaths alone are counted, to tell
-- a job that kills its process from those that ran beside it.
ALTER TABLE jobs ADD COLUMN deaths_alone INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN quarantined_since INTEGER;
DROP INDEX idx_jobs_ready;
CREATE INDEX idx_jobs_ready ON jobs(host, resolver_hint, priority DESC, id)
  WHERE state = 'queued' AND available_at IS NULL AND quarantined_since IS NULL;
CREATE INDEX idx_jobs_quarantined ON jobs(quarantined_since) WHERE quarantined_since IS NOT NULL;
