-- Jobs are leased when a worker is free, never ahead. Counts are kept by triggers: every program that writes to this file
-- keeps them right.
ALTER TABLE jobs DROP COLUMN ahead;
ALTER TABLE control DROP COLUMN counted;

-- The CODE of an error written as `CODE: message`; empty for none.
ALTER TABLE jobs ADD COLUMN error_code TEXT GENERATED ALWAYS AS (
  CASE WHEN last_error GLOB '[A-Z]*:*' AND substr(last_error, 1, instr(last_error, ':') - 1) NOT GLOB '*[^A-Z0-9_]*'
       THEN substr(last_error, 1, instr(last_error, ':') - 1) ELSE '' END) VIRTUAL;
-- The state a job is counted under: a delayed job is queued, but counted separately.
ALTER TABLE jobs ADD COLUMN counted_as TEXT GENERATED ALWAYS AS (
  CASE WHEN available_at IS NULL THEN state ELSE 'delayed' END) VIRTUAL;
-- The code a job is counted under: earlier errors of a job that runs or is done do not count.
ALTER TABLE jobs ADD COLUMN counted_code TEXT GENERATED ALWAYS AS (
  CASE WHEN state = 'in_progress' OR state = 'done' THEN '' ELSE error_code END) VIRTUAL;

DELETE FROM tally;
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
