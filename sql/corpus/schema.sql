-- corpus.sqlite: what is known of a corpus, derived from the logs and files of its folder.
--
--   file                                  holds                              tables
--   manifest.jsonl, manifest.NNNN.jsonl   outcome and attempts of each work  outcomes, same_works
--   records.jsonl                         what services and papers say       records, work_ids, version_keys, own_papers,
--                                                                            read_documents, arxiv_versions, listed_in,
--                                                                            repeated_entries, catalogue_answers
--   decisions.jsonl                       decisions, mostly by people        screened, protocols, samples, labels, versions,
--                                                                            decided_works, sets, cells, notes
--   objects.jsonl                         files in a store                   objects
--   Data/Manifests/docparse.{doctags,chunk,embed}.manifest.jsonl             document_steps
--   hosts.jsonl                           requests per host over time        hosts, host_slices
--   manifest, records and decisions       derived from their tables          works, works_tally, words
--   Data/GraphFacts, Data/GraphClaims, records, by `graph build`             graph_sources, statements, evidence, printed,
--                                                                            printed_keys, work_keys, open_references,
--                                                                            nodes, edges, graph_update
--   chunks and vectors in Data/           Index/segment-*.bin                index_about, segments, indexed_documents
--
-- Logs and downloaded files are the truth. You can delete this file: the next command reads the logs again, the next search
-- or run builds the index, the next graph command fills the graph from the facts in Data/; `docstokg reindex` does all of
-- this at once. Every transaction of `ingest` reads some lines and moves the log's
-- cursor, so a killed process leaves a database that is behind, never one that is wrong. A database of an older schema
-- version (user_version) is built again, never migrated; one of a newer version is refused, and so is a file without our
-- application_id.
--
-- Times are ISO 8601. A work is named by its best id: `W…`, `doi:…`, `pmid:…`, `pmcid:…`, `arxiv:…`, or another; the user's
-- own papers without an id by `paper:DOCUMENT`, entries of lists that cannot be read by `entry:FILE#LINE`.

-- How far each log was read. `head` and `tail` are hashes of the first and last bytes of what was read. A log only grows: if
-- it is missing, shorter or different, its rows stay, and the next command that writes to it, a run or `reindex` writes the
-- file again from `log_pieces`. `bad_lines` are whole lines that cannot be read; half a line at the end is left for its writer.
--
-- These two tables are the same in every version, so that a newer one can take over the logs.
create table logs (
  name text primary key,
  bytes integer not null check (bytes >= 0),
  head_bytes integer not null,
  head text not null,
  tail text not null,
  bad_lines integer not null default 0
) without rowid;

-- The bytes of each log up to its cursor, as they were read, compressed with zstd. `start` is the first byte.
create table log_pieces (log text not null, start integer not null, content blob not null, primary key (log, start));

-- One row per line of the manifest. `last_outcomes` has the last row of each id that was tried. `works` takes these rows,
-- without duplicates: among the ids of a work a saved one wins, else the latest.
create table outcomes (
  sequence integer primary key,
  work text not null,
  run text not null,
  at text not null,
  outcome text not null, -- saved, skipped, failed, parked
  reason text not null,
  resolver text,
  path text,
  kind text,
  sha256 text,
  bytes integer,
  title text,
  doi text,
  licence text,
  version text,
  row text not null, -- the line itself, with every attempt
  unique (work, at, run)
);
create index outcomes_by_sha256 on outcomes (sha256) where outcome = 'saved';
create view last_outcomes as
  select * from outcomes where sequence in (select max(sequence) from outcomes group by work);

-- The bibliographic record of a work as JSON, merged from what services, lists and papers say.
create table records (id text primary key, record text not null);

-- All ids of a record. A work may be tried under any of them.
create table work_ids (id text not null, work text not null references records, primary key (id, work)) without rowid;
create index ids_by_work on work_ids (work);

-- What records share with those that may be versions of the same work: a DOI without its version, an id, a title.
create table version_keys (key text not null, work text not null references records, primary key (key, work)) without rowid;
create index version_keys_by_work on version_keys (work);

-- The user's own papers, each with its work, and whether services were asked about it.
create table own_papers (
  document text primary key,
  work text not null,
  sha256 text not null,
  checked integer not null check (checked in (0, 1))
) without rowid;
create index own_papers_by_work on own_papers (work);

