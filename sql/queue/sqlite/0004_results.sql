-- The result of a successful job, as JSON, and how often its lease expired. Expired leases are not attempts: most jobs of
-- a process that dies have not killed it.
ALTER TABLE jobs ADD COLUMN result TEXT;
ALTER TABLE jobs ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
