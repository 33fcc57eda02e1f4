import { join } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { JsonlWriter } from '../../base/index.ts';
import type { ItemRecord, ManifestSink, StageErrorInfo } from '../types.ts';

export function manifestPath(manifestDir: string, stage: string): string {
  return join(manifestDir, `docparse.${stage}.manifest.jsonl`);
}

export function attemptsPath(manifestDir: string, stage: string): string {
  return join(manifestDir, `docparse.${stage}.attempts.jsonl`);
}

/** Rows in `docparse.STAGE.manifest.jsonl`, failed attempts in `docparse.STAGE.attempts.jsonl`. */
export async function openManifest(
  manifestDir: string,
  stage: string,
  { clock, durable }: { readonly clock: Clock; readonly durable: boolean },
): Promise<ManifestSink> {
  const rows = await JsonlWriter.open(manifestPath(manifestDir, stage), { clock, durable });
  let attempts: JsonlWriter | undefined;
  let [rowLines, attemptLines] = ['', ''];
  return {
    logSuccess(record) {
      rowLines += rowText(record, 'success');
    },
    logSkip(record, reason) {
      rowLines += rowText(record, 'skip', { reason });
    },
    logFailure(record, error) {
      rowLines += rowText(record, 'failure', errorFields(error));
    },
    logAttempt(record, error, delayMs) {
      const retry = delayMs === undefined ? {} : { retry_in_s: seconds(delayMs / 1000) };
      attemptLines += rowText(record, 'failure', { ...errorFields(error), ...retry });
    },
    async flush() {
      const [newRows, newAttempts] = [rowLines, attemptLines];
      [rowLines, attemptLines] = ['', ''];
      if (newRows !== '') await rows.appendLines(newRows);
      if (newAttempts === '') return;
      // Failed attempts are for people; only rows must survive a power cut.
      attempts ??= await JsonlWriter.open(attemptsPath(manifestDir, stage), { clock, durable: false });
      await attempts.appendLines(newAttempts);
    },
    async [Symbol.asyncDispose]() {
      await rows[Symbol.asyncDispose]();
      await attempts?.[Symbol.asyncDispose]();
    },
  };
}

/** Collects rows by item, for callers that store them together with the outputs of the item. */
export class RowsByItem implements ManifestSink {
  readonly #rows = new Map<string, string[]>();

  /** The rows of an item, without line breaks. */
  take(itemId: string): string[] {
    const rows = this.#rows.get(itemId) ?? [];
    this.#rows.delete(itemId);
    return rows;
  }

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

  /** Attempts are not shared. */
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
  };
  // A stage's extras come last, and replace nothing.
  return `${JSON.stringify({ ...row, ...extras, ...row })}\n`;
}

function errorFields({ category, message, retryable, code }: StageErrorInfo): Readonly<Record<string, unknown>> {
  return { category, message, retryable, ...(code !== undefined && { code }) };
}

/** Rounded to microseconds; 0 if a worker returned an invalid duration. */
function seconds(value: number): number {
  return value > 0 && value < Infinity ? Math.round(value * 1e6) / 1e6 : 0;
}
