import { join } from 'node:path';

import type { Clock } from '../base/index.ts';
import { errorInfo, JsonlWriter } from '../base/index.ts';
import type { HttpEvent } from '../http/index.ts';
import type { HostRow } from '../store/index.ts';

const SCHEMA = 'hosts/1';
const SLICE_MS = 1_000;
/** After this many rows slices become ten times longer, so the file grows with the logarithm of the run. */
const ROWS_PER_WIDTH = 50_000;

type Slice = { -readonly [Field in keyof HostRow]: HostRow[Field] } & { readonly done: Record<string, number> };

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
    const { runId: run_id, timeScale: time_scale } = options;
    // All times after this row are of this run's clock: real seconds times `time_scale`, below 1 for a simulated web.
    log.#write([{ kind: 'run', schema_version: SCHEMA, run_id, at: isoTime(clock.now()), time_scale }]);
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
      slice.waited_ms += event.waitedMs;
      slice.most = Math.max(slice.most, inFlight);
      slice.cap = event.cap;
    } else if (event.kind === 'request-done') {
      const left = (this.#inFlight.get(event.host) ?? 1) - 1;
      if (left > 0) this.#inFlight.set(event.host, left);
      else this.#inFlight.delete(event.host);
      slice.done[event.outcome] = (slice.done[event.outcome] ?? 0) + 1;
      slice.bytes += event.wireBytes;
    } else if (event.kind === 'wait-asked') slice.asked_until = later(slice.asked_until, event.until);
    else if (event.kind === 'host-held') slice.held_until = later(slice.held_until, event.until);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#turn(this.#options.clock.now());
    await this.#writer[Symbol.asyncDispose]();
  }

  #slice(host: string): Slice {
    let slice = this.#slices.get(host);
    if (!slice) {
      const counts = { sent: 0, done: {}, bytes: 0, waited_ms: 0, most: this.#inFlight.get(host) ?? 0, cap: 0 };
      const at = isoTime(this.#from);
      slice = { kind: 'host', at, ms: this.#ms, host, ...counts, asked_until: null, held_until: null };
      this.#slices.set(host, slice);
    }
    return slice;
  }

  /** Writes the finished slice and starts the one containing `now`. */
  #turn(now: number): void {
    const rows = [...this.#slices.values()].map((slice) => ({ ...slice, waited_ms: Math.round(slice.waited_ms) }));
    if (rows.length > 0) this.#write(rows);
    this.#rows += rows.length;
    this.#slices = new Map();
    this.#ms = SLICE_MS * 10 ** Math.floor(this.#rows / ROWS_PER_WIDTH);
    this.#from = Math.floor(now / this.#ms) * this.#ms;
  }

  /** Optional data: a disk error is reported once and does not stop the run. */
  #write(rows: readonly object[]): void {
    if (this.#broken) return;
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    this.#writer.appendLines(lines).catch((error: unknown) => {
      if (!this.#broken) this.#options.warn(`hosts.jsonl is not complete: ${errorInfo(error).message}`);
      this.#broken = true;
    });
  }
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** The later of two times; ISO times are ordered like their texts. */
function later(before: string | null, at: number): string {
  const now = isoTime(at);
  return before !== null && before > now ? before : now;
}
