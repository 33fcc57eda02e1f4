import type { Clock } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { Admission, Facts, HostEvent, PolicySettings } from '../../hosts/index.ts';
import {
  bounded,
  createMemoryAdmission,
  DEFAULT_POLICY,
  HostTable,
  openSharedAdmission,
  readSharedHosts,
} from '../../hosts/index.ts';
import type { ServiceName } from '../../resolve/index.ts';
import { baseUrlsBelow, Services } from '../../resolve/index.ts';
import type { HostOverview, HostSources, WorkQueue } from '../../queue/index.ts';
import { hostOverview } from '../../queue/index.ts';
import type { Runtime } from '../queue/open-queue.ts';

/** Used by the queue before leasing and by the client before sending; shared by processes on PostgreSQL. */
export async function openAdmission(
  config: Config,
  services: Services,
  {
    clock,
    runtime,
    report,
  }: { readonly clock: Clock; readonly runtime: Runtime; readonly report: (event: HostEvent) => void },
): Promise<{ readonly admission: Admission; readonly facts: Facts | undefined }> {
  const common = { table: tableOf(config, services), policy: policyOf(config), report };
  const { queue } = config;
  if (queue.backend !== 'postgres') return { admission: createMemoryAdmission({ ...common, clock }), facts: undefined };
  const admission = await openSharedAdmission({
    ...common,
    url: queue.url,
    schema: queue.schema,
    pooler: queue.pooler,
    stop: runtime.stop,
    reportOutage: (isAway, message) =>
      isAway
        ? runtime.log(
            'warn',
            `the fleet’s shared limits are unavailable (${message}); using this machine’s share of each`,
          )
        : runtime.log('info', 'the limits are shared by the fleet again'),
  });
  return { admission, facts: admission.facts };
}

/** Not shared, for a few lookups. */
export function ownAdmission(config: Config, services: Services, clock: Clock): Admission {
  return createMemoryAdmission({ clock, table: tableOf(config, services), policy: policyOf(config) });
}

export function hostRates(config: Config, services: Services): (host: string) => number {
  const table = tableOf(config, services);
  return (host) => Math.min(...table.keysOf(host).map((key) => table.rulesOf(key).perSecond)) * (1 - table.margin);
}

function tableOf({ http, orchestrator }: Config, services: Services): HostTable {
  return new HostTable({
    perHost: { perSecond: http.per_host_per_second, concurrency: orchestrator.max_per_host },
    pools: services.pools(),
    perResolver: orchestrator.max_per_resolver,
    margin: http.rate_margin,
  });
}

function policyOf({ http }: Config): Partial<PolicySettings> {
  return {
    backoff: { ...DEFAULT_POLICY.backoff, capMs: http.retry_max_delay * 1000 },
    giveUpAfterMs: http.give_up_after_s * 1000,
  };
}

export function configuredServices({ services, keys }: Config): Services {
  return new Services({
    baseUrls: {
      ...(services.below !== '' && baseUrlsBelow(services.below, 'http')),
      ...(services.base_urls as Partial<Record<ServiceName, string>>),
    },
    keys,
  });
}

/** Hosts as the queue's workers, the fleet and the waiting jobs know them. Read-only. */
export async function hostsNow(config: Config, queue: WorkQueue): Promise<HostOverview[]> {
  const { shared: readShared, rulesOf } = hostKnowledge(config);
  const [stats, jobs, shared] = await Promise.all([queue.stats(), queue.hosts(), readShared()]);
  return hostOverview(stats, { jobs, shared, rulesOf });
}

export function hostKnowledge(
  config: Config,
  stop?: AbortSignal,
): Pick<HostSources, 'rulesOf'> & { readonly shared: () => Promise<HostSources['shared']> } {
  const table = tableOf(config, configuredServices(config));
  const { backend, url, schema, pooler } = config.queue;
  return {
    shared: async () => (backend === 'postgres' ? await readSharedHosts({ url, schema, pooler, stop, table }) : []),
    rulesOf: (key) => {
      const { cap, perSecond } = table.rulesOf(key);
      return { cap: bounded(cap), perSecond: bounded(perSecond) };
    },
  };
}
