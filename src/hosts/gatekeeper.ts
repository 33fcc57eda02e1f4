import type { Clock, Timer } from '../base/index.ts';
import type {
  AcquireOptions,
  Admission,
  HostEvent,
  HostView,
  Observation,
  Slot,
  Turn,
  Waited,
  WhileWaiting,
} from './admission.ts';
import { tooLong } from './admission.ts';
import type { Allowance, Pace } from './allowance.ts';
import type { HostTable } from './host-table.ts';
import type { Hold, HoldReason, Host } from './host.ts';
import { capNow, isOrdinary, isSlowed, newHost } from './host.ts';
import type { PolicySettings } from './policy.ts';
import { answered, failed, held, released, throttled, told } from './policy.ts';

export interface GatekeeperOptions {
  readonly clock: Clock;
  readonly table: HostTable;
  readonly policy: PolicySettings;
  readonly report?: ((event: HostEvent) => void) | undefined;
  /** What a key may draw from; `changed` is called when it has more than it had. */
  readonly allowance: (key: string, pace: Pace, changed: () => void) => Allowance;
  /** Something was learned of a key that outlives the request: a fleet writes it down for everybody. */
  readonly learned?: ((key: string, change: (host: Host) => Host) => void) | undefined;
}

interface Gate {
  readonly key: string;
  host: Host;
  isPaused: boolean;
  readonly allowance: Allowance;
  /** Turns that are promised to those who were woken and have not started yet. */
  claimed: number;
  /** In order of arrival; a Set so that whoever leaves does so in constant time. Most gates never have one. */
  waiters: Set<Waiter> | undefined;
  timer: Timer | undefined;
  timerAt: number;
}

interface Waiter {
  readonly gates: readonly Gate[];
  readonly patienceMs: number;
  /** True with a claim on every gate; false when the wait must be thought over. */
  readonly wake: (claimed: boolean) => void;
}

/** Somebody who waits for a key that a person paused is told to come back in so long. */
const PAUSE_MS = 60_000;
const MANY_KEYS = 10_000;
const HAIR_MS = 1e-6;

/**
 * Lets requests through to hosts as their rules allow, first come first served per key. A request that needs several keys
 * is passed over while another of its keys is closed, so that one busy key never idles the rest.
 *
 *   asked ──all keys open──────────────────────────────▶ go (slot) ──disposed of──▶ room for the next
 *     │ a key is full, too early or held                  ▲
 *     └─▶ in line ──its turn──▶ claim ──worker regained───┘
 *            └──a hold longer than its patience──▶ later · never
 */
export class Gatekeeper implements Admission {
  readonly table: HostTable;
  readonly #clock: Clock;
  readonly #policy: PolicySettings;
  readonly #report: (event: HostEvent) => void;
  readonly #options: GatekeeperOptions;
  readonly #gates = new Map<string, Gate>();
  readonly #watchers = new Set<() => void>();

  constructor(options: GatekeeperOptions) {
    this.table = options.table;
    this.#clock = options.clock;
    this.#policy = options.policy;
    this.#report = options.report ?? (() => undefined);
    this.#options = options;
  }

  /** Keys that are remembered; those that nobody uses and nothing was learned of cost nothing. */
  get size(): number {
    return this.#gates.size;
  }

