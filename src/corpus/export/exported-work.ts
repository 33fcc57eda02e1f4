import type { ManifestRow } from '../../download/index.ts';
import { slug } from '../../download/index.ts';
import type { Records } from '../../store/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { emptyRecord, parseLicense } from '../../works/index.ts';

/** A work of a corpus as it goes out: what is known of it, what came of it, and what a person has said about it. */
export interface ExportedWork {
  readonly record: WorkRecord;
  readonly document: string;
  readonly outcome: ManifestRow['outcome'] | 'own';
  readonly reason: string;
  readonly detail: string | null;
  /** Relative to the folder of the corpus. */
  readonly file: string | null;
  /** Of the kept file where that is known, else of the work. */
  readonly license: string | null;
  readonly label: 'included' | 'excluded' | null;
  /** Another record is a better version of the same work. */
  readonly isOtherVersion: boolean;
}

/** Licences under which a text may be passed on, whole or in parts, by anybody. */
const REDISTRIBUTABLE = new Set(['cc0', 'public-domain', 'cc-by', 'cc-by-sa']);

export function isRedistributable({ license, file }: Pick<ExportedWork, 'license' | 'file'>): boolean {
  return file !== null && license !== null && REDISTRIBUTABLE.has(parseLicense(license)?.slug ?? '');
}

/** Every work of a corpus, those that were unavailable included, in the order in which they came. */
export function* exportedWorks(
  records: Records,
  linkOf: (document: string) => string | undefined,
): Generator<ExportedWork> {
  const labels = records.labels();
  const others = new Set(records.versionGroups().flatMap((group) => group.slice(1).map(({ id }) => id)));
  const seen = new Set<string>();
  for (const row of records.lastRows()) {
    const record = records.get(row.work) ?? { ...emptyRecord(row.work, { doi: row.doi }), title: row.title };
    seen.add(record.id);
    const document = slug(row.work);
    yield {
      record,
      document,
      outcome: row.outcome,
      reason: row.reason,
      detail: row.detail,
      file: row.outcome === 'saved' ? (linkOf(document) ?? row.path) : null,
      license: row.license ?? record.license,
      label: labels.get(record.id) ?? null,
      isOtherVersion: others.has(record.id),
    };
  }
  // Papers of one's own have no row, only a record and a document.
  for (const [document, work] of records.documents()) {
    const record = records.get(work);
    if (!record || seen.has(record.id)) continue;
    seen.add(record.id);
    const file = linkOf(document) ?? null;
    const label = labels.get(record.id) ?? null;
    const isOtherVersion = others.has(record.id);
    yield {
      record,
      document,
      outcome: 'own',
      reason: 'success',
      detail: null,
      file,
      license: record.license,
      label,
      isOtherVersion,
    };
  }
}
