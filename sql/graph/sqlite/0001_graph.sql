-- Everything is stored under its owner, the document that says it, so that a document can be taken out again.
-- `part` tells what a document itself says ('') from what linking one of its references adds.
CREATE TABLE documents (
  owner TEXT NOT NULL PRIMARY KEY,
  content TEXT NOT NULL,
  work TEXT NOT NULL,
  file_sha256 TEXT
) WITHOUT ROWID;

-- What each document says about a node; the lowest rank is believed.
CREATE TABLE said (
  owner TEXT NOT NULL,
  part TEXT NOT NULL,
  node TEXT NOT NULL,
  rank INTEGER NOT NULL CHECK (rank BETWEEN 0 AND 9),
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  label TEXT NOT NULL,
  year INTEGER,
  data TEXT NOT NULL,
  PRIMARY KEY (owner, part, node)
) WITHOUT ROWID;
CREATE INDEX said_node ON said (node);

CREATE TABLE evidence (
  owner TEXT NOT NULL,
  part TEXT NOT NULL,
  number INTEGER NOT NULL,
  source TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  method TEXT NOT NULL,
  version INTEGER NOT NULL,
  score REAL NOT NULL CHECK (score >= 0 AND score <= 1),
  file_sha256 TEXT,
  block INTEGER,
  start_at INTEGER,
  end_at INTEGER,
  quote TEXT,
  page INTEGER,
  boxes TEXT,
  origin TEXT,
  read_at TEXT,
  detail TEXT NOT NULL,
  PRIMARY KEY (owner, part, number),
  -- A place in a text with its words, or a source of metadata; never neither.
  CHECK ((quote IS NOT NULL AND block IS NOT NULL AND end_at > start_at) OR (origin IS NOT NULL AND quote IS NULL))
) WITHOUT ROWID;
CREATE INDEX evidence_edge ON evidence (source, kind, target);

-- References of documents that no identifier resolves, and the names under which works and references meet.
CREATE TABLE printed (
  owner TEXT NOT NULL,
  part TEXT NOT NULL,
  node TEXT NOT NULL,
  work TEXT NOT NULL,
  text TEXT NOT NULL,
  place TEXT NOT NULL,
  PRIMARY KEY (owner, part)
) WITHOUT ROWID;
CREATE TABLE printed_keys (
  key TEXT NOT NULL,
  owner TEXT NOT NULL,
  part TEXT NOT NULL,
  PRIMARY KEY (key, owner, part)
) WITHOUT ROWID;
CREATE INDEX printed_keys_owner ON printed_keys (owner, part);
CREATE TABLE work_keys (
  key TEXT NOT NULL,
  node TEXT NOT NULL,
  PRIMARY KEY (key, node)
) WITHOUT ROWID;
CREATE INDEX work_keys_node ON work_keys (node);

-- What is asked: made from the tables above and nothing else.
CREATE TABLE nodes (
  node TEXT NOT NULL PRIMARY KEY,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  label TEXT NOT NULL,
  year INTEGER,
  data TEXT NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX nodes_id ON nodes (id);
CREATE INDEX nodes_kind ON nodes (kind, node);
CREATE TABLE edges (
  source TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  evidence INTEGER NOT NULL CHECK (evidence > 0),
  PRIMARY KEY (source, kind, target)
) WITHOUT ROWID;
CREATE INDEX edges_back ON edges (target, kind, source);
