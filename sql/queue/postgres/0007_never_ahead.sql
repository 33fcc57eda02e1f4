-- Jobs are leased when a worker is free, never ahead.
ALTER TABLE runs DROP COLUMN ahead;
