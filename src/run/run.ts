import { resolve } from 'node:path';

import type { Clock, Warn } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import { CorpusStore } from '../database/index.ts';
import type { ArtifactKind, DownloadSummary } from '../download/index.ts';
import { isQueueEvent } from '../download/index.ts';
import type { Account } from '../library/index.ts';
import { accountOf, stageManifestFolder, runCountsOf } from '../library/index.ts';
import { chunkedDocuments } from '../parse/index.ts';
import type { WorkQueue } from '../queue/index.ts';
import type { DownloadAssembly } from './download/open-download.ts';
import { assembleDownload } from './download/open-download.ts';
import { eventStream } from './event-stream.ts';
import { openFleetMachine } from './fleet/fleet-machine.ts';
import type { CorpusStorage } from './storage/storage.ts';
import { openStorage } from './storage/storage.ts';
import { SavedFiles } from './lines/saved-files.ts';
import { listWorks } from './list/list-works.ts';
import type { ZoteroVersions } from './list/provider.ts';
import { zoteroVersions } from './list/provider.ts';
import type { RunRequest, WantedDocuments } from './list/run-request.ts';
import { askedFor, checkDocuments, wantedDocuments, wantsWorks, findOwnPapers } from './list/run-request.ts';
import type { Machine } from './machine.ts';
import { aloneMachine } from './machine.ts';
import { makeIndex } from './make-index.ts';
import { openFiling } from './papers/document-filing.ts';
import type { Offer } from './pipeline.ts';
import { runPipeline } from './pipeline.ts';
import type { Clocks, Runtime } from './queue/open-queue.ts';
import { tellRun } from '../journal/index.ts';
import { openCorpusServer, openQueue } from './queue/open-queue.ts';
import type { RunAccount, CorpusEvent } from './run-file.ts';
import { accountOfStages, accountOfWorks, openRunFolder } from './run-file.ts';
import { openEmbedEngines, prepareChunk, prepareDoctags, prepareEmbed } from './stages/prepare-stages.ts';

const NOTHING_PARSED = {
  documents: 0,
  scans: 0,
  partial: 0,
  skipped_files: [],
  own_papers: null,
  stages: {},
  failures: [],
  index: null,
} as const;

/** How far the downloads of a run are, on this machine. */
export interface RunProgress {
  /** Works listed so far. */
  readonly found: number;
  /** Works whose file is saved. */
  readonly saved: number;
  /** Works without a file: unavailable or failed. */
  readonly missing: number;
  /** Works that are another one under another id. */
  readonly repeated: number;
  /** Works that this run is done with, also for now. */
  readonly ended: number;
  /** Works that were done with before this run. */
  readonly endedBefore: number;
  /** Works whose file was saved before this run. */
  readonly savedBefore: number;
  /** Rate-limited hosts. */
  readonly waitingFor: readonly string[];
}

export interface RunPlace extends Clocks {
  readonly folder: string;
  readonly config: Config;
  /** Called at the end: the index has changed. */
  readonly ended: () => Promise<void>;
  readonly choose: (which: string) => ReadonlySet<string>;
}

interface Request extends WantedDocuments {
  readonly runtime: Runtime;
  readonly tell: (event: CorpusEvent) => void;
  readonly signal: AbortSignal;
}

/** What brings downloaded files to the first stage. */
interface Feeding {
  readonly request: Request;
  readonly download: DownloadAssembly;
  readonly machine: Machine;
  readonly offer: Offer;
}

/** Finds, downloads, parses and indexes works at the same time. Starts when its first event is requested. */
export class Run implements AsyncIterable<CorpusEvent> {
  readonly #place: RunPlace;
  readonly #request: RunRequest;
  readonly #signal: AbortSignal | undefined;
  #download: DownloadAssembly | undefined;
  #papers = 0;
  #zotero: ZoteroVersions | undefined;
  #before = { ended: 0, saved: 0 };

  constructor(place: RunPlace, request: RunRequest, signal?: AbortSignal) {
    this.#place = place;
    this.#request = request;
    this.#signal = signal;
  }

  /** How many of the user's own papers are read; 0 until they are listed. */
  get papers(): number {
    return this.#papers;
  }

