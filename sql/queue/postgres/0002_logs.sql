-- The logs of a corpus that a fleet works on: the same lines as the JSONL files of one machine, each log in one order. The
-- row of a log's head is locked until its lines are committed, so that lines are seen in the order of their numbers.
CREATE TABLE log_heads (log TEXT PRIMARY KEY, lines BIGINT NOT NULL);
CREATE TABLE log_lines (
  log TEXT NOT NULL,
  line BIGINT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (log, line)
);
-- Batches that were appended: one that is sent again after a lost answer is not appended twice.
CREATE TABLE log_batches (batch UUID PRIMARY KEY, at TIMESTAMPTZ NOT NULL DEFAULT now());
