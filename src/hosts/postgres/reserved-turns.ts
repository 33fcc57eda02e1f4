import type { Grant } from './wishes.ts';

/** The turns that a process has reserved at one key, by its monotonic clock, and those of them that it will not use. */
export class ReservedTurns {
  #moments: number[] = [];
  /** The last ones that were given and are not used: they come back if nobody has reserved one behind them. */
  #unused = 0;
  #behind = 0;
  /** How many were given last: between these and earlier ones others may have theirs. */
  #givenLast = 0;

  get count(): number {
    return this.#moments.length;
  }

  get hasUnused(): boolean {
    return this.#unused > 0;
  }

  /** When the turn is that so many others go before. */
  at(ahead: number): number | undefined {
    return this.#moments[ahead];
  }

  take(): void {
    this.#moments.shift();
  }

  add(grant: Grant, intervalMs: number): void {
    this.#given(grant, 0);
    for (let at = 0; at < grant.turns; at += 1) this.#moments.push(grant.firstAt + at * intervalMs);
  }

  /** What was given is not used at all. */
  refuse(grant: Grant): void {
    this.#given(grant, grant.turns);
  }

  /** Gives up those before a moment; others that were reserved behind them stand. Says whether none is left of some. */
  dropBefore(moment: number): boolean {
    const before = this.#moments.length;
    while ((this.#moments[0] ?? moment) < moment) this.#moments.shift();
    const isEmptied = before > 0 && this.#moments.length === 0;
    if (isEmptied) this.#unused += before;
    return isEmptied;
  }

  /** Gives up what is more than wanted. */
  leave(wanted: number): void {
    while (this.#moments.length > wanted) {
      this.#moments.pop();
      this.#unused += 1;
    }
  }

  /** What comes back, and what the server said would come behind it. */
  takeUnused(): { readonly unused: number; readonly behind: number } {
    const unused = Math.min(this.#unused, this.#givenLast);
    this.#unused = 0;
    return { unused, behind: this.#behind };
  }

  #given({ turns, behind }: Grant, unused: number): void {
    if (turns > 0) [this.#givenLast, this.#behind, this.#unused] = [turns, behind, unused];
  }

  clear(): void {
    this.#moments = [];
    this.#unused = 0;
  }
}
