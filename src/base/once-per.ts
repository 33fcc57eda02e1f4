/** Calls `work` for each item in order, at most `together` at once. */
export async function forEachOf<T>(
  items: readonly T[],
  together: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const workOn = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: together }, workOn));
}

/**
 * Opens something once per owner and drops it with the owner: a model or tokenizer once per worker. Failures are not
 * cached.
 */
export function oncePer<Owner extends object, Opened>(
  open: (owner: Owner) => Promise<Opened>,
): (owner: Owner) => Promise<Opened> {
  const opened = new WeakMap<Owner, Promise<Opened>>();
  return (owner) => {
    const known = opened.get(owner);
    if (known) return known;
    const opening = open(owner);
    opened.set(owner, opening);
    opening.catch(() => opened.delete(owner));
    return opening;
  };
}
