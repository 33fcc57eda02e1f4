import { join } from 'node:path';

import type { Clock } from '../base/index.ts';
import { JsonlWriter } from '../base/index.ts';
import { LineGroup } from './line-group.ts';
import type { ItemRecord, ManifestSink } from './manifest-sink.ts';
import type { StageErrorInfo } from './types.ts';

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
    this.#rows.add(rowText(record, 'success', ''));
  }

  logSkip(record: ItemRecord, reason: string): void {
    this.#rows.add(rowText(record, 'skip', `,"reason":${JSON.stringify(reason)}`));
  }

  logFailure(record: ItemRecord, error: StageErrorInfo): void {
    this.#rows.add(rowText(record, 'failure', errorText(error)));
  }

  logAttempt(record: ItemRecord, error: StageErrorInfo, delayMs: number | undefined): void {
    const retry = delayMs === undefined ? '' : `,"retry_in_s":${seconds(delayMs / 1000)}`;
    this.#attempts.add(rowText(record, 'failure', `${errorText(error)}${retry}`));
  }

  async flush(): Promise<void> {
    await Promise.all([this.#rows.flush(), this.#attempts.flush()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#rows[Symbol.asyncDispose]();
    await this.#attempts[Symbol.asyncDispose]();
  }
}

/**
 * A row as a line. Written out by hand and from few pieces: at a million rows a generic serializer, or the joining of
 * many pieces, is a good part of the runner's time.
 */
function rowText(record: ItemRecord, status: string, tail: string): string {
  const { extras, durationS } = record;
  const rest = tail === '' && extras === undefined ? '}\n' : `${tail}${extras ? extrasText(extras) : ''}}\n`;
  const head = `${headText(record.stage)}${JSON.stringify(record.itemId)}`;
  return `${head},"status":"${status}","duration_s":${seconds(durationS)}${middleText(record)}${record.attempts}${timeText(record.finishedAt)}${rest}`;
}

function errorText(error: StageErrorInfo): string {
  const code = error.code === undefined ? '' : `,"code":${JSON.stringify(error.code)}`;
  return `,"category":"${error.category}","message":${JSON.stringify(error.message)},"retryable":${error.retryable}${code}`;
}

function extrasText(extras: Readonly<Record<string, unknown>>): string {
  const own = Object.fromEntries(Object.entries(extras).filter(([name]) => !BASE_FIELDS.has(name)));
  const text = JSON.stringify(own);
  return text === '{}' ? '' : `,${text.slice(1, -1)}`;
}

/** Six digits: microseconds, below which no measured duration means anything. Whole numbers are written faster than others. */
function seconds(value: number): string {
  const microseconds = Math.round(value * 1e6);
  // What a worker says about its time need not be a time.
  if (!(microseconds > 0 && microseconds < Infinity)) return '0';
  if (microseconds >= 1e6) return String(microseconds / 1e6);
  return `0.${ZEROS.slice(String(microseconds).length)}${microseconds}`;
}

const ZEROS = '000000';

let lastAt = Number.NaN;
let lastTime = '';

/** Many rows end in the same millisecond, and formatting a date costs as much as the rest of the row. */
function timeText(at: number): string {
  if (at !== lastAt) {
    lastAt = at;
    lastTime = `,"finished_at":"${new Date(at).toISOString()}"`;
  }
  return lastTime;
}

let lastStage: string | undefined;
let lastHead = '';

function headText(stage: string): string {
  if (stage !== lastStage) {
    lastStage = stage;
    lastHead = `{"stage":"${stage}","doc_id":`;
  }
  return lastHead;
}

let lastVersion: string | undefined;
let lastCfgHash: string | undefined;
let lastMiddle = '';

/** From the paths to the attempts; the same for all items that have neither inputs nor outputs. */
function middleText(record: ItemRecord): string {
  const { inputPath, outputPaths, inputSha256, schemaVersion, cfgHash } = record;
  const isBare = inputPath === undefined && inputSha256 === undefined && outputPaths.length === 0;
  if (isBare && schemaVersion === lastVersion && cfgHash === lastCfgHash) return lastMiddle;
  const input = inputPath === undefined ? 'null' : JSON.stringify(inputPath);
  const output = outputPaths.length === 0 ? 'null' : JSON.stringify(outputPaths[0]);
  const more = outputPaths.length > 1 ? `,"output_paths":${JSON.stringify(outputPaths)}` : '';
  const hash = inputSha256 === undefined ? 'null' : `"sha256:${inputSha256}"`;
  const text = `,"input_path":${input},"output_path":${output}${more},"schema_version":${JSON.stringify(schemaVersion)},"input_hash":${hash},"cfg_hash":${JSON.stringify(cfgHash)},"attempts":`;
  if (isBare) {
    lastVersion = schemaVersion;
    lastCfgHash = cfgHash;
    lastMiddle = text;
  }
  return text;
}
