import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { commitPart, partPath, writeFileAtomic } from '../base/index.ts';
import type { ManifestRow } from '../download/index.ts';
import { csvLine } from './csv.ts';
import type { ManifestMirror } from './manifest-mirror.ts';

const CSV_FIELDS = [
  'at', 'run_id', 'work', 'doi', 'title', 'outcome', 'reason', 'resolver', 'url', 'final_url', 'path', 'kind', 'sha256', 'bytes', 'license',
  'version', 'host_type', 'retry_at', 'duration_ms',
] as const; // prettier-ignore

/** Everything that is derived from the manifest: written anew as a whole, so that it never shows half of anything. */
export async function writeReports(
  folder: string,
  mirror: ManifestMirror,
  options: { readonly now: number; readonly runId: string },
): Promise<void> {
  await writeCsv(join(folder, 'manifest.csv'), mirror.rows('all'));
  await writeCsv(join(folder, 'manifest.last.csv'), mirror.rows('last'));
  const index: Record<string, { path: string; sha256: string | null; bytes: number | null; kind: string | null }> =
    Object.create(null) as never;
  const [outcomes, reasons, resolvers, kinds]: Record<string, number>[] = [{}, {}, {}, {}];
  const byResolver: Record<string, { attempts: number; saved: number; bytes: number; ms: number }> = {};
  const byHost: Record<string, { attempts: number; saved: number; bytes: number; ms: number }> = {};
  const durations: number[] = [];
  let [works, bytes] = [0, 0];
  for (const row of mirror.rows('last')) {
    works += 1;
    count(outcomes, row.outcome);
    count(reasons, row.reason);
    if (row.resolver !== null) count(resolvers, row.resolver);
    if (row.kind !== null) count(kinds, row.kind);
    bytes += row.bytes ?? 0;
    durations.push(row.duration_ms);
    if (row.path !== null) index[row.work] = { path: row.path, sha256: row.sha256, bytes: row.bytes, kind: row.kind };
    for (const attempt of row.attempts) {
      measure(byResolver, attempt.resolver, attempt);
      measure(byHost, URL.parse(attempt.url)?.host ?? '', attempt);
    }
  }
  const at = new Date(options.now).toISOString();
  const header = { generated_at: at, run_id: options.runId, works };
  const write = (name: string, value: unknown): Promise<void> =>
    writeFileAtomic(join(folder, name), `${JSON.stringify(value, undefined, 2)}\n`);
  await write('manifest.index.json', { ...header, files: index });
  await write('manifest.summary.json', { ...header, bytes, outcomes, reasons, resolvers, kinds });
  await write('manifest.metrics.json', {
    ...header,
    work_ms: { p50: percentile(durations, 0.5), p95: percentile(durations, 0.95), max: percentile(durations, 1) },
    by_resolver: byResolver,
    by_host: byHost,
  });
}

async function writeCsv(path: string, rows: Iterable<ManifestRow>): Promise<void> {
  const part = partPath(path);
  await pipeline(Readable.from(csvOf(rows)), createWriteStream(part, { flush: true }));
  await commitPart(part, path);
}

function* csvOf(rows: Iterable<ManifestRow>): Generator<string> {
  yield csvLine(CSV_FIELDS);
  for (const row of rows) yield csvLine(CSV_FIELDS.map((field) => row[field]));
}

function count(counts: Record<string, number> | undefined, name: string): void {
  if (counts) counts[name] = (counts[name] ?? 0) + 1;
}

function measure(
  table: Record<string, { attempts: number; saved: number; bytes: number; ms: number }>,
  key: string,
  attempt: { readonly reason: string; readonly bytes: number; readonly duration_ms: number },
): void {
  const entry = (table[key] ??= { attempts: 0, saved: 0, bytes: 0, ms: 0 });
  entry.attempts += 1;
  if (attempt.reason === 'success') entry.saved += 1;
  entry.bytes += attempt.bytes;
  entry.ms += attempt.duration_ms;
}

function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}
