import { join } from 'node:path';

import { hostKey, writeFileAtomic, AtomicText } from '../../base/index.ts';
import type { ManifestRow } from '../../download/index.ts';
import { lostSources } from '../../download/index.ts';
import type { CorpusStore } from '../../store/index.ts';
import { manifestRows } from '../../store/index.ts';

const CSV_FIELDS = [
  'at', 'run_id', 'work', 'doi', 'title', 'outcome', 'reason', 'detail', 'resolver', 'url', 'final_url', 'path', 'kind', 'sha256', 'bytes', 'license',
  'version', 'host_type', 'retry_at', 'duration_ms',
] as const; // prettier-ignore

interface Measured {
  attempts: number;
  saved: number;
  bytes: number;
  ms: number;
}

/**
 * Writes everything derived from the manifest. Files are rewritten as a whole, so they are never incomplete. Rows are
 * read once; only their durations are held in memory.
 */
export async function writeReports(
  folder: string,
  store: CorpusStore,
  options: { readonly now: number; readonly runId: string },
): Promise<void> {
  const [outcomes, reasons, resolvers, kinds]: Record<string, number>[] = [{}, {}, {}, {}];
  const byResolver: Record<string, Measured> = {};
  const byHost: Record<string, Measured> = {};
  const account = new ResolverAccount();
  const durations: number[] = [];
  let [works, bytes] = [0, 0];
  const about = { generated_at: new Date(options.now).toISOString(), run_id: options.runId };
  using all = new AtomicText(join(folder, 'manifest.csv'));
  using last = new AtomicText(join(folder, 'manifest.last.csv'));
  using index = new AtomicText(join(folder, 'manifest.index.json'));
  all.write(csvLine(CSV_FIELDS));
  last.write(csvLine(CSV_FIELDS));
  index.write(`${JSON.stringify(about, undefined, 2).slice(0, -2)},\n  "files": {`);
  let separator = '';
  for (const { row, isLast } of manifestRows(store)) {
    const line = csvLine(CSV_FIELDS.map((field) => row[field] ?? null));
    all.write(line);
    if (!isLast) continue;
    last.write(line);
    works += 1;
    count(outcomes, row.outcome);
    count(reasons, row.reason);
    if (row.resolver !== null) count(resolvers, row.resolver);
    if (row.kind !== null) count(kinds, row.kind);
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
  const header = { ...about, works };
  const write = (name: string, value: unknown): Promise<void> =>
    writeFileAtomic(join(folder, name), `${JSON.stringify(value, undefined, 2)}\n`);
  await write('manifest.summary.json', {
    ...header,
    bytes,
    outcomes,
    reasons,
    resolvers,
    kinds,
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

function count(counts: Record<string, number> | undefined, name: string): void {
  if (counts) counts[name] = (counts[name] ?? 0) + 1;
}

function measure(
  table: Record<string, Measured>,
  key: string,
  attempt: { readonly reason: string; readonly bytes: number; readonly duration_ms: number },
): void {
  const entry = (table[key] ??= { attempts: 0, saved: 0, bytes: 0, ms: 0 });
  entry.attempts += 1;
  if (attempt.reason === 'success') entry.saved += 1;
  entry.bytes += attempt.bytes;
  entry.ms += attempt.duration_ms;
}

function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}

/** Results of one resolver, over the last rows of all works. */
interface ResolverLine {
  /** Works for which it was queried, and those for which the query succeeded. */
  asked: number;
  answered: number;
  /** Its URLs that were tried, and works saved from one of them. */
  plans: number;
  kept: number;
  /** Why the others were refused. */
  readonly refused: Record<string, number>;
  /** Works saved by no resolver for which it knew a URL. */
  would_have_given: number;
}

/** An error of a resolver, listed once with a count. */
interface ProblemLine {
  works: number;
  readonly first: string;
}

/** Works lost because a host refused or failed. */
interface SourceLine {
  /** Works saved by no source for which it was requested. */
  works: number;
  /** Works among these that no other source lost: they depend on this one alone. */
  only: number;
  readonly reasons: Record<string, number>;
}

const MOST_SOURCES = 1_000;

export class ResolverAccount {
  readonly #lines: Record<string, ResolverLine> = {};
  readonly #problems: Record<string, ProblemLine> = {};
  readonly #sources = new Map<string, SourceLine>();

  add(row: ManifestRow): void {
    const unanswered = new Set(row.problems.map(({ resolver }) => resolver));
    for (const name of new Set(row.asked ?? row.attempts.map(({ resolver }) => resolver))) {
      const line = this.#line(name);
      line.asked += 1;
      if (!unanswered.has(name)) line.answered += 1;
    }
    for (const { resolver, reason } of row.attempts) {
      const line = this.#line(resolver);
      line.plans += 1;
      if (reason !== 'success') line.refused[reason] = (line.refused[reason] ?? 0) + 1;
    }
    if (row.outcome === 'saved' && row.resolver !== null) this.#line(row.resolver).kept += 1;
    else
      for (const name of new Set(row.attempts.map(({ resolver }) => resolver))) this.#line(name).would_have_given += 1;
    this.#lose(row);
    for (const name of unanswered) {
      const first = row.problems.find(({ resolver }) => resolver === name)?.message ?? '';
      (this.#problems[name] ??= { works: 0, first }).works += 1;
    }
  }

  #lose(row: ManifestRow): void {
    const lost = lostSources(row);
    for (const [host, reason] of lost) {
      const line = this.#sources.get(host) ?? { works: 0, only: 0, reasons: {} };
      if (!this.#sources.has(host) && this.#sources.size < MOST_SOURCES) this.#sources.set(host, line);
      line.works += 1;
      if (lost.size === 1) line.only += 1;
      line.reasons[reason] = (line.reasons[reason] ?? 0) + 1;
    }
  }

  /** Sources that were lost, those with the most works first. */
  get sources(): Readonly<Record<string, SourceLine>> {
    return Object.fromEntries([...this.#sources].toSorted(([, a], [, b]) => b.only - a.only || b.works - a.works));
  }

  /** By resolver, in the order in which they were first queried. */
  get lines(): Readonly<Record<string, ResolverLine>> {
    return this.#lines;
  }

  get problems(): Readonly<Record<string, ProblemLine>> {
    return this.#problems;
  }

  #line(name: string): ResolverLine {
    return (this.#lines[name] ??= { asked: 0, answered: 0, plans: 0, kept: 0, refused: {}, would_have_given: 0 });
  }
}

/** A CSV line (RFC 4180); cells that a spreadsheet would run as formulas are made plain text. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
