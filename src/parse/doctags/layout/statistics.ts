export function countMore<K>(counts: Map<K, number>, key: K, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more);
}

export function countBy<T, K>(
  items: Iterable<T>,
  keyOf: (item: T) => K,
  weightOf: (item: T) => number = () => 1,
): Map<K, number> {
  const counts = new Map<K, number>();
  for (const item of items) countMore(counts, keyOf(item), weightOf(item));
  return counts;
}

export function mostFrequent<K>(counts: ReadonlyMap<K, number>): K | undefined {
  let best: K | undefined;
  let bestCount = -1;
  for (const [key, count] of counts)
    if (count > bestCount) {
      best = key;
      bestCount = count;
    }
  return best;
}

/** The median for a share of 0.5; undefined of nothing. */
export function quantile(values: readonly number[], share: number): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
}
