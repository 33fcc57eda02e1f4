import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import type { Clock } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { DownloadEvent, InspectDocument, ManifestRow, WorkProvider } from '../download/index.ts';
import { DownloadRun, KeptFiles } from '../download/index.ts';
import type { DnsMapping, HttpClient, HttpEvent, Send } from '../http/index.ts';
import { createHttpClient, requireContact, SqliteCacheStore } from '../http/index.ts';
import type { LeasedJob, QueueEvent, WorkQueue } from '../queue/index.ts';
import type { ServiceName } from '../resolve/index.ts';
import { baseUrlsBelow, chooseResolvers, Lookups, Services } from '../resolve/index.ts';
import { HostLog } from '../telemetry/index.ts';
import { ManifestFolder } from './ledger/manifest-folder.ts';
import { orchestratorOptions } from './open-queue.ts';
import type { Runtime } from './runtime.ts';
import { createWebTime } from './web-time.ts';

/** Everything a download needs that outlives a single work. */
export interface DownloadAssembly extends AsyncDisposable {
  readonly run: DownloadRun;
  readonly client: HttpClient;
  readonly send: Send;
  readonly services: Services;
  readonly contact: string;
  readonly manifest: ManifestFolder;
  readonly files: KeptFiles;
  /** The clock by which hosts are held. */
  readonly webClock: Clock;
}

export interface DownloadParts {
  readonly queue: WorkQueue;
  readonly provider?: (assembly: {
    readonly send: Send;
    readonly services: Services;
    readonly contact: string;
  }) => WorkProvider;
  readonly inspect: InspectDocument | undefined;
  readonly listOnly?: boolean;
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

/** Puts a download together as the configuration says. */
export async function assembleDownload(
  config: Config,
  runtime: Runtime,
  parts: DownloadParts,
): Promise<DownloadAssembly> {
  const { http, download } = config;
  const contact = requireContact(http.contact);
  const services = configuredServices(config);
  const web = createWebTime(runtime.clock, http.time_scale);
  const stack = new AsyncDisposableStack();
  const runId = `${new Date(runtime.clock.now()).toISOString().replaceAll(/[:.]/g, '-')}-${randomBytes(3).toString('hex')}`;
  const warn = (message: string): void => runtime.log('warn', message);
  const hosts = stack.use(
    await HostLog.open({ folder: download.out, runId, clock: web.clock, timeScale: http.time_scale, warn }),
  );
  const cache = stack.use(
    new SqliteCacheStore(http.cache_path === '' ? join(download.out, 'state', 'http-cache.sqlite') : http.cache_path, {
      now: () => web.clock.now(),
      maxBytes: http.cache_max_bytes,
    }),
  );
  const client = stack.use(
    createHttpClient({
      contact,
      clock: web.clock,
      cache,
      pools: services.pools(),
      obeyRobots: http.obey_robots,
      longestLineMs: http.longest_line * 1000,
      perHost: {
        perSecond: http.per_host_per_second,
        concurrency: http.per_host_concurrency || config.orchestrator.max_per_host,
      },
      margin: http.rate_margin,
      circuit: {
        failures: http.circuit_failures,
        openMs: http.circuit_seconds * 1000,
        longestOpenMs: http.circuit_max_seconds * 1000,
      },
      robots: { maxAgeMs: http.robots_hours * 3_600_000, unreachableMs: http.robots_unreachable_seconds * 1000 },
      retry: {
        retries: http.retries,
        baseMs: http.retry_base * 1000,
        maxDelayMs: http.retry_max_delay * 1000,
        parkAfterMs: http.park_after * 1000,
        giveUpAfterMs: http.give_up_after * 1000,
      },
      limits: {
        connectMs: http.connect_seconds * 1000,
        headersMs: http.headers_seconds * 1000,
        idleMs: http.idle_seconds * 1000,
        totalMs: http.total_seconds * 1000,
        floorBytesPerSecond: http.floor_bytes_per_second,
        maxBytes: download.max_bytes,
        maxRedirects: http.max_redirects,
      },
      guard: { allow: http.allow, dnsMap: dnsMappings(http.dns, http.allow) },
      report: (event) => {
        hosts.see(event);
        parts.reportHttp?.(event);
      },
    }),
  );
  const send = web.toMachineTime(client.send);
  const manifest = stack.use(
    await ManifestFolder.open({
      folder: download.out,
      runId,
      clock: runtime.clock,
      rotateBytes: download.rotate_bytes,
      warn,
    }),
  );
  const files = stack.use(new KeptFiles(download.out, { contentAddressed: download.content_addressed }));
  const run = new DownloadRun({
    runId,
    queue: parts.queue,
    orchestrator: orchestratorOptions(config),
    provider: parts.provider?.({ send, services, contact }),
    sink: {
      last: (work) => manifest.last(work),
      write: async (row) => {
        await manifest.write(row);
        await parts.written?.(row);
      },
    },
    files,
    send,
    resolvers: chooseResolvers({
      preset: download.preset,
      order: download.resolver_order,
      enable: download.enable,
      disable: download.disable,
    }),
    resolve: {
      lookups: new Lookups(send, services, runtime.clock),
      services,
      contact,
      thorough: download.thorough,
      retracted: download.retracted,
      prefer: download.prefer,
    },
    inspect: parts.inspect,
    accept: new Set(download.accept),
    maxBytes: download.max_bytes,
    retries: http.retries,
    retracted: download.retracted,
    maxDeaths: download.max_deaths,
    listOnly: parts.listOnly ?? false,
    clock: runtime.clock,
    webClock: web.clock,
    report: parts.report,
    log: (level, message) => runtime.log(level, message),
    around: parts.around,
  });
  return {
    run,
    client,
    services,
    contact,
    manifest,
    files,
    send,
    webClock: web.clock,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Whether the queue tells it, and not the download itself. */
export function isQueueEvent(event: DownloadEvent | QueueEvent): event is QueueEvent {
  return !/^(work-|worker-)/.test(event.kind);
}

/** `{"*.sim.test": "127.0.0.1:8080"}`; a name that leads where nobody may go is still refused when it is reached. */
export function dnsMappings(map: Readonly<Record<string, string>>, allow: readonly string[]): DnsMapping[] {
  return Object.entries(map).map(([pattern, target]) => {
    const at = target.lastIndexOf(':');
    const port = Number(target.slice(at + 1));
    return { pattern, address: target.slice(0, at), port, trusted: allow.includes(target) };
  });
}
