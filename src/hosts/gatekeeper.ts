import type { Clock } from '../base/index.ts';
import type {
  AcquireOptions,
  Admission,
  HoldLeft,
  HostEvent,
  HostView,
  Observation,
  Turn,
  Waited,
  WhileWaiting,
} from './admission.ts';
import { tooLong } from './admission.ts';
import type { Gate } from './gate.ts';
import { lengthOf } from './gate.ts';
import type { CreateAllowance } from './gates.ts';
import { Gates } from './gates.ts';
import { viewOf } from './host-view.ts';
import type { HostTable } from './host-table.ts';
import type { Hold, HoldReason, Host } from './host.ts';
import { capNow, isSlowed } from './host.ts';
import type { PolicySettings } from './policy.ts';
import { answered, budgeted, failed, held, throttled, told } from './policy.ts';

export interface GatekeeperOptions {
  readonly clock: Clock;
  readonly table: HostTable;
  readonly policy: PolicySettings;
  readonly report?: ((event: HostEvent) => void) | undefined;
  readonly allowance: CreateAllowance;
  /** Something was learned of a key that outlives the request: a fleet writes it down for everybody. */
  readonly learned?: ((host: Host, change: (host: Host) => Host) => void) | undefined;
}

/** Somebody who waits for a key that a person paused is told to come back in so long. */
const PAUSE_MS = 60_000;

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
  readonly #gates: Gates;

  constructor(options: GatekeeperOptions) {
    this.table = options.table;
    this.#clock = options.clock;
    this.#policy = options.policy;
    this.#report = options.report ?? (() => undefined);
    this.#options = options;
    this.#gates = new Gates({ ...options, giveUpAfterMs: options.policy.giveUpAfterMs });
  }

  room(keys: readonly string[]): number {
    return Math.min(...keys.map((key) => this.#roomOf(key)));
  }

  held(keys: readonly string[]): HoldLeft | null {
    const now = this.#clock.now();
    let latest: Hold | null = null;
    for (const key of keys) {
      const gate = this.#gates.find(key);
      if (gate?.isPaused) return { at: now + PAUSE_MS, reason: 'paused', leftMs: PAUSE_MS };
      const hold = gate?.host.hold;
      if (hold && hold.at > now && (latest === null || hold.at > latest.at)) latest = hold;
    }
    return latest && { ...latest, leftMs: latest.at - now };
  }

  async acquire(keys: readonly string[], options: AcquireOptions): Promise<Turn> {
    const { signal, whileWaiting = justWait } = options;
    const gates = keys.map((key) => this.#gates.at(key));
    let waitedMs = 0;
    let waited: Waited | null = null;
    for (;;) {
      signal?.throwIfAborted();
      const verdict = this.#verdict(keys, options);
      if (verdict) return verdict;
      const now = this.#clock.monotonic();
      if (gates.every((gate) => this.#gates.isOpen(gate, now)))
        return { kind: 'go', slot: this.#gates.take(gates, now), waited };
      const lineMs = Math.max(...gates.map((gate) => gate.allowance.lineMs(lengthOf(gate), now)));
      if (lineMs > options.longestLineMs) {
        return { kind: 'later', at: this.#clock.now() + lineMs, reason: 'pool-exhausted' };
      }
      const { key, cause } = this.#causeOf(gates, now);
      await this.#gates.claim(gates, options, whileWaiting);
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
        if (what.failure !== undefined) this.#count(keys, what.failure);
        if (what.fault === true) this.#fail(host, now);
        else if (what.fault === false) this.#succeed(host);
        break;
      case 'throttled':
        this.#count(keys, 'throttled');
        this.#throttle(keys, { now, retryAt: what.retryAt, status: 503 });
        break;
      case 'success':
        this.#count(keys, null);
        this.#succeed(host);
        break;
    }
  }

  hold(key: string, hold: Hold | null): void {
    const gate = this.#gates.at(key);
    if (hold === null || hold.reason === 'paused') {
      gate.isPaused = hold !== null;
      if (gate.isPaused) this.#wakeImpatient(gate);
      else this.#gates.serve(gate);
    } else this.#learn(key, (host) => held(host, hold));
  }

  /** Another process says that a key is held. */
  heard(key: string, hold: Hold): void {
    const gate = this.#gates.at(key);
    this.#put(gate, held(gate.host, hold));
  }

  /** What another process has learned of a key. */
  learn(key: string, host: Host): void {
    const gate = this.#gates.at(key);
    const { hold } = gate.host;
    // What was learned here a moment ago may not have got there yet.
    this.#put(gate, hold !== null && hold.at > this.#clock.now() ? held(host, hold) : host);
  }

  /** There may be more at a key than there was. */
  serve(key: string): void {
    const gate = this.#gates.find(key);
    if (gate) this.#gates.serve(gate);
  }

  snapshot(): readonly HostView[] {
    const [now, monotonic] = [this.#clock.now(), this.#clock.monotonic()];
    return Array.from(this.#gates.all, (gate) => viewOf(gate, now, monotonic));
  }

  watch(changed: () => void): Disposable {
    return this.#gates.watch(changed);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#gates[Symbol.dispose]();
    return Promise.resolve();
  }

  #roomOf(key: string): number {
    const gate = this.#gates.find(key);
    return gate ? this.#gates.roomAt(gate) : this.table.rulesOf(key).cap;
  }

  /** Why nobody should wait, if that is so. */
  #verdict(keys: readonly string[], options: Pick<AcquireOptions, 'patienceMs'>): Turn | undefined {
    const hold = this.held(keys);
    if (hold === null) return undefined;
    const { at, reason, leftMs } = hold;
    if (leftMs > this.#policy.giveUpAfterMs) return { kind: 'never', message: tooLong(keys[0] ?? '', at) };
    return isTooLong(reason, leftMs, options.patienceMs) ? { kind: 'later', at, reason } : undefined;
  }

  #causeOf(gates: readonly Gate[], now: number): Pick<Waited, 'key' | 'cause'> {
    const closed = gates.filter((gate) => !this.#gates.isOpen(gate, now));
    const holding = closed.find(({ host }) => host.hold !== null && host.hold.at > this.#clock.now());
    if (holding) return { key: holding.key, cause: 'hold' };
    const full = closed.find((gate) => gate.allowance.inFlight + gate.claimed >= capNow(gate.host));
    return { key: (full ?? closed[0])?.key ?? '', cause: full ? 'cap' : 'rate' };
  }

  #count(keys: readonly string[], failure: string | null): void {
    for (const key of keys) {
      const gate = this.#gates.find(key);
      if (!gate) continue;
      if (failure === null) gate.done += 1;
      else (gate.failed ??= new Map()).set(failure, (gate.failed.get(failure) ?? 0) + 1);
    }
  }

  #space(keys: readonly string[]): void {
    const now = this.#clock.monotonic();
    for (const key of keys) this.#gates.find(key)?.allowance.answered(now);
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
    const key = keys.find((each) => each.startsWith('pool/')) ?? keys[0] ?? '';
    this.#learn(key, (host) => budgeted(host, left));
  }

  #throttle(
    keys: readonly string[],
    said: { readonly now: number; readonly retryAt: number | undefined; readonly status: number },
  ): void {
    const [host = ''] = keys;
    const before = this.#gates.at(host).host;
    const isNews = before.hold === null || before.hold.at <= said.now;
    this.#learn(host, (each) => throttled(each, said, this.#policy));
    const { hold, cap } = this.#gates.at(host).host;
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
    const before = this.#gates.at(key).host;
    const after = answered(before);
    if (after === before) return;
    this.#learn(key, answered);
    if (isSlowed(before) && (after.cap !== before.cap || !isSlowed(after))) {
      this.#report({ kind: 'host-restored', host: key, cap: after.cap, full: !isSlowed(after) });
    }
  }

  #fail(key: string, now: number): void {
    const { opened } = this.#gates.at(key).host;
    this.#learn(key, (host) => failed(host, now, this.#policy));
    const { host } = this.#gates.at(key);
    if (host.opened > opened && host.hold !== null) {
      this.#report({ kind: 'host-held', host: key, until: host.hold.at });
    }
  }

  #learn(key: string, change: (host: Host) => Host): void {
    const gate = this.#gates.at(key);
    const after = change(gate.host);
    if (after === gate.host) return;
    this.#put(gate, after);
    this.#options.learned?.(after, change);
  }

  #put(gate: Gate, host: Host): void {
    this.#gates.put(gate, host);
    this.#wakeImpatient(gate);
    this.#gates.serve(gate);
  }

  /** Those in line who would now have to wait longer than they want think again. */
  #wakeImpatient(gate: Gate): void {
    for (const waiter of gate.waiters ?? []) {
      const keys = waiter.gates.map(({ key }) => key);
      if (this.#verdict(keys, waiter)) waiter.wake(false);
    }
  }
}

/** A host that fails is not waited for; whoever wants to comes back. */
function isTooLong(reason: HoldReason, leftMs: number, patienceMs: number): boolean {
  return reason === 'host-held' || reason === 'paused' || leftMs > patienceMs;
}

const justWait: WhileWaiting = (wait) => wait();
