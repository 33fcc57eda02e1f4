/** A value that this browser keeps under a name; null where it keeps none, as for a file opened from a disk. */
export function keptHere(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a value in this browser; where it keeps nothing, the value lasts until the page is left. */
export function keepHere(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // What is shown has changed already.
  }
}
