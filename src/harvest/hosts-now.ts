import type { Config } from '../config/index.ts';
import { readSharedHosts } from '../hosts/index.ts';
import type { HostOverview, HostSources, WorkQueue } from '../queue/index.ts';
import { hostOverview } from '../queue/index.ts';
import { tableOf } from './open-admission.ts';
import { configuredServices } from './open-download.ts';

/**
 * The current state of every host, service and resolver in use: from the workers of the queue, from what a fleet shares
 * on PostgreSQL, and from the jobs in the queue. Read-only.
 */
export async function hostsNow(config: Config, queue: WorkQueue): Promise<HostOverview[]> {
  const { shared: readShared, rulesOf } = hostKnowledge(config);
  const [stats, jobs, shared] = await Promise.all([queue.stats(), queue.hosts(), readShared()]);
  return hostOverview(stats, { jobs, shared, rulesOf });
}

/** What is known of hosts besides their jobs: their limits, and on demand what a fleet shares. */
export function hostKnowledge(
  config: Config,
): Pick<HostSources, 'rulesOf'> & { readonly shared: () => Promise<HostSources['shared']> } {
  const table = tableOf(config, configuredServices(config));
  const { backend, url, schema, pooler } = config.queue;
  return {
    shared: async () => (backend === 'postgres' ? await readSharedHosts({ url, schema, pooler, table }) : []),
    rulesOf: (key) => {
      const { cap, perSecond } = table.rulesOf(key);
      return { cap: bounded(cap), perSecond: bounded(perSecond) };
    },
  };
}

function bounded(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
