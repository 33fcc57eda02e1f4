import type { Clock } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { Admission, HostEvent } from '../hosts/index.ts';
import { createMemoryAdmission, HostTable } from '../hosts/index.ts';
import type { Services } from '../resolve/index.ts';

/** The authority over hosts, as the configuration says: asked by the queue before it leases, by the client before it sends. */
export function openAdmission(
  { http, orchestrator }: Config,
  services: Services,
  clock: Clock,
  report?: (event: HostEvent) => void,
): Admission {
  return createMemoryAdmission({
    clock,
    table: new HostTable({
      perHost: {
        perSecond: http.per_host_per_second,
        concurrency: http.per_host_concurrency || orchestrator.max_per_host,
      },
      pools: services.pools(),
      perResolver: orchestrator.max_per_resolver,
      margin: http.rate_margin,
    }),
    policy: {
      backoff: { baseMs: http.retry_base_s * 1000, capMs: http.retry_max_delay * 1000 },
      circuit: {
        failures: http.circuit_failures,
        openMs: http.circuit_s * 1000,
        longestOpenMs: http.circuit_max_s * 1000,
      },
      giveUpAfterMs: http.give_up_after_s * 1000,
    },
    report,
  });
}
