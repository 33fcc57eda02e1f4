import type { Clock, Timer } from './clock.ts';

/** The limits of one key. Times are monotonic. */
export interface Room {
  /** When one more may start, after `ahead` others; Infinity if a slot must be released first. */
  opensAt(ahead: number, now: number): number;
  /** When a hold ends; `now` if there is none. */
  heldUntil(now: number): number;
  take(now: number): void;
  release(): void;
  /** Whether the key's state equals that of a new key. */
  isIdle(now: number): boolean;
  close?(): void;
}

export interface Line<R> {
  readonly key: string;
  readonly room: R;
  /** Turns granted to waiters that have not started yet. */
  claimed: number;
  /** In order of arrival. A Set, so that a waiter can leave in constant time. */
  readonly waiters: Set<Waiter<R>>;
  timer: Timer | undefined;
  timerAt: number;
}

interface Waiter<R> {
  readonly lines: readonly Line<R>[];
  /** Whether it should give up rather than wait for this key. */
  readonly isHopeless: (room: R, now: number) => boolean;
  /** Called with true when it holds a claim on every key, with false when it should reconsider waiting. */
  readonly wake: (claimed: boolean) => void;
}

interface WaitOptions<R> {
  readonly signal?: AbortSignal | undefined;
  readonly isHopeless?: (room: R, now: number) => boolean;
  /** Runs the wait, and reacquires what was released meanwhile before the turn is used. */
  readonly whileWaiting?: <T>(wait: () => Promise<T>) => Promise<T>;
}

interface LinesOptions<R> {
  readonly clock: Clock;
  /** Creates a key's limits; `changed` is called when more is allowed than before. */
  readonly open: (key: string, changed: () => void) => R;
  /** How many unused keys are remembered. */
  readonly mostIdle?: number;
  readonly served?: (line: Line<R>) => void;
}

/** Timers may fire early by a rounding error. */
const HAIR_MS = 1e-6;

/**
 * Lines before keys: first come first served, but a waiter is skipped while another of its keys is closed, so that one
 * busy key never idles the rest. Nothing is held while waiting.
 *
 *   join ──every key open──▶ claim ──what was let go of is back──▶ take ──dispose──▶ the next in line
 *     └──hopeless──▶ woken without a claim
 */
export class KeyedLines<R extends Room> implements Disposable {
  readonly #options: LinesOptions<R>;
  readonly #lines = new Map<string, Line<R>>();

  constructor(options: LinesOptions<R>) {
    this.#options = options;
  }

  get size(): number {
    return this.#lines.size;
  }

  get all(): Iterable<Line<R>> {
    return this.#lines.values();
  }

  find(key: string): Line<R> | undefined {
    return this.#lines.get(key);
  }

