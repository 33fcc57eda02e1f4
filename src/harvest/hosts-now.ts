import type { Config } from '../config/index.ts';
import { readSharedHosts } from '../hosts/index.ts';
import type { HostOverview, HostSources, WorkQueue } from '../queue/index.ts';
import { hostOverview } from '../queue/index.ts';
import { tableOf } from './open-admission.ts';
import { configuredServices } from './open-download.ts';

/**
 * Every host, service and resolver that somebody asks or will ask, as it stands now: told by the workers of the queue, by
 * what a fleet shares on PostgreSQL, and by the queue's own books. Nothing is changed, and no worker is disturbed.
 */
export async function hostsNow(config: Config, queue: WorkQueue): Promise<HostOverview[]> {
  const { shared: readShared, rulesOf } = hostKnowledge(config);
  const [stats, jobs, shared] = await Promise.all([queue.stats(), queue.hosts(), readShared()]);
  return hostOverview(stats, { jobs, shared, rulesOf });
}

/** What is known of hosts besides a queue's own books: what they allow, and what a fleet shares, read when asked for. */
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
