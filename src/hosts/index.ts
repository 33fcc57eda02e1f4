export type * from './admission.ts';
export { tooLong } from './admission.ts';
export { bounded, hostReports, DEFAULT_POLICY } from './host.ts';
export type { HostReport, PolicySettings } from './host.ts';
export { HostTable, nameKey, resolverKey } from './host-table.ts';
export type { Pool } from './host-table.ts';
export { Listener, Sessions } from './postgres/sessions.ts';
export { createMemoryAdmission } from './hosts.ts';
export { openSharedAdmission, readSharedHosts } from './postgres/admission.ts';
