import type { HostReport } from './host-report.ts';
import type { SharedPlace } from './postgres/shared-hosts.ts';
import type { PostgresAdmissionOptions, SharedAdmission } from './postgres/admission.ts';

/** Reads what a fleet shares about hosts without joining it; `pg` is loaded only then. */
export async function readSharedHosts(place: SharedPlace): Promise<HostReport[]> {
  const shared = await import('./postgres/shared-hosts.ts');
  return shared.readSharedHosts(place);
}

/** Opens the admission that all processes on one PostgreSQL share; `pg` is loaded only then. */
export async function openSharedAdmission(options: PostgresAdmissionOptions): Promise<SharedAdmission> {
  const { openPostgresAdmission } = await import('./postgres/admission.ts');
  return openPostgresAdmission(options);
}
