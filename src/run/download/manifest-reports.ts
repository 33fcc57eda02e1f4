import { join } from 'node:path';

import { AtomicText, csvLine, hostKey, writeOwnFile } from '../../base/index.ts';
import type { AttemptRow } from '../../download/index.ts';
import { ResolverAccount } from '../../download/index.ts';
import type { CorpusStore } from '../../database/index.ts';
import { manifestRows } from '../../database/index.ts';

const CSV_FIELDS = [
  'at', 'run_id', 'work', 'doi', 'title', 'outcome', 'reason', 'detail', 'resolver', 'url', 'final_url', 'path', 'kind',
  'sha256', 'bytes', 'license', 'version', 'host_type', 'retry_at', 'duration_ms',
] as const; // prettier-ignore

interface Measured {
  attempts: number;
  saved: number;
  bytes: number;
  ms: number;
}

/** Files are replaced as a whole, so they are never incomplete. Rows are read once and not held in memory. */
export async function writeReports(
  folder: string,
  store: CorpusStore,
  options: { readonly now: number; readonly runId: string },
): Promise<void> {
  const counts = { outcomes: {}, reasons: {}, resolvers: {}, kinds: {} };
  const byResolver: Record<string, Measured> = {};
  const byHost: Record<string, Measured> = {};
  const account = new ResolverAccount();
  const durations: number[] = [];
  let [rows, bytes] = [0, 0];
  // As everywhere: a work tried under several names is one, and entries that name none are not counted.
  const works = store.count("works where outcome <> 'unreadable'");
  const about = { generated_at: new Date(options.now).toISOString(), run_id: options.runId };
  using all = new AtomicText(join(folder, 'manifest.csv'), true);
  using last = new AtomicText(join(folder, 'manifest.last.csv'), true);
  using index = new AtomicText(join(folder, 'manifest.index.json'), true);
  all.write(csvLine(CSV_FIELDS));
  last.write(csvLine(CSV_FIELDS));
  index.write(`${JSON.stringify(about, undefined, 2).slice(0, -2)},\n  "files": {`);
  let separator = '';
  for (const { row, isLast } of manifestRows(store)) {
    const line = csvLine(CSV_FIELDS.map((field) => row[field] ?? null));
    all.write(line);
    if (!isLast) continue;
    last.write(line);
    rows += 1;
    count(counts.outcomes, row.outcome);
    count(counts.reasons, row.reason);
    if (row.resolver !== null) count(counts.resolvers, row.resolver);
    if (row.kind !== null) count(counts.kinds, row.kind);
    bytes += row.bytes ?? 0;
    durations.push(row.duration_ms ?? 0);
    account.add(row);
    if (row.path !== null) {
      const { path, sha256, bytes: size, kind } = row;
      index.write(
        `${separator}\n    ${JSON.stringify(row.work)}: ${JSON.stringify({ path, sha256, bytes: size, kind })}`,
      );
      separator = ',';
    }
    for (const attempt of row.attempts) {
      measure(byResolver, attempt.resolver, attempt);
      measure(byHost, hostOf(attempt.url), attempt);
    }
  }
  index.write(`\n  },\n  "works": ${works}\n}\n`);
  for (const file of [all, last, index]) await file.commit();
  /** `rows`: the last row of each name, which the counts below are of. */
  const header = { ...about, works, rows };
  const write = (name: string, value: unknown): Promise<void> =>
    writeOwnFile(join(folder, name), `${JSON.stringify(value, undefined, 2)}\n`);
  await write('manifest.summary.json', {
    ...header,
    bytes,
    ...counts,
    resolver_account: account.lines,
    problems: account.problems,
    lost_sources: account.sources,
  });
  durations.sort((a, b) => a - b);
  await write('manifest.metrics.json', {
    ...header,
    work_ms: { p50: percentile(durations, 0.5), p95: percentile(durations, 0.95), max: percentile(durations, 1) },
    by_resolver: byResolver,
    by_host: byHost,
  });
}

function hostOf(url: string): string {
  try {
    return hostKey(url);
  } catch {
    // A row edited by hand may name anything.
    return '';
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function measure(table: Record<string, Measured>, key: string, attempt: AttemptRow): void {
  const entry = (table[key] ??= { attempts: 0, saved: 0, bytes: 0, ms: 0 });
  entry.attempts += 1;
  if (attempt.reason === 'success') entry.saved += 1;
  entry.bytes += attempt.bytes;
  entry.ms += attempt.duration_ms;
}

function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}
