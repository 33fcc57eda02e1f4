import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { readJsonl } from '../base/index.ts';
import type { ManifestRow } from '../download/index.ts';
import { manifestPath } from '../stage/index.ts';
import type { HostRow, HostRunRow } from '../telemetry/index.ts';

/** What a row of a stage's manifest says, as far as it is shown. */
export interface StageRow {
  readonly doc_id: string;
  readonly status: string;
  readonly duration_s: number;
  readonly input_path: string | null;
  readonly input_hash: string | null;
  readonly category?: string;
  readonly message?: string;
}

/** The last row of every work, in the order in which the works were first settled. Damaged lines are passed over. */
export async function lastWorkRows(folder: string): Promise<Map<string, ManifestRow>> {
  const rows = new Map<string, ManifestRow>();
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const older = names.filter((name) => /^manifest\.\d{4}\.jsonl$/.test(name)).sort();
  for (const name of [...older, 'manifest.jsonl']) {
    for await (const row of objects(join(folder, name))) {
      if (typeof row['work'] === 'string' && typeof row['outcome'] === 'string' && Array.isArray(row['attempts']))
        rows.set(row['work'], row as unknown as ManifestRow);
    }
  }
  return rows;
}

/** Rows of the host log. */
export async function* hostRows(folder: string): AsyncGenerator<HostRow | HostRunRow> {
  for await (const row of objects(join(folder, 'hosts.jsonl'))) {
    if ((row['kind'] === 'host' && typeof row['host'] === 'string') || row['kind'] === 'run')
      yield row as unknown as HostRow | HostRunRow;
  }
}

/** Rows of a stage in the order in which they were written. */
export async function* stageRows(dataRoot: string, stage: string): AsyncGenerator<StageRow> {
  for await (const row of objects(manifestPath(join(dataRoot, 'Manifests'), stage))) {
    if (typeof row['doc_id'] === 'string' && typeof row['duration_s'] === 'number') yield row as unknown as StageRow;
  }
}

async function* objects(path: string): AsyncGenerator<Record<string, unknown>> {
  if (!existsSync(path)) return;
  for await (const line of readJsonl(path)) {
    if (line.kind === 'good' && line.value !== null && typeof line.value === 'object')
      yield line.value as Record<string, unknown>;
  }
}
