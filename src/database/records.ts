import { basename } from 'node:path';

import type { NoticeAbout, VersionLink, WorkIds, WorkRecord } from '../works/index.ts';
import { bestFirst, findVersions, groupsOf, keyOf, mergeIds, NO_IDS, versionKeys } from '../works/index.ts';
import type { KnownIdentity, ManifestRow, NamedWork } from '../download/index.ts';
import { CorpusStore } from './corpus-store.ts';
import type { DecidedNode } from '../graph/index.ts';
import type { Decision, Label, Note, SavedSet } from './decisions.ts';
import type { OwnPaper, ReadDocument, RecordLine } from './record-rows.ts';
import { joined, noticed, otherIds, readRecord, sameRecord } from './record-rows.ts';

type NoteRow = Omit<Note, 'removed'> & { readonly removed: 0 | 1 };

const LISTED_PER_LINE = 1_000;

const TRIED = "in (select work from outcomes where reason <> 'duplicate')";
/** Tried works that share a DOI or a record with another, as `id` and `of`, unless a person decided. */
const MERGED_WORKS = `select id, of from (
    select id, of from same_works where id not like 'entry:%'
    union select id, work from work_ids as one where id ${TRIED} and (id glob 'W[0-9]*' or work ${TRIED}
      or exists (select 1 from work_ids as other where other.work = one.work and other.id < one.id and other.id ${TRIED})))
  where id not in (select id from decided_works)`;

/** The records of a corpus and the decisions of people about them. Everything is logged before it takes effect. */
export class Records implements KnownIdentity, Disposable {
  readonly #store: CorpusStore;
  /** Since the last search for versions. */
  readonly #added = new Set<string>();

  constructor(store: CorpusStore) {
    this.#store = store;
  }

  static open(folder: string): Records {
    using stack = new DisposableStack();
    const store = stack.use(CorpusStore.create(folder));
    store.ingest();
    stack.move();
    return new Records(store);
  }

  lastRows(): Generator<ManifestRow> {
    return this.#parsed('select row as json from last_outcomes order by sequence');
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
  }

  get size(): number {
    return this.#store.count('records');
  }

