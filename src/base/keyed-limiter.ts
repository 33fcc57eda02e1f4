import type { Clock, Timer } from './clock.ts';

/** Permission to use one slot of every key it was asked for; disposing of it gives back those it still holds. */
export interface Slot extends Disposable {
  /** Gives one key back before the rest. */
  release(key: string): void;
}

/**
 * Bounds how many holders each key may have. Acquiring is asynchronous and slots are disposed of, so that a limiter
 * shared by a whole fleet, whose slots expire with their holder, can stand behind the same seam.
 */
export interface Limiter {
  /** Waits until every key has room, then takes one slot of each at once: nothing is held while waiting. */
  acquire(keys: readonly string[], signal?: AbortSignal): Promise<Slot>;
  /** The same without waiting: undefined when any key is full or held. */
  tryAcquire(keys: readonly string[]): Slot | undefined;
  /** Nobody gets a slot of this key before `at` (epoch milliseconds); an earlier time never shortens a hold. */
  holdUntil(key: string, at: number): void;
  /** Ends a hold at once. */
  lift(key: string): void;
  /**
   * Changes the limit of a key, also of one in use: those over a lowered limit finish, nobody new enters. Without a limit it
   * has the default again.
   */
  setLimit(key: string, limit: number | undefined): void;
  /** How many could acquire the key now: zero while it is full or held. */
  room(key: string): number;
}

interface Waiter {
  readonly keys: readonly string[];
  readonly grant: (slot: Slot) => void;
}

interface Gate {
  used: number;
  heldUntil: number;
  timer: Timer | undefined;
  /** In order of arrival; a Set so that a cancelled waiter leaves in constant time. Most gates never have one. */
  waiters: Set<Waiter> | undefined;
}

/** What a holder has of a KeyedLimiter. */
class HeldSlot implements Slot {
  #held: readonly string[];
  readonly #giveBack: (keys: readonly string[]) => void;

  constructor(keys: readonly string[], giveBack: (keys: readonly string[]) => void) {
    this.#held = keys;
    this.#giveBack = giveBack;
  }

  release(key: string): void {
    if (!this.#held.includes(key)) return;
    this.#held = this.#held.filter((each) => each !== key);
    this.#giveBack([key]);
  }

  [Symbol.dispose](): void {
    const given = this.#held;
    this.#held = [];
    this.#giveBack(given);
  }
}

/**
 * Slots per key in one process, first come first served per key. A waiter that needs several keys is passed over
 * while another of its keys is full, so one busy key never idles the rest.
 */
export class KeyedLimiter implements Limiter {
  readonly #gates = new Map<string, Gate>();
  readonly #limits: Map<string, number>;
  readonly #defaultLimit: (key: string) => number;
  readonly #clock: Clock;

  constructor(options: {
    readonly clock: Clock;
    readonly defaultLimit: number | ((key: string) => number);
    readonly limits?: Readonly<Record<string, number>>;
  }) {
    const { defaultLimit } = options;
    this.#clock = options.clock;
    this.#defaultLimit = typeof defaultLimit === 'number' ? () => defaultLimit : defaultLimit;
    this.#limits = new Map(Object.entries(options.limits ?? {}));
  }

  /** Keys that are in use, waited for or held; the rest costs nothing. */
  get size(): number {
    return this.#gates.size;
  }

  tryAcquire(keys: readonly string[]): Slot | undefined {
    return keys.every((key) => this.room(key) > 0) ? this.#take(keys) : undefined;
  }

  acquire(keys: readonly string[], signal?: AbortSignal): Promise<Slot> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const slot = this.tryAcquire(keys);
    if (slot) return Promise.resolve(slot);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        keys,
        grant: (granted) => {
          signal?.removeEventListener('abort', abandon);
          resolve(granted);
        },
      };
      const abandon = (): void => {
        for (const key of keys) {
          this.#leave(key, waiter);
          this.#collect(key);
        }
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', abandon, { once: true });
      for (const key of keys) {
        const gate = this.#gate(key);
        (gate.waiters ??= new Set()).add(waiter);
        gate.timer?.ref();
      }
    });
  }

  holdUntil(key: string, at: number): void {
    const gate = this.#gate(key);
    if (at <= gate.heldUntil) return;
    gate.heldUntil = at;
    gate.timer?.[Symbol.dispose]();
    gate.timer = undefined;
    if (at !== Infinity) {
      this.#timeHold(key, gate, Math.max(0, at - this.#clock.now()));
    }
  }

  lift(key: string): void {
    const gate = this.#gates.get(key);
    if (!gate) return;
    gate.heldUntil = 0;
    gate.timer?.[Symbol.dispose]();
    gate.timer = undefined;
    this.#serve(key);
  }

  setLimit(key: string, limit: number | undefined): void {
    if (limit === undefined) this.#limits.delete(key);
    else this.#limits.set(key, limit);
    this.#serve(key);
  }

  room(key: string): number {
    const gate = this.#gates.get(key);
    if (!gate) return this.#limit(key);
    return gate.heldUntil > 0 ? 0 : Math.max(0, this.#limit(key) - gate.used);
  }

  #limit(key: string): number {
    return Math.max(1, this.#limits.get(key) ?? this.#defaultLimit(key));
  }

  #gate(key: string): Gate {
    let gate = this.#gates.get(key);
    if (!gate) {
      gate = { used: 0, heldUntil: 0, timer: undefined, waiters: undefined };
      this.#gates.set(key, gate);
    }
    return gate;
  }

  #take(keys: readonly string[]): Slot {
    for (const key of keys) this.#gate(key).used += 1;
    return new HeldSlot(keys, this.#giveBack);
  }

  readonly #giveBack = (keys: readonly string[]): void => {
    for (const key of keys) this.#gate(key).used -= 1;
    for (const key of keys) this.#serve(key);
  };

  /** Gives free slots of a key to those who wait for it, oldest first. */
  #serve(key: string): void {
    const gate = this.#gates.get(key);
    if (!gate) return;
    for (const waiter of gate.waiters ?? []) {
      if (this.room(key) <= 0) break;
      if (!waiter.keys.every((each) => this.room(each) > 0)) continue;
      for (const each of waiter.keys) this.#leave(each, waiter);
      waiter.grant(this.#take(waiter.keys));
    }
    this.#collect(key);
  }

  #endHold(key: string, gate: Gate): void {
    // The calendar may have been set back while the timer ran: the hold names a moment, so wait for that moment.
    const left = gate.heldUntil - this.#clock.now();
    if (left > 0) this.#timeHold(key, gate, left);
    else this.lift(key);
  }

  /** A hold keeps the process alive only as long as somebody waits for its end. */
  #timeHold(key: string, gate: Gate, delayMs: number): void {
    gate.timer = this.#clock.setTimer(delayMs, () => this.#endHold(key, gate));
    if (!gate.waiters?.size) gate.timer.unref();
  }

  #leave(key: string, waiter: Waiter): void {
    const gate = this.#gates.get(key);
    gate?.waiters?.delete(waiter);
    if (!gate?.waiters?.size) gate?.timer?.unref();
  }

  #collect(key: string): void {
    const gate = this.#gates.get(key);
    if (gate && gate.used === 0 && gate.heldUntil === 0 && !gate.waiters?.size) this.#gates.delete(key);
  }
}
