export type {
  AcquireOptions,
  Admission,
  Fact,
  Facts,
  HostEvent,
  Observation,
  Slot,
  Waited,
  WhileWaiting,
} from './admission.ts';
export { tooLong } from './admission.ts';
export { hostReports } from './host-report.ts';
export type { HostReport } from './host-report.ts';
export { HostTable, nameKey, Pools, resolverKey } from './host-table.ts';
export type { Pool } from './host-table.ts';
export { isSlowed } from './host.ts';
export { Sessions } from './postgres/sessions.ts';
export { openSharedAdmission, readSharedHosts } from './shared.ts';
export { createMemoryAdmission } from './hosts.ts';
export { DEFAULT_POLICY } from './policy.ts';
export type { PolicySettings } from './policy.ts';
