import type { Clock } from '../../base/index.ts';
import { errorInfo } from '../../base/index.ts';
import type { HttpEvent } from '../../http/index.ts';
import type { HostRow } from '../../database/index.ts';
import type { Journal } from '../../journal/index.ts';

const SCHEMA = 'hosts/1';
const SLICE_MS = 1_000;
/** After this many rows slices become ten times longer, so the file grows with the logarithm of the run. */
const ROWS_PER_WIDTH = 50_000;

type Slice = { -readonly [Field in keyof HostRow]: HostRow[Field] } & { readonly done: Record<string, number> };

interface HostLogOptions {
  readonly journal: Journal;
  readonly runId: string;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

/** Counts what happens at each host; disposing of it writes what is not written yet. */
export interface HostLog extends AsyncDisposable {
  see(event: HttpEvent): void;
}

/** `hosts.jsonl`: requests per host and second; the report draws it. */
export function openHostLog({ journal, runId, clock, warn }: HostLogOptions): HostLog {
  let written: Promise<unknown> = Promise.resolve();
  const inFlight = new Map<string, number>();
  /** The highest limit under which requests that are still in flight were sent. */
  const caps = new Map<string, number>();
  let slices = new Map<string, Slice>();
  let [from, ms, rows] = [0, SLICE_MS, 0];
  let isBroken = false;

  /** Optional data: a disk error is reported once and does not stop the run. */
  const write = (lines: readonly object[]): void => {
    if (isBroken) return;
    const append = journal.append([{ log: 'hosts', lines: lines.map((row) => JSON.stringify(row)) }]);
    const caught = append.catch((error: unknown) => {
      if (!isBroken) warn(`hosts.jsonl is not complete: ${errorInfo(error).message}`);
      isBroken = true;
    });
    written = written.then(() => caught);
  };

  const sliceOf = (host: string): Slice => {
    let slice = slices.get(host);
    if (!slice) {
      const counts = {
        sent: 0,
        done: {},
        bytes: 0,
        waited_ms: 0,
        most: inFlight.get(host) ?? 0,
        cap: caps.get(host) ?? 0,
      };
      slice = { kind: 'host', at: isoTime(from), ms, host, ...counts, asked_until: null, held_until: null };
      slices.set(host, slice);
    }
    return slice;
  };

  const turn = (now: number): void => {
    const ended = [...slices.values()].map((slice) => ({ ...slice, waited_ms: Math.round(slice.waited_ms) }));
    if (ended.length > 0) write(ended);
    rows += ended.length;
    slices = new Map();
    ms = SLICE_MS * 10 ** Math.floor(rows / ROWS_PER_WIDTH);
    from = Math.floor(now / ms) * ms;
  };

  write([{ kind: 'run', schema_version: SCHEMA, run_id: runId, at: isoTime(clock.now()) }]);
  return {
    see(event: HttpEvent): void {
      const now = clock.now();
      if (now >= from + ms || now < from) turn(now);
      const slice = sliceOf(event.host);
      const flying = inFlight.get(event.host) ?? 0;
      if (event.kind === 'request-sent') {
        inFlight.set(event.host, flying + 1);
        slice.sent += 1;
        slice.waited_ms += event.waitedMs;
        caps.set(event.host, flying === 0 ? event.cap : Math.max(event.cap, caps.get(event.host) ?? 0));
        // A request above its own limit is one too many, whatever the limit was before.
        if (flying + 1 > event.cap) Object.assign(slice, { most: flying + 1, cap: event.cap });
        else if (slice.most <= slice.cap) {
          slice.most = Math.max(slice.most, flying + 1);
          slice.cap = Math.max(slice.cap, event.cap);
        }
      } else if (event.kind === 'request-done') {
        if (flying > 1) inFlight.set(event.host, flying - 1);
        else {
          inFlight.delete(event.host);
          caps.delete(event.host);
        }
        slice.done[event.outcome] = (slice.done[event.outcome] ?? 0) + 1;
        slice.bytes += event.wireBytes;
      } else if (event.kind === 'wait-asked') slice.asked_until = later(slice.asked_until, event.until);
      else if (event.kind === 'host-held') slice.held_until = later(slice.held_until, event.until);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      turn(clock.now());
      await written;
    },
  };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** ISO times are ordered like their texts. */
function later(before: string | null, at: number): string {
  const now = isoTime(at);
  return before !== null && before > now ? before : now;
}
