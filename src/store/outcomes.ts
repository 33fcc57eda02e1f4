import type { ManifestRow } from '../download/index.ts';
import type { CorpusStore } from './corpus-store.ts';

/** The fields of a work's last row that decide whether it is tried again. */
export type LastRow = Pick<ManifestRow, 'outcome' | 'reason' | 'path' | 'bytes'>;

export function lastOutcome(store: CorpusStore, work: string): LastRow | undefined {
  return store.get<LastRow>(
    'select outcome, reason, path, bytes from outcomes where work = ? order by sequence desc limit 1',
    work,
  );
}

/** Whether the database has a row of this work that is at least as new. */
export function hasOutcome(store: CorpusStore, { work, at }: Pick<ManifestRow, 'work' | 'at'>): boolean {
  return store.get('select 1 from outcomes where work = ? and at >= ?', work, at) !== undefined;
}

/** The last rows of works that were downloaded. */
export function savedOutcomes(store: CorpusStore): readonly Pick<ManifestRow, 'work' | 'kind' | 'path' | 'bytes'>[] {
  return store.all("select work, kind, path, bytes from last_outcomes where outcome = 'saved' order by sequence");
}

/** Every row of the manifest, as text and parsed; `isLast` marks a work's last row. */
export function* manifestRows(
  store: CorpusStore,
): Generator<{ readonly line: string; readonly row: ManifestRow; readonly isLast: boolean }> {
  const rows = store.iterate<{ row: string; isLast: 0 | 1 }>(
    `select row, sequence in (select max(sequence) from outcomes group by work) as isLast from outcomes order by sequence`,
  );
  for (const { row, isLast } of rows) yield { line: row, row: JSON.parse(row) as ManifestRow, isLast: isLast === 1 };
}

/** How many bytes of manifests were read. */
export function manifestBytes(store: CorpusStore): number {
  const read = store.get<{ bytes: number | null }>("select sum(bytes) as bytes from logs where name like 'manifest.%'");
  return read?.bytes ?? 0;
}
