import type { Clock } from '../base/index.ts';
import type { AcquireOptions, Slot, WhileWaiting } from './admission.ts';
import type { Allowance, Pace } from './allowance.ts';
import type { HostTable } from './host-table.ts';
import type { Gate, Waiter } from './gate.ts';
import { inOrder, lengthOf, linesBehind, wantedAt } from './gate.ts';
import type { Host } from './host.ts';
import { capNow, isOrdinary, newHost } from './host.ts';
import { released } from './policy.ts';

/** What a key may draw from; `changed` is called when it has more than it had. */
export type CreateAllowance = (key: string, pace: Pace, changed: () => void) => Allowance;

const MANY_KEYS = 10_000;
/** A timer may fire a rounding error before its moment. */
const HAIR_MS = 1e-6;

/**
 * The keys that requests pass, and the lines before them: first come first served per key, but whoever needs several keys
 * is passed over while another of them is closed, so that one busy key never idles the rest.
 */
export class Gates implements Disposable {
  readonly #clock: Clock;
  readonly #table: HostTable;
  readonly #createAllowance: CreateAllowance;
  readonly #giveUpAfterMs: number;
  readonly #gates = new Map<string, Gate>();
  readonly #watchers = new Set<() => void>();

  constructor(options: {
    readonly clock: Clock;
    readonly table: HostTable;
    readonly allowance: CreateAllowance;
    readonly giveUpAfterMs: number;
  }) {
    this.#clock = options.clock;
    this.#table = options.table;
    this.#createAllowance = options.allowance;
    this.#giveUpAfterMs = options.giveUpAfterMs;
  }

  get all(): Iterable<Gate> {
    return this.#gates.values();
  }

