import { join } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { JsonlWriter } from '../../base/index.ts';
import { LineGroup } from './line-group.ts';
import type { ItemRecord, ManifestSink } from './manifest-sink.ts';
import type { StageErrorInfo } from '../types.ts';

/** Where a stage's rows stand. */
export function manifestPath(manifestDir: string, stage: string): string {
  return join(manifestDir, `docparse.${stage}.manifest.jsonl`);
}

/** Where a stage's failed attempts stand. */
export function attemptsPath(manifestDir: string, stage: string): string {
  return join(manifestDir, `docparse.${stage}.attempts.jsonl`);
}

/** Fields of a row that a stage's extras must not replace. */
const BASE_FIELDS = new Set([
  'stage',
  'doc_id',
  'status',
  'duration_s',
  'input_path',
  'output_path',
  'output_paths',
  'schema_version',
  'input_hash',
  'cfg_hash',
  'attempts',
  'finished_at',
  'category',
  'message',
  'retryable',
  'code',
  'reason',
]);

/**
 * Rows in `docparse.STAGE.manifest.jsonl`, failed attempts beside it. Rows that come while others are being written
 * share the next write and the next sync, so a busy stage pays for the disk once per group, not once per row.
 */
export class JsonlManifest implements ManifestSink {
  readonly #rows: LineGroup;
  readonly #attempts: LineGroup;

  private constructor(rows: LineGroup, attempts: LineGroup) {
    this.#rows = rows;
    this.#attempts = attempts;
  }

  static async open(
    manifestDir: string,
    stage: string,
    options: { readonly clock: Clock; readonly durable: boolean },
  ): Promise<JsonlManifest> {
    const rows = await JsonlWriter.open(manifestPath(manifestDir, stage), options);
    // Failed attempts are history for people; only rows are promised to survive a power cut.
    const attempts = new LineGroup(() =>
      JsonlWriter.open(attemptsPath(manifestDir, stage), { clock: options.clock, durable: false }),
    );
    return new JsonlManifest(new LineGroup(() => Promise.resolve(rows)), attempts);
  }

  get pending(): number {
    return this.#rows.pending;
  }

  logSuccess(record: ItemRecord): void {
    this.#rows.add(rowText(record, 'success'));
  }

  logSkip(record: ItemRecord, reason: string): void {
    this.#rows.add(rowText(record, 'skip', { reason }));
  }

  logFailure(record: ItemRecord, error: StageErrorInfo): void {
    this.#rows.add(rowText(record, 'failure', errorFields(error)));
  }

  logAttempt(record: ItemRecord, error: StageErrorInfo, delayMs: number | undefined): void {
    const retry = delayMs === undefined ? {} : { retry_in_s: seconds(delayMs / 1000) };
    this.#attempts.add(rowText(record, 'failure', { ...errorFields(error), ...retry }));
  }

  async flush(): Promise<void> {
    await Promise.all([this.#rows.flush(), this.#attempts.flush()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#rows[Symbol.asyncDispose]();
    await this.#attempts[Symbol.asyncDispose]();
  }
}

/** Rows that wait, by item, until whoever runs the stage writes them together with what else an item has brought. */
export class RowsByItem implements ManifestSink {
  readonly pending = 0;
  readonly #rows = new Map<string, string[]>();

  /** The rows of an item, without line breaks. */
  take(itemId: string): string[] {
    const rows = this.#rows.get(itemId) ?? [];
    this.#rows.delete(itemId);
    return rows;
  }

  /** The rows of all items that nothing was taken of. */
  takeAll(): string[] {
    const rows = [...this.#rows.values()].flat();
    this.#rows.clear();
    return rows;
  }

  logSuccess(record: ItemRecord): void {
    this.#add(record, rowText(record, 'success'));
  }

  logSkip(record: ItemRecord, reason: string): void {
    this.#add(record, rowText(record, 'skip', { reason }));
  }

  logFailure(record: ItemRecord, error: StageErrorInfo): void {
    this.#add(record, rowText(record, 'failure', errorFields(error)));
  }

  /** Attempts are history for people, and stay with the machine that made them. */
  logAttempt(): void {}

  flush(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  #add({ itemId }: ItemRecord, text: string): void {
    this.#rows.set(itemId, [...(this.#rows.get(itemId) ?? []), text.trimEnd()]);
  }
}

/** A row as a line. */
function rowText(record: ItemRecord, status: string, ending: Readonly<Record<string, unknown>> = {}): string {
  const { outputPaths, inputSha256, extras = {} } = record;
  const row = {
    stage: record.stage,
    doc_id: record.itemId,
    status,
    duration_s: seconds(record.durationS),
    input_path: record.inputPath ?? null,
    output_path: outputPaths[0] ?? null,
    ...(outputPaths.length > 1 && { output_paths: outputPaths }),
    schema_version: record.schemaVersion,
    input_hash: inputSha256 === undefined ? null : `sha256:${inputSha256}`,
    cfg_hash: record.cfgHash,
    attempts: record.attempts,
    finished_at: new Date(record.finishedAt).toISOString(),
    ...ending,
    ...Object.fromEntries(Object.entries(extras).filter(([name]) => !BASE_FIELDS.has(name))),
  };
  return `${JSON.stringify(row)}\n`;
}

function errorFields({ category, message, retryable, code }: StageErrorInfo): Readonly<Record<string, unknown>> {
  return { category, message, retryable, ...(code !== undefined && { code }) };
}

/** To microseconds, below which no measured duration means anything. What a worker says about its time need not be one. */
function seconds(value: number): number {
  return value > 0 && value < Infinity ? Math.round(value * 1e6) / 1e6 : 0;
}
