import { join } from 'node:path';

import type { Clock, Timer } from '../../base/index.ts';
import { errorInfo, lettersOf, removeDeadParts } from '../../base/index.ts';
import type { ManifestRow, ResultSink, WorkOutcome } from '../../download/index.ts';
import { manifestRow, unattemptedResult } from '../../download/index.ts';
import type { LastRow, Records, SavedRow } from '../../database/index.ts';
import { CorpusStore, hasOutcome, lastOutcome, savedOutcomes } from '../../database/index.ts';
import type { Journal, LogEntry } from '../../journal/index.ts';
import { FolderJournal, LogFolder, manifestNames, refuseFleetFolder } from '../../journal/index.ts';
import type { Work, WorkRecord } from '../../works/index.ts';
import { namedWork, NO_IDS } from '../../works/index.ts';
import type { UnreadableEntry } from '../list/search-titles.ts';
import { entryName } from '../list/search-titles.ts';
import { writeReports } from './manifest-reports.ts';

/** Rows per ingest, and the longest a row waits for it: a commit per row would cost more than everything else. */
const INGEST_ROWS = 100;
const INGEST_MS = 250;

export interface ManifestOptions {
  readonly folder: string;
  readonly runId: string;
  readonly clock: Clock;
  readonly warn?: (message: string) => void;
  readonly store?: CorpusStore;
  /** Takes the rows; by default the files of the folder. */
  readonly journal?: Journal;
}

/**
 * `manifest.jsonl` is the truth: `corpus.sqlite` and the reports are derived. What logs have lost, and the database
 * still has, is written again when it is opened.
 */
export class ManifestFolder implements ResultSink, AsyncDisposable {
  readonly #options: ManifestOptions;
  readonly #journal: Journal;
  readonly #store: CorpusStore;
  /** Rows in the manifest that are not yet in the database, by work. */
  readonly #recent = new Map<string, LastRow>();
  readonly #listeners = new Set<() => void>();
  #pending = 0;
  #ingestDue: Timer | undefined;

  private constructor(options: ManifestOptions, journal: Journal, store: CorpusStore) {
    this.#options = options;
    this.#journal = journal;
    this.#store = store;
  }

  static async open(options: ManifestOptions): Promise<ManifestFolder> {
    const { folder, clock, warn } = options;
    const store = options.store ?? CorpusStore.create(folder, { warn });
    try {
      removeDeadParts(folder, 'manifest.');
      const journal = options.journal ?? new FolderJournal(new LogFolder(folder), { clock });
      if (journal.isReadOnly) refuseFleetFolder(folder);
      // Before the first append, so that a lost manifest does not begin anew.
      store.mendLogs();
      store.ingest();
      return new ManifestFolder(options, journal, store);
    } catch (error) {
      if (!options.store) store[Symbol.dispose]();
      throw error;
    }
  }

  async write(row: ManifestRow): Promise<void> {
    await this.#journal.append([manifestEntry(row)]);
    this.note(row);
  }

