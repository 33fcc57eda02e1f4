/** The places of the `count` highest scores above `above`, best first; of equal ones the earlier comes first. */
export function topPlaces(scores: Float32Array, count: number, above = -Infinity): Uint32Array {
  const heap = new Uint32Array(Math.min(count, scores.length));
  let size = 0;
  // A binary heap whose root is the worst of those kept.
  const worse = (a: number, b: number): boolean => {
    const left = scores[a] ?? 0;
    const right = scores[b] ?? 0;
    return left < right || (left === right && a > b);
  };
  const sink = (from: number): void => {
    const place = heap[from] ?? 0;
    let at = from;
    for (let child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && worse(heap[child + 1] ?? 0, heap[child] ?? 0)) child += 1;
      if (!worse(heap[child] ?? 0, place)) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = place;
  };
  let least = above;
  for (let place = 0; place < scores.length; place += 1) {
    const score = scores[place] ?? 0;
    if (!(score > least)) continue;
    if (size < heap.length) {
      heap[size] = place;
      size += 1;
      if (size === heap.length) {
        for (let at = (size >> 1) - 1; at >= 0; at -= 1) sink(at);
        least = scores[heap[0] ?? 0] ?? 0;
      }
    } else if (size > 0) {
      heap[0] = place;
      sink(0);
      least = scores[heap[0] ?? 0] ?? 0;
    }
  }
  return heap.subarray(0, size).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
}
