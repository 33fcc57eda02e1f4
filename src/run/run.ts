import { join, resolve } from 'node:path';

import type { Clock, Warn } from '../base/index.ts';
import { AppError } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { ArtifactKind, DownloadSummary } from '../download/index.ts';
import { isQueueEvent } from '../download/index.ts';
import type { Clocks, Runtime } from './queue/open-queue.ts';
import type { DownloadAssembly } from './download/open-download.ts';
import type { ListedTimes, ZoteroVersions } from './list/provider.ts';
import type { Shared } from './fleet/open-shared.ts';
import { assembleDownload } from './download/open-download.ts';
import { countingRepeats, countListed, wantedWorks, zoteroVersions } from './list/provider.ts';
import { openQueue, openQueueBeside, orchestratorOptions } from './queue/open-queue.ts';
import { openShared } from './fleet/open-shared.ts';
import { chunkedDocuments, openTokenizer } from '../parse/index.ts';
import type { Account } from '../library/index.ts';
import { accountOf, manifestFolder, runCountsOf } from '../library/index.ts';
import type { WorkQueue } from '../queue/index.ts';
import type { Records } from '../database/index.ts';
import { CorpusStore } from '../database/index.ts';
import type { Work } from '../works/index.ts';
import type { RunAccount, CorpusEvent } from './run-file.ts';
import { accountOfStages, accountOfWorks, openRunFolder } from './run-file.ts';
import type { Arrive, CorpusRunOptions } from './corpus-run.ts';
import { ArrivedFiles, eventStream, runCorpus } from './corpus-run.ts';
import type { OncePerFleet } from './fleet/fleet-run.ts';
import { fleetRun, oncePerFleet } from './fleet/fleet-run.ts';
import type { RunRequest, WantedDocuments } from './list/run-request.ts';
import { askedFor, checkDocuments, wantedDocuments, wantsWorks, findOwnPapers } from './list/run-request.ts';
import { makeIndex } from './make-index.ts';
import { openFiling } from './papers/document-filing.ts';
import { openEmbedEngines, prepareChunk, prepareDoctags, prepareEmbed } from './stages/prepare-stages.ts';
import { storedOutputs } from './stages/run-stages.ts';

const OTHER_TOKENIZER = 'cl100k';
const NOTHING_PARSED = {
  documents: 0, scans: 0, partial: 0, skipped_files: [], own_papers: null, stages: {}, failures: [], index: null,
} as const; // prettier-ignore

export type RunProgress = NonNullable<Run['progress']>;

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

