export const RULES = {
  robots: 'A URL was fetched that robots.txt disallows for this client.',
  'robots-refetch': 'robots.txt was fetched again within a day although it had been answered.',
  'retry-after': 'A host was asked again before the time that its Retry-After named.',
  'min-interval': 'Two requests came closer together than the Crawl-delay that the client had read.',
  rate: 'A service was asked more often than its published limit allows.',
  concurrency: 'More requests were in flight at a service than it allows.',
  'post-ban': 'Requests went on although they were answered with 429, until the host banned the client.',
  'key-leak': 'A key or cookie of one host was sent to another.',
  'user-agent': 'The User-Agent is missing or has no contact address.',
  canary: 'A private address was contacted.',
  'private-address': 'The URL named an IP address instead of a host.',
  'cursor-replay': 'A page of results was fetched twice by the same cursor.',
  'identical-in-flight': 'The same URL was being fetched twice at the same time.',
} as const;

export type Rule = keyof typeof RULES;

export interface Violation {
  readonly rule: Rule;
  /** Simulated epoch milliseconds. */
  readonly at: number;
  readonly host: string;
  readonly url: string;
  readonly detail: string;
}

/** Violations per rule, including those with 0. */
export function countByRule(violations: readonly Violation[]): Record<Rule, number> {
  const counts = Object.fromEntries(Object.keys(RULES).map((rule) => [rule, 0])) as Record<Rule, number>;
  for (const { rule } of violations) counts[rule] += 1;
  return counts;
}

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