  /** By the work's main id or any other. */
  get(id: string): WorkRecord | undefined {
    return readRecord(this.#store, id);
  }

  idOf(id: string): string {
    const same = this.#store.get<{ of: string }>('select of from same_works where id = ?', id);
    return same?.of ?? this.get(id)?.id ?? id;
  }

  ofDocument(document: string): WorkRecord | undefined {
    const own = this.#store.get<{ work: string }>('select work from own_papers where document = ?', document);
    const downloaded =
      own ?? this.#store.get<{ work: string }>('select work from works where document = ? limit 1', document);
    return this.get(downloaded?.work ?? document);
  }

  all(): Generator<WorkRecord> {
    return this.#parsed('select record as json from records order by id');
  }

  /** Entries of lists without an id. */
  entries(): Generator<WorkRecord> {
    return this.#parsed("select record as json from records where id >= 'entry:' and id < 'entry;'");
  }

  *#parsed<T>(sql: string): Generator<T> {
    for (const { json } of this.#store.iterate<{ json: string }>(sql)) yield this.#store.parse<T>(json);
  }

  /** Merges records into the known ones; logs nothing if only the time differs. */
  add(records: Iterable<WorkRecord>): void {
    const news = [...records].filter((record) => {
      const known = sameRecord(this.#store, record);
      return !known || contentOf(joined(known, record)) !== contentOf(known) || !this.get(record.id);
    });
    for (const { id } of news) this.#added.add(id);
    this.#log(news.map((record) => ({ kind: 'record', record })));
  }

  replace(records: Iterable<WorkRecord>): void {
    this.#log([...records].map((record) => ({ kind: 'whole', record })));
  }

  /** Adds notices about published works, such as retractions; skips works without a record. */
  addNotices(given: Iterable<NoticeAbout>): void {
    this.#log([...given].filter((about) => noticed(this.#store, about)).map((about) => ({ kind: 'notice', about })));
  }

  /** Files a user's paper under the work that has one of its ids, or a new one; returns the work. */
  fileOwn(paper: OwnPaper, said: readonly WorkRecord[]): string {
    const known = said.flatMap(({ ids }) => this.#byIds(ids))[0];
    const ids = said.reduce((all, record) => mergeIds(all, record.ids), NO_IDS);
    const work = ids.openalex ?? known?.id ?? keyOf(ids) ?? `paper:${paper.document}`;
    this.#added.add(work);
    this.#log([{ kind: 'paper', ...paper, work, said }]);
    return work;
  }

  /** Adds what a document and the services asked about it say, and marks the document as read. */
  fileWords({ document, stamp, work }: ReadDocument & { readonly work: string }, said: readonly WorkRecord[]): void {
    this.#added.add(work);
    this.#log([{ kind: 'words', document, stamp, work, said }]);
  }

  ownPapers(): Map<string, { readonly sha256: string; readonly checked: boolean }> {
    const rows = this.#store.all<{ document: string; sha256: string; checked: number }>('select * from own_papers');
    return new Map(rows.map(({ document, sha256, checked }) => [document, { sha256, checked: checked === 1 }]));
  }

  /** Documents whose text was used for a record, each with its stamp. */
  readDocuments(): Map<string, string> {
    return this.#store.map('select document, stamp from read_documents');
  }

  /** The newest version at arXiv, by work, as of the last check. */
  arxivVersions(): Map<string, number> {
    return this.#store.map<number>('select work, version from arxiv_versions');
  }

  noteArxivVersions(versions: Iterable<readonly [string, number]>): void {
    const known = this.arxivVersions();
    const news = [...versions].filter(([work, version]) => known.get(work) !== version);
    this.#log(news.map(([work, version]) => ({ kind: 'arxiv', work, version })));
  }

  noteRepeats(times: ReadonlyMap<string, number>): void {
    const before = this.#store.map<number>('select work, times from repeated_entries');
    const news = [...times].filter(([work, count]) => (before.get(work) ?? 0) !== count - 1);
    if (news.length > 0)
      this.#log([{ kind: 'repeats', times: news.map(([work, count]) => [work, count - 1] as const) }]);
  }

  /** How often other files name each work. */
  listedElsewhere(files: readonly string[]): Map<string, number> {
    return this.#store.map<number>(
      'select id, sum(times) from listed_in where file not in (select value from json_each(?)) group by id',
      JSON.stringify(files),
    );
  }

  /** Notes how often a file names each work or entry. */
  noteInput(file: string, named: ReadonlyMap<string, number>): void {
    const name = basename(file);
    const before = this.#store.map<number>('select id, times from listed_in where file = ?', name);
    if (before.size === named.size && [...named].every(([id, times]) => before.get(id) === times)) return;
    const all = [...named];
    const lines: RecordLine[] = [];
    for (let at = 0; at === 0 || at < all.length; at += LISTED_PER_LINE)
      lines.push({ kind: 'input', file: name, works: all.slice(at, at + LISTED_PER_LINE), from: at });
    this.#log(lines);
  }

  get hasOwnPapers(): boolean {
    return this.#store.count('own_papers') > 0;
  }

  /** By document, the id of its work's record. */
  documents(): Map<string, string> {
    return this.#store.map(
      `select document, work from works where document <> '' union all
       select document, coalesce((select id from records where id = own_papers.work),
         (select min(work) from work_ids where id = own_papers.work), work) as work from own_papers`,
    );
  }

  labels(): Map<string, Label> {
    return this.#store.map<Label>("select work, label from works where label <> ''");
  }

  /** Logs decisions of reviewers about works and about the protocol; logs each decision only once. */
  screen(decisions: readonly (Decision & { readonly kind: 'screened' | 'undone' | 'protocol' | 'sample' })[]): void {
    const isKnown = (id: string): boolean => this.#store.get('select 1 from screened where id = ?', id) !== undefined;
    this.#decide(decisions.filter((each) => each.kind !== 'screened' || !isKnown(each.id)));
  }

  /** Finds versions of one work and returns the new links; undone merges stay undone. */
  linkVersions(at: string): VersionLink[] {
    return this.#link(this.all(), at);
  }

  /** Like `linkVersions`, for records added since the last call and their candidates. */
  linkNewVersions(at: string): void {
    const near = new Set<string>();
    for (const record of [...this.#added].flatMap((id) => this.get(id) ?? []))
      for (const key of versionKeys(record))
        for (const { work } of this.#store.all<{ work: string }>('select work from version_keys where key = ?', key))
          near.add(work);
    this.#added.clear();
    this.#link(
      [...near].flatMap((id) => this.get(id) ?? []),
      at,
    );
  }

  #link(records: Iterable<WorkRecord>, at: string): VersionLink[] {
    const known = new Set(this.versions().map(({ work, of }) => `${work} ${of}`));
    const added = findVersions(records).filter(({ work, of }) => !known.has(`${work} ${of}`));
    if (!this.#store.isReadOnly) this.#decide(added.map((link) => ({ kind: 'version', ...link, at })));
    return added;
  }

  /** Includes undone merges. */
  versions(): (VersionLink & { readonly at: string; readonly undone: boolean })[] {
    const rows = this.#store.all<VersionLink & { at: string; undone: 0 | 1 }>(
      'select * from versions order by of, work',
    );
    return rows.map((row) => ({ ...row, undone: row.undone === 1 }));
  }

  /** Splits a work from its other versions, or merges them again; returns how many merges changed. */
  setApart(work: string, undone: boolean, at: string): number {
    const merges = this.versions().filter((each) => each.undone !== undone && (each.work === work || each.of === work));
    if (merges.length > 0) this.#decide([{ kind: undone ? 'split' : 'merge', work, of: null, at }]);
    return merges.length;
  }

  /** Merged duplicates, and people's decisions about them. */
  identities(): { readonly work: string; readonly of: string; readonly apart: boolean }[] {
    const rows = this.#store.all<{ work: string; of: string; apart: 0 | 1 }>(
      `select id as work, of, 0 as apart from (${MERGED_WORKS})
       union all select id, of, apart from decided_works order by of, work`,
    );
    return rows.map((row) => ({ ...row, apart: row.apart === 1 }));
  }

  /** What people decided about nodes of the graph. */
  decidedNodes(): readonly DecidedNode[] {
    return this.#store.all<DecidedNode>('select node, of, name, at from decided_nodes order by node, of, name');
  }

  /** Merges a node into another one, or undoes it. */
  setSameNode(node: string, of: string, same: boolean, at: string): void {
    this.#decide([{ kind: 'same-node', node, of, same, at }]);
  }

  /** Splits what papers print as `name` off a node, or undoes it. */
  setOtherNode(node: string, name: string, other: boolean, at: string): void {
    this.#decide([{ kind: 'other-node', node, name, other, at }]);
  }

  /** Splits a work from its duplicates, or merges them again; returns how many works changed. */
  setSame(name: string, same: boolean, at: string): number {
    const found = this.identities().filter(
      ({ work, of, apart }) => apart === same && (work === name || of === name || this.get(of)?.id === name),
    );
    this.#decide(found.map(({ work, of }) => ({ kind: 'identity', work, of, same, at })));
    return found.length;
  }

  /** How many times in a row a work was deferred before this run. */
  deferrals(work: string, run: string): number {
    return this.#store.number(
      `select count(*) from outcomes where work = ?1 and outcome = 'parked' and run <> ?2 and sequence >
         (select coalesce(max(sequence), 0) from outcomes where work = ?1 and outcome <> 'parked')`,
      work,
      run,
    );
  }

