/**
 * The best so many of what it is offered, place by place in rising order; of equal scores the earlier place stays. A
 * binary heap in typed arrays whose root is the worst of those kept: offering allocates nothing.
 */
class Best {
  readonly #places: Uint32Array;
  readonly #scores: Float32Array;
  readonly #above: number;
  #size = 0;

  constructor(count: number, above = -Infinity) {
    this.#places = new Uint32Array(count);
    this.#scores = new Float32Array(count);
    this.#above = above;
  }

  /** Takes a place whose score is above the bound, and answers the new bound: what is not above it need not be offered. */
  offer(place: number, score: number): number {
    if (this.#places.length === 0) return Infinity;
    if (this.#size < this.#places.length) {
      this.#rise(this.#size, place, score);
      this.#size += 1;
    } else this.#sink(place, score);
    return this.#size < this.#places.length ? this.#above : (this.#scores[0] as number);
  }

  /** What was kept, best first. */
  places(): Uint32Array {
    const order = Array.from({ length: this.#size }, (_, at) => at);
    const scores = this.#scores;
    const places = this.#places;
    order.sort(
      (a, b) => (scores[b] as number) - (scores[a] as number) || (places[a] as number) - (places[b] as number),
    );
    return Uint32Array.from(order, (at) => places[at] as number);
  }

  #rise(from: number, place: number, score: number): void {
    const places = this.#places;
    const scores = this.#scores;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const other = scores[parent] as number;
      if (other < score || (other === score && (places[parent] as number) > place)) break;
      scores[at] = other;
      places[at] = places[parent] as number;
      at = parent;
    }
    scores[at] = score;
    places[at] = place;
  }

  #sink(place: number, score: number): void {
    const places = this.#places;
    const scores = this.#scores;
    const size = this.#size;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      const right = child + 1;
      if (right < size && isWorse(scores, places, right, child)) child = right;
      const other = scores[child] as number;
      if (other > score || (other === score && (places[child] as number) < place)) break;
      scores[at] = other;
      places[at] = places[child] as number;
      at = child;
    }
    scores[at] = score;
    places[at] = place;
  }
}

function isWorse(scores: Float32Array, places: Uint32Array, a: number, b: number): boolean {
  const left = scores[a] as number;
  const right = scores[b] as number;
  return left < right || (left === right && (places[a] as number) > (places[b] as number));
}

/** The places of the `count` highest scores above `above`, best first; of equal ones the earlier comes first. */
export function topPlaces(scores: Float32Array, count: number, above = -Infinity): Uint32Array {
  const best = new Best(Math.min(count, scores.length), above);
  const { length } = scores;
  let bound = above;
  for (let place = 0; place < length; place += 1) {
    const score = scores[place] as number;
    if (score > bound) bound = best.offer(place, score);
  }
  return best.places();
}
