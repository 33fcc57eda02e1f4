import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import type { Clock } from '../base/index.ts';
import { AppError, emitWarning, systemClock } from '../base/index.ts';
import type { Config, Settings } from '../config/index.ts';
import { loadConfig, settingsLayer } from '../config/index.ts';
import {
  chooseWorks,
  CorpusView,
  CorpusWorks,
  keptOpen,
  Library,
  stageManifestFolder,
  worksOfSet,
} from '../library/index.ts';
import type { Note, SavedSet } from '../database/index.ts';
import { CorpusStore, LABELS } from '../database/index.ts';
import type { Work } from '../works/index.ts';
import type { CitedHit, DocumentPlace, KeptOpen, SearchRequest, SearchSession } from '../library/index.ts';
import type {
  Clocks,
  CorpusEvent,
  Estimate,
  RunRequest,
  ParseRequest,
  RefreshDiff,
  RefreshRequest,
  RunFile,
  Runtime,
  SearchEvent,
  SharedCorpus,
  WebTime,
  WrittenBack,
  ZoteroPart,
} from '../run/index.ts';
import {
  askedFor,
  chunkFolder,
  chunkFormat,
  corpusLayer,
  estimateWorks,
  FleetIndex,
  eventStream,
  findWorks,
  Run,
  readRunFile,
  refreshCorpus,
  refreshPassages,
  runStages,
  simulatedLayer,
  wantedDocuments,
  writeToZotero,
  ZOTERO_PARTS,
} from '../run/index.ts';
import type { CorpusGraph } from './corpus-graph.ts';
import { corpusGraph } from './corpus-graph.ts';
import { isDatabaseUrl, openDatabase } from './open-database.ts';
import type { DatabaseOptions } from './open-database.ts';
import { requireShared, sharedPlace } from './shared-place.ts';
import type { ExportRequest } from './export/export-corpus.ts';
import { exportCorpus } from './export/export-corpus.ts';
import type { OpenSearchOptions } from './open-search.ts';
import { requireChunks } from './fleet-part.ts';
import { openSearchSession, requireSearchable } from './open-search.ts';

/** How often a live search checks for changes: of the index alone, or of the whole corpus. */
const LOOK_MS = { index: 2_000, corpus: 10_000 } as const;

/** Where settings come from, and which clock is used. */
export interface CorpusOptions {
  /** Settings that override the configuration file and the environment; `docstokg config` lists them. */
  readonly settings?: Settings;
  /** The configuration file; by default `docstokg.yaml` in the working folder, if there is one. */
  readonly file?: string;
  /** A profile of the configuration file; by default none. */
  readonly profile?: string;
  /** The address of a simulated web (`docstokg sim serve`) to run against, in real time. */
  readonly sim?: string;
  /** Settings already resolved by `loadConfig`: nothing else is read, and their folders stay as they are. */
  readonly config?: Config;
  /** Of a corpus in PostgreSQL: the folder for copies of its logs and files; by default one of the user's. */
  readonly copy?: string | undefined;
  /** By default the clock of the system. */
  readonly clock?: Clock;
  /** Another clock for requests, such as that of a simulated web. */
  readonly web?: WebTime | undefined;
}

/** Which notes are listed: those with all of this. */
export interface NotesRequest {
  /** A work, by any of its ids, or the name of its document. */
  readonly work?: string | undefined;
  /** Who wrote them. */
  readonly by?: string | undefined;
  /** Also those that were removed. */
  readonly removed?: boolean | undefined;
}

/** A note to write, or by its id one to change; what is not given stays. */
export interface GivenNote {
  /** Who writes. */
  readonly by: string;
  /** By default a new one. */
  readonly id?: string | undefined;
  /** Required for a new note. */
  readonly work?: string | undefined;
  /** The name of the document in which it is. */
  readonly document?: string | undefined;
  /** The page of the quote, starting at 1. */
  readonly page?: number | undefined;
  /** The words of the paper that it is about. */
  readonly quote?: string | undefined;
  /** May be empty where there is a quote. */
  readonly text?: string | undefined;
  /** Whether it is taken away; by default it is there. */
  readonly removed?: boolean | undefined;
}

