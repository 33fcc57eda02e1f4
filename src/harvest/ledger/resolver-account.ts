import type { ManifestRow } from '../../download/index.ts';
import { lostSources } from '../../download/index.ts';

/** What one resolver gave, over the last rows of all works. */
export interface ResolverLine {
  /** Works for which it was asked; it answered where nothing went wrong with asking it. */
  asked: number;
  answered: number;
  /** URLs of its that were tried, and works that were had by one of them. */
  plans: number;
  kept: number;
  /** Why the others were not. */
  readonly refused: Record<string, number>;
  /** Works that nobody had, of which it knew a URL: what it would have given. */
  would_have_given: number;
}

/** What a resolver said when it could not answer: told once, and counted. */
export interface ProblemLine {
  works: number;
  readonly first: string;
}

/** What a host that would not or could not give what it has would have given. */
export interface SourceLine {
  /** Works that nobody had and that it was asked for in vain. */
  works: number;
  /** Of these, the ones for which no other source was lost: they hang on it alone. */
  only: number;
  readonly reasons: Record<string, number>;
}

const MOST_SOURCES = 1_000;

/** The account of all resolvers. */
export class ResolverAccount {
  readonly #lines: Record<string, ResolverLine> = {};
  readonly #problems: Record<string, ProblemLine> = {};
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
      (this.#problems[name] ??= { works: 0, first }).works += 1;
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

  /** Sources that were lost, the one that would have given most first. */
  get sources(): Readonly<Record<string, SourceLine>> {
    return Object.fromEntries([...this.#sources].toSorted(([, a], [, b]) => b.only - a.only || b.works - a.works));
  }

  /** By resolver, in the order in which they were first asked. */
  get lines(): Readonly<Record<string, ResolverLine>> {
    return this.#lines;
  }

  get problems(): Readonly<Record<string, ProblemLine>> {
    return this.#problems;
  }

  #line(name: string): ResolverLine {
    return (this.#lines[name] ??= { asked: 0, answered: 0, plans: 0, kept: 0, refused: {}, would_have_given: 0 });
  }
}
