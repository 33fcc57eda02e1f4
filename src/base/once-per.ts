/** At most `together` at once. The first failure aborts the others, and is thrown when they have ended. */
export async function forEachOf<T>(
  items: Iterable<T>,
  together: number,
  work: (item: T, signal: AbortSignal) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const stop = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const waiting = Iterator.from(items);
  const workOn = async (): Promise<void> => {
    for (const item of waiting) {
      stop.throwIfAborted();
      await work(item, stop);
    }
  };
  await Promise.all(Array.from({ length: together }, () => workOn().catch((error: unknown) => failed.abort(error))));
  failed.signal.throwIfAborted();
}

/** Opens something once per owner, such as a model per worker; failures are not cached. */
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
