import type { Clock, Line } from '../base/index.ts';
import { KeyedLines, systemClock } from '../base/index.ts';
import type { AcquireOptions, Admission, HoldLeft, HostEvent, Observation, Slot, Turn, Waited } from './admission.ts';
import { tooLong } from './admission.ts';
import type { HostTable } from './host-table.ts';
import { isServiceKey } from './host-table.ts';
import type { Hold, HostLimits, HostState, Pace, PolicySettings, HostReport } from './host.ts';
import {
  capNow,
  Host,
  isSlowed,
  LocalLimits,
  newState,
  answered,
  applyLimits,
  budgeted,
  DEFAULT_POLICY,
  failed,
  held,
  throttled,
} from './host.ts';

export interface HostsOptions {
  readonly clock: Clock;
  readonly table: HostTable;
  readonly policy: PolicySettings;
  readonly report?: ((event: HostEvent) => void) | undefined;
  /** Creates the limits of a key; `changed` is called when more is allowed than before. */
  readonly limits: (key: string, pace: Pace, changed: () => void) => HostLimits;
  /** Something lasting was learned about a key: a fleet stores it for all processes. */
  readonly learned?: ((state: HostState, change: (state: HostState) => HostState) => void) | undefined;
}

export function createMemoryAdmission(options: {
  readonly table: HostTable;
  readonly clock?: Clock;
  readonly policy?: Partial<PolicySettings>;
  readonly report?: ((event: HostEvent) => void) | undefined;
}): Admission {
  const { clock = systemClock, table, policy, report } = options;
  const limits = (_key: string, pace: Pace): HostLimits => new LocalLimits(pace, clock);
  return new Hosts({ clock, table, policy: { ...DEFAULT_POLICY, ...policy }, report, limits });
}

const MANY_KEYS = 10_000;
/** When a request for a paused key may try again. */
const PAUSE_MS = 60_000;

/**
 * Lets requests through to hosts as their rules allow.
 *
 *   asked ──all keys open──────────────────────────────▶ go (slot) ──disposed of──▶ room for the next
 *     │ a key is full, too early or held                  ▲
 *     └─▶ in line ──its turn──▶ claim ──worker regained───┘
 *            └──a hold longer than its patience──▶ later · never
 */
export class Hosts implements Admission {
  readonly table: HostTable;
  readonly #options: HostsOptions;
  readonly #clock: Clock;
  readonly #lines: KeyedLines<Host>;
  readonly #watchers = new Set<() => void>();
  /** Disposed of together with this object, last one first. */
  readonly closing = new AsyncDisposableStack();

  constructor(options: HostsOptions) {
    const { clock, table } = options;
    this.#options = options;
    this.table = table;
    this.#clock = clock;
    this.#lines = new KeyedLines({
      clock,
      open: (key, changed) => {
        const state = newState(key, table.rulesOf(key));
        return new Host(state, options.limits(key, this.#paceOf(state), changed), clock);
      },
      mostIdle: MANY_KEYS,
      served: (line) => this.#served(line),
    });
  }

  room(keys: readonly string[]): number {
    return Math.min(
      ...keys.map((key) => {
        const line = this.#lines.find(key);
        return line ? this.#roomAt(line) : this.table.rulesOf(key).cap;
      }),
    );
  }

  capOf(key: string): number {
    const line = this.#lines.find(key);
    return line ? capNow(line.room.state) : this.table.rulesOf(key).cap;
  }

  held(keys: readonly string[]): HoldLeft | null {
    const now = this.#clock.now();
    let latest: Hold | null = null;
    for (const key of keys) {
      const host = this.#lines.find(key)?.room;
      if (host?.isPaused) return { at: now + PAUSE_MS, reason: 'paused', leftMs: PAUSE_MS };
      const hold = host?.state.hold;
      if (hold && hold.at > now && (latest === null || hold.at > latest.at)) latest = hold;
    }
    return latest && { ...latest, leftMs: latest.at - now };
  }