  room(keys: readonly string[]): number {
    return Math.min(...keys.map((key) => this.#roomOf(key)));
  }

  held(keys: readonly string[]): (Hold & { readonly leftMs: number }) | null {
    const now = this.#clock.now();
    let latest: Hold | null = null;
    for (const key of keys) {
      const gate = this.#gates.get(key);
      if (gate?.isPaused) return { at: now + PAUSE_MS, reason: 'paused', leftMs: PAUSE_MS };
      const hold = gate?.host.hold;
      if (hold && hold.at > now && (latest === null || hold.at > latest.at)) latest = hold;
    }
    return latest && { ...latest, leftMs: latest.at - now };
  }

  async acquire(keys: readonly string[], options: AcquireOptions): Promise<Turn> {
    const { signal, whileWaiting = justWait } = options;
    const gates = keys.map((key) => this.#gate(key));
    let waitedMs = 0;
    let waited: Waited | null = null;
    for (;;) {
      signal?.throwIfAborted();
      const verdict = this.#verdict(keys, options);
      if (verdict) return verdict;
      const now = this.#clock.monotonic();
      if (gates.every((gate) => this.#isOpen(gate, now))) return { kind: 'go', slot: this.#take(gates, now), waited };
      const lineMs = Math.max(...gates.map((gate) => gate.allowance.lineMs(lengthOf(gate), now)));
      if (lineMs > options.longestLineMs) {
        return { kind: 'later', at: this.#clock.now() + lineMs, reason: 'pool-exhausted' };
      }
      const { key, cause } = this.#causeOf(gates, now);
      await this.#claim(gates, options, whileWaiting);
      waitedMs += this.#clock.monotonic() - now;
      waited = { key, cause, ms: waitedMs };
    }
  }

  observe(keys: readonly string[], what: Observation): void {
    const [host] = keys;
    if (host === undefined) return;
    const now = this.#clock.now();
    switch (what.kind) {
      case 'answer':
        this.#space(keys);
        if (what.limits !== undefined) this.#tell(keys, what.limits);
        if (what.budgetLeft !== undefined) this.#budget(keys, what.budgetLeft);
        if (what.status === 429 || (what.status === 503 && what.retryAt !== undefined)) {
          this.#throttle(keys, { now, retryAt: what.retryAt, status: what.status });
        }
        break;
      case 'end':
        if (!what.answered) this.#space(keys);
        if (what.fault === true) this.#fail(host, now);
        else if (what.fault === false) this.#succeed(host);
        break;
      case 'throttled':
        this.#throttle(keys, { now, retryAt: what.retryAt, status: 503 });
        break;
      case 'success':
        this.#succeed(host);
        break;
    }
  }

  hold(key: string, hold: Hold | null): void {
    const gate = this.#gate(key);
    if (hold === null || hold.reason === 'paused') {
      gate.isPaused = hold !== null;
      if (gate.isPaused) this.#wakeImpatient(gate);
      else this.#serve(gate);
    } else this.#learn(key, (host) => held(host, hold));
  }

  /** What another process has learned of a key. */
  learn(key: string, host: Host): void {
    const gate = this.#gate(key);
    this.#put(gate, host);
  }

  /** There may be more at a key than there was. */
  serve(key: string): void {
    const gate = this.#gates.get(key);
    if (gate) this.#serve(gate);
  }

  snapshot(): readonly HostView[] {
    const [now, monotonic] = [this.#clock.now(), this.#clock.monotonic()];
    return [...this.#gates.values()].map((gate) => {
      const { host, allowance } = gate;
      const waitMs = allowance.lineMs(0, monotonic);
      const hold = gate.isPaused
        ? ({ at: Infinity, reason: 'paused' } as const)
        : host.hold !== null && host.hold.at > now
          ? host.hold
          : null;
      return {
        ...host,
        hold,
        inFlight: allowance.inFlight,
        waiting: lengthOf(gate),
        nextAt: waitMs > 0 ? now + waitMs : null,
      };
    });
  }

  watch(changed: () => void): Disposable {
    this.#watchers.add(changed);
    return { [Symbol.dispose]: () => void this.#watchers.delete(changed) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const gate of this.#gates.values()) gate.timer?.[Symbol.dispose]();
    this.#gates.clear();
    this.#watchers.clear();
    return Promise.resolve();
  }

  #gate(key: string): Gate {
    let gate = this.#gates.get(key);
    if (gate) return gate;
    if (this.#gates.size >= MANY_KEYS) this.#forgetIdle();
    const host = newHost(key, this.table.rulesOf(key));
    const allowance = this.#options.allowance(key, this.#paceOf(host), () => this.serve(key));
    gate = { key, host, isPaused: false, allowance, claimed: 0, waiters: undefined, timer: undefined, timerAt: 0 };
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
      this.#gates.delete(key);
    }
  }

  #paceOf(host: Host): Pace {
    const { perSecond, rules } = host;
    return {
      cap: capNow(host),
      intervalMs: perSecond === Infinity ? 0 : (1000 / perSecond) * (1 + this.table.margin),
      burst: rules.burst,
      from: rules.from,
    };
  }

  #roomOf(key: string): number {
    const gate = this.#gates.get(key);
    if (!gate) return this.table.rulesOf(key).cap;
    if (gate.isPaused) return 0;
    const leftMs = (gate.host.hold?.at ?? 0) - this.#clock.now();
    // Of a host that was given up nothing is awaited, so its jobs may as well end.
    if (leftMs > 0 && leftMs <= this.#policy.giveUpAfterMs) return 0;
    return capNow(gate.host) - gate.allowance.inFlight - lengthOf(gate);
  }

  /** Why nobody should wait, if that is so. */
  #verdict(keys: readonly string[], options: Pick<AcquireOptions, 'patienceMs'>): Turn | undefined {
    const hold = this.held(keys);
    if (hold === null) return undefined;
    const { at, reason, leftMs } = hold;
    if (leftMs > this.#policy.giveUpAfterMs) return { kind: 'never', message: tooLong(keys[0] ?? '', at) };
    return isTooLong(reason, leftMs, options.patienceMs) ? { kind: 'later', at, reason } : undefined;
  }

  #isOpen(gate: Gate, now: number): boolean {
    if (gate.isPaused || (gate.host.hold !== null && gate.host.hold.at > this.#clock.now())) return false;
    return gate.allowance.isOpen(gate.claimed, now);
  }

  #causeOf(gates: readonly Gate[], now: number): Pick<Waited, 'key' | 'cause'> {
    const closed = gates.filter((gate) => !this.#isOpen(gate, now));
    const holding = closed.find(({ host }) => host.hold !== null && host.hold.at > this.#clock.now());
    if (holding) return { key: holding.key, cause: 'hold' };
    const full = closed.find((gate) => gate.allowance.inFlight + gate.claimed >= capNow(gate.host));
    return { key: (full ?? closed[0])?.key ?? '', cause: full ? 'cap' : 'rate' };
  }

  #take(gates: readonly Gate[], now: number): Slot {
    for (const { allowance } of gates) allowance.take(now);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        for (const { allowance } of gates) allowance.release();
        for (const gate of gates) this.#serve(gate);
      },
    };
  }

  /** Waits for its turn; when it comes back, whatever was let go of meanwhile is there again, and the turn still its own. */
  async #claim(gates: readonly Gate[], options: AcquireOptions, whileWaiting: WhileWaiting): Promise<void> {
    let isClaimed = false;
    try {
      await whileWaiting(async () => {
        isClaimed = await this.#wait(gates, options);
      });
    } catch (error) {
      if (isClaimed) {
        for (const gate of gates) gate.claimed -= 1;
        for (const gate of gates) this.#serve(gate);
      }
      throw error;
    }
    if (isClaimed) for (const gate of gates) gate.claimed -= 1;
  }

  /** Resolves when it is its turn at every gate, with a claim on each, or when the wait must be thought over. */
  #wait(gates: readonly Gate[], { signal, patienceMs }: AcquireOptions): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal?.removeEventListener('abort', abandon);
        for (const gate of gates) gate.waiters?.delete(waiter);
      };
      const abandon = (): void => {
        leave();
        for (const gate of gates) this.#serve(gate);
        reject(signal?.reason as Error);
      };
      const waiter: Waiter = {
        gates,
        patienceMs,
        wake: (claimed) => {
          leave();
          if (claimed) for (const gate of gates) gate.claimed += 1;
          resolve(claimed);
        },
      };
      signal?.addEventListener('abort', abandon, { once: true });
      for (const gate of gates) (gate.waiters ??= new Set()).add(waiter);
      for (const gate of gates) {
        gate.allowance.want(lengthOf(gate));
        this.#arm(gate);
      }
    });
  }

  /** Wakes those whose turn has come, oldest first, and sets the alarm for the next. */
  #serve(gate: Gate): void {
    const now = this.#clock.monotonic();
    for (const waiter of gate.waiters ?? []) {
      if (!this.#isOpen(gate, now)) break;
      if (waiter.gates.every((each) => this.#isOpen(each, now))) waiter.wake(true);
    }
    this.#arm(gate);
    if (this.#watchers.size > 0 && this.#roomOf(gate.key) > 0) for (const changed of this.#watchers) changed();
  }

  #wakeImpatient(gate: Gate): void {
    for (const waiter of [...(gate.waiters ?? [])]) {
      const keys = waiter.gates.map(({ key }) => key);
      if (this.#verdict(keys, waiter)) waiter.wake(false);
    }
  }

  /** An alarm for the moment at which a gate opens: kept for those in line, and for who watches when a hold ends. */
  #arm(gate: Gate): void {
    const now = this.#clock.monotonic();
    const holdMs = gate.host.hold === null ? 0 : Math.max(0, gate.host.hold.at - this.#clock.now());
    const isWaitedFor = (gate.waiters?.size ?? 0) > 0;
    const opensAt = isWaitedFor ? gate.allowance.opensAt(gate.claimed, now) : now;
    const at = Math.max(opensAt, now + holdMs);
    // Whoever waits at a gate that is open waits for another one, whose alarm it is.
    const isNeeded = !gate.isPaused && at !== Infinity && at > now + HAIR_MS;
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
      this.#serve(gate);
    });
    // Nobody is kept from ending by a hold that nobody waits for.
    if (!isWaitedFor) gate.timer.unref();
  }

  #space(keys: readonly string[]): void {
    const now = this.#clock.monotonic();
    for (const key of keys) this.#gates.get(key)?.allowance.answered(now);
  }

  #tell(keys: readonly string[], limits: { readonly perSecond?: number; readonly cap?: number }): void {
    const services = this.table.learns(keys);
    for (const key of services) this.#learn(key, (host) => told(host, limits));
    const [host] = keys;
    if (services.length > 0 && host !== undefined && limits.cap !== undefined) {
      const { cap } = limits;
      this.#learn(host, (each) => told(each, { cap }));
    }
  }

  #budget(keys: readonly string[], left: number): void {
    const gate = this.#gate(keys.find((key) => key.startsWith('pool/')) ?? keys[0] ?? '');
    gate.host = { ...gate.host, budgetLeft: left };
  }

  #throttle(
    keys: readonly string[],
    said: { readonly now: number; readonly retryAt: number | undefined; readonly status: number },
  ): void {
    const [host = ''] = keys;
    const before = this.#gate(host).host;
    const isNews = before.hold === null || before.hold.at <= said.now;
    this.#learn(host, (each) => throttled(each, said, this.#policy));
    const { hold, cap } = this.#gate(host).host;
    if (hold === null) return;
    for (const key of keys) {
      // A resolver is a name for our own requests, no host.
      if (key !== host && !key.startsWith('resolver/')) this.#learn(key, (each) => held(each, hold));
    }
    if (!isNews) return;
    this.#report({ kind: 'host-throttled', host, cap, heldUntil: hold.at });
    if (hold.at - said.now > this.#policy.giveUpAfterMs) {
      this.#report({ kind: 'host-given-up', host, message: tooLong(host, hold.at) });
    }
  }

  #succeed(key: string): void {
    const before = this.#gate(key).host;
    const after = answered(before);
    if (after === before) return;
    this.#learn(key, answered);
    if (isSlowed(before) && (after.cap !== before.cap || !isSlowed(after))) {
      this.#report({ kind: 'host-restored', host: key, cap: after.cap, full: !isSlowed(after) });
    }
  }

  #fail(key: string, now: number): void {
    const { opened } = this.#gate(key).host;
    this.#learn(key, (host) => failed(host, now, this.#policy));
    const { host } = this.#gate(key);
    if (host.opened > opened && host.hold !== null) {
      this.#report({ kind: 'host-held', host: key, until: host.hold.at });
    }
  }

  #learn(key: string, change: (host: Host) => Host): void {
    const gate = this.#gate(key);
    const after = change(gate.host);
    if (after === gate.host) return;
    this.#put(gate, after);
    this.#options.learned?.(key, change);
  }

  #put(gate: Gate, host: Host): void {
    const before = gate.host;
    gate.host = host;
    if (capNow(before) !== capNow(host) || before.perSecond !== host.perSecond) {
      gate.allowance.change(this.#paceOf(host), this.#clock.monotonic());
    }
    this.#wakeImpatient(gate);
    this.#serve(gate);
  }
}

/** A host that fails is not waited for; whoever wants to comes back. */
function isTooLong(reason: HoldReason, leftMs: number, patienceMs: number): boolean {
  return reason === 'host-held' || reason === 'paused' || leftMs > patienceMs;
}

function lengthOf({ claimed, waiters }: Gate): number {
  return claimed + (waiters?.size ?? 0);
}

const justWait: WhileWaiting = (wait) => wait();