  /** Current progress, of this machine; undefined if nothing is downloaded. */
  get progress(): RunProgress | undefined {
    if (!this.#download) return undefined;
    const { run, admission } = this.#download;
    const { found, saved, skipped, repeated, failed, parked } = run.counts;
    const held = admission
      .snapshot()
      .filter(({ hold }) => hold !== null)
      .map(({ key }) => key);
    return {
      found,
      saved,
      missing: skipped + failed,
      repeated,
      ended: saved + skipped + repeated + failed + parked,
      endedBefore: this.#before.ended,
      savedBefore: this.#before.saved,
      waitingFor: held,
    };
  }

  [Symbol.asyncIterator](): AsyncGenerator<CorpusEvent, void> {
    return eventStream<CorpusEvent>((tell, signal) => this.#run(tell, signal), this.#signal);
  }

  async #run(tell: (event: CorpusEvent) => void, signal: AbortSignal): Promise<void> {
    const { folder, config, clock, web } = this.#place;
    const { until = 'index', ...given } = this.#request;
    const asked = await askedFor(folder, given, config.http.contact);
    const log: Runtime['log'] = (level, message) => tell({ kind: 'message', level, message });
    const runtime: Runtime = { clock, web, log, stop: signal };
    const documents = wantedDocuments(asked, config, this.#place.choose);
    const request: Request = { ...documents, runtime, tell, signal };
    checkDocuments(request);
    if (until === 'files') {
      tell({ kind: 'ended', account: await this.#downloadOnly(request) });
      return;
    }
    using run = await openRunFolder(folder, asked, clock);
    let account: RunAccount;
    try {
      account = await this.#build(request);
    } catch (error) {
      await run.end('failed');
      throw error;
    }
    const ended = await run.end(account.stopped === null ? 'done' : 'stopped', account);
    if (config.queue.fleet) {
      await using connection = await openCorpusServer(config, runtime);
      await tellRun(connection, ended);
    }
    await this.#place.ended();
    tell({ kind: 'ended', account });
  }

  async #build(request: Request): Promise<RunAccount> {
    const { runtime, tell, signal } = request;
    const config = request.config;
    const startedAt = runtime.clock.monotonic();
    const warn: Warn = (message) => runtime.log('warn', message);
    await using stack = new AsyncDisposableStack();
    const engines = await openEmbedEngines(config, runtime);
    stack.use(engines.dense);
    const embed = engines.dense || engines.sparse ? stack.use(prepareEmbed(config, engines, {}, warn)) : undefined;
    const own = await findOwnPapers(request.papers, config.download.out);
    this.#papers = own.papers.length;
    const papers = stack.use(openFiling(own.papers, config, runtime));
    const storage = stack.use(await openStorage(config, runtime));
    const queue = wantsWorks(request) ? stack.use(await openQueue(config, runtime)) : undefined;
    // Closed first: it copies lines of other machines into the database of the download.
    await using machine = await this.#openMachine({ ...request, config }, storage, queue);
    const download = queue && stack.use(await this.#openDownload({ ...request, config }, { queue, storage, machine }));
    const stages = { doctags: papers.seeing(prepareDoctags(config)), chunk: await prepareChunk(config), embed };
    // Papers of the user are named first: a work of the same name gets another one, in every run.
    own.papers.forEach(stages.doctags.item);
    const outcome = await runPipeline<DownloadSummary | undefined, RunAccount['index'] | undefined>(
      {
        machine,
        stages,
        feed: async (offer, stop) => {
          const local = offer(own.papers);
          const downloading = download && this.#downloadAndOffer({ download, machine, request, offer }, stop);
          await Promise.allSettled([local, downloading]);
          await local;
          return await downloading;
        },
        index: async (documents) => {
          papers.note(documents);
          await papers.file(download?.records, signal);
          tell({ kind: 'indexing' });
          return await machine.index(tell, signal);
        },
        report: (stage, event) => tell({ kind: 'stage', stage, event }),
      },
      signal,
    );
    const counts = download ? this.#count(download, runtime) : countsIn(config);
    const { scans, partial } = counts;
    return {
      works: download ? accountOfWorks(counts, outcome.fed) : null,
      documents: outcome.documents,
      scans,
      partial,
      skipped_files: own.skipped,
      own_papers: papers.identified(),
      ...accountOfStages(outcome.stages, scans),
      index: outcome.index ?? null,
      stopped: outcome.stopReason ?? null,
      seconds: secondsSince(startedAt, runtime.clock),
    };
  }

  /** Downloads files only: nothing is parsed, and the folder gets no `run.json`. */
  async #downloadOnly(request: Request): Promise<RunAccount> {
    const { config, runtime, signal } = request;
    const startedAt = runtime.clock.monotonic();
    await using stack = new AsyncDisposableStack();
    const storage = stack.use(await openStorage(config, runtime));
    const queue = stack.use(await openQueue(config, runtime));
    // Closed first: it copies lines of other machines into the database of the download.
    await using machine = await this.#openMachine(request, storage, queue);
    const download = stack.use(await this.#openDownload(request, { queue, storage, machine }));
    const summary = await this.#downloaded({ download, machine, request }, signal);
    return {
      ...NOTHING_PARSED,
      works: accountOfWorks(accountOf(download.store, download.runId), summary),
      stopped: summary.reason === 'stopped' ? 'asked to stop' : null,
      seconds: secondsSince(startedAt, runtime.clock),
    };
  }

  /** Downloads works and offers their files, those of earlier runs too, to the first stage. */
  async #downloadAndOffer(parts: Feeding, signal: AbortSignal): Promise<DownloadSummary> {
    const { download } = parts;
    const broken = new AbortController();
    const stop = AbortSignal.any([signal, broken.signal]);
    const saved = new SavedFiles((after, limit) => download.manifest.savedAfter(after, limit));
    using _watched = download.manifest.onIngest(() => saved.wake());
    const offering = offerSaved(saved, parts);
    offering.catch((error: unknown) => broken.abort(error));
    const downloading = this.#downloaded(parts, stop).finally(() => {
      try {
        download.manifest.flush();
      } finally {
        saved.complete();
      }
    });
    await Promise.allSettled([downloading, offering]);
    await offering;
    return await downloading;
  }

  async #downloaded(
    { download, machine, request }: Omit<Feeding, 'offer'>,
    signal: AbortSignal,
  ): Promise<DownloadSummary> {
    const downloading = download.run.run({ drain: 'due', signal });
    await Promise.allSettled([downloading]);
    // The rows of other machines, also where this one has failed.
    await machine.catchUp();
    const summary = await downloading;
    if (summary.reason !== 'stopped') await this.#zotero?.commit();
    const counts = this.#count(download, request.runtime);
    request.tell({ kind: 'downloaded', summary, counts, run: runCountsOf(download.store, download.runId) });
    return summary;
  }

