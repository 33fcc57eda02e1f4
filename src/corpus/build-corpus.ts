import { join, resolve, sep } from 'node:path';

import { AppError } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { ArtifactKind, DownloadEvent } from '../download/index.ts';
import { whyNot } from '../download/index.ts';
import type { DenseEngine } from '../parse/index.ts';
import { documentFiles, openTokenizer } from '../parse/index.ts';
import type { QueueEvent } from '../queue/index.ts';
import type { RunAccount, WorksAccount } from './account.ts';
import { accountOfStages } from './account.ts';
import type { Arrive, CorpusStageName } from './corpus-run.ts';
import { CorpusRun } from './corpus-run.ts';
import { openIndex, refreshIndex } from '../search/index.ts';
import type { StageEvent } from '../stage/index.ts';
import { startTelemetry } from '../telemetry/index.ts';
import {
  assembleDownload,
  isQueueEvent,
  listingPath,
  openInspector,
  openQueue,
  wantedWorks,
} from '../harvest/index.ts';
import type { DownloadAssembly, Runtime, WantedWorks } from '../harvest/index.ts';
import { openDense, openSparse } from './parse-settings.ts';
import { documentLinks } from './document-links.ts';
import { prepareChunk, prepareDense, prepareDoctags, prepareEmbed } from './prepare-stages.ts';

const OTHER_TOKENIZER = 'cl100k';

/** What a corpus is to be made of. */
export interface CorpusRequest {
  readonly ids: readonly string[];
  /** Which works are wanted; its `input` are lists of works. */
  readonly options: WantedWorks;
  /** Folders of papers, and papers, that are there already. */
  readonly papers: readonly string[];
  readonly config: Config;
}

/** Who looks on. */
export interface CorpusWatcher {
  readonly downloaded: (event: DownloadEvent | QueueEvent) => void;
  readonly staged: (stage: CorpusStageName, event: StageEvent) => void;
  readonly opened: (download: DownloadAssembly) => void;
  readonly indexing: () => void;
}

/** Where the index of a run folder is. */
export function indexFolder({ download }: Config): string {
  return join(download.out, 'Index');
}

/** Downloads, parses, chunks, embeds and indexes, all at the same time as far as that goes. */
export async function buildCorpus(
  request: CorpusRequest,
  runtime: Runtime,
  watcher: CorpusWatcher,
  signal: AbortSignal,
): Promise<RunAccount> {
  const config = await withTokenizer(request.config, runtime);
  const startedAt = runtime.clock.monotonic();
  await using dense = await openDense(config, runtime);
  let arrive: Arrive | undefined;
  await using download = wantsWorks(request)
    ? await openDownload(request, runtime, watcher, (file) => arrive?.(file) ?? Promise.resolve())
    : undefined;
  const run = new CorpusRun({
    stages: {
      doctags: prepareDoctags(config),
      chunk: await prepareChunk(config),
      dense: dense && prepareDense(config),
      openEmbed: () => openEmbed(config, dense),
    },
    gather: async (offer, stop) => {
      arrive = offer;
      for (const file of papersOf(request)) if (!stop.aborted) await offer(file);
      if (!download) return undefined;
      const [summary] = await Promise.all([
        download.run.run({ drain: 'due', signal: stop }),
        bringEarlier(download, offer, stop),
      ]);
      return summary;
    },
    index: async () => {
      watcher.indexing();
      return await index(config, signal);
    },
    report: watcher.staged,
  });
  const outcome = await run.run(signal);
  return {
    works: download ? worksAccount(download, outcome.gathered ?? { found: 0, saved: 0, bytes: 0 }) : null,
    documents: outcome.documents,
    ...accountOfStages(outcome.stages),
    index: outcome.index ?? null,
    stopped: outcome.stopReason ?? null,
    seconds: Math.round((runtime.clock.monotonic() - startedAt) / 100) / 10,
  };
}

/** Without the model's package its tokens cannot be counted; others, of about the same size, can. */
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

function wantsWorks({ ids, options }: CorpusRequest): boolean {
  return ids.length > 0 || options.topic !== undefined || (options.input?.length ?? 0) > 0;
}