  savedKind(work: string): ManifestRow['kind'] {
    const sql = "select kind from outcomes where work = ? and outcome = 'saved' order by sequence desc limit 1";
    return this.#store.get<Pick<ManifestRow, 'kind'>>(sql, work)?.kind ?? null;
  }

  isApart(work: string): boolean {
    return this.#store.get('select 1 from decided_works where id = ? and apart = 1', work) !== undefined;
  }

  untriedApart(): number {
    return this.#store.count('decided_works join same_works using (id) where apart = 1');
  }

  savedWith(sha256: string): NamedWork | undefined {
    const row = this.#store.get<{ work: string; doi: string | null; title: string | null; record: string | null }>(
      `select outcomes.work, works.doi, works.title, records.record from outcomes
         join works on works.sequence = outcomes.sequence left join records on records.id = works.work
       where outcomes.sha256 = ? and outcomes.outcome = 'saved' order by outcomes.sequence limit 1`,
      sha256,
    );
    if (!row) return undefined;
    const { doi, title, record } = row;
    return {
      id: row.work,
      title,
      ids: record === null ? { ...NO_IDS, doi } : this.#store.parse<WorkRecord>(record).ids,
    };
  }

  /** The versions of each work with more than one, best version first. */
  versionGroups(): WorkRecord[][] {
    const withFile = new Set(this.#store.column("select work from works where outcome in ('saved', 'local')"));
    return groupsOf(this.versions().filter(({ undone }) => !undone)).map((ids) =>
      bestFirst(
        ids.flatMap((id) => this.get(id) ?? []),
        (id) => withFile.has(id),
      ),
    );
  }

  sets(): SavedSet[] {
    const rows = this.#store.all<{ name: string; works: string | null; filter: string | null; at: string }>(
      'select * from sets order by name',
    );
    return rows.map(({ works, ...row }) => ({
      ...row,
      works: works === null ? null : this.#store.parse<string[]>(works),
    }));
  }

  /** Saves a set of works under a name; deletes it if it has neither works nor a filter. */
  saveSet(set: Omit<SavedSet, 'at'>, at: string): void {
    this.#decide([{ kind: 'set', ...set, at }]);
  }

  corrections(): Map<string, Map<string, string>> {
    const rows = this.#store.all<{ work: string; column: string; value: string }>(
      'select work, column_name as column, value from cells order by work, column_name',
    );
    const found = new Map<string, Map<string, string>>();
    for (const { work, column, value } of rows)
      found.set(work, (found.get(work) ?? new Map<string, string>()).set(column, value));
    return found;
  }

  /** Null restores the extracted value. */
  correct(cell: { readonly work: string; readonly column: string; readonly value: string | null }, at: string): void {
    this.#decide([{ kind: 'cell', ...cell, at }]);
  }

  note(id: string): Note | undefined {
    return this.#store.all<NoteRow>('select * from notes where id = ?', id).map((row) => this.#noteOf(row))[0];
  }

  /** Oldest first; those that were removed only if asked for. */
  notes({ withRemoved = false } = {}): Note[] {
    const rows = this.#store.all<NoteRow>(
      'select * from notes where removed = 0 or ? order by at, id',
      withRemoved ? 1 : 0,
    );
    return rows.map((row) => this.#noteOf(row));
  }

  /** Under the id that its work has now. */
  #noteOf({ removed, ...row }: NoteRow): Note {
    return { ...row, work: this.idOf(row.work), removed: removed === 1 };
  }

  keepNote(note: Note): void {
    this.#decide([{ kind: 'note', ...note }]);
  }

  #byIds(ids: WorkIds): WorkRecord[] {
    return [ids.openalex ?? [], otherIds(ids)].flat().flatMap((name) => this.get(name) ?? []);
  }

  #log(lines: readonly RecordLine[]): void {
    this.#store.append('records', lines);
  }

  #decide(decisions: readonly Decision[]): void {
    this.#store.append('decisions', decisions);
  }
}

