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
