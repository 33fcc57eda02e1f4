/** Values at a time (epoch milliseconds). */
export type Point<Name extends string> = Readonly<Record<Name, number>> & { readonly at: number };

const MOST_POINTS = 720;
const RATE_MS = 300_000;
const SHORTEST_RATE_MS = 2_000;

/**
 * A time series in bounded memory: when it is full, every second point is dropped and the sampling interval doubles.
 */
export class Series<Name extends string> {
  #points: Point<Name>[] = [];
  #last: Point<Name> | undefined;
  #stepMs = 1_000;

  add(point: Point<Name>): void {
    const last = this.#points.at(-1);
    if (!last || point.at - last.at >= this.#stepMs) this.#points.push(point);
    if (this.#points.length > MOST_POINTS) {
      this.#points = this.#points.filter((_, at) => at % 2 === 0);
      this.#stepMs *= 2;
    }
    this.#last = point;
  }

  get points(): readonly Point<Name>[] {
    return this.#points;
  }

  /** Rate per minute over the last minutes; null if unknown. */
  perMinute(name: Name): number | null {
    const last = this.#last;
    const first = this.#points.findLast(({ at }) => at <= (last?.at ?? 0) - RATE_MS) ?? this.#points[0];
    if (!first || !last || last.at - first.at < SHORTEST_RATE_MS) return null;
    return Math.max(0, ((last[name] - first[name]) * 60_000) / (last.at - first.at));
  }
}

export function secondsLeft(left: number | null, perMinute: number | null): number | null {
  if (left === 0) return 0;
  return left === null || perMinute === null || perMinute <= 0 ? null : Math.round((left * 60) / perMinute);
}
