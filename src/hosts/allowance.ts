/** What counts at a key now. */
export interface Pace {
  readonly cap: number;
  /** Least time between two; 0 where only the cap counts. */
  readonly intervalMs: number;
  readonly burst: number;
  readonly from: 'request' | 'answer';
}

/**
 * How many may be under way at one key, and when the next may start: counted in this process alone, or drawn from what a
 * fleet shares. Moments are of the monotonic clock.
 */
export interface Allowance {
  readonly inFlight: number;
  /** Whether one more may start at `now` when `ahead` others go first. */
  isOpen(ahead: number, now: number): boolean;
  /** When that may be so as far as time goes; Infinity when something has to come back first. */
  opensAt(ahead: number, now: number): number;
  /** How long one would wait for the rate alone with so many in line before it. */
  lineMs(ahead: number, now: number): number;
  /** Whether a place is there when `ahead` others take theirs first, whatever the rate says. */
  hasPlace(ahead: number): boolean;
  take(now: number): void;
  /** One that was taken at `takenAt` goes out on the wire. */
  sent(now: number, takenAt: number): void;
  release(): void;
  /** An answer came, or none will: where the pause is counted from it, it begins now. */
  answered(now: number): void;
  change(pace: Pace, now: number): void;
  /** So many could use a place; only who draws from elsewhere has to know. */
  want?(waiting: number): void;
  /** It will not be asked again. */
  close(): void;
  /** Whether nobody would start too early if it were forgotten. */
  isIdle(now: number): boolean;
}

/** A timer may fire a rounding error before its moment. */
const HAIR_MS = 1e-6;

/**
 * Counts in this process alone: so many at once, and the generic cell rate algorithm for the pauses between them, as the
 * host itself would count: by what went out, with those that are about to as if they did now.
 */
export class LocalAllowance implements Allowance {
  inFlight = 0;
  #pace: Pace;
  /** When the next would be due if all came evenly spaced. */
  #dueAt = -Infinity;
  /** Taken, and not on the wire yet. */
  #leaving = 0;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  isOpen(ahead: number, now: number): boolean {
    return this.opensAt(ahead, now) <= now + HAIR_MS;
  }

  opensAt(ahead: number, now: number): number {
    const { cap, intervalMs, burst } = this.#pace;
    if (this.inFlight + ahead >= cap) return Infinity;
    // When one may be followed is known as soon as it is on the wire.
    return intervalMs > 0 && this.#leaving >= burst ? Infinity : now + this.lineMs(ahead, now);
  }

  lineMs(ahead: number, now: number): number {
    const { intervalMs, burst } = this.#pace;
    if (intervalMs === 0) return 0;
    const before = this.#leaving + ahead;
    const dueAt = before === 0 ? this.#dueAt : Math.max(this.#dueAt, now) + before * intervalMs;
    return Math.max(0, dueAt - (burst - 1) * intervalMs - now);
  }

  hasPlace(ahead: number): boolean {
    return this.inFlight + ahead < this.#pace.cap;
  }

  take(): void {
    this.inFlight += 1;
    this.#leaving += 1;
  }

  sent(now: number): void {
    this.#leaving -= 1;
    if (this.#pace.from === 'request') this.#dueAt = Math.max(this.#dueAt, now) + this.#pace.intervalMs;
  }

  release(): void {
    this.inFlight -= 1;
  }

  answered(now: number): void {
    if (this.#pace.from === 'answer') this.#dueAt = now + this.#pace.intervalMs;
  }

  change(pace: Pace, now: number): void {
    // What was sent a moment ago counts against the new rate as well.
    if (pace.intervalMs !== this.#pace.intervalMs) this.#dueAt = now + pace.intervalMs;
    this.#pace = pace;
  }

  close(): void {
    // Nobody has to be told.
  }

  isIdle(now: number): boolean {
    return this.inFlight === 0 && this.#dueAt <= now;
  }
}