interface Looking {
  readonly tell?: (message: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Opens a corpus folder, which need not exist, or a corpus in PostgreSQL by its address (`postgres://…`). Progress is
 * reported by events; a signal stops it gracefully.
 *
 * ```ts
 * import { openCorpus } from 'docstokg';
 *
 * await using corpus = await openCorpus('runs/coral', { settings: { http: { contact: 'you@university.example' } } });
 * for await (const event of corpus.run({ topic: 'coral bleaching', max: 50 })) {
 *   if (event.kind === 'ended') console.log(`${event.account.works?.downloaded} papers`);
 * }
 * for (const { passage } of await corpus.search('do corals recover?', { top: 3 })) {
 *   console.log(passage.title, passage.text);
 * }
 * ```
 */
export async function openCorpus(folder: string, options: CorpusOptions = {}): Promise<Corpus> {
  const { file, profile, sim, settings, clock = systemClock, web } = options;
  if (isDatabaseUrl(folder)) {
    const given = settingsLayer(settings ?? {}, 'settings of openCorpus');
    return await openDatabaseCorpus(folder, {
      load: (layer) => loadConfig({ file, profile, flags: [...layer, ...given] }).config,
      copy: options.copy,
      clocks: { clock, web },
      warn: emitWarning,
    });
  }
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new AppError('USAGE_RUN', `${folder} is a file, not a folder`, { hint: 'give a run folder, or a new one' });
  const config =
    options.config ??
    loadConfig({
      file,
      profile,
      flags: [
        ...corpusLayer(folder, 'the folder of the corpus'),
        ...(await simulatedLayer({ sim })),
        ...settingsLayer(settings ?? {}, 'settings of openCorpus'),
      ],
    }).config;
  return new Corpus(folder, config, { clock, web });
}

/** Opens a corpus in PostgreSQL with settings that were resolved elsewhere. */
export async function openDatabaseCorpus(url: string, options: DatabaseOptions): Promise<Corpus> {
  const { folder, config, shared } = await openDatabase(url, options);
  const corpus = new Corpus(folder, config, options.clocks, shared);
  await corpus.graph.catchUp();
  let due = options.clocks.clock.monotonic();
  shared.onCopied(async (signal) => {
    if (options.clocks.clock.monotonic() < due) return;
    await corpus.graph.catchUp(signal);
    due = options.clocks.clock.monotonic() + LOOK_MS.corpus;
  });
  return corpus;
}

/** What is written to a Zotero library. */
interface ZoteroRequest {
  /** Everything by default. */
  readonly parts?: readonly ZoteroPart[] | undefined;
  /** Reads the library and says what would be written; false by default. */
  readonly isTrial?: boolean | undefined;
  /** Receives messages; by default nobody is told. */
  readonly tell?: (event: CorpusEvent) => void;
}

/** A corpus folder: its papers, their index and graph, and everything that commands do with them. */
export class Corpus implements AsyncDisposable {
  /** The folder of the corpus. */
  readonly folder: string;
  /** All settings, with their defaults. */
  readonly config: Config;
  /** What the papers say, as nodes and edges. */
  readonly graph: CorpusGraph;
  /** Works, documents and the account, for reading. */
  readonly library: Library;
  readonly #clocks: Clocks;
  readonly #shared: SharedCorpus | undefined;
  #search: Promise<SearchSession> | undefined;

  /** Use `openCorpus`. */
  constructor(folder: string, config: Config, clocks: Clocks, shared?: SharedCorpus) {
    this.folder = folder;
    this.config = config;
    this.#shared = shared;
    this.graph = corpusGraph({ folder, config, shared }, clocks);
    this.library = new Library(folder, config, sharedPlace(shared));
    this.#clocks = clocks;
  }

  /** What is shared with other machines; undefined if the corpus is in its folder only. */
  get shared(): SharedCorpus | undefined {
    return this.#shared;
  }

  /** Resolves when decisions made so far are durable, and known here: at once, unless they go to a server. */
  async settle(): Promise<void> {
    await this.#shared?.settle();
  }

  /** Finds and downloads works and makes them searchable; continues where an earlier call was stopped or killed. */
  run(request: RunRequest = {}, signal?: AbortSignal): Run {
    const ended = (): Promise<void> => this.#forgetSearch();
    const choose = (which: string): ReadonlySet<string> => this.chooseWorks(which);
    const { folder, config } = this;
    return new Run({ folder, config, ...this.#clocks, ended, choose }, request, signal);
  }

  /** The works that a run of a request would find; downloads nothing and records nothing about them. */
  find(request: RunRequest, options: Looking = {}): AsyncGenerator<Work, void> {
    const { runtime, signal } = this.#looking(options);
    return findWorks(wantedDocuments(request, this.config), runtime, signal);
  }

  /** Estimates a request: works, how many are likely open, credits, hours, gigabytes. Downloads nothing. */
  async estimate(request: RunRequest, options: Looking = {}): Promise<Estimate> {
    const { runtime, signal } = this.#looking(options);
    const asked = await askedFor(this.folder, request, this.config.http.contact);
    return await estimateWorks(wantedDocuments(asked, this.config), runtime, signal);
  }

  #looking(options: Looking): { readonly runtime: Runtime; readonly signal: AbortSignal } {
    const { tell = () => undefined, signal = new AbortController().signal } = options;
    return { runtime: { ...this.#clocks, log: (_level, message) => tell(message) }, signal };
  }

  /** Runs the stages over existing papers, one after the other; each `stage-ended` has its outcome. */
  parse(request: ParseRequest = {}, signal?: AbortSignal): AsyncGenerator<CorpusEvent, void> {
    return eventStream<CorpusEvent>(
      (tell, stop) =>
        runStages({
          ...request,
          config: this.config,
          runtime: { ...this.#clocks, log: (level, message) => tell({ kind: 'message', level, message }) },
          tell,
          signal: stop,
        }),
      signal,
    );
  }

  /** Updates the index with the outputs of the stages. */
  index(signal?: AbortSignal): AsyncGenerator<SearchEvent, void> {
    return eventStream<SearchEvent>(async (tell, stop) => {
      await this.#forgetSearch();
      if (this.#shared) {
        await (await this.#index(tell)).refresh((event) => tell({ kind: 'index', event }), stop);
        return;
      }
      requireSearchable(this.folder, this.config);
      requireChunks(this.folder, this.config);
      await refreshPassages(this.folder, this.config, tell, { signal: stop });
    }, signal);
  }

  /** The index on the server. */
  async #index(tell: (event: SearchEvent) => void, anew = false): Promise<FleetIndex> {
    const { connection, files } = requireShared(this.#shared);
    const warn = (message: string): void => tell({ kind: 'message', level: 'warn', message });
    return await FleetIndex.open({ connection, files, config: this.config, warn, anew });
  }

  /** The passages that best answer a question. Only the first search updates the index; see `liveSearch`. */
  async search(question: string, request: SearchRequest = {}, signal?: AbortSignal): Promise<CitedHit[]> {
    this.#search ??= this.openSearch({}, signal).catch((error: unknown) => {
      this.#search = undefined;
      throw error;
    });
    return await (await this.#search).search(question, request, signal);
  }

  /** Opens the index for many questions. The caller disposes of it. */
  async openSearch(options: OpenSearchOptions = {}, signal?: AbortSignal): Promise<SearchSession> {
    if (!this.#shared) requireSearchable(this.folder, this.config);
    return await openSearchSession(this, options, signal);
  }

  /** A search that follows a growing corpus, with `asItIs` only its index. The caller disposes of it. */
  liveSearch({ tell, asItIs = false }: Pick<OpenSearchOptions, 'tell' | 'asItIs'> = {}): KeptOpen<SearchSession> {
    const index = join(this.folder, 'Index');
    const sources = [
      chunkFolder(this.config.parse.data_root),
      ...['manifest.jsonl', 'records.jsonl'].map((name) => join(this.folder, name)),
    ];
    // Works that screening excludes are no longer found.
    const looked = [index, join(this.folder, 'decisions.jsonl'), ...(asItIs ? [] : sources)];
    return keptOpen({
      open: () => this.openSearch({ ...(tell && { tell }), asItIs }),
      stamp: () =>
        asItIs && (this.#shared ? this.#shared.indexStamp === null : !existsSync(index))
          ? null
          : [
              this.#shared?.indexStamp,
              ...looked.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0),
            ].join(' '),
      lookMs: asItIs ? LOOK_MS.index : LOOK_MS.corpus,
      clock: this.#clocks.clock,
      renews: !asItIs,
    });
  }

  /** Lists again, updates records, downloads new and newly open works; the next call resumes a killed one. */
  async refresh(
    request: RefreshRequest & { readonly tell?: (event: CorpusEvent) => void } = {},
    signal?: AbortSignal,
  ): Promise<RefreshDiff> {
    const { tell = () => undefined, ...asked } = request;
    const before = await this.account();
    if (!before) {
      throw new AppError('CORPUS_NO_RUN', `${this.folder} was not created by docstokg run`, {
        hint: 'refresh repeats the query in run.json: create the folder with docstokg run first',
      });
    }
    const config = wantedDocuments(before.asked, this.config).config;
    const runtime: Runtime = { ...this.#clocks, log: (level, message) => tell({ kind: 'message', level, message }) };
    const run = async (): Promise<void> => {
      for await (const event of this.run({}, signal)) tell(event);
    };
    const parts = { config, runtime, request: asked, openWorks: () => this.#knownWorks(), run };
    const diff = await refreshCorpus(this.folder, parts, signal ?? new AbortController().signal);
    await this.#forgetSearch();
    return diff;
  }

  /** Exports the corpus for another tool; yields the text in pieces if the format is a text and there is no `out`. */
  async *export(request: ExportRequest): AsyncGenerator<string, void> {
    using works = this.#knownWorks();
    if (request.asItIs !== true) works.records.linkVersions(this.#now());
    const dataRoot = this.config.parse.data_root;
    // Other formats need no more than what is known of the works.
    if (request.format === 'parquet' || request.format === 'documents')
      await this.#shared?.files.bringAll('Data/ChunkedDocTagFiles/');
    const format = chunkFormat(dataRoot, this.config) ?? 'parquet';
    const name = this.#shared ? this.config.queue.schema : basename(this.folder);
    yield* exportCorpus(request, { name, at: this.#now(), dataRoot, format }, works);
  }

  /** Duplicates and versions of works. A work split off with `apart` is downloaded by the next run. */
  async versions(change: { readonly apart?: string; readonly together?: string } = {}) {
    using works = this.#knownWorks();
    const { records } = works;
    records.linkVersions(this.#now());
    for (const [work, undone] of [
      [change.apart, true],
      [change.together, false],
    ] as const) {
      if (work === undefined) continue;
      const changed = records.setSame(work, !undone, this.#now()) + records.setApart(work, undone, this.#now());
      if (changed === 0) {
        throw new AppError('USAGE_VERSION', `"${work.slice(0, 100)}" is not merged with another work`, {
          hint: 'see docstokg work-versions RUN',
        });
      }
    }
    await this.settle();
    await this.#forgetSearch();
    const titled = <Pair extends { readonly work: string; readonly of: string }>(pair: Pair) => ({
      ...pair,
      title: (records.get(pair.work) ?? records.get(pair.of))?.title ?? null,
    });
    return { versions: records.versions().map(titled), same: records.identities().map(titled) };
  }

  /** Selects by a saved set, `included` or `excluded`, a filter, or ids with commas; undefined means all. */
  chooseWorks(text: string): ReadonlySet<string>;
  chooseWorks(text: string | undefined): ReadonlySet<string> | undefined;
  chooseWorks(text: string | undefined): ReadonlySet<string> | undefined {
    if (text === undefined) return undefined;
    using works = this.#works();
    return chooseWorks(works, text);
  }

  /** The saved sets of works, each with its size. */
  sets(): (SavedSet & { readonly size: number })[] {
    using works = this.#works();
    return works.records.sets().map((set) => ({ ...set, size: worksOfSet(works, set).size }));
  }

  /** Saves a set of works under a name: fixed ids, or a filter that is applied when the set is used. */
  async saveSet(name: string, choice: { readonly works: string } | { readonly filter: string }): Promise<number> {
    if (!/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u.test(name) || LABELS.some((label) => label === name))
      throw new AppError('USAGE_SET', `"${name.slice(0, 100)}" cannot be the name of a set`, {
        hint: 'letters, digits, dots, dashes and underscores; not included or excluded',
      });
    using works = this.#works();
    const set =
      'filter' in choice
        ? { name, works: null, filter: choice.filter }
        : { name, works: [...chooseWorks(works, choice.works)], filter: null };
    const { size } = worksOfSet(works, { ...set, at: '' });
    works.records.saveSet(set, this.#now());
    await this.settle();
    return size;
  }

  /** Removes a saved set; the works stay. */
  async deleteSet(name: string): Promise<void> {
    using works = this.#works();
    if (!works.records.sets().some((set) => set.name === name))
      throw new AppError('USAGE_SET', `there is no set ${name}`, { hint: 'docstokg set RUN lists them' });
    works.records.saveSet({ name, works: null, filter: null }, this.#now());
    await this.settle();
  }

  /** Corrected cells of tables: by work, then by column. */
  corrections(): Map<string, Map<string, string>> {
    using works = this.#works();
    return works.records.corrections();
  }

  /** Corrects a cell in every table with that column; '' makes it empty, null restores the extracted value. */
  async correct(work: string, column: string, value: string | null): Promise<void> {
    using works = this.#works();
    works.records.correct({ work: works.find(work)?.id ?? work, column, value }, this.#now());
    await this.settle();
  }

  /** Notes of people, oldest first, each with the title of its work. */
  notes(asked: NotesRequest = {}): (Note & { readonly title: string | null })[] {
    using works = this.#works();
    const work = asked.work === undefined ? undefined : (works.find(asked.work)?.id ?? asked.work);
    return works.records
      .notes({ withRemoved: asked.removed })
      .filter((note) => work === undefined || note.work === work || note.document === work)
      .filter(({ by }) => asked.by === undefined || by === asked.by)
      .map((note) => ({ ...note, title: works.find(note.work)?.title ?? null }));
  }

  /** Writes a note, or changes one by its id; it is on disk when this resolves. Sent again it is the same note. */
  async saveNote(given: GivenNote): Promise<Note> {
    const work = given.work === undefined ? undefined : await this.library.work(given.work);
    using works = this.#works();
    const { id = randomUUID(), by, document, page, quote, text, removed = false } = given;
    const before = works.records.note(id);
    if (!before && !work)
      throw new AppError(
        'USAGE_NOTE',
        `there is no ${given.work === undefined ? `note ${id.slice(0, 100)}` : `work ${given.work.slice(0, 100)}`} here`,
        {
          hint: 'docstokg notes RUN lists the notes, docstokg search RUN finds works',
        },
      );
    const note: Note = {
      id,
      work: before?.work ?? work?.id ?? '',
      document: document ?? before?.document ?? null,
      page: page ?? before?.page ?? null,
      quote: quote ?? before?.quote ?? null,
      text: text?.trim() ?? before?.text ?? '',
      by,
      at: this.#now(),
      removed,
    };
    if (note.text === '' && note.quote === null)
      throw new AppError('USAGE_NOTE', 'the note is empty', { hint: 'give its text, or the words that it marks' });
    const isSame = before && JSON.stringify({ ...before, at: '' }) === JSON.stringify({ ...note, at: '' });
    if (!isSame) works.records.keepNote(note);
    await this.settle();
    return isSame ? before : note;
  }

  /** Writes notes, labels and links to papers beneath the items of a Zotero library: `zotero:users/ID`. */
  async writeZotero(
    to: string,
    { parts, isTrial = false, tell = () => undefined }: ZoteroRequest = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<WrittenBack> {
    using works = this.#works();
    const notes = Map.groupBy(works.records.notes({ withRemoved: true }), ({ work }) => work);
    const told = works.each().map(({ id, record, title, year, label, isRetracted, file }) => ({
      ids: record.ids,
      title,
      year,
      label,
      isRetracted,
      notes: notes.get(id) ?? [],
      file: file === null ? null : resolve(this.folder, file),
      url: works.history(id)[0]?.final_url ?? record.url,
    }));
    const runtime: Runtime = { ...this.#clocks, log: (level, message) => tell({ kind: 'message', level, message }) };
    const options = { folder: this.folder, parts: new Set(parts ?? ZOTERO_PARTS), isTrial };
    return await writeToZotero(to, told, { ...options, config: this.config, runtime, signal });
  }

  #place(): DocumentPlace {
    return { folder: this.folder, dataRoot: this.config.parse.data_root, ...sharedPlace(this.#shared) };
  }

  #works(): CorpusWorks {
    const works = new CorpusWorks(this.#place());
    works.store.ingest();
    return works;
  }

  #now(): string {
    return new Date(this.#clocks.clock.now()).toISOString();
  }

  /** Throws if there are none. */
  #knownWorks(): CorpusWorks {
    const works = this.#works();
    if (!works.isEmpty) return works;
    works[Symbol.dispose]();
    throw new AppError('CORPUS_NO_WORKS', `no works in ${this.folder}`, {
      hint: 'download works first: docstokg run or contentdownload',
    });
  }

  /** Rebuilds `corpus.sqlite` from the logs, the facts of documents and the passages; returns what it contains. */
  async reindex(warn?: (message: string) => void) {
    if (!existsSync(this.folder))
      throw new AppError('USAGE_RUN', `${this.folder} does not exist`, { hint: 'give a run folder' });
    CorpusStore.setAsideIfDamaged(this.folder, { manifests: stageManifestFolder(this.config), warn });
    const isGraphWanted = this.graph.exists;
    using store = CorpusStore.create(this.folder, { manifests: stageManifestFolder(this.config), warn });
    store.mendLogs({ thorough: true });
    store.clear('with graph');
    const { lines, badLines } = await store.ingestSoon();
    const nodes = isGraphWanted ? await this.graph.refill(store) : 0;
    if (this.#shared) {
      const told = (event: SearchEvent): void => void (event.kind === 'message' && warn?.(event.message));
      await (await this.#index(told, true)).refresh(() => undefined, new AbortController().signal);
    } else await this.#reindexPassages(warn);
    const works = store.count("works where outcome <> 'unreadable'");
    return {
      lines,
      badLines,
      works,
      documents: store.number('select count(distinct document) from document_steps'),
      nodes,
    };
  }

  async #reindexPassages(warn: ((message: string) => void) | undefined): Promise<void> {
    try {
      requireChunks(this.folder, this.config);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'CORPUS_PART') throw error;
      return warn?.(`the passages were not indexed: ${error.message}; ${error.hint ?? ''}`);
    }
    await refreshPassages(this.folder, this.config, () => undefined, { thorough: true });
  }

  /** The caller disposes of it. */
  view(): CorpusView {
    return new CorpusView(this.#place());
  }

  /** The contents of `run.json`, of a fleet that of the last run that ended; undefined before the first `run`. */
  async account(): Promise<RunFile | undefined> {
    return this.#shared ? await this.#shared.run() : await readRunFile(this.folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.library[Symbol.dispose]();
    await this.#forgetSearch();
    await this.#shared?.[Symbol.asyncDispose]();
  }

  async #forgetSearch(): Promise<void> {
    const opened = this.#search;
    this.#search = undefined;
    await (await opened)?.[Symbol.asyncDispose]();
  }
}
