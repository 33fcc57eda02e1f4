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
  readonly gates: readonly Gate[];
  readonly grant: (slot: Slot) => void;
}

/** A key in use; found once and then kept by those who hold or wait for it, because looking it up again costs more than the rest. */
interface Gate {
  readonly key: string;
  limit: number;
  used: number;
  heldUntil: number;
  timer: Timer | undefined;
  /** In order of arrival; a Set so that a cancelled waiter leaves in constant time. Most gates never have one. */
  waiters: Set<Waiter> | undefined;
}

/** What a holder has of a KeyedLimiter. */
class HeldSlot implements Slot {
  #held: readonly Gate[];
  readonly #giveBack: (gates: readonly Gate[]) => void;

  constructor(gates: readonly Gate[], giveBack: (gates: readonly Gate[]) => void) {
    this.#held = gates;
    this.#giveBack = giveBack;
  }

  release(key: string): void {
    const given = this.#held.filter((gate) => gate.key === key);
    this.#held = this.#held.filter((gate) => gate.key !== key);
    this.#giveBack(given);
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
    const gates = keys.map((key) => this.#gate(key));
    if (gates.every(hasRoom)) return this.#take(gates);
    for (const gate of gates) this.#collect(gate);
    return undefined;
  }

  acquire(keys: readonly string[], signal?: AbortSignal): Promise<Slot> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const slot = this.tryAcquire(keys);
    if (slot) return Promise.resolve(slot);
    return new Promise((resolve, reject) => {
      const gates = keys.map((key) => this.#gate(key));
      const waiter: Waiter = {
        gates,
        grant: (granted) => {
          signal?.removeEventListener('abort', abandon);
          resolve(granted);
        },
      };
      const abandon = (): void => {
        for (const gate of gates) {
          leave(gate, waiter);
          this.#collect(gate);
        }
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', abandon, { once: true });
      for (const gate of gates) {
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
      this.#timeHold(gate, Math.max(0, at - this.#clock.now()));
    }
  }

  lift(key: string): void {
    const gate = this.#gates.get(key);
    if (gate) this.#lift(gate);
  }

  setLimit(key: string, limit: number | undefined): void {
    if (limit === undefined) this.#limits.delete(key);
    else this.#limits.set(key, limit);
    const gate = this.#gates.get(key);
    if (!gate) return;
    gate.limit = this.#limit(key);
    this.#serve(gate);
  }

  room(key: string): number {
    const gate = this.#gates.get(key);
    return gate ? roomOf(gate) : this.#limit(key);
  }

  #limit(key: string): number {
    return Math.max(1, this.#limits.get(key) ?? this.#defaultLimit(key));
  }

  #gate(key: string): Gate {
    let gate = this.#gates.get(key);
    if (!gate) {
      gate = { key, limit: this.#limit(key), used: 0, heldUntil: 0, timer: undefined, waiters: undefined };
      this.#gates.set(key, gate);
    }
    return gate;
  }

  #take(gates: readonly Gate[]): Slot {
    for (const gate of gates) gate.used += 1;
    return new HeldSlot(gates, this.#giveBack);
  }

  readonly #giveBack = (gates: readonly Gate[]): void => {
    for (const gate of gates) gate.used -= 1;
    for (const gate of gates) this.#serve(gate);
  };

  /** Gives free slots of a key to those who wait for it, oldest first. */
  #serve(gate: Gate): void {
    for (const waiter of gate.waiters ?? []) {
      if (!hasRoom(gate)) break;
      if (!waiter.gates.every(hasRoom)) continue;
      for (const each of waiter.gates) leave(each, waiter);
      waiter.grant(this.#take(waiter.gates));
    }
    this.#collect(gate);
  }

  #lift(gate: Gate): void {
    gate.heldUntil = 0;
    gate.timer?.[Symbol.dispose]();
    gate.timer = undefined;
    this.#serve(gate);
  }

  #endHold(gate: Gate): void {
    // The calendar may have been set back while the timer ran: the hold names a moment, so wait for that moment.
    const left = gate.heldUntil - this.#clock.now();
    if (left > 0) this.#timeHold(gate, left);
    else this.#lift(gate);
  }

  /** A hold keeps the process alive only as long as somebody waits for its end. */
  #timeHold(gate: Gate, delayMs: number): void {
    gate.timer = this.#clock.setTimer(delayMs, () => this.#endHold(gate));
    if (!gate.waiters?.size) gate.timer.unref();
  }

  /** Forgets a key that nobody uses. */
  #collect(gate: Gate): void {
    if (gate.used === 0 && gate.heldUntil === 0 && !gate.waiters?.size) this.#gates.delete(gate.key);
  }
}

function roomOf({ heldUntil, limit, used }: Gate): number {
  return heldUntil > 0 ? 0 : Math.max(0, limit - used);
}

function hasRoom(gate: Gate): boolean {
  return roomOf(gate) > 0;
}

function leave(gate: Gate, waiter: Waiter): void {
  gate.waiters?.delete(waiter);
  if (!gate.waiters?.size) gate.timer?.unref();
}
