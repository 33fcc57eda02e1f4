import { hostKey } from '../base/index.ts';
import type { ManifestRow } from './manifest-row.ts';
import type { Reason } from './reasons.ts';

/** Over the last rows of all works. */
interface ResolverLine {
  /** Works for which it was queried, and those for which the query succeeded. */
  asked: number;
  answered: number;
  /** Its URLs that were tried, and works saved from one of them. */
  plans: number;
  kept: number;
  readonly refused: Record<string, number>;
  /** Works saved by no resolver for which it knew a URL. */
  would_have_given: number;
}

/** Works lost because a host refused or failed. */
interface SourceLine {
  /** Works saved by no source for which it was requested. */
  works: number;
  /** Works among these that no other source lost: they depend on this one alone. */
  only: number;
  readonly reasons: Record<string, number>;
}

const MOST_SOURCES = 1_000;

export class ResolverAccount {
  /** By resolver, in the order in which they were first queried. */
  readonly lines: Record<string, ResolverLine> = {};
  readonly problems: Record<string, { works: number; readonly first: string }> = {};
  readonly #sources = new Map<string, SourceLine>();

  add(row: ManifestRow): void {
    const unanswered = new Set(row.problems.map(({ resolver }) => resolver));
    for (const name of new Set(row.asked ?? row.attempts.map(({ resolver }) => resolver))) {
      const line = this.#line(name);
      line.asked += 1;
      if (!unanswered.has(name)) line.answered += 1;
    }
    for (const { resolver, reason } of row.attempts) {
      const line = this.#line(resolver);
      line.plans += 1;
      if (reason !== 'success') line.refused[reason] = (line.refused[reason] ?? 0) + 1;
    }
    if (row.outcome === 'saved' && row.resolver !== null) this.#line(row.resolver).kept += 1;
    else
      for (const name of new Set(row.attempts.map(({ resolver }) => resolver))) this.#line(name).would_have_given += 1;
    this.#lose(row);
    for (const name of unanswered) {
      const first = row.problems.find(({ resolver }) => resolver === name)?.message ?? '';
      (this.problems[name] ??= { works: 0, first }).works += 1;
    }
  }

  #lose(row: ManifestRow): void {
    const lost = lostSources(row);
    for (const [host, reason] of lost) {
      const line = this.#sources.get(host) ?? { works: 0, only: 0, reasons: {} };
      if (!this.#sources.has(host) && this.#sources.size < MOST_SOURCES) this.#sources.set(host, line);
      line.works += 1;
      if (lost.size === 1) line.only += 1;
      line.reasons[reason] = (line.reasons[reason] ?? 0) + 1;
    }
  }

  /** Those that cost the most works first. */
  get sources(): Readonly<Record<string, SourceLine>> {
    return Object.fromEntries([...this.#sources].toSorted(([, a], [, b]) => b.only - a.only || b.works - a.works));
  }

  #line(name: string): ResolverLine {
    return (this.lines[name] ??= { asked: 0, answered: 0, plans: 0, kept: 0, refused: {}, would_have_given: 0 });
  }
}

/** Reasons of a source that would not or could not deliver; other reasons mean it has nothing. */
const LOST: ReadonlySet<Reason> = new Set<Reason>([
  'bot-wall',
  'blocked-captcha',
  'blocked-cookie',
  'forbidden',
  'robots-disallowed',
  'server-error',
  'connection-failed',
  'timeout',
  'truncated',
  'rate-limited',
  'host-given-up',
  'host-paused',
]);

/** The hosts that failed to deliver a work, with their last reason; empty for a saved work. */
function lostSources({ outcome, attempts }: ManifestRow): ReadonlyMap<string, Reason> {
  const lost = new Map<string, Reason>();
  if (outcome === 'saved') return lost;
  for (const { url, final_url: last, reason } of attempts) {
    // A DOI redirects: the host it led to failed.
    const at = URL.parse(last) ?? URL.parse(url);
    if (LOST.has(reason) && at) lost.set(hostKey(at), reason);
  }
  return lost;
}