/** The papers that are there already; what the run itself has written is not taken for one. */
function papersOf({ papers, config }: CorpusRequest): string[] {
  const own = resolve(config.download.out) + sep;
  return papers
    .flatMap((path) => documentFiles(path))
    .map((path) => resolve(path))
    .filter((path) => !path.startsWith(own));
}

async function openDownload(
  { ids, options, config }: CorpusRequest,
  runtime: Runtime,
  watcher: CorpusWatcher,
  arrive: Arrive,
): Promise<DownloadAssembly> {
  const stack = new AsyncDisposableStack();
  try {
    const tell = (message: string): void => runtime.log('info', message);
    const queue = stack.use(await openQueue(config, runtime));
    const telemetry = stack.use(await startTelemetry(config.telemetry, queue.store, runtime.clock));
    const inspector = stack.use(openInspector());
    const assembly = stack.use(
      await assembleDownload(config, runtime, {
        queue,
        inspect: inspector.inspect,
        provider: (parts) => (signal) =>
          wantedWorks(ids, options, { ...parts, signal, tell, statePath: listingPath(config.download.out) }),
        written: async ({ outcome, work, kind }) => {
          if (outcome === 'saved') await arrive(fileOf(assembly, work, kind));
        },
        report: (event) => {
          watcher.downloaded(event);
          if (isQueueEvent(event)) telemetry.report(event);
          else telemetry.download?.download(event);
        },
        reportHttp: telemetry.download?.http,
        around: telemetry.around,
      }),
    );
    watcher.opened(assembly);
    return { ...assembly, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** Files that earlier runs have kept go through the stages as well: most are done, and some may have been left. */
async function bringEarlier(download: DownloadAssembly, arrive: Arrive, signal: AbortSignal): Promise<void> {
  for (const { work, outcome, path, bytes, kind } of download.manifest.latest()) {
    if (signal.aborted) return;
    if (outcome !== 'saved' || path === null || !(await download.files.holds(path, bytes ?? -1))) continue;
    await arrive(fileOf(download, work, kind));
  }
}

/** Named from the root, so that it does not matter where the command is started. */
function fileOf({ files }: DownloadAssembly, work: string, kind: string | null): string {
  return resolve(files.friendly(work, (kind ?? 'pdf') as ArtifactKind));
}

async function openEmbed(config: Config, dense: DenseEngine | undefined) {
  const sparse = await openSparse(config);
  return dense || sparse ? prepareEmbed(config, { dense, sparse }) : undefined;
}

async function index(config: Config, signal: AbortSignal): Promise<NonNullable<RunAccount['index']> | undefined> {
  const folder = indexFolder(config);
  try {
    const { passages } = await refreshIndex({
      dataRoot: config.parse.data_root,
      folder,
      format: config.parse.format,
      linkOf: documentLinks(config.download.out, config.parse.data_root),
      signal,
    });
    using opened = await openIndex(folder);
    return { passages, searched_by: opened.manifest.dense ? 'words and meaning' : 'words' };
  } catch (error) {
    // A run that found nothing has nothing to be searched, which its account says already.
    if (error instanceof AppError && error.code === 'INDEX_NOTHING') return undefined;
    throw error;
  }
}

/** Counts over all runs of the folder, from the last row of each work. */
function worksAccount(
  download: DownloadAssembly,
  now: { readonly found: number; readonly saved: number; readonly bytes: number },
): WorksAccount {
  const counts = { works: 0, saved: 0, not_to_be_had: 0, later: 0 };
  const byResolver: Record<string, number> = {};
  const byReason: Record<string, number> = {};
  for (const row of download.manifest.latest()) {
    const { outcome, resolver } = row;
    counts.works += 1;
    if (outcome === 'saved') {
      counts.saved += 1;
      raise(byResolver, resolver ?? 'unknown');
      continue;
    }
    counts[outcome === 'parked' ? 'later' : 'not_to_be_had'] += 1;
    raise(byReason, whyNot(row.reason, row.last_reason));
  }
  return {
    ...counts,
    by_resolver: byResolver,
    by_reason: byReason,
    found_now: now.found,
    saved_now: now.saved,
    bytes_now: now.bytes,
  };
}

function raise(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
