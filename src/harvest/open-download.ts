import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import type { Clock } from '../base/index.ts';
import { AppError } from '../base/index.ts';
import type { ObjectId } from '../objects/index.ts';
import type { Config } from '../config/index.ts';
import type { DownloadEvent, InspectDocument, ManifestRow, WorkProvider } from '../download/index.ts';
import { DownloadRun, KeptFiles } from '../download/index.ts';
import type { Admission, HostEvent } from '../hosts/index.ts';
import type { HttpClient, HttpClientOptions, HttpEvent, Send } from '../http/index.ts';
import { createClient, requireContact, SqliteCacheStore } from '../http/index.ts';
import type { LeasedJob, QueueEvent, WorkQueue } from '../queue/index.ts';
import type { Finding, ResolverChoice, ServiceName, TitleFinding } from '../resolve/index.ts';
import { baseUrlsBelow, chooseResolvers, completeWork, findPlans, Lookups, Services } from '../resolve/index.ts';
import { HostLog } from '../telemetry/index.ts';
import type { CitedWork, Work } from '../works/index.ts';
import { CorpusStore, Records } from '../store/index.ts';
import { checkFolder } from './check-folder.ts';
import type { HeldLease } from './ledger/manifest-folder.ts';
import { ManifestFolder } from './ledger/manifest-folder.ts';
import type { FleetLogs } from './shared/fleet-logs.ts';
import type { Shared } from './shared/open-shared.ts';
import type { SharedFiles } from './shared/shared-files.ts';
import { EntryRows } from './ledger/entry-rows.ts';
import type { UnreadableEntry } from './list-entry.ts';
import { dnsMappings } from './dns-mappings.ts';
import { openAdmission, ownAdmission } from './open-admission.ts';
import { orchestratorOptions } from './queue/open-queue.ts';
import type { Runtime } from './queue/runtime.ts';
import { keepingRecords } from './seen-records.ts';
import { ReviewFile } from './review-file.ts';
import { titleSearch } from './title-search.ts';
import { createWebTime } from './web-time.ts';
/** A work and where the resolvers say that it is. */
export interface WorkPlans {
  readonly work: Work;
  readonly findings: readonly Finding[];
}

/** Enough to ask services. */
export interface Asking {
  readonly send: Send;
  readonly services: Services;
  readonly contact: string;
  /** Searches for a work that is known by its title only. */
  readonly byTitle: (cited: CitedWork, signal: AbortSignal) => Promise<TitleFinding>;
  /** The clock by which hosts are held. */
  readonly webClock: Clock;
}

/** Everything a download needs that outlives a single work. */
export interface DownloadAssembly extends Asking, AsyncDisposable {
  readonly run: DownloadRun;
  readonly client: HttpClient;
  readonly admission: Admission;
  readonly manifest: ManifestFolder;
  /** The database of the folder. */
  readonly store: CorpusStore;
  /** The id of this run in the manifest. */
  readonly runId: string;
  readonly files: KeptFiles;
  /** What is known of the works, to cite them by. */
  readonly records: Records;
}

export interface DownloadParts {
  readonly queue: WorkQueue;
  readonly provider?: (
    parts: Asking & {
      readonly records: Records;
      readonly unreadable: (entry: UnreadableEntry) => Promise<void>;
      readonly identified: (entry: string, work: Work) => Promise<void>;
      readonly review: ReviewFile;
    },
  ) => WorkProvider;
  readonly inspect: InspectDocument | undefined;
  /** Called for a work whose file was saved before, by this machine or another. */
  readonly kept?: ((work: string) => Promise<void>) | undefined;
  /** Called when everything that the provider found is in the queue. */
  readonly listed?: (() => Promise<void>) | undefined;
  /** Where files, and in a fleet the logs, are besides the folder. */
  readonly shared?: Shared | undefined;
  /** Called with each row when it is durable; the work's worker waits for it. */
  readonly written?: (row: ManifestRow) => Promise<void>;
  readonly report: (event: DownloadEvent | QueueEvent) => void;
  readonly reportHttp?: ((event: HttpEvent) => void) | undefined;
  readonly around?: (<T>(job: LeasedJob, run: () => Promise<T>) => Promise<T>) | undefined;
}

/** Where the services are, as the configuration says. */
export function configuredServices({ services, keys }: Config): Services {
  return new Services({
    baseUrls: {
      ...(services.below !== '' && baseUrlsBelow(services.below, 'http')),
      ...(services.base_urls as Partial<Record<ServiceName, string>>),
    },
    keys,
  });
}

