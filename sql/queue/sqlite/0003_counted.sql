-- A job that comes in alone is not counted in the tally at once, which would double what it costs: `counted` is the id up
-- to which jobs are, and those that came after are counted together, a few hundred at a time.
ALTER TABLE control ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
UPDATE control SET counted = coalesce((SELECT max(id) FROM jobs), 0);
