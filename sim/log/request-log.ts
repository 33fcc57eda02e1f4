import type { Rule, Violation } from './rules.ts';

/** A logged request with its response. */
export interface LogEntry {
  readonly number: number;
  readonly run: number;
  /** Simulated epoch milliseconds at arrival. */
  readonly at: number;
  readonly host: string;
  readonly method: string;
  readonly url: string;
  status: number;
  bytes: number;
  readonly attempt: number;
  readonly agent: string;
  readonly connection: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly broke: Rule[];
}

const KEPT_ENTRIES = 200_000;
const HEADERS_OF_INTEREST = [
  'range',
  'if-range',
  'if-none-match',
  'if-modified-since',
  'accept',
  'accept-encoding',
  'referer',
];

/** The requests of all runs, oldest first; the oldest are dropped beyond a limit. */
export class RequestLog {
  readonly #entries: LogEntry[] = [];
  readonly violations: Violation[] = [];
  readonly #onEntry: ((entry: LogEntry) => void) | undefined;
  #number = 0;

  constructor(onEntry?: (entry: LogEntry) => void) {
    this.#onEntry = onEntry;
  }

  begin(
    seen: Omit<LogEntry, 'number' | 'status' | 'bytes' | 'broke' | 'headers'>,
    headers: Readonly<Record<string, string | undefined>>,
  ): LogEntry {
    const kept: Record<string, string> = {};
    for (const name of HEADERS_OF_INTEREST) {
      const value = headers[name];
      if (value !== undefined) kept[name] = value;
    }
    const entry: LogEntry = { number: (this.#number += 1), ...seen, status: 0, bytes: 0, headers: kept, broke: [] };
    this.#entries.push(entry);
    if (this.#entries.length > KEPT_ENTRIES) this.#entries.splice(0, KEPT_ENTRIES / 10);
    return entry;
  }

  end(entry: LogEntry): void {
    this.#onEntry?.(entry);
  }

  breach(entry: LogEntry | null, violation: Violation): void {
    entry?.broke.push(violation.rule);
    this.violations.push(violation);
  }

  since(number: number): readonly LogEntry[] {
    return this.#entries.filter((entry) => entry.number > number);
  }

  clear(): void {
    this.#entries.length = 0;
    this.violations.length = 0;
  }
}