  /** Calls back when there may be room that was not there before. */
  watch(changed: () => void): Disposable {
    this.#watchers.add(changed);
    return { [Symbol.dispose]: () => void this.#watchers.delete(changed) };
  }

  find(key: string): Gate | undefined {
    return this.#gates.get(key);
  }

  /** The gate of a key, made when it is first needed. */
  at(key: string): Gate {
    let gate = this.#gates.get(key);
    if (gate) return gate;
    if (this.#gates.size >= MANY_KEYS) this.#forgetIdle();
    const host = newHost(key, this.#table.rulesOf(key));
    const allowance = this.#createAllowance(key, this.#paceOf(host), () => this.#serveKey(key));
    gate = {
      key,
      host,
      isPaused: false,
      allowance,
      claimed: 0,
      waiters: undefined,
      timer: undefined,
      timerAt: 0,
      done: 0,
      failed: undefined,
    };
    this.#gates.set(key, gate);
    return gate;
  }

  #forgetIdle(): void {
    const [now, monotonic] = [this.#clock.now(), this.#clock.monotonic()];
    for (const [key, gate] of this.#gates) {
      const host = gate.host.hold !== null && gate.host.hold.at <= now ? released(gate.host) : gate.host;
      const isUnused = !gate.isPaused && lengthOf(gate) === 0 && gate.allowance.isIdle(monotonic);
      if (!isUnused || !isOrdinary(host)) continue;
      gate.timer?.[Symbol.dispose]();
      gate.allowance.close();
      this.#gates.delete(key);
    }
  }

  #paceOf(host: Host): Pace {
    const { perSecond, rules } = host;
    return {
      cap: capNow(host),
      intervalMs: perSecond === Infinity ? 0 : (1000 / perSecond) * (1 + this.#table.margin),
      burst: rules.burst,
      from: rules.from,
    };
  }

  isOpen(gate: Gate, now: number): boolean {
    if (gate.isPaused || (gate.host.hold !== null && gate.host.hold.at > this.#clock.now())) return false;
    return gate.allowance.isOpen(gate.claimed, now);
  }

  take(gates: readonly Gate[], now: number): Slot {
    for (const gate of gates) {
      gate.allowance.take(now);
      gate.allowance.want?.(wantedAt(gate));
    }
    let isHeld = true;
    let isSent = false;
    const sent = (): void => {
      if (isSent) return;
      isSent = true;
      const sentAt = this.#clock.monotonic();
      for (const { allowance } of gates) allowance.sent(sentAt, now);
      // Whoever waits behind it knows only now when it may follow.
      if (isHeld) for (const gate of gates) if (lengthOf(gate) > 0) this.serve(gate);
    };
    return {
      sent,
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        sent();
        for (const { allowance } of gates) allowance.release();
        for (const gate of gates) this.serve(gate);
      },
    };
  }

  /** Waits for its turn; when it comes back, whatever was let go of meanwhile is there again, and the turn still its own. */
  async claim(gates: readonly Gate[], options: AcquireOptions, whileWaiting: WhileWaiting): Promise<void> {
    let turn = 'none' as 'none' | 'promised' | 'its own';
    try {
      await whileWaiting(async () => {
        if (await this.#wait(gates, options)) turn = 'promised';
      });
      if (turn === 'promised') turn = 'its own';
    } finally {
      if (turn !== 'none') for (const gate of gates) gate.claimed -= 1;
      // What was promised and is not used is for others, and nothing is kept at a key for who has left its line.
      for (const gate of gates) {
        if (turn === 'its own') this.#tellWanted(gate);
        else this.serve(gate);
      }
    }
  }

  /** Resolves when it is its turn at every gate, with a claim on each, or when the wait must be thought over. */
  #wait(gates: readonly Gate[], { signal, patienceMs, longestLineMs }: AcquireOptions): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal?.removeEventListener('abort', abandon);
        for (const gate of gates) gate.waiters?.delete(waiter);
      };
      const abandon = (): void => {
        leave();
        for (const gate of gates) this.serve(gate);
        reject(signal?.reason as Error);
      };
      const waiter: Waiter = {
        gates: gates.toSorted(inOrder),
        patienceMs,
        longestLineMs,
        wake: (claimed) => {
          leave();
          if (claimed) for (const gate of gates) gate.claimed += 1;
          resolve(claimed);
        },
      };
      signal?.addEventListener('abort', abandon, { once: true });
      for (const gate of gates) (gate.waiters ??= new Set()).add(waiter);
      // Its turn may have come on the way into the line, and then no alarm would ever say so.
      for (const gate of gates) this.serve(gate);
    });
  }

  /** Wakes those whose turn has come, oldest first, and sets the alarm for the next. */
  serve(gate: Gate): void {
    const now = this.#clock.monotonic();
    let wasClosed = false;
    for (const waiter of gate.waiters ?? []) {
      if (gate.allowance.lineMs(0, now) > waiter.longestLineMs) waiter.wake(false);
      wasClosed = !this.isOpen(gate, now);
      if (wasClosed) break;
      if (waiter.gates.every((each) => this.isOpen(each, now))) waiter.wake(true);
    }
    this.#tellWanted(gate);
    this.#arm(gate, wasClosed);
    if (this.#watchers.size > 0 && this.roomAt(gate) > 0) for (const changed of this.#watchers) changed();
  }

  #tellWanted(gate: Gate): void {
    if (!gate.allowance.want) return;
    gate.allowance.want(wantedAt(gate));
    // Whoever has a place here now is in line for its next one elsewhere.
    for (const other of linesBehind(gate)) other.allowance.want?.(wantedAt(other));
  }

  /**
   * An alarm for the moment at which a gate opens: kept for those in line, and for who watches when a hold ends. A gate that
   * was found closed a moment ago and has opened since gets one too: nobody else would look again.
   */
  #arm(gate: Gate, wasClosed: boolean): void {
    const now = this.#clock.monotonic();
    const holdMs = gate.host.hold === null ? 0 : Math.max(0, gate.host.hold.at - this.#clock.now());
    const isWaitedFor = (gate.waiters?.size ?? 0) > 0;
    const opensAt = isWaitedFor ? gate.allowance.opensAt(gate.claimed, now) : now;
    const at = Math.max(opensAt, now + holdMs);
    // Whoever waits at a gate that is open waits for another one, whose alarm it is.
    const isLater = at > now + HAIR_MS || (wasClosed && isWaitedFor);
    const isNeeded = !gate.isPaused && at !== Infinity && isLater;
    if (gate.timer && isNeeded && Math.abs(gate.timerAt - at) < 0.5) {
      if (isWaitedFor) gate.timer.ref();
      return;
    }
    gate.timer?.[Symbol.dispose]();
    gate.timer = undefined;
    if (!isNeeded) return;
    gate.timerAt = at;
    gate.timer = this.#clock.setTimer(Math.max(0, at - now), () => {
      gate.timer = undefined;
      this.serve(gate);
    });
    // Nobody is kept from ending by a hold that nobody waits for.
    if (!isWaitedFor) gate.timer.unref();
  }

  /** How many more it could take on: none while it is paused or held. */
  roomAt(gate: Gate): number {
    if (gate.isPaused) return 0;
    const leftMs = (gate.host.hold?.at ?? 0) - this.#clock.now();
    // Of a host that was given up nothing is awaited, so its jobs may as well end.
    if (leftMs > 0 && leftMs <= this.#giveUpAfterMs) return 0;
    return capNow(gate.host) - gate.allowance.inFlight - lengthOf(gate);
  }

  /** What counts at a key has changed. */
  put(gate: Gate, host: Host): void {
    const before = gate.host;
    gate.host = host;
    if (capNow(before) !== capNow(host) || before.perSecond !== host.perSecond) {
      gate.allowance.change(this.#paceOf(host), this.#clock.monotonic());
    }
  }

  [Symbol.dispose](): void {
    for (const gate of this.#gates.values()) gate.timer?.[Symbol.dispose]();
    this.#gates.clear();
    this.#watchers.clear();
  }

  #serveKey(key: string): void {
    const gate = this.#gates.get(key);
    if (gate) this.serve(gate);
  }
}
