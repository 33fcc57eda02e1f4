import type { CorpusWorks, WorkOutcome } from '../../ask/index.ts';
import { slug } from '../../download/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { emptyRecord, parseLicense } from '../../works/index.ts';

/** A work of a corpus as it goes out: what is known of it, its outcome, and what a person has said about it. */
export interface ExportedWork {
  readonly record: WorkRecord;
  readonly document: string;
  readonly outcome: WorkOutcome;
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

/** Every work of a corpus, those that are unavailable or not tried yet included, in the order in which they came. */
export function* exportedWorks(
  works: CorpusWorks,
  linkOf: (document: string) => string | undefined,
): Generator<ExportedWork> {
  for (const { line, row, record: known, label, isOtherVersion } of works.each()) {
    const record = known ?? { ...emptyRecord(line.id, { doi: line.doi }), title: line.title };
    const document = line.document ?? slug(row?.work ?? line.id);
    yield {
      record,
      document,
      outcome: line.outcome,
      reason: line.reason ?? '',
      detail: row?.detail ?? null,
      file: line.document === null ? null : (linkOf(document) ?? row?.path ?? null),
      license: row?.license ?? record.license,
      label,
      isOtherVersion,
    };
  }
}
