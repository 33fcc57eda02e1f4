import type { ManifestRow } from '../../download/index.ts';

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

/** The account of all resolvers. */
export class ResolverAccount {
  readonly #lines: Record<string, ResolverLine> = {};
  readonly #problems: Record<string, ProblemLine> = {};

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
    for (const name of unanswered) {
      const first = row.problems.find(({ resolver }) => resolver === name)?.message ?? '';
      (this.#problems[name] ??= { works: 0, first }).works += 1;
    }
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