  at(key: string): Line<R> {
    let line = this.#lines.get(key);
    if (line) return line;
    const { mostIdle = 0 } = this.#options;
    if (mostIdle > 0 && this.#lines.size >= mostIdle) for (const each of this.#lines.values()) this.#forget(each);
    const room = this.#options.open(key, () => {
      const changed = this.#lines.get(key);
      if (changed) this.serve(changed);
    });
    line = { key, room, claimed: 0, waiters: new Set(), timer: undefined, timerAt: 0 };
    this.#lines.set(key, line);
    return line;
  }

  isOpen(line: Line<R>, now: number): boolean {
    return line.room.opensAt(line.claimed, now) <= now + HAIR_MS;
  }

  take(lines: readonly Line<R>[], now: number): Disposable {
    for (const { room } of lines) room.take(now);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        for (const { room } of lines) room.release();
        for (const line of lines) this.serve(line);
      },
    };
  }

  /** Waits for a turn at every key, then calls `use`; also when the wait should be reconsidered. */
  async wait<T>(lines: readonly Line<R>[], options: WaitOptions<R>, use: () => T): Promise<T> {
    const { whileWaiting = (wait) => wait() } = options;
    let isPromised = false;
    const end = (): void => {
      if (isPromised) for (const line of lines) line.claimed -= 1;
      isPromised = false;
    };
    try {
      await whileWaiting(async () => {
        isPromised = await this.#join(lines, options);
      });
      end();
      return use();
    } finally {
      end();
      // An unused turn goes to others.
      for (const line of lines) this.serve(line);
    }
  }

  #join(lines: readonly Line<R>[], { signal, isHopeless = () => false }: WaitOptions<R>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal?.removeEventListener('abort', abandon);
        for (const line of lines) line.waiters.delete(waiter);
      };
      const abandon = (): void => {
        leave();
        for (const line of lines) this.serve(line);
        reject(signal?.reason as Error);
      };
      const waiter: Waiter<R> = {
        lines,
        isHopeless,
        wake: (claimed) => {
          leave();
          if (claimed) for (const line of lines) line.claimed += 1;
          resolve(claimed);
        },
      };
      signal?.addEventListener('abort', abandon, { once: true });
      for (const line of lines) line.waiters.add(waiter);
      // The turn may have come while joining, and no timer would report it.
      for (const line of lines) this.serve(line);
    });
  }

  /** Wakes waiters whose turn has come, oldest first, and sets the timer for the next. */
  serve(line: Line<R>): void {
    const now = this.#options.clock.monotonic();
    let wasClosed = false;
    for (const waiter of line.waiters) {
      if (waiter.isHopeless(line.room, now)) waiter.wake(false);
      wasClosed = !this.isOpen(line, now);
      if (wasClosed) break;
      if (waiter.lines.every((each) => this.isOpen(each, now))) waiter.wake(true);
    }
    this.#arm(line, wasClosed);
    this.#options.served?.(line);
    if (!this.#options.mostIdle) this.#forget(line);
  }

  /** Sets a timer for when a key opens or its hold ends, also if a key found closed has opened since. */
  #arm(line: Line<R>, wasClosed: boolean): void {
    const now = this.#options.clock.monotonic();
    const isWaitedFor = line.waiters.size > 0;
    const at = isWaitedFor ? line.room.opensAt(line.claimed, now) : line.room.heldUntil(now);
    // A waiter at an open key waits for another key, which has its own timer.
    const isNeeded = at !== Infinity && (at > now + HAIR_MS || (wasClosed && isWaitedFor));
    if (line.timer && isNeeded && Math.abs(line.timerAt - at) < 0.5) {
      if (isWaitedFor) line.timer.ref();
      else line.timer.unref();
      return;
    }
    line.timer?.[Symbol.dispose]();
    line.timer = undefined;
    if (!isNeeded) return;
    line.timerAt = at;
    line.timer = this.#options.clock.setTimer(Math.max(0, at - now), () => {
      line.timer = undefined;
      this.serve(line);
    });
    if (!isWaitedFor) line.timer.unref();
  }

  #forget(line: Line<R>): void {
    if (line.claimed > 0 || line.waiters.size > 0 || !line.room.isIdle(this.#options.clock.monotonic())) return;
    line.timer?.[Symbol.dispose]();
    line.room.close?.();
    this.#lines.delete(line.key);
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#lines.values()) timer?.[Symbol.dispose]();
    this.#lines.clear();
  }
}

/** A number of slots; none while held. */
class Slots implements Room {
  readonly #clock: Clock;
  limit: number;
  used = 0;
  /** Epoch milliseconds. */
  holdAt = 0;

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.limit = limit;
  }

  get #holdMs(): number {
    return Math.max(0, this.holdAt - this.#clock.now());
  }

  room(ahead: number): number {
    return this.#holdMs > 0 ? 0 : Math.max(0, this.limit - this.used - ahead);
  }

  opensAt(ahead: number, now: number): number {
    return this.used + ahead < this.limit ? now + this.#holdMs : Infinity;
  }

  heldUntil(now: number): number {
    return now + this.#holdMs;
  }

  take(): void {
    this.used += 1;
  }

  release(): void {
    this.used -= 1;
  }

  isIdle(): boolean {
    return this.used === 0 && this.#holdMs === 0;
  }
}

/** Limits how many holders each key has in this process. */
export class KeyedLimiter {
  readonly #clock: Clock;
  readonly #lines: KeyedLines<Slots>;
  readonly #limits: Map<string, number>;
  readonly #defaultLimit: number;