/** Finds, downloads, parses and indexes works at the same time. Starts when its first event is requested. */
export class Run implements AsyncIterable<CorpusEvent> {
  readonly #place: RunPlace;
  readonly #request: RunRequest;
  readonly #signal: AbortSignal | undefined;
  #download: DownloadAssembly | undefined;
  #papers = 0;
  #zotero: ZoteroVersions | undefined;
  #once: OncePerFleet | undefined;
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
  get progress() {
    if (!this.#download) return undefined;
    const { run, admission } = this.#download;
    const { found, saved, skipped, repeated, failed, parked } = run.counts;
    const held = admission
      .snapshot()
      .filter(({ hold }) => hold !== null)
      .map(({ key }) => key);
    return {
      /** Works known so far; undefined on a machine of a fleet, where others work on them too. */
      found: this.#place.config.queue.fleet ? undefined : found,
      saved,
      missing: skipped + failed,
      repeated,
      ended: saved + skipped + repeated + failed + parked,
      endedBefore: this.#before.ended,
      savedBefore: this.#before.saved,
      /** Rate-limited hosts. */
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
    const runtime: Runtime = { clock, web, log: (level, message) => tell({ kind: 'message', level, message }) };
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
    await run.end(account.stopped === null ? 'done' : 'stopped', account);
    await this.#place.ended();
    tell({ kind: 'ended', account });
  }

  async #build(request: Request): Promise<RunAccount> {
    const { runtime, tell, signal } = request;
    const config = await withTokenizer(request.config, runtime);
    const startedAt = runtime.clock.monotonic();
    const warn: Warn = (message) => runtime.log('warn', message);
    await using shared = await openShared(config, runtime);
    const engines = await openEmbedEngines(config, runtime);
    await using _dense = engines.dense;
    await using embed = engines.dense || engines.sparse ? prepareEmbed(config, engines, {}, warn) : undefined;
    const own = await findOwnPapers(request.papers, config.download.out);
    this.#papers = own.papers.length;
    await using papers = openFiling(own.papers, config, runtime);
    const files = new ArrivedFiles();
    let fleet: ReturnType<typeof fleetRun<DownloadSummary | undefined, RunAccount['index'] | undefined>> | undefined;
    if (shared.journal.isShared) checkFleet(request);
    const arrive: Arrive = (file) => (fleet ?? files).add(file);
    await using download = wantsWorks(request) ? await this.#open({ ...request, config }, shared, arrive) : undefined;
    const run: CorpusRunOptions<DownloadSummary | undefined, RunAccount['index'] | undefined> = {
      files,
      stages: {
        doctags: papers.seeing(prepareDoctags(config)),
        chunk: await prepareChunk(config),
        embed,
      },
      chunked: () => chunkedDocuments(config.parse.data_root, config.parse.format),
      gather: async (offer, stop) => {
        for (const file of own.papers) if (!stop.aborted) await offer(file);
        if (!download) return undefined;
        const [summary] = await Promise.all([
          this.#downloaded(download, request, stop),
          // In a fleet, the machines that saved them have enqueued them.
          fleet ? undefined : bringEarlier(download, offer, stop),
        ]);
        return summary;
      },
      index: async (documents = []) => {
        papers.note(documents);
        await papers.file(download?.records, signal);
        tell({ kind: 'indexing' });
        return await makeIndex(config, tell, signal);
      },
      report: (stage, event) => tell({ kind: 'stage', stage, event }),
      store: config.store.url === '' ? undefined : () => storedOutputs(shared),
    };
    const once = this.#once;
    if (download && once) fleet = fleetRun({ ...run, config, runtime, shared, once, download });
    const outcome = await (fleet ? fleet.run(signal) : runCorpus(run, signal));
    const counts = download ? this.#count(download, runtime) : countsIn(config);
    const { scans, partial } = counts;
    return {
      works: download ? accountOfWorks(counts, outcome.gathered) : null,
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
    const { runtime, signal } = request;
    const startedAt = runtime.clock.monotonic();
    await using shared = await openShared(request.config, runtime);
    await using download = await this.#open(request, shared, async () => undefined);
    const summary = await this.#downloaded(download, request, signal);
    return {
      ...NOTHING_PARSED,
      works: accountOfWorks(accountOf(download.store, download.runId), summary),
      stopped: summary.reason === 'stopped' ? 'asked to stop' : null,
      seconds: secondsSince(startedAt, runtime.clock),
    };
  }

  async #downloaded(download: DownloadAssembly, request: Request, signal: AbortSignal): Promise<DownloadSummary> {
    const summary = await download.run.run({ drain: 'due', signal });
    if (summary.reason !== 'stopped') await this.#zotero?.commit();
    const counts = this.#count(download, request.runtime);
    const run = runCountsOf(download.store, download.runId);
    // In a fleet, works that this machine did not try were tried by another one, not by an earlier run.
    const ended = request.config.queue.fleet ? { ...run, earlier_by_reason: {} } : run;
    request.tell({ kind: 'downloaded', summary, counts, run: ended });
    return summary;
  }

  /** Counts the current works; versions of one work count as such. */
  #count({ manifest, store, records, runId }: DownloadAssembly, { clock }: Runtime): Account {
    manifest.flush();
    store.ingest();
    records.linkNewVersions(new Date(clock.now()).toISOString());
    return accountOf(store, runId);
  }