/** What the configuration says of the web client, in its own units. */
function clientSettings(config: Config): HttpClientOptions {
  const { http, download } = config;
  return {
    contact: requireContact(http.contact),
    proxy: { http: http.http_proxy, https: http.https_proxy, no: http.no_proxy },
    obeyRobots: http.obey_robots,
    longestLineMs: http.longest_line_s * 1000,
    robots: {
      maxAgeMs: http.robots_s * 1000,
      unreachableMs: http.robots_unreachable_s * 1000,
      longestDelayMs: http.longest_crawl_delay_s * 1000,
    },
    retry: {
      retries: http.retries,
      baseMs: http.retry_base_s * 1000,
      maxDelayMs: http.retry_max_delay * 1000,
      parkAfterMs: http.park_after_s * 1000,
      giveUpAfterMs: http.give_up_after_s * 1000,
    },
    limits: {
      connectMs: http.connect_s * 1000,
      headersMs: http.headers_s * 1000,
      idleMs: http.idle_s * 1000,
      totalMs: http.total_s * 1000,
      floorBytesPerSecond: http.floor_bytes_per_second,
      maxBytes: download.max_bytes,
      maxRedirects: http.max_redirects,
    },
    guard: { allow: http.allow, dnsMap: dnsMappings(http.dns, http.allow) },
  };
}

/** Refuses settings that no download can have, before anything is made: no contact, resolvers nobody knows, a folder that cannot be one. */
export function checkDownload(config: Config): void {
  requireContact(config.http.contact);
  configuredServices(config);
  chooseResolvers(resolverChoice(config.download));
  checkFolder(config.download.out);
}