-- Documents whose title, authors and ids are in the record of their work, with the time and size of the parsed file.
create table read_documents (document text primary key, stamp text not null) without rowid;

-- The newest version at arXiv when it was last asked, of works that were downloaded from there.
create table arxiv_versions (work text primary key, version integer not null) without rowid;

-- Which works the input files name, by the ids that they have there, and how often; entries without a work by their names.
create table listed_in (
  file text not null,
  id text not null,
  work text not null,
  times integer not null check (times > 0),
  primary key (file, id)
) without rowid;
create index listed_in_by_id on listed_in (id);

-- How often the lists of a run named a work again.
create table repeated_entries (work text primary key, times integer not null check (times > 0)) without rowid;

-- Ids that turned out to name the same work as another one (`duplicate_of` in the manifest), unless a person decided otherwise.
create table same_works (id text primary key, of text not null) without rowid;
create index same_works_by_of on same_works (of);

-- People's decisions: `id` is the same work as `of`, or, with `apart`, a different one.
create table decided_works (
  id text primary key,
  of text not null,
  apart integer not null check (apart in (0, 1))
) without rowid;
create index decided_works_by_of on decided_works (of);

-- People's decisions about nodes of the graph: `node` is the same as `of`; or, with `name`, what papers print like this is not
-- `node` but a node of its own.
create table decided_nodes (
  node text not null,
  of text not null default '',
  name text not null default '',
  at text not null,
  primary key (node, of, name),
  check ((of = '') <> (name = ''))
) without rowid;

-- Decisions of reviewers; `undone` if taken back.
create table screened (
  sequence integer primary key,
  id text not null unique,
  work text not null,
  phase text not null check (phase in ('title-abstract', 'full-text')),
  decision text not null check (decision in ('include', 'exclude', 'maybe')),
  by text not null,
  at text not null,
  reason text,
  note text,
  criteria integer not null, -- the version of the protocol
  rank integer,
  undone integer not null default 0 check (undone in (0, 1))
);
create index screened_by_work on screened (work);

-- How the review is done; the last version counts. `reasons` and `highlight` are JSON arrays.
create table protocols (
  version integer primary key,
  reviewers integer not null check (reviewers > 0),
  question text not null,
  criteria text not null,
  reasons text not null,
  highlight text not null
);

-- Random samples of the works without a decision; `after` is the last decision before. The last sample counts.
create table samples (sequence integer primary key, seed text not null, after integer not null);

-- The screening result of each work and its phase, derived from `screened` and the number of reviewers in `protocols`.
create table labels (
  work text primary key,
  label text not null check (label in ('included', 'excluded')),
  phase text not null,
  reason text
);

-- Versions of one work, found at the end of a run and before an export, or set by people; `undone` if a person separated them.
create table versions (
  work text not null,
  of text not null,
  reason text not null,
  score real not null,
  at text not null,
  undone integer not null default 0 check (undone in (0, 1)),
  primary key (work, of)
) without rowid;
create index versions_by_of on versions (of);

-- Saved choices of works: a list of ids as JSON, or a filter that is applied when the set is used.
create table sets (
  name text primary key,
  works text,
  filter text,
  at text not null,
  check ((works is null) <> (filter is null))
) without rowid;

-- Cells of tables that people corrected; '' where there is no value.
create table cells (
  work text not null,
  column_name text not null,
  value text not null,
  primary key (work, column_name)
) without rowid;

-- What people wrote beside papers, and sentences that they marked; the last line of a note counts. `removed` ones can be restored.
create table notes (
  id text primary key,
  work text not null,
  document text,
  page integer,
  quote text,
  text text not null,
  by text not null,
  at text not null,
  removed integer not null check (removed in (0, 1))
) without rowid;
create index notes_by_document on notes (document);

-- With a store, which object has the bytes of a file; the paths of downloads and outputs of the stages, with slashes. The
-- last line of a path counts. An object that no row refers to is an orphan.
create table objects (path text primary key, sha256 text not null, bytes integer not null) without rowid;
create index objects_by_sha256 on objects (sha256);

-- The last outcome of each step of a document: parsed, chunked, embedded.
create table document_steps (
  document text not null,
  step text not null,
  sequence integer not null default 0, -- which outcome of this step it is, of all documents; 0: not logged, found done
  at text not null default '',
  ended text not null, -- success, failure, needs-ocr (a scan without text)
  partial integer not null default 0 check (partial in (0, 1)), -- parsed, but some of its pages or words are missing
  seconds real, -- null: found done
  category text, -- these three say why it failed
  code text,
  failure text,
  primary key (document, step)
) without rowid;
create index document_steps_by_sequence on document_steps (step, sequence);
create index document_steps_by_end on document_steps (step, ended);

