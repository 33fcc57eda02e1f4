import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { Clock, Timer } from '../../base/index.ts';
import { JsonlWriter, readJsonl, removeDeadParts, setLinesAside } from '../../base/index.ts';
import type { ManifestRow, ResultSink } from '../../download/index.ts';
import type { LatestRow, MirroredRow } from './manifest-mirror.ts';
import { ManifestMirror } from './manifest-mirror.ts';
import { writeReports } from './manifest-reports.ts';

/** Rows are mirrored this many at a time, or when the oldest has waited this long: a commit per row would cost more than the rest. */
const MIRROR_ROWS = 100;
const MIRROR_MS = 250;
const RECONCILE_ROWS = 1000;

type LastRow = Pick<ManifestRow, 'outcome' | 'reason' | 'path' | 'bytes'>;

export interface ManifestOptions {
  readonly folder: string;
  readonly runId: string;
  readonly clock: Clock;
  /** At this size the text manifest is put aside under a number and a new one begun; 0 means never. */
  readonly rotateBytes?: number;
  readonly warn?: (message: string) => void;
}

/**
 * The account of a run: `manifest.jsonl` is what counts, `manifest.sqlite3` holds the same rows, and the rest is derived from
 * them. Either may be missing or damaged: it is made whole from the other when the folder is opened.
 */
export class ManifestFolder implements ResultSink, AsyncDisposable {
  readonly #options: ManifestOptions;
  readonly #writer: JsonlWriter;
  readonly #mirror: ManifestMirror;
  /** Rows that are in the text and not yet in the mirror, by work. */
  readonly #recent = new Map<string, LastRow>();
  #pending: MirroredRow[] = [];
  #mirrorDue: Timer | undefined;

  private constructor(options: ManifestOptions, writer: JsonlWriter, mirror: ManifestMirror) {
    this.#options = options;
    this.#writer = writer;
    this.#mirror = mirror;
  }

  static async open(options: ManifestOptions): Promise<ManifestFolder> {
    const { folder, clock } = options;
    mkdirSync(folder, { recursive: true });
    removeDeadParts(folder, 'manifest.');
    rotate(folder, options.rotateBytes ?? 0);
    const writer = await JsonlWriter.open(join(folder, 'manifest.jsonl'), { clock, durable: true });
    const manifest = new ManifestFolder(
      options,
      writer,
      new ManifestMirror(join(folder, 'manifest.sqlite3'), options.warn),
    );
    await manifest.#reconcile();
    return manifest;
  }

  async write(row: ManifestRow): Promise<void> {
    const text = JSON.stringify(row);
    await this.#writer.appendLines(`${text}\n`);
    this.#recent.set(row.work, row);
    this.#pending.push({ row, text });
    if (this.#pending.length >= MIRROR_ROWS) this.#flushMirror();
    else this.#mirrorDue ??= this.#options.clock.setTimer(MIRROR_MS, () => this.#flushMirror());
  }

  last(work: string): LastRow | undefined {
    return this.#recent.get(work) ?? this.#mirror.last(work);
  }

  /** The last row of every work. */
  latest(): readonly LatestRow[] {
    this.#mirrorPending();
    return this.#mirror.latest();
  }

  /** Writes what is derived: the CSV files, the index, the summary and the metrics. */
  async report(): Promise<void> {
    this.#mirrorPending();
    await writeReports(this.#options.folder, this.#mirror, {
      now: this.#options.clock.now(),
      runId: this.#options.runId,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.report();
    } finally {
      await this.#writer[Symbol.asyncDispose]();
      this.#mirror[Symbol.dispose]();
    }
  }

  /** Makes text and database hold the same rows, each giving what the other lacks. */
  async #reconcile(): Promise<void> {
    let [rows, mirrored] = [0, 0];
    const damaged = new Set<string>();
    let batch: MirroredRow[] = [];
    const flush = (): void => {
      if (batch.length > 0) mirrored += this.#mirror.add(batch);
      batch = [];
    };
    for (const path of segments(this.#options.folder)) {
      for await (const line of readJsonl(path)) {
        if (line.kind === 'bad' || !isRow(line.value)) {
          damaged.add(path);
          continue;
        }
        rows += 1;
        if (!this.#mirror.has(line.value)) batch.push({ row: line.value, text: JSON.stringify(line.value) });
        if (batch.length >= RECONCILE_ROWS) flush();
      }
    }
    flush();
    const warn = this.#options.warn ?? (() => undefined);
    // After all that can be read is in the database: what is lost here is restored from there.
    for (const path of damaged) await setLinesAside(path, isRowLine, { clock: this.#options.clock, warn });
    if (mirrored > 0 && this.#mirror.size > mirrored)
      warn(`${mirrored} rows were missing in manifest.sqlite3 and have been added`);
    if (this.#mirror.size > rows) await this.#restore(warn);
  }

  /** Rows that only the database has: the text was lost or damaged. */
  async #restore(warn: (message: string) => void): Promise<void> {
    const known = new Set<string>();
    for (const path of segments(this.#options.folder)) {
      for await (const line of readJsonl(path))
        if (line.kind === 'good' && isRow(line.value)) known.add(keyOf(line.value));
    }
    let restored = 0;
    for (const { row } of this.#mirror.rows()) {
      if (known.has(keyOf(row))) continue;
      await this.#writer.append(row);
      restored += 1;
    }
    if (restored > 0)
      warn(`${restored} rows were missing in manifest.jsonl and have been restored from manifest.sqlite3`);
  }

  /** The text is what counts: a mirror that cannot be written now is tried again, and no work suffers from it. */
  #flushMirror(): void {
    try {
      this.#mirrorPending();
    } catch (error) {
      this.#options.warn?.(
        `manifest.sqlite3 cannot be written now: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  #mirrorPending(): void {
    this.#mirrorDue?.[Symbol.dispose]();
    this.#mirrorDue = undefined;
    if (this.#pending.length > 0) this.#mirror.add(this.#pending);
    this.#pending = [];
    this.#recent.clear();
  }
}

function keyOf({ work, at, run_id: runId }: ManifestRow): string {
  return `${work} ${at} ${runId}`;
}

function isRow(value: unknown): value is ManifestRow {
  return (
    value !== null &&
    typeof value === 'object' &&
    'work' in value &&
    typeof value.work === 'string' &&
    'outcome' in value &&
    'attempts' in value &&
    Array.isArray(value.attempts)
  );
}

function isRowLine(text: string): boolean {
  try {
    return isRow(JSON.parse(text));
  } catch {
    return false;
  }
}

/** The text manifests in the order in which they were written. */
function segments(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => /^manifest\.\d{4}\.jsonl$/.test(name));
  return [...names.sort(), 'manifest.jsonl'].map((name) => join(folder, name)).filter((path) => existsSync(path));
}

function rotate(folder: string, rotateBytes: number): void {
  const path = join(folder, 'manifest.jsonl');
  if (rotateBytes <= 0 || !existsSync(path) || statSync(path).size < rotateBytes) return;
  const next = readdirSync(folder).filter((name) => /^manifest\.\d{4}\.jsonl$/.test(name)).length + 1;
  renameSync(path, join(folder, `manifest.${String(next).padStart(4, '0')}.jsonl`));
}