/** The content of a record without the times of its sources. */
function contentOf(record: WorkRecord): string {
  return JSON.stringify({ ...record, sources: record.sources.map(({ from, fields }) => ({ from, fields })) });
}

/** The fields of a work's last row that decide whether it is tried again. */
export type LastRow = Pick<ManifestRow, 'outcome' | 'reason' | 'path' | 'bytes' | 'at'>;

export function lastOutcome(store: CorpusStore, work: string): LastRow | undefined {
  return store.get<LastRow>(
    'select outcome, reason, path, bytes, at from outcomes where work = ? order by sequence desc limit 1',
    work,
  );
}

/** Whether a row of the work, at least this new, was ingested. */
export function hasOutcome(store: CorpusStore, { work, at }: Pick<ManifestRow, 'work' | 'at'>): boolean {
  return store.get('select 1 from outcomes where work = ? and at >= ?', work, at) !== undefined;
}

/** The file of a work, by its last row. */
export interface SavedRow extends Pick<ManifestRow, 'work' | 'kind' | 'path' | 'bytes'> {
  /** The position of the row among all of the manifest. */
  readonly sequence: number;
}

/** The files of works whose last row came after a position, oldest first. */
export function savedOutcomes(store: CorpusStore, after: number, limit: number): readonly SavedRow[] {
  return store.all<SavedRow>(
    `select sequence, work, kind, path, bytes from outcomes where sequence > ? and outcome = 'saved'
       and not exists (select 1 from outcomes later where later.work = outcomes.work and later.sequence > outcomes.sequence)
     order by sequence limit ?`,
    after,
    limit,
  );
}

/** Every row of the manifest, as text and parsed; `isLast` marks a work's last row. */
export function* manifestRows(
  store: CorpusStore,
): Generator<{ readonly line: string; readonly row: ManifestRow; readonly isLast: boolean }> {
  const rows = store.iterate<{ row: string; isLast: 0 | 1 }>(
    `select row, sequence in (select max(sequence) from outcomes group by work) as isLast from outcomes order by sequence`,
  );
  for (const { row, isLast } of rows) yield { line: row, row: store.parse<ManifestRow>(row), isLast: isLast === 1 };
}
