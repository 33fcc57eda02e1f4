import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { Clock } from '../base/index.ts';
import { JsonlWriter, readJsonl, removeDeadParts } from '../base/index.ts';
import type { ManifestRow, ResultSink } from '../download/index.ts';
import { ManifestMirror } from './manifest-mirror.ts';
import { writeReports } from './manifest-reports.ts';

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
  readonly #last: Map<string, Pick<ManifestRow, 'outcome' | 'path' | 'bytes'>>;
  #pending: ManifestRow[] = [];
  #mirrorDue = false;

  private constructor(
    options: ManifestOptions,
    writer: JsonlWriter,
    mirror: ManifestMirror,
    last: Map<string, Pick<ManifestRow, 'outcome' | 'path' | 'bytes'>>,
  ) {
    this.#options = options;
    this.#writer = writer;
    this.#mirror = mirror;
    this.#last = last;
  }

  static async open(options: ManifestOptions): Promise<ManifestFolder> {
    const { folder, clock } = options;
    mkdirSync(folder, { recursive: true });
    removeDeadParts(folder, 'manifest.');
    rotate(folder, options.rotateBytes ?? 0);
    const last = new Map<string, Pick<ManifestRow, 'outcome' | 'path' | 'bytes'>>();
    const writer = await JsonlWriter.open(join(folder, 'manifest.jsonl'), { clock, durable: true });
    const mirror = new ManifestMirror(join(folder, 'manifest.sqlite3'));
    const manifest = new ManifestFolder(options, writer, mirror, last);
    await manifest.#reconcile();
    return manifest;
  }

  async write(row: ManifestRow): Promise<void> {
    await this.#writer.append(row);
    this.#remember(row);
    this.#pending.push(row);
    // Rows that were made durable together are mirrored together.
    if (this.#mirrorDue) return;
    this.#mirrorDue = true;
    setImmediate(() => this.#flushMirror());
  }

  last(work: string): Pick<ManifestRow, 'outcome' | 'path' | 'bytes'> | undefined {
    return this.#last.get(work);
  }

  /** Writes what is derived: the CSV files, the index, the summary and the metrics. */
  async report(): Promise<void> {
    this.#flushMirror();
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
    let [bad, rows, batch] = [0, 0, [] as ManifestRow[]];
    let mirrored = 0;
    const flush = (): void => {
      mirrored += this.#mirror.add(batch);
      batch = [];
    };
    for (const path of segments(this.#options.folder)) {
      for await (const line of readJsonl(path)) {
        if (line.kind === 'bad' || !isRow(line.value)) {
          bad += 1;
          continue;
        }
        rows += 1;
        this.#remember(line.value);
        batch.push(line.value);
        if (batch.length >= 1000) flush();
      }
    }
    flush();
    const warn = this.#options.warn ?? (() => undefined);
    if (bad > 0) warn(`${bad} damaged lines of the manifest were passed over`);
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
    for (const row of this.#mirror.rows()) {
      if (known.has(keyOf(row))) continue;
      await this.#writer.append(row);
      this.#remember(row);
      restored += 1;
    }
    if (restored > 0)
      warn(`${restored} rows were missing in manifest.jsonl and have been restored from manifest.sqlite3`);
  }

  #remember({ work, outcome, path, bytes }: ManifestRow): void {
    this.#last.set(work, { outcome, path, bytes });
  }

  #flushMirror(): void {
    this.#mirrorDue = false;
    const rows = this.#pending;
    this.#pending = [];
    if (rows.length > 0) this.#mirror.add(rows);
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