-- Requests at a host in one slice of time: a line of hosts.jsonl.
create table host_slices (
  row integer primary key,
  host text not null,
  at text not null,
  ms integer not null default 0,
  sent integer not null default 0,
  refused integer not null default 0, -- 429 and 503
  failed integer not null default 0, -- other server errors, and no response
  bytes integer not null default 0,
  waited_ms integer not null default 0,
  most integer not null default 0, -- in flight
  cap integer not null default 0,
  asked_until text, -- rate-limited
  held_until text -- suspended because it failed repeatedly
);
create index host_slices_with_holds on host_slices (host, row) where asked_until is not null or held_until is not null;

-- The sums of the slices of a host, its last limit and its last hold.
create table hosts (
  host text primary key,
  requests integer not null,
  refused integer not null,
  failed integer not null,
  cap integer not null,
  last_at text not null,
  held_until text,
  held_why text check (held_why in ('rate-limited', 'host-held'))
) without rowid;

-- One row per work, from its record, its last outcome and its file, under whichever of its ids it was tried: `work` may become
-- `W…` once OpenAlex knows it, while `tried`, `document` and the file keep the id it was tried under. A work given by id has
-- no row until a service answers or its outcome is written. Unknown
-- values are '' or 0 in columns that lists are sorted or filtered by, so that paging can resume after any value.
create table works (
  row integer primary key,
  work text not null unique,
  tried text, -- the id under which the manifest has it; null before it was tried
  sequence integer not null default 0,
  at text not null default '',
  -- saved; local: a paper of the user's; parked: tried again later; failed: may be tried again; skipped: unavailable;
  -- waiting: has a record, not tried yet; unreadable: an entry of a list that names no work
  outcome text not null default 'waiting',
  reason text not null default '',
  resolver text,
  bytes integer,
  document text not null default '', -- the document that holds it, once there is a file
  name text not null, -- what its document is or would be called
  title text,
  authors text,
  year integer not null default 0,
  venue text,
  type text not null default '',
  doi text,
  licence text not null default '',
  version text not null default '',
  citations integer not null default -1,
  retracted integer not null default 0,
  label text not null default '', -- what screening decided: included or excluded
  other_version integer not null default 0, -- 1: another version of the work is better and is a row too
  sort_title text not null default '',
  sort_venue text not null default ''
);
create index works_by_title on works (sort_title, work);
create index works_by_year on works (year, work);
create index works_by_venue on works (sort_venue, work);
create index works_by_outcome on works (outcome, work);
create index works_by_reason on works (reason, work);
create index works_by_licence on works (licence, work);
create index works_by_at on works (at, work);
create index works_by_citations on works (citations, work);
create index works_by_document on works (document) where document <> '';
create index works_by_name on works (name);
create index works_by_sequence on works (sequence) where sequence > 0;
create index works_by_tried on works (tried) where tried is not null;
create virtual table words using fts5 (
  body, content = '', contentless_delete = 1, detail = none, tokenize = "unicode61 remove_diacritics 2"
);

-- How many works there are of each combination of facets: lists and accounts count these instead of all works.
create table works_tally (
  outcome not null, reason not null, licence not null, version not null, type not null, year not null, label not null,
  other_version not null,
  rows integer not null,
  primary key (outcome, reason, licence, version, type, year, label, other_version)
) without rowid;
create trigger works_counted after insert on works begin
  insert into works_tally values (new.outcome, new.reason, new.licence, new.version, new.type, new.year, new.label, new.other_version, 1)
    on conflict do update set rows = rows + 1;
end;
create trigger works_counted_again after update on works
  when (old.outcome, old.reason, old.licence, old.version, old.type, old.year, old.label, old.other_version)
    is not (new.outcome, new.reason, new.licence, new.version, new.type, new.year, new.label, new.other_version)
begin
  update works_tally set rows = rows - 1 where (outcome, reason, licence, version, type, year, label, other_version)
    = (old.outcome, old.reason, old.licence, old.version, old.type, old.year, old.label, old.other_version);
  delete from works_tally where rows = 0;
  insert into works_tally values (new.outcome, new.reason, new.licence, new.version, new.type, new.year, new.label, new.other_version, 1)
    on conflict do update set rows = rows + 1;