  /** Counts the current works; versions of one work count as such. */
  #count({ manifest, store, records, runId }: DownloadAssembly, { clock }: Runtime): Account {
    manifest.flush();
    store.ingest();
    records.linkNewVersions(new Date(clock.now()).toISOString());
    return accountOf(store, runId);
  }

  /** The machine that the run is on: one of a fleet if it shares its journal with others. */
  async #openMachine(
    { config, runtime, ids, wanted, papers }: Request,
    storage: CorpusStorage,
    works: WorkQueue | undefined,
  ): Promise<Machine> {
    const copied = (): void => this.#download?.manifest.flush();
    if (storage.journal.isShared)
      return await openFleetMachine({ config, runtime, storage, works, asked: { ids, wanted }, papers, copied });
    const { data_root: dataRoot, format } = config.parse;
    return aloneMachine({
      stored: config.store.url === '' ? undefined : storage.files,
      hasFile: async (path, bytes) => (await this.#download?.files.holds(path, bytes)) ?? false,
      chunked: () => chunkedDocuments(dataRoot, format),
      index: (tell, signal) => makeIndex(config, tell, signal),
    });
  }

  async #openDownload(
    request: Request,
    parts: { readonly queue: WorkQueue; readonly storage: CorpusStorage; readonly machine: Machine },
  ): Promise<DownloadAssembly> {
    const { config, runtime, tell } = request;
    const { queue, storage, machine } = parts;
    const zotero = zoteroVersions(config.download.out);
    this.#zotero = zotero;
    await using stack = new AsyncDisposableStack();
    const { startTelemetry } = await import('../telemetry/index.ts');
    const telemetry = stack.use(
      await startTelemetry(config.telemetry, queue.store, runtime.clock, (message) => runtime.log('warn', message)),
    );
    const assembly = stack.use(
      await assembleDownload(config, runtime, {
        queue,
        storage,
        provider: (found) => listWorks({ ...request, zotero }, found),
        list: async (find, signal) => {
          await machine.once({ name: 'list' }, find, signal);
        },
        report: (event) => {
          if (isQueueEvent(event)) {
            telemetry.report(event);
            tell({ kind: 'queue', event });
            return;
          }
          telemetry.download?.download(event);
          tell({ kind: 'download', event });
        },
        reportHttp: telemetry.download?.http,
        around: telemetry.around,
      }),
    );
    const before = accountOf(assembly.store);
    this.#before = { ended: before.listed - before.deferred - before.waiting, saved: before.downloaded };
    this.#download = assembly;
    const opened = stack.move();
    return { ...assembly, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }
}

/** Offers the files of saved works until there are no more. */
async function offerSaved(saved: SavedFiles, { download, machine, offer }: Feeding): Promise<void> {
  for await (const rows of saved) {
    const files: string[] = [];
    for (const { work, path, bytes, kind } of rows)
      if (path !== null && (await machine.hasFile(path, bytes ?? -1))) files.push(fileOf(download, work, kind));
    await offer(files);
  }
}

function countsIn(config: Config): Account {
  using store = CorpusStore.open(config.download.out, { manifests: stageManifestFolder(config) });
  store.ingest();
  return accountOf(store);
}

function secondsSince(startedAt: number, clock: Clock): number {
  return Math.round((clock.monotonic() - startedAt) / 100) / 10;
}

/** An absolute path, so that the working directory does not matter. */
function fileOf({ files }: DownloadAssembly, work: string, kind: string | null): string {
  return resolve(files.friendly(work, (kind ?? 'pdf') as ArtifactKind));
}
