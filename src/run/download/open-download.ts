import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { AppError, fieldsOf, parseJson } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import { proxyOf } from '../../config/index.ts';
import type { DownloadRunOptions, ManifestRow, WorkProvider } from '../../download/index.ts';
import { DownloadRun, KeptFiles } from '../../download/index.ts';
import { entryRows, manifestEntry, ManifestFolder } from './manifest-folder.ts';
import { configuredServices, openAdmission, ownAdmission } from './open-admission.ts';
import { jobLease, orchestratorOptions } from '../queue/open-queue.ts';
import type { Clocks, Runtime, WebTime } from '../queue/open-queue.ts';
import type { ReviewFile } from '../list/search-titles.ts';
import { openReviewFile } from '../list/search-titles.ts';
import type { CorpusStorage } from '../storage/storage.ts';
import type { CorpusFiles } from '../storage/corpus-files.ts';
import type { Admission, HostEvent } from '../../hosts/index.ts';
import type { DnsMapping, HttpClient, HttpClientOptions, HttpEvent, HttpResponse, Send } from '../../http/index.ts';
import { createClient, raced, requireContact, SqliteCacheStore } from '../../http/index.ts';
import type { ResolverChoice, Services, TitleFinding } from '../../resolve/index.ts';
import { chooseResolvers, findByTitle, Lookups } from '../../resolve/index.ts';
import { CorpusStore, Records } from '../../database/index.ts';
import type { JobLease } from '../../journal/index.ts';
import { openHostLog } from './host-log.ts';
import { PdfInspector } from '../../parse/index.ts';
import type { CitedWork } from '../../works/index.ts';
import { noticesGiven, parseCrossrefRecord, parseOpenAlexRecord } from '../../works/index.ts';

const CACHE_BYTES = 512 * 2 ** 20;

export interface Asking {
  readonly send: Send;
  readonly services: Services;
  readonly lookups: Lookups;
  readonly contact: string;
  readonly byTitle: (cited: CitedWork, signal: AbortSignal) => Promise<TitleFinding>;
  readonly webClock: Clock;
}

/** Everything that downloads works into a folder; closing it closes all its parts. */
export interface DownloadAssembly extends Asking, AsyncDisposable {
  readonly runId: string;
  readonly run: DownloadRun;
  readonly client: HttpClient;
  readonly admission: Admission;
  readonly manifest: ManifestFolder;
  readonly store: CorpusStore;
  readonly records: Records;
  readonly files: KeptFiles;
}

export interface DownloadParts extends Pick<DownloadRunOptions, 'queue' | 'list' | 'report' | 'around'> {
  readonly provider?: (
    parts: Asking &
      ReturnType<typeof entryRows> & {
        readonly records: Records;
        readonly review: ReviewFile;
      },
  ) => WorkProvider;
  readonly storage: CorpusStorage;
  readonly reportHttp?: ((event: HttpEvent) => void) | undefined;
}

function clientSettings(config: Config): HttpClientOptions {
  const { http, download } = config;
  return {
    contact: requireContact(http.contact),
    proxy: proxyOf(config),
    obeyRobots: http.obey_robots,
    longestLineMs: http.longest_line_s * 1000,
    robots: { longestDelayMs: http.longest_crawl_delay_s * 1000 },
    retry: {
      retries: http.retries,
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
    },
    guard: { allow: http.allow, dnsMap: dnsMappings(http.dns, http.allow) },
  };
}

/** Refuses unusable settings before anything is created: no contact, unknown resolvers, an unusable folder. */
export function checkDownload(config: Config): void {
  requireContact(config.http.contact);
  configuredServices(config);
  chooseResolvers(resolverChoice(config.download));
  checkFolder(config.download.out);
}

