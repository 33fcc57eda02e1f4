const WINDOW_MS = 60_000;

/** How fast a count grows, over the last minute of samples. */
export class RateMeter {
  #samples: { readonly at: number; readonly count: number }[] = [];

  note(count: number, at: number): void {
    // A count that fell was reset.
    if (count < (this.#samples.at(-1)?.count ?? 0)) this.#samples = [];
    this.#samples.push({ at, count });
    // One older than the window stays, so that the window is always full.
    while ((this.#samples[1]?.at ?? at) <= at - WINDOW_MS) this.#samples.shift();
  }

  /** Null until the samples span half a second. */
  get perSecond(): number | null {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last.at - first.at < 500) return null;
    return ((last.count - first.count) * 1000) / (last.at - first.at);
  }
}
