import { join } from 'node:path';

import type { Clock } from '../base/index.ts';
import { JsonlWriter } from '../base/index.ts';
import type { HttpEvent } from '../http/index.ts';

/** Starts a run: all times after it are of that run's clock. */
interface HostRunRow {
  readonly kind: 'run';
  readonly schema_version: string;
  readonly run_id: string;
  readonly at: string;
  /** Real seconds per second in this file; below 1 for a simulated web. */
  readonly time_scale: number;
}

/** What happened at one host in one time slice. Times are ISO 8601. */
export interface HostRow {
  readonly kind: 'host';
  readonly at: string;
  /** Length of the slice. */
  readonly ms: number;
  readonly host: string;
  readonly sent: number;
  /** Requests that ended, by status or reason. */
  readonly done: Readonly<Record<string, number>>;
  readonly bytes: number;
  /** Total waiting time of the requests sent. */
  readonly waited_ms: number;
  /** Most concurrent requests, and the limit. */
  readonly most: number;
  readonly cap: number;
  /** The host rate-limited us until then; null if not. */
  readonly asked_until: string | null;
  /** The host failed repeatedly and is not requested until then. */
  readonly held_until: string | null;
}

const SCHEMA = 'hosts/1';
const SLICE_MS = 1_000;
/** After this many rows slices become ten times longer, so the file grows with the logarithm of the run. */
const ROWS_PER_WIDTH = 50_000;

interface Slice {
  sent: number;
  done: Record<string, number>;
  bytes: number;
  waitedMs: number;
  most: number;
  cap: number;
  askedUntil: number;
  heldUntil: number;
}

interface HostLogOptions {
  readonly folder: string;
  readonly runId: string;
  readonly clock: Clock;
  readonly timeScale: number;
  readonly warn: (message: string) => void;
}

/** `hosts.jsonl`: requests per host and second; the report draws it. */
export class HostLog implements AsyncDisposable {
  readonly #writer: JsonlWriter;
  readonly #options: HostLogOptions;
  readonly #inFlight = new Map<string, number>();
  #slices = new Map<string, Slice>();
  #from = 0;
  #ms = SLICE_MS;
  #rows = 0;
  #broken = false;

  private constructor(writer: JsonlWriter, options: HostLogOptions) {
    this.#writer = writer;
    this.#options = options;
  }

  static async open(options: HostLogOptions): Promise<HostLog> {
    const { clock } = options;
    const writer = await JsonlWriter.open(join(options.folder, 'hosts.jsonl'), { clock, durable: false });
    const log = new HostLog(writer, options);
    const at = new Date(clock.now()).toISOString();
    const { runId: run_id, timeScale: time_scale } = options;
    const row: HostRunRow = { kind: 'run', schema_version: SCHEMA, run_id, at, time_scale };
    log.#write(`${JSON.stringify(row)}\n`);
    return log;
  }

  /** Pass this to the HTTP client. */
  readonly see = (event: HttpEvent): void => {
    const now = this.#options.clock.now();
    if (now >= this.#from + this.#ms || now < this.#from) this.#turn(now);
    const slice = this.#slice(event.host);
    if (event.kind === 'request-sent') {
      const inFlight = (this.#inFlight.get(event.host) ?? 0) + 1;
      this.#inFlight.set(event.host, inFlight);
      slice.sent += 1;
      slice.waitedMs += event.waitedMs;
      slice.most = Math.max(slice.most, inFlight);
      slice.cap = event.cap;
    } else if (event.kind === 'request-done') {
      const left = (this.#inFlight.get(event.host) ?? 1) - 1;
      if (left > 0) this.#inFlight.set(event.host, left);
      else this.#inFlight.delete(event.host);
      slice.done[event.outcome] = (slice.done[event.outcome] ?? 0) + 1;
      slice.bytes += event.wireBytes;
    } else if (event.kind === 'wait-asked') slice.askedUntil = Math.max(slice.askedUntil, event.until);
    else if (event.kind === 'host-held') slice.heldUntil = Math.max(slice.heldUntil, event.until);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#turn(this.#options.clock.now());
    await this.#writer[Symbol.asyncDispose]();
  }

  #slice(host: string): Slice {
    let slice = this.#slices.get(host);
    if (!slice) {
      const most = this.#inFlight.get(host) ?? 0;
      slice = { sent: 0, done: {}, bytes: 0, waitedMs: 0, most, cap: 0, askedUntil: 0, heldUntil: 0 };
      this.#slices.set(host, slice);
    }
    return slice;
  }

  /** Writes the finished slice and starts the one containing `now`. */
  #turn(now: number): void {
    const [slices, at] = [this.#slices, new Date(this.#from).toISOString()];
    let lines = '';
    for (const [host, slice] of slices) lines += `${JSON.stringify(rowOf(host, slice, at, this.#ms))}\n`;
    if (lines !== '') this.#write(lines);
    this.#rows += slices.size;
    this.#slices = new Map();
    this.#ms = SLICE_MS * 10 ** Math.floor(this.#rows / ROWS_PER_WIDTH);
    this.#from = Math.floor(now / this.#ms) * this.#ms;
  }

  /** Optional data: a disk error is reported once and does not stop the run. */
  #write(lines: string): void {
    if (this.#broken) return;
    this.#writer.appendLines(lines).catch((error: unknown) => {
      if (!this.#broken)
        this.#options.warn(`hosts.jsonl is not complete: ${error instanceof Error ? error.message : 'unknown'}`);
      this.#broken = true;
    });
  }
}

function rowOf(host: string, slice: Slice, at: string, ms: number): HostRow {
  const moment = (value: number): string | null => (value === 0 ? null : new Date(value).toISOString());
  return {
    kind: 'host',
    at,
    ms,
    host,
    sent: slice.sent,
    done: slice.done,
    bytes: slice.bytes,
    waited_ms: Math.round(slice.waitedMs),
    most: slice.most,
    cap: slice.cap,
    asked_until: moment(slice.askedUntil),
    held_until: moment(slice.heldUntil),
  };
}
