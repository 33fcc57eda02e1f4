import type { Clock } from '../../base/index.ts';
import { systemClock } from '../../base/index.ts';
import type { Admission, HostEvent } from '../admission.ts';
import { LocalAllowance } from '../allowance.ts';
import { Gatekeeper } from '../gatekeeper.ts';
import type { HostTable } from '../host-table.ts';
import type { PolicySettings } from '../policy.ts';
import { DEFAULT_POLICY } from '../policy.ts';

/** The authority over hosts for this process alone. */
export function createMemoryAdmission(options: {
  readonly table: HostTable;
  readonly clock?: Clock;
  readonly policy?: Partial<PolicySettings>;
  readonly report?: ((event: HostEvent) => void) | undefined;
}): Admission {
  return new Gatekeeper({
    clock: options.clock ?? systemClock,
    table: options.table,
    policy: { ...DEFAULT_POLICY, ...options.policy },
    report: options.report,
    allowance: (_key, pace) => new LocalAllowance(pace),
  });
}
