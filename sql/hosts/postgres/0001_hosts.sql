-- What a fleet shares about hosts. Moments are milliseconds since 1970 by this server's clock.

CREATE TABLE hosts (
  key TEXT PRIMARY KEY CHECK (length(key) BETWEEN 1 AND 300),
  -- When the next request would be due if all came evenly spaced.
  next_at DOUBLE PRECISION NOT NULL DEFAULT 0,
  -- What was learned of it: holds, slow-downs, failures; NULL when nothing was.
  learned JSONB,
  held_until DOUBLE PRECISION NOT NULL DEFAULT 0
);

-- Places at a host that a process has, and those that wait for one (slots = 0). A dead process's run out.
CREATE TABLE host_slots (
  key TEXT NOT NULL,
  holder TEXT NOT NULL,
  slots INTEGER NOT NULL CHECK (slots >= 0),
  expires_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (key, holder)
);

-- What one process finds out for all, such as a robots.txt.
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