/** For lookups; writes nothing. */
export function openAsking(config: Config, runtime: Runtime): Asking & AsyncDisposable {
  const services = configuredServices(config);
  const contact = requireContact(config.http.contact);
  const { clock, wrap } = webTime(runtime);
  const client = createClient({ ...clientSettings(config), clock, admission: ownAdmission(config, services, clock) });
  const send = wrap(client.send);
  const lookups = new Lookups(send, services, runtime.clock);
  const byTitle = titleSearch(config, lookups, contact);
  const close = (): PromiseLike<void> => client[Symbol.asyncDispose]();
  return { services, lookups, contact, send, byTitle, webClock: clock, [Symbol.asyncDispose]: close };
}

function webTime({ clock, web }: Clocks): WebTime {
  return web ?? { clock, wrap: (send) => send };
}

function resolverChoice({ preset, resolver_order: order, enable, disable }: Config['download']): ResolverChoice {
  return { preset, order, enable, disable };
}

/** If a part cannot be opened, the others are closed. */
/** Opens everything that downloads works into the folder of the settings. */
export async function assembleDownload(
  config: Config,
  runtime: Runtime,
  parts: DownloadParts,
): Promise<DownloadAssembly> {
  await using stack = new AsyncDisposableStack();
  const { http, download } = config;
  const { thorough, retracted, prefer } = download;
  const contact = requireContact(http.contact);
  const services = configuredServices(config);
  // The processes of a fleet share their limits by the clock of the database server.
  const web = config.queue.backend === 'postgres' ? webTime({ clock: runtime.clock }) : webTime(runtime);
  const runId = `${new Date(runtime.clock.now()).toISOString().replaceAll(/[:.]/g, '-')}-${randomBytes(3).toString('hex')}`;
  const warn = (message: string): void => runtime.log('warn', message);
  const { journal, files: corpusFiles } = parts.storage;
  const store = stack.use(CorpusStore.create(download.out, { warn, journal }));
  const manifest = stack.use(
    await ManifestFolder.open({
      store,
      folder: download.out,
      runId,
      clock: runtime.clock,
      warn,
      journal,
    }),
  );
  const hosts = stack.use(openHostLog({ journal, runId, clock: web.clock, warn }));
  const cache = stack.use(
    new SqliteCacheStore(http.cache_path === '' ? join(download.out, 'state', 'http-cache.sqlite') : http.cache_path, {
      now: () => web.clock.now(),
      maxBytes: CACHE_BYTES,
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
  const records = new Records(store);
  const send = keepingRecords(web.wrap(client.send), services, records, runtime.clock);
  const files = stack.use(
    new KeptFiles(download.out, {
      contentAddressed: download.content_addressed,
      clock: runtime.clock,
      store: {
        has: (path) => corpusFiles.of(path) !== undefined,
        bring: (path) => corpusFiles.bring(path),
      },
    }),
  );
  // In a separate process: a file may crash its reader.
  const inspector = stack.use(new PdfInspector());
  const lookups = new Lookups(send, services, runtime.clock, facts);
  const byTitle = titleSearch(config, lookups, contact);
  const asking: Asking = { send, services, lookups, contact, byTitle, webClock: web.clock };
  const orchestrator = orchestratorOptions(config);
  const run = new DownloadRun({
    runId,
    queue: parts.queue,
    orchestrator,
    provider: parts.provider?.({
      ...asking,
      ...entryRows(manifest, records, runId, runtime.clock),
      records,
      review: await openReviewFile(join(download.out, 'review.csv')),
    }),
    admission,
    list: parts.list,
    sink: {
      last: (work) => manifest.last(work),
      deferrals: (work) => records.deferrals(work, runId),
      identity: records,
      isShared: journal.isShared,
      write: async (row, lease) => {
        await appendRow(row, corpusFiles, lease && jobLease(parts.queue, lease, 'works', orchestrator.leaseMs));
        manifest.note(row);
      },
    },
    files,
    send,
    resolvers: chooseResolvers(resolverChoice(download)),
    resolve: { lookups, services, contact, thorough, retracted, prefer },
    inspect: (path, kind, look, signal) => raced(inspector.glance(path, kind, look), signal),
    accept: new Set(download.accept),
    maxBytes: download.max_bytes,
    budgetMs: download.work_budget_s * 1000,
    retries: http.retries,
    clock: runtime.clock,
    webClock: web.clock,
    report: parts.report,
    log: (level, message) => runtime.log(level, message),
    around: parts.around,
  });
  const opened = stack.move();
  const assembled = { ...asking, run, client, admission, manifest, store, runId, records, files };
  return { ...assembled, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Writes a row, after its file is in the store; nothing if the lease was lost. */
async function appendRow(row: ManifestRow, files: CorpusFiles, lease: JobLease | undefined): Promise<void> {
  const { outcome, path, sha256, bytes } = row;
  const isFile = outcome === 'saved' && path !== null && sha256 !== null && bytes !== null;
  const saving = { lines: [manifestEntry(row)], lease };
  if (await (isFile ? files.save([path], { object: { sha256, bytes }, ...saving }) : files.save([], saving))) return;
  throw new AppError('LEASE_LOST', `the lease of ${row.work} was lost to another worker; nothing was written`);
}

function titleSearch({ download }: Config, lookups: Lookups, contact: string): Asking['byTitle'] {
  const search = { lookups, contact, accept: download.title_accept, review: download.title_review };
  return (cited, signal) => findByTitle(cited, search, signal);
}

/** Parses `{"*.sim.test": "127.0.0.1:8080"}`; the guard still checks addresses that are not allowed explicitly. */
export function dnsMappings(map: Readonly<Record<string, string>>, allow: readonly string[]): DnsMapping[] {
  return Object.entries(map).map(([pattern, target]) => {
    if (target === 'none') return { pattern, address: target };
    const at = target.lastIndexOf(':');
    const port = Number(target.slice(at + 1));
    return { pattern, address: target.slice(0, at), port, trusted: allow.includes(target) };
  });
}

/** Refuses a folder that cannot be written; leaves nothing behind. */
export function checkFolder(path: string): void {
  const place = nearest(resolve(path));
  const refuse = (message: string, hint: string, cause?: unknown): AppError =>
    new AppError('USAGE_OUT', `--out ${path}: ${message}`, { hint, cause });
  if (!statSync(place).isDirectory()) throw refuse(`${place} is a file, not a folder`, 'choose another folder');
  try {
    rmdirSync(mkdtempSync(join(place, '.docstokg-')));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw refuse(
      `nothing can be written in ${place}${code}`,
      'name a folder on a disk with space that you may write to',
      error,
    );
  }
}

function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}

/** Larger responses are lists, whose readers store the records themselves. */
const MOST_BYTES = 2_000_000;

/** Stores records in passing responses of OpenAlex and Crossref, so that none is requested twice. */
function keepingRecords(send: Send, services: Services, records: Records, clock: Clock): Send {
  const bases = { openalex: services.base('openalex'), crossref: services.base('crossref') };
  return async (request, signal) => {
    const result = await send(request, signal);
    if (result.kind !== 'response' || result.response.status !== 200) return result;
    const service = (['openalex', 'crossref'] as const).find((name) => isWork(request.url, bases[name]));
    const value = service && valueIn(service, result.response);
    if (!service || value === undefined) return result;
    const at = new Date(clock.now()).toISOString();
    const record = service === 'openalex' ? parseOpenAlexRecord(value, at) : parseCrossrefRecord(value, at);
    if (record) records.add([record]);
    // Notices about other works that the work itself gives.
    const given = service === 'crossref' ? noticesGiven(value) : [];
    if (given.length > 0) records.addNotices(given);
    return result;
  };
}

function isWork(url: URL, base: URL): boolean {
  return url.origin === base.origin && url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/works/`);
}

function valueIn(service: 'openalex' | 'crossref', { body }: HttpResponse): unknown {
  if (body.length > MOST_BYTES) return undefined;
  const value = parseJson(body.toString('utf8'));
  return service === 'openalex' ? value : fieldsOf(value)['message'];
}