  async acquire(keys: readonly string[], options: AcquireOptions): Promise<Turn> {
    const { signal, whileWaiting, longestLineMs } = options;
    const lines = keys.map((key) => this.#lines.at(key)).toSorted(inOrder);
    const askedAt = this.#clock.monotonic();
    signal?.throwIfAborted();
    let turn = this.#turn(keys, lines, options, null);
    while (turn === undefined) {
      const cause = this.#causeOf(lines, this.#clock.monotonic());
      const isHopeless = (host: Host, now: number): boolean =>
        host.limits.lineMs(0, now) > longestLineMs || this.#refusal(keys, options) !== undefined;
      turn = await this.#lines.wait(lines, { signal, isHopeless, ...(whileWaiting && { whileWaiting }) }, () => {
        signal?.throwIfAborted();
        return this.#turn(keys, lines, options, { ...cause, ms: this.#clock.monotonic() - askedAt });
      });
    }
    return turn;
  }

  observe(keys: readonly string[], what: Observation): void {
    const [host] = keys;
    if (host === undefined) return;
    const now = this.#clock.now();
    switch (what.kind) {
      case 'answer':
        this.#answered(keys);
        if (what.limits !== undefined) this.#applyLimits(keys, what.limits);
        if (what.budgetLeft !== undefined) this.#setBudget(keys, what.budgetLeft);
        if (what.status === 429 || what.retryAt !== undefined) {
          this.#throttle(keys, { now, retryAt: what.retryAt, status: what.status });
        }
        break;
      case 'end':
        if (!what.answered) this.#answered(keys);
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
    if (hold !== null && hold.reason !== 'paused') {
      this.#learn(key, (state) => held(state, hold));
      return;
    }
    const line = this.#lines.at(key);
    line.room.isPaused = hold !== null;
    this.#changed(line);
  }

  holdElsewhere(key: string, hold: Hold): void {
    const line = this.#lines.at(key);
    this.#put(line, held(line.room.state, hold));
  }

  /** Applies what another process has learned about a key. */
  learn(key: string, state: HostState): void {
    const line = this.#lines.at(key);
    const { hold } = line.room.state;
    // A hold learned here just now may not be stored yet.
    this.#put(line, hold !== null && hold.at > this.#clock.now() ? held(state, hold) : state);
  }

  snapshot(): readonly HostReport[] {
    return Array.from(this.#lines.all, (line) => line.room.report(lengthOf(line)));
  }

  watch(changed: () => void): Disposable {
    this.#watchers.add(changed);
    return { [Symbol.dispose]: () => void this.#watchers.delete(changed) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lines[Symbol.dispose]();
    this.#watchers.clear();
    await this.closing.disposeAsync();
  }

  /** Undefined if the request should wait. */
  #turn(
    keys: readonly string[],
    lines: readonly Line<Host>[],
    options: AcquireOptions,
    waited: Waited | null,
  ): Turn | undefined {
    const refusal = this.#refusal(keys, options);
    if (refusal) return refusal;
    const now = this.#clock.monotonic();
    if (lines.every((line) => this.#lines.isOpen(line, now)))
      return { kind: 'go', slot: this.#take(lines, now), waited };
    const lineMs = Math.max(...lines.map((line) => line.room.limits.lineMs(lengthOf(line), now)));
    if (lineMs <= options.longestLineMs) return undefined;
    return { kind: 'later', at: this.#clock.now() + lineMs, reason: 'pool-exhausted' };
  }

  /** Why the request should not wait; undefined if it should. */
  #refusal(keys: readonly string[], { patienceMs }: AcquireOptions): Turn | undefined {
    const hold = this.held(keys);
    if (hold === null) return undefined;
    const { at, reason, leftMs } = hold;
    if (leftMs > this.#options.policy.giveUpAfterMs) return { kind: 'never', message: tooLong(keys[0] ?? '', at) };
    // A failing host is not waited for.
    return reason !== 'rate-limited' || leftMs > patienceMs ? { kind: 'later', at, reason } : undefined;
  }

  #take(lines: readonly Line<Host>[], takenAt: number): Slot {
    const held = this.#lines.take(lines, takenAt);
    for (const line of lines) this.#tellWanted(line);
    let isSent = false;
    const sent = (): void => {
      if (isSent) return;
      isSent = true;
      const sentAt = this.#clock.monotonic();
      for (const { room } of lines) room.limits.sent(sentAt, takenAt);
      // Only now is known when the next in line may follow.
      for (const line of lines) if (lengthOf(line) > 0) this.#lines.serve(line);
    };
    return {
      sent,
      [Symbol.dispose]: () => {
        sent();
        held[Symbol.dispose]();
      },
    };
  }

  #causeOf(lines: readonly Line<Host>[], now: number): Pick<Waited, 'key' | 'cause'> {
    const closed = lines.filter((line) => !this.#lines.isOpen(line, now));
    const holding = closed.find(({ room }) => room.holdMs > 0);
    if (holding) return { key: holding.key, cause: 'hold' };
    const full = closed.find(({ room, claimed }) => room.limits.inFlight + claimed >= capNow(room.state));
    return { key: (full ?? closed[0])?.key ?? '', cause: full ? 'cap' : 'rate' };
  }

  #count(keys: readonly string[], failure: string | null): void {
    for (const key of keys) this.#lines.find(key)?.room.count(failure);
  }

  #answered(keys: readonly string[]): void {
    const now = this.#clock.monotonic();
    for (const key of keys) this.#lines.find(key)?.room.limits.answered(now);
  }

  #applyLimits(keys: readonly string[], limits: { readonly perSecond?: number; readonly cap?: number }): void {
    const services = this.table.learns(keys);
    for (const key of services) this.#learn(key, (state) => applyLimits(state, limits));
    const [host] = keys;
    const { cap } = limits;
    if (services.length > 0 && host !== undefined && cap !== undefined)
      this.#learn(host, (state) => applyLimits(state, { cap }));
  }

  #setBudget(keys: readonly string[], left: number): void {
    const key = keys.find((each) => each.startsWith('pool/')) ?? keys[0] ?? '';
    this.#learn(key, (state) => budgeted(state, left));
  }

  #throttle(
    keys: readonly string[],
    said: { readonly now: number; readonly retryAt: number | undefined; readonly status: number },
  ): void {
    const [host = ''] = keys;
    const before = this.#stateOf(host);
    const isNews = before.hold === null || before.hold.at <= said.now;
    this.#learn(host, (state) => throttled(state, said, this.#options.policy));
    const { hold, cap } = this.#stateOf(host);
    if (hold === null) return;
    for (const key of keys) {
      // A resolver is only a label for our own requests, not a host.
      if (key !== host && !key.startsWith('resolver/')) this.#learn(key, (state) => held(state, hold));
    }
    if (!isNews) return;
    this.#options.report?.({ kind: 'host-throttled', host, cap, heldUntil: hold.at });
    if (hold.at - said.now > this.#options.policy.giveUpAfterMs)
      this.#options.report?.({ kind: 'host-given-up', host, message: tooLong(host, hold.at) });
  }

  #succeed(key: string): void {
    const before = this.#stateOf(key);
    const after = answered(before);
    if (after === before) return;
    this.#learn(key, answered);
    if (isSlowed(before) && (after.cap !== before.cap || !isSlowed(after)))
      this.#options.report?.({ kind: 'host-restored', host: key, cap: after.cap, full: !isSlowed(after) });
  }

  #fail(key: string, now: number): void {
    const { opened } = this.#stateOf(key);
    this.#learn(key, (state) => failed(state, now, this.#options.policy));
    const after = this.#stateOf(key);
    if (after.opened > opened && after.hold !== null)
      this.#options.report?.({ kind: 'host-held', host: key, until: after.hold.at });
  }

  #stateOf(key: string): HostState {
    return this.#lines.at(key).room.state;
  }

  #learn(key: string, change: (state: HostState) => HostState): void {
    const line = this.#lines.at(key);
    const after = change(line.room.state);
    if (after === line.room.state) return;
    this.#put(line, after);
    this.#options.learned?.(after, change);
  }

  #put(line: Line<Host>, state: HostState): void {
    const { room } = line;
    const before = room.state;
    room.state = state;
    if (capNow(before) !== capNow(state) || before.perSecond !== state.perSecond)
      room.limits.change(this.#paceOf(state), this.#clock.monotonic());
    this.#changed(line);
  }

  /** Requests that would now wait too long leave the line. */
  #changed(line: Line<Host>): void {
    const now = this.#clock.monotonic();
    for (const waiter of line.waiters) if (waiter.isHopeless(line.room, now)) waiter.wake(false);
    this.#lines.serve(line);
  }

  #paceOf(state: HostState): Pace {
    const { perSecond, rules } = state;
    return {
      cap: capNow(state),
      intervalMs: perSecond === Infinity ? 0 : (1000 / perSecond) * (1 + this.table.margin),
      burst: rules.burst,
      from: rules.from,
    };
  }

  #roomAt(line: Line<Host>): number {
    const { state, limits, holdMs, isPaused } = line.room;
    // A host that was given up does not block its jobs, so that they can end.
    if (isPaused || (holdMs > 0 && holdMs <= this.#options.policy.giveUpAfterMs)) return 0;
    return capNow(state) - limits.inFlight - lengthOf(line);
  }

  #served(line: Line<Host>): void {
    this.#tellWanted(line);
    if (this.#watchers.size > 0 && this.#roomAt(line) > 0) for (const changed of this.#watchers) changed();
  }

  #tellWanted(line: Line<Host>): void {
    if (!line.room.limits.want) return;
    line.room.limits.want(wantedAt(line));
    // A request that has its slot here waits for the next one elsewhere.
    const behind = [...line.waiters].flatMap(({ lines }) => lines.slice(lines.indexOf(line) + 1));
    for (const other of new Set(behind)) other.room.limits.want?.(wantedAt(other));
  }
}

/** Requests that wait or are about to start. */
function lengthOf({ claimed, waiters }: Line<Host>): number {
  return claimed + waiters.size;
}

/** Slots a line can use. Requests ask for keys one after the other, so that processes cannot deadlock. */
function wantedAt(line: Line<Host>): number {
  const ahead = new Map<Line<Host>, number>();
  const hasSlot = (before: Line<Host>): boolean => {
    const others = ahead.get(before) ?? before.claimed;
    ahead.set(before, others + 1);
    return before.room.limits.hasSlot(others);
  };
  let wanted = line.claimed;
  for (const { lines } of line.waiters) if (lines.slice(0, lines.indexOf(line)).every(hasSlot)) wanted += 1;
  return wanted;
}

/** The order in which all processes of a fleet take slots: hosts before services, by name. */
function inOrder(one: Line<Host>, other: Line<Host>): number {
  const [isService, isOtherService] = [isServiceKey(one.key), isServiceKey(other.key)];
  if (isService !== isOtherService) return isService ? 1 : -1;
  return one.key < other.key ? -1 : 1;
}
