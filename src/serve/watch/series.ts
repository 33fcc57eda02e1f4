/** Figures at one moment (epoch milliseconds). */
export type Point<Name extends string> = Readonly<Record<Name, number>> & { readonly at: number };

const MOST_POINTS = 720;
const RATE_MS = 300_000;
/** A rate over less time says nothing. */
const SHORTEST_RATE_MS = 2_000;

/**
 * Figures over time, in bounded memory: when there are too many points every second one goes, and from then on they are
 * taken half as often. The last five minutes are kept beside them for rates.
 */
export class Series<Name extends string> {
  #points: Point<Name>[] = [];
  #recent: Point<Name>[] = [];
  #stepMs: number;

  constructor(stepMs = 1_000) {
    this.#stepMs = stepMs;
  }

  add(point: Point<Name>): void {
    const last = this.#points.at(-1);
    if (!last || point.at - last.at >= this.#stepMs) this.#points.push(point);
    if (this.#points.length > MOST_POINTS) {
      this.#points = this.#points.filter((_, at) => at % 2 === 0);
      this.#stepMs *= 2;
    }
    const latest = this.#recent.at(-1);
    if (!latest || point.at - latest.at >= 1_000) this.#recent.push(point);
    while (this.#recent.length > 2 && (this.#recent[0]?.at ?? 0) < point.at - RATE_MS) this.#recent.shift();
  }

  get points(): readonly Point<Name>[] {
    return this.#points;
  }

  /** How many came per minute lately; null before anybody can tell. */
  perMinute(name: Name): number | null {
    const [first, last] = [this.#recent[0], this.#recent.at(-1)];
    if (!first || !last || last.at - first.at < SHORTEST_RATE_MS) return null;
    return Math.max(0, ((last[name] - first[name]) * 60_000) / (last.at - first.at));
  }
}

/** How long the rest takes at a rate; null where that cannot be said. */
export function secondsLeft(left: number | null, perMinute: number | null): number | null {
  if (left === 0) return 0;
  return left === null || perMinute === null || perMinute <= 0 ? null : Math.round((left * 60) / perMinute);
}
