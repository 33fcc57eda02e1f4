-- What a fleet shares about hosts. Moments are milliseconds since 1970 by this server's clock.

CREATE TABLE hosts (
  key TEXT PRIMARY KEY CHECK (length(key) BETWEEN 1 AND 300),
  -- When the next request would be due if all were evenly spaced.
  next_at DOUBLE PRECISION NOT NULL DEFAULT 0,
  -- What was learned about it: holds, slow-downs, failures; NULL if nothing.
  learned JSONB,
  held_until DOUBLE PRECISION NOT NULL DEFAULT 0
);

-- Slots at a host that a process holds, and processes that wait for one (slots = 0). Those of a dead process expire.
CREATE TABLE host_slots (
  key TEXT NOT NULL,
  holder TEXT NOT NULL,
  slots INTEGER NOT NULL CHECK (slots >= 0),
  expires_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (key, holder)
);

-- Facts that one process finds for all, such as a robots.txt.
CREATE TABLE host_facts (
  key TEXT PRIMARY KEY,
  fact TEXT,
  expires_at DOUBLE PRECISION NOT NULL DEFAULT 0,
  finder TEXT NOT NULL,
  finder_until DOUBLE PRECISION NOT NULL
);

CREATE TABLE host_holders (
  holder TEXT PRIMARY KEY,
  expires_at DOUBLE PRECISION NOT NULL
);
