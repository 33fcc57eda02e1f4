import type { HostReport } from './host-report.ts';
import type { SharedPlace } from './postgres/shared-hosts.ts';
import type { PostgresAdmissionOptions, SharedAdmission } from './postgres/admission.ts';

/** Reads what a fleet shares about hosts without being of it; its package is loaded only then. */
export async function readSharedHosts(place: SharedPlace): Promise<HostReport[]> {
  const shared = await import('./postgres/shared-hosts.ts');
  return shared.readSharedHosts(place);
}

/** Opens the authority over hosts that everybody on one PostgreSQL shares; its package is loaded only then. */
export async function openSharedAdmission(options: PostgresAdmissionOptions): Promise<SharedAdmission> {
  const { openPostgresAdmission } = await import('./postgres/admission.ts');
  return openPostgresAdmission(options);
}