  constructor(options: {
    readonly clock: Clock;
    readonly defaultLimit: number;
    readonly limits?: Readonly<Record<string, number>>;
  }) {
    const { defaultLimit, clock, limits = {} } = options;
    this.#clock = clock;
    this.#defaultLimit = Math.max(1, defaultLimit);
    this.#limits = new Map(Object.entries(limits).map(([key, limit]) => [key, Math.max(1, limit)]));
    this.#lines = new KeyedLines({ clock, open: (key) => new Slots(clock, this.#limit(key)) });
  }

  /** Keys in use, waited for or held. */
  get size(): number {
    return this.#lines.size;
  }

  /** Takes a slot of every key without waiting; undefined if any key is full or held. */
  tryAcquire(keys: readonly string[]): Disposable | undefined {
    const now = this.#clock.monotonic();
    const lines = keys.map((key) => this.#lines.at(key));
    if (!lines.every((line) => this.#lines.isOpen(line, now))) {
      for (const line of lines) this.#lines.serve(line);
      return undefined;
    }
    return this.#lines.take(lines, now);
  }

  /** Waits until every key has room, then takes one slot of each; nothing is held while waiting. */
  async acquire(keys: readonly string[], signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    for (let slot = this.tryAcquire(keys); ;) {
      if (slot) return slot;
      const lines = keys.map((key) => this.#lines.at(key));
      slot = await this.#lines.wait(lines, { signal }, () => this.tryAcquire(keys));
    }
  }

  /** Grants no slot of this key before `at` (epoch milliseconds); an earlier time never shortens a hold. */
  holdUntil(key: string, at: number): void {
    const line = this.#lines.at(key);
    line.room.holdAt = Math.max(line.room.holdAt, at);
    this.#lines.serve(line);
  }

  /** Changes a limit, also while in use: holders above it finish. */
  setLimit(key: string, limit: number): void {
    this.#limits.set(key, limit);
    const line = this.#lines.find(key);
    if (!line) return;
    line.room.limit = limit;
    this.#lines.serve(line);
  }

  /** How many could acquire the key now; zero while it is full or held. */
  room(key: string): number {
    const line = this.#lines.find(key);
    return line ? line.room.room(line.claimed) : this.#limit(key);
  }

  #limit(key: string): number {
    return this.#limits.get(key) ?? this.#defaultLimit;
  }
}

/** Allows `refillPerSecond` on average and `capacity + burst` at once. KeyedLines decides who waits. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #msPerToken: number;
  /** When the bucket is full again; in the past if it is. */
  #fullAt = -Infinity;

  constructor(options: {
    readonly clock: Clock;
    readonly capacity: number;
    readonly refillPerSecond: number;
    readonly burst?: number;
  }) {
    this.#clock = options.clock;
    this.#most = options.capacity + (options.burst ?? 0);
    this.#msPerToken = 1000 / options.refillPerSecond;
  }

  get available(): number {
    return this.#most - Math.max(0, this.#fullAt - this.#clock.monotonic()) / this.#msPerToken;
  }

  /** Takes the amount and returns 0, or takes nothing and returns the milliseconds to wait. */
  consume(amount = 1): number {
    const waitMs = this.waitMs(amount);
    if (waitMs > HAIR_MS) return waitMs;
    this.spend(amount);
    return 0;
  }

  /** Milliseconds until the amount can be taken; 0 for now. */
  waitMs(amount = 1, now = this.#clock.monotonic()): number {
    const missing = amount - this.#most;
    return Math.max(0, Math.max(this.#fullAt, now) - now + (missing === 0 ? 0 : missing * this.#msPerToken));
  }

  /** Takes the amount even if that makes later callers wait longer. */
  spend(amount = 1, now = this.#clock.monotonic()): void {
    this.#fullAt = Math.max(this.#fullAt, now) + amount * this.#msPerToken;
  }

  refund(amount = 1): void {
    this.#fullAt = Math.max(this.#clock.monotonic(), this.#fullAt - amount * this.#msPerToken);
  }

  isFull(now = this.#clock.monotonic()): boolean {
    return this.#fullAt <= now;
  }
}