end;
create trigger works_counted_no_more after delete on works begin
  update works_tally set rows = rows - 1 where (outcome, reason, licence, version, type, year, label, other_version)
    = (old.outcome, old.reason, old.licence, old.version, old.type, old.year, old.label, old.other_version);
  delete from works_tally where rows = 0;
end;

-- The knowledge graph, from `Data/GraphFacts`, `Data/GraphClaims`, records, and what catalogues answered about references.
-- A statement has an owner, the document or record that makes it, so that a document can be removed again; nodes and edges
-- are derived from statements and evidence. `part` is '' for what a document itself says, else the reference whose link
-- added the row. `content` is a hash of what the owner says: an owner whose hash has not changed is not written again.
create table graph_sources (
  owner text primary key, -- a document, or `record:` and the id of a record
  content text not null,
  work text not null, -- the node of its work
  file_sha256 text
) without rowid;

-- A row while the graph is being updated. It stays after a kill: the graph then lacks sources until the next `graph build`.
create table graph_update (started_at text not null);

-- What each owner says about a node; the lowest rank is used.
create table statements (
  owner text not null,
  part text not null,
  node text not null,
  rank integer not null check (rank between 0 and 9),
  id text not null,
  kind text not null,
  label text not null,
  year integer,
  data text not null,
  primary key (owner, part, node)
) without rowid;
create index statements_by_node on statements (node, rank);

create table evidence (
  owner text not null,
  part text not null,
  number integer not null,
  source text not null,
  kind text not null,
  target text not null,
  method text not null,
  version integer not null,
  score real not null check (score >= 0 and score <= 1),
  file_sha256 text,
  block integer,
  start_at integer,
  end_at integer,
  quote text,
  page integer,
  boxes text,
  origin text,
  read_at text,
  detail text not null,
  primary key (owner, part, number),
  -- A position in a text with its words, or a source of metadata; never neither.
  check ((quote is not null and block is not null and end_at > start_at) or (origin is not null and quote is null))
) without rowid;
create index evidence_by_edge on evidence (source, kind, target);

-- References without an identifier, and the keys that they may share with works. Open ones wait to be linked.
create table printed (
  owner text not null,
  part text not null,
  work text not null,
  text text not null,
  place text not null,
  primary key (owner, part)
) without rowid;
create table printed_keys (
  key text not null,
  owner text not null,
  part text not null,
  primary key (key, owner, part)
) without rowid;
create index printed_keys_by_owner on printed_keys (owner, part);
create table work_keys (key text not null, node text not null, primary key (key, node)) without rowid;
create index work_keys_by_node on work_keys (node);
create table open_references (owner text not null, part text not null, primary key (owner, part)) without rowid;

-- Nodes and edges, from statements and evidence alone. `node` is a hash of `id`.
create table nodes (
  node text primary key,
  id text not null unique,
  kind text not null,
  label text not null,
  year integer,
  data text not null
) without rowid;
create index nodes_by_kind on nodes (kind, node);
create table edges (
  source text not null,
  kind text not null,
  target text not null,
  evidence integer not null check (evidence > 0),
  primary key (source, kind, target)
) without rowid;
create index edges_by_target on edges (target, kind, source);

-- What catalogues answered about printed references and cited ids (lines of kind `answer` in records.jsonl).
create table catalogue_answers (
  question text primary key,
  origin text not null,
  read_at text not null,
  answer text not null
) without rowid;

-- The search index: which segments are valid and what they hold. The words, vectors and texts of a segment are in the file
-- `Index/segment-NAME.bin`; a file without a row is removed, and passages that belong to no document are
-- deleted. `index_about` has how texts were analysed and the model of the vectors.
create table index_about (name text primary key, value text not null) without rowid;
create table segments (
  name text primary key,
  passages integer not null,
  length integer not null, -- words of all passages
  stamp text not null, -- size and time of the file when its bytes were last compared with the hash
  sha256 text not null
) without rowid;
create table indexed_documents (
  id text primary key,
  segment text not null,
  first integer not null, -- its first passage in the segment
  count integer not null,
  stamp text not null, -- sizes and times of the files that the passages came from
  text_hash text not null
) without rowid;
create index indexed_documents_by_segment on indexed_documents (segment, first);
create index indexed_documents_by_text on indexed_documents (text_hash);
