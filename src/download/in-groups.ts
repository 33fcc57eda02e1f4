/**
 * Batches a source: everything that arrives within one turn of the event loop, at most `most` items. A slow source
 * yields single items, a fast one groups that can share a write. Items before an error are yielded before it.
 */
export async function* inGroups<T>(source: AsyncIterable<T>, most: number): AsyncGenerator<readonly T[]> {
  const iterator = source[Symbol.asyncIterator]();
  const ask = (): Promise<IteratorResult<T>> => {
    const asked = iterator.next();
    // Awaited later, perhaps after it has failed.
    asked.catch(() => undefined);
    return asked;
  };
  let ended = false;
  let next = ask();
  try {
    for (;;) {
      const first = await next;
      if (first.done === true) {
        ended = true;
        return;
      }
      const group = [first.value];
      const turn = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
      for (next = ask(); group.length < most; next = ask()) {
        const step = await Promise.race([next, turn]).catch(() => undefined);
        if (step === undefined || step.done === true) break;
        group.push(step.value);
      }
      yield group;
    }
  } catch (error) {
    ended = true;
    throw error;
  } finally {
    if (!ended) await iterator.return?.();
  }
}
