export type {
  AcquireOptions,
  Admission,
  HostEvent,
  HostView,
  Observation,
  Slot,
  Turn,
  Waited,
  WhileWaiting,
} from './admission.ts';
export { tooLong } from './admission.ts';
export { hostReports } from './host-report.ts';
export type { HostReport } from './host-report.ts';
export { HostTable, nameKey, resolverKey } from './host-table.ts';
export type { Asked } from './host-table.ts';
export { isSlowed } from './host.ts';
export type { Hold, HoldReason, Host, Rules } from './host.ts';
export type { Fact, Facts } from './facts.ts';
export type { PostgresAdmissionOptions, SharedAdmission } from './postgres/admission.ts';
export { openSharedAdmission, readSharedHosts } from './shared.ts';
export { createMemoryAdmission } from './memory/admission.ts';
export { DEFAULT_POLICY } from './policy.ts';
export type { PolicySettings } from './policy.ts';
export { Pools } from './pools.ts';
export type { Pool } from './pools.ts';
