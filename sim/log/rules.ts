/** All rules whose violations are reported. */
export const RULES = {
  robots: 'A URL was fetched that robots.txt disallows for this client.',
  'robots-refetch': 'robots.txt was fetched again although it had been answered in this run.',
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
