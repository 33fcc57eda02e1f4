/**
 * Opens something once for an object that it is made of, and keeps it no longer than that object: a model or a tokenizer once
 * for the data that a stage gave its workers, which is once per worker. A failure is not kept: whoever asks next tries again.
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
