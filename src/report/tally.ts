/** Counts by name; names come from files, so the table has no prototype to be overwritten. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** The counts, largest first. */
  sorted(): (readonly [name: string, count: number])[] {
    return [...this.#counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }

  record(): Record<string, number> {
    return Object.fromEntries(this.sorted());
  }
}
