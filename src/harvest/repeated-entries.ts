import type { Records } from '../store/index.ts';
import type { Work } from '../works/index.ts';

/**
 * Passes works on, and notes how often lists have named one that was named before: several databases find the same work, and
 * a review counts these as duplicates. Listing the same again comes to the same.
 */
export async function* countingRepeats(
  works: AsyncIterable<Work>,
  records: Records,
  inputs: ReadonlyMap<string, ReadonlySet<string>>,
): AsyncGenerator<Work, void> {
  const times = new Map<string, number>();
  for await (const work of works) {
    times.set(work.id, (times.get(work.id) ?? 0) + 1);
    yield work;
  }
  records.noteRepeats(times);
  for (const [file, named] of inputs) records.noteInput(file, named);
}