/** The web client, the services and the resolvers alone, for whoever only asks. Nothing is written. */
export function openAsking(
  config: Config,
  runtime: Runtime,
): Asking & AsyncDisposable & { plansOf(work: Work, signal: AbortSignal): Promise<WorkPlans> } {
  const services = configuredServices(config);
  const contact = requireContact(config.http.contact);
  const resolvers = chooseResolvers(resolverChoice(config.download));
  const web = createWebTime(runtime.clock, config.http.time_scale);
  const client = createClient({
    ...clientSettings(config),
    clock: web.clock,
    admission: ownAdmission(config, services, web.clock),
  });
  const send = web.toMachineTime(client.send);
  const lookups = new Lookups(send, services, runtime.clock);
  return {
    services,
    contact,
    send,
    byTitle: titleSearch(config, lookups, contact),
    webClock: web.clock,
    async plansOf(listed, signal) {
      const { thorough, retracted, prefer } = config.download;
      const context = { lookups, services, contact, thorough, retracted, prefer, attempted: new Map(), signal };
      const { work, findings } = await completeWork(listed, context);
      const found = await Array.fromAsync(findPlans(work, resolvers, context));
      return { work, findings: [...findings, ...found] };
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

function resolverChoice(download: Config['download']): ResolverChoice {
  return {
    preset: download.preset,
    order: download.resolver_order,
    enable: download.enable,
    disable: download.disable,
  };
}

/** Puts a download together as the configuration says; what was opened is closed where a later part cannot be. */
export async function assembleDownload(
  config: Config,
  runtime: Runtime,
  parts: DownloadParts,
): Promise<DownloadAssembly> {
  await using stack = new AsyncDisposableStack();
  const assembled = await assemble(config, runtime, parts, stack);
  const opened = stack.move();
  return { ...assembled, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function assemble(
  config: Config,
  runtime: Runtime,
  parts: DownloadParts,
  stack: AsyncDisposableStack,
): Promise<Omit<DownloadAssembly, keyof AsyncDisposable>> {
  const { http, download } = config;
  const contact = requireContact(http.contact);
  const services = configuredServices(config);
  const web = createWebTime(runtime.clock, http.time_scale);
  const runId = `${new Date(runtime.clock.now()).toISOString().replaceAll(/[:.]/g, '-')}-${randomBytes(3).toString('hex')}`;
  const warn = (message: string): void => runtime.log('warn', message);
  const hosts = stack.use(
    await HostLog.open({ folder: download.out, runId, clock: web.clock, timeScale: http.time_scale, warn }),
  );
  const cache = stack.use(
    new SqliteCacheStore(http.cache_path === '' ? join(download.out, 'state', 'http-cache.sqlite') : http.cache_path, {
      now: () => web.clock.now(),
      maxBytes: http.cache_max_bytes,
      warn,
    }),
  );
  const tellHost = (event: HostEvent): void => {
    parts.report(event);
    hosts.see(event);
    parts.reportHttp?.(event);
    if (event.kind === 'host-given-up') warn(`${event.message}: given up for this run`);
  };
  const { admission, facts } = await openAdmission(config, services, { clock: web.clock, runtime, report: tellHost });
  stack.use(admission);
  const client = stack.use(
    createClient({
      ...clientSettings(config),
      clock: web.clock,
      cache,
      admission,
      facts,
      report: (event) => {
        hosts.see(event);
        parts.reportHttp?.(event);
      },
    }),
  );
  const { shared } = parts;
  const logs = shared?.logs;
  const store = stack.use(
    CorpusStore.create(download.out, {
      warn,
      manifests: join(config.parse.data_root, 'Manifests'),
      say: logs && ((kind, lines) => logs.say(kind, lines)),
    }),
  );
  const manifest = stack.use(
    await ManifestFolder.open({
      store,
      folder: download.out,
      runId,
      clock: runtime.clock,
      rotateBytes: download.rotate_bytes,
      warn,
      ...(shared &&
        logs && { append: (row, lease) => appendRow({ files: shared.files, logs }, row, config.queue.schema, lease) }),
    }),
  );
  const records = new Records(store);
  const send = keepingRecords(web.toMachineTime(client.send), services, {
    keep: (record) => records.add([record]),
    keepNotices: (given) => records.addNotices(given),
    now: () => runtime.clock.now(),
  });
  const files = stack.use(
    new KeptFiles(download.out, {
      contentAddressed: download.content_addressed,
      clock: runtime.clock,
      bring: shared && ((path) => shared.files.bring(path)),
    }),
  );
  const lookups = new Lookups(send, services, runtime.clock, facts);
  const byTitle = titleSearch(config, lookups, contact);
  const entries = new EntryRows(manifest, records, runId, runtime.clock);
  const asking: Asking = { send, services, contact, byTitle, webClock: web.clock };
  const run = new DownloadRun({
    runId,
    queue: parts.queue,
    orchestrator: orchestratorOptions(config),
    provider: parts.provider?.({
      ...asking,
      records,
      unreadable: entries.unreadable,
      identified: entries.identified,
      review: await ReviewFile.open(join(download.out, 'review.csv')),
    }),
    admission,
    listed: parts.listed,
    sink: {
      last: (work) => manifest.last(work),
      deferrals: (work) => records.deferrals(work, runId),
      identity: records,
      kept: parts.kept,
      write: async (row, lease) => {
        // The store has the file before a row says that it was saved; in a fleet both lines are written together.
        if (shared && !logs) await shared.files.save(...savedFile(row));
        await manifest.write(row, lease);
        await parts.written?.(row);
      },
    },
    files,
    send,
    resolvers: chooseResolvers(resolverChoice(download)),
    resolve: {
      lookups,
      services,
      contact,
      thorough: download.thorough,
      retracted: download.retracted,
      prefer: download.prefer,
    },
    inspect: parts.inspect,
    accept: new Set(download.accept),
    maxBytes: download.max_bytes,
    budgetMs: download.work_budget_s * 1000,
    retries: http.retries,
    retracted: download.retracted,
    clock: runtime.clock,
    webClock: web.clock,
    report: parts.report,
    log: (level, message) => runtime.log(level, message),
    around: parts.around,
  });
  return {
    ...asking,
    run,
    client,
    admission,
    manifest,
    store,
    runId,
    records,
    files,
  };
}

/** The file of a row and the object that it is; nothing where none was saved. */
function savedFile({ outcome, path, sha256, bytes }: ManifestRow): [paths: string[], object?: ObjectId] {
  if (outcome !== 'saved' || path === null || sha256 === null || bytes === null) return [[]];
  return [[path], { sha256, bytes }];
}

/** Puts the file of a row into the store, then writes the row and where its file is, if the lease is still held. */
async function appendRow(
  { files, logs }: { readonly files: SharedFiles; readonly logs: FleetLogs },
  row: ManifestRow,
  schema: string,
  lease?: HeldLease,
): Promise<void> {
  const lines = await files.put(...savedFile(row));
  const isHeld = await logs.append(
    [
      { log: 'manifest', lines: [JSON.stringify(row)] },
      { log: 'objects', lines: lines.map((line) => JSON.stringify(line)) },
    ],
    lease && { schema, id: lease.id, token: lease.token },
  );
  if (isHeld) files.noted(lines);
  else throw new AppError('LEASE_LOST', `the lease of ${row.work} was lost to another worker; nothing was written`);
}
