import type { PostgresAdmissionOptions, SharedAdmission } from './postgres/admission.ts';

/** Opens the authority over hosts that everybody on one PostgreSQL shares; its package is loaded only then. */
export async function openSharedAdmission(options: PostgresAdmissionOptions): Promise<SharedAdmission> {
  const { openPostgresAdmission } = await import('./postgres/admission.ts');
  return openPostgresAdmission(options);
}