  async #open(request: Request, shared: Shared, arrive: Arrive): Promise<DownloadAssembly> {
    const { config, runtime, tell } = request;
    this.#zotero = zoteroVersions(config.download.out);
    await using stack = new AsyncDisposableStack();
    const queue = stack.use(await openQueue(config, runtime));
    const { startTelemetry } = await import('../telemetry/index.ts');
    const telemetry = stack.use(
      await startTelemetry(config.telemetry, queue.store, runtime.clock, (message) => runtime.log('warn', message)),
    );
    const once = shared.journal.isShared ? await openOnce(request, queue, stack) : undefined;
    this.#once = once;
    const assembly = stack.use(
      await assembleDownload(config, runtime, {
        queue,
        shared,
        provider: (parts) => (signal) => {
          const inputs: ListedTimes = new Map();
          const works = wantedWorks(request.ids, request.wanted, {
            ...parts,
            signal,
            tell: (message) => runtime.log('info', message),
            clock: runtime.clock,
            statePath: join(config.download.out, 'state', 'listing.json'),
            zoteroVersions: this.#zotero,
            entries: request.unidentified.flatMap((id) => parts.records.get(id) ?? []),
            identified: async (entry, work, record) => {
              request.only?.add(work.id);
              await parts.identified(entry, work, record);
            },
            listed: (file, work) => countListed(inputs, file, work),
          });
          const hasLists = (request.wanted.input?.length ?? 0) > 0;
          const counted = hasLists ? countingRepeats(works, parts.records, inputs) : works;
          return request.only ? onlyThese(counted, request.only, parts.records) : counted;
        },
        list: once && ((find, signal) => once('list', find, signal)),
        written: async ({ outcome, work, kind }) => {
          if (outcome === 'saved') await arrive(fileOf(assembly, work, kind));
        },
        // The machine that wrote its row may have died before it queued the file for parsing.
        kept: shared.journal.isShared
          ? (work): Promise<void> => arrive(fileOf(assembly, work, assembly.records.savedKind(work)))
          : undefined,
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

/** The jobs that one machine does for all, in a separate queue. */
async function openOnce(
  { config, runtime, ids, wanted }: Request,
  works: WorkQueue,
  stack: AsyncDisposableStack,
): Promise<OncePerFleet> {
  const queue = stack.use(await openQueueBeside(config, 'listing', runtime));
  const { leaseMs, heartbeatMs } = orchestratorOptions(config);
  return await oncePerFleet({ works, queue, clock: runtime.clock, leaseMs, heartbeatMs, asked: { ids, wanted } });
}

/** A paper on one machine's disk is not available to the others. */
function checkFleet(request: Request): void {
  if (request.papers.length > 0 || !wantsWorks(request))
    throw new AppError('USAGE_FLEET', 'a fleet downloads works, not papers on the disk of one machine', {
      hint: 'parse papers of your own with docstokg run --input FOLDER on one machine',
    });
}

function countsIn(config: Config): Account {
  using store = CorpusStore.open(config.download.out, { manifests: manifestFolder(config) });
  store.ingest();
  return accountOf(store);
}

function secondsSince(startedAt: number, clock: Clock): number {
  return Math.round((clock.monotonic() - startedAt) / 100) / 10;
}

/** Without the model's package its tokens cannot be counted; another tokenizer gives similar sizes. */
async function withTokenizer(config: Config, runtime: Runtime): Promise<Config> {
  try {
    await openTokenizer(config.parse.tokenizer);
    return config;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'MODEL_NOT_INSTALLED')) throw error;
    runtime.log('warn', `${error.message}: chunks are measured in tokens of ${OTHER_TOKENIZER} instead`);
    return { ...config, parse: { ...config.parse, tokenizer: OTHER_TOKENIZER } };
  }
}

/** Files of earlier runs also go through the stages: most are done, some may not be. */
async function bringEarlier(download: DownloadAssembly, arrive: Arrive, signal: AbortSignal): Promise<void> {
  for (const { work, path, bytes, kind } of download.manifest.saved()) {
    if (signal.aborted) return;
    if (path === null || !(await download.files.holds(path, bytes ?? -1))) continue;
    await arrive(fileOf(download, work, kind));
  }
}

/** An absolute path, so that the working directory does not matter. */
function fileOf({ files }: DownloadAssembly, work: string, kind: string | null): string {
  return resolve(files.friendly(work, (kind ?? 'pdf') as ArtifactKind));
}

/** The selected works, which the selection may name by another id. */
async function* onlyThese(
  works: AsyncIterable<Work>,
  only: ReadonlySet<string>,
  records: Records,
): AsyncGenerator<Work> {
  for await (const work of works) if (only.has(work.id) || only.has(records.get(work.id)?.id ?? '')) yield work;
}
