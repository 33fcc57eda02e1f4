-- What a job that went well left behind, as JSON, and how often its lease ran out: that is counted apart from attempts,
-- since most jobs in the hands of a process that dies have not killed it.
ALTER TABLE jobs ADD COLUMN result TEXT;
ALTER TABLE jobs ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
