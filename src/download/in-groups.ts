/**
 * What a source delivers, in groups: as much as comes within one turn of the loop, at most `most`. A slow source is passed on
 * item by item, a fast one in groups that can share one write. What came before a fault is passed on before the fault.
 */
export async function* inGroups<T>(source: AsyncIterable<T>, most: number): AsyncGenerator<readonly T[]> {
  const iterator = source[Symbol.asyncIterator]();
  const ask = (): Promise<IteratorResult<T>> => {
    const asked = iterator.next();
    // It is awaited later, perhaps after it has failed.
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