  /** Takes over a row that is in the journal. */
  note(row: ManifestRow): void {
    this.#recent.set(row.work, row);
    this.#pending += 1;
    if (this.#pending >= INGEST_ROWS) this.#ingestNow();
    else this.#ingestDue ??= this.#options.clock.setTimer(INGEST_MS, () => this.#ingestNow());
  }

  last(work: string): LastRow | undefined {
    return this.#recent.get(work) ?? lastOutcome(this.#store, work);
  }

  /** Files in the database whose rows came after a position, oldest first. */
  savedAfter(sequence: number, limit: number): readonly SavedRow[] {
    return savedOutcomes(this.#store, sequence, limit);
  }

  /** Calls back after each ingest: there may be new rows in the database. */
  onIngest(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async report(): Promise<void> {
    this.flush();
    const { folder, clock, runId } = this.#options;
    await writeReports(folder, this.#store, { now: clock.now(), runId });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.report();
    } finally {
      this.#ingestDue?.[Symbol.dispose]();
      if (!this.#options.journal) await this.#journal[Symbol.asyncDispose]();
      if (!this.#options.store) this.#store[Symbol.dispose]();
    }
  }

  /** The manifest is the truth: a database that cannot be written now is retried later. */
  #ingestNow(): void {
    try {
      this.flush();
    } catch (error) {
      this.#options.warn?.(`corpus.sqlite cannot be written now: ${errorInfo(error).message}`);
    }
  }

  flush(): void {
    this.#ingestDue?.[Symbol.dispose]();
    this.#ingestDue = undefined;
    this.#store.ingest();
    this.#pending = 0;
    for (const listener of this.#listeners) listener();
    // A row of a fleet is ingested after it has come back from the server.
    for (const [work, row] of this.#recent)
      if (hasOutcome(this.#store, { work, at: row.at })) this.#recent.delete(work);
  }
}

/** Oldest first. */
export function manifestsIn(folder: string): string[] {
  return manifestNames(folder).map((name) => join(folder, name));
}

/** A row as a line of the journal. */
export function manifestEntry(row: ManifestRow): LogEntry {
  return { log: 'manifest', lines: [JSON.stringify(row)] };
}

/** Writes manifest rows for list entries without a known work, so that every entry is accounted for. */
export function entryRows(
  manifest: ManifestFolder,
  records: Pick<Records, 'add' | 'entries' | 'idOf'>,
  runId: string,
  clock: Clock,
) {
  let names: ReturnType<typeof entryNames> | undefined;
  const idOf = (name: string, record: WorkRecord): string => (names ??= entryNames(records))(record, `entry:${name}`);
  const write = async (
    id: string,
    outcome: Extract<WorkOutcome, { kind: 'skipped' | 'failed' }>,
    title: string | null = null,
  ): Promise<void> => {
    const at = clock.now();
    await manifest.write(manifestRow(unattemptedResult(namedWork(id, NO_IDS, { title }), outcome, at, at), runId));
  };
  return {
    /** Returns the name of the entry; its row is written again only if the reason changes. */
    async unreadable(entry: UnreadableEntry): Promise<string> {
      const { word, line, reason, record } = entry;
      const id = record ? idOf(entryName(entry), record) : `entry:${entryName(entry)}`;
      if (record) records.add([{ ...record, id }]);
      if (manifest.last(id)?.reason === word) return id;
      // A retry helps only if a service was down.
      const kind = word === 'lookup-failed' ? 'failed' : 'skipped';
      await write(id, { kind, reason: word, detail: `line ${line}: ${reason}` }, record?.title ?? null);
      return id;
    },

    async identified(name: string, work: Work, record: WorkRecord): Promise<void> {
      const id = idOf(name, record);
      if (records.idOf(id) === work.id) return;
      // By this record the entry is recognised in other lists.
      records.add([{ ...record, id }]);
      const outcome = { kind: 'skipped', reason: 'entry-identified', detail: `it is ${work.id}` } as const;
      await write(id, { ...outcome, duplicateOf: work.id }, record.title);
    },
  };
}

/** An entry that is listed again keeps its name, though file names repeat and the lines of a list change. */
export function entryNames(records: Pick<Records, 'entries'>): (record: WorkRecord, preferred: string) => string {
  const contentOf = ({ title, date, authors: [first] }: WorkRecord): string =>
    [lettersOf(title ?? ''), date?.slice(0, 4), lettersOf(first?.family ?? first?.name ?? '')].join(' ');
  const earlier = [...records.entries()];
  const names = new Map(earlier.map((record) => [contentOf(record), record.id]));
  const taken = new Set(earlier.map(({ id }) => id));
  return (record, preferred) => {
    const content = contentOf(record);
    const known = names.get(content);
    if (known !== undefined) return known;
    let name = preferred;
    for (let number = 2; taken.has(name); number += 1) name = `${preferred}-${number}`;
    names.set(content, name);
    taken.add(name);
    return name;
  };
}
