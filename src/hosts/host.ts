import type { Clock, Room, Random } from '../base/index.ts';
import { TokenBucket, backoffDelay } from '../base/index.ts';

/** The limits of a host or service, from its documentation, a setting or its robots.txt. */
export interface Rules {
  readonly cap: number;
  /** Infinity if only `cap` limits. */
  readonly perSecond: number;
  /** Requests allowed at once after a pause; 1 spaces them evenly. */
  readonly burst: number;
  /** Where the pause to the next request starts: at the previous request, or at the headers of its response. */
  readonly from: 'request' | 'answer';
  /** Minimum pause after a 429 without a time. */
  readonly pauseMs: number;
  /** What a 429 reduces: the rate too or, for a service with a documented rate, only the cap. */
  readonly slows: 'rate' | 'cap';
}

/** Why no request is sent: the host asked for a pause, it failed repeatedly, or an operator paused it. */
export type HoldReason = 'rate-limited' | 'host-held' | 'paused';

export interface Hold {
  readonly at: number;
  readonly reason: HoldReason;
}

/** The current limits of a key, and what was learned. Times are epoch milliseconds. */
export interface HostState {
  readonly key: string;
  readonly rules: Rules;
  /** Current limits: from the rules, lower if these were too high, or as the service stated. */
  readonly cap: number;
  readonly perSecond: number;
  readonly hold: Hold | null;
  /** Consecutive requests to slow down. */
  readonly strikes: number;
  /** Successes since `cap` and `perSecond` last changed. */
  readonly answersAtCap: number;
  readonly answersAtRate: number;
  /** Consecutive failures, and how often the host was held for them: while above 0, one request at a time probes it. */
  readonly failures: number;
  readonly opened: number;
  /** Remaining daily budget, as the service reports it; null if unknown. */
  readonly budgetLeft: number | null;
}

export function newState(key: string, rules: Rules): HostState {
  return {
    key,
    rules,
    cap: rules.cap,
    perSecond: rules.perSecond,
    hold: null,
    strikes: 0,
    answersAtCap: 0,
    answersAtRate: 0,
    failures: 0,
    opened: 0,
    budgetLeft: null,
  };
}

/** Whether nothing was learned that must be remembered. */
export function isOrdinary(state: HostState): boolean {
  const { hold, failures, opened, budgetLeft } = state;
  return !isSlowed(state) && hold === null && failures === 0 && opened === 0 && budgetLeft === null;
}

export function isSlowed({ cap, perSecond, rules, strikes }: HostState): boolean {
  return strikes > 0 || cap < rules.cap || perSecond < rules.perSecond;
}

/** How many requests may run at once: one while a failing host is probed. */
export function capNow({ cap, opened }: HostState): number {
  return opened > 0 ? 1 : cap;
}

export interface Pace extends Pick<Rules, 'cap' | 'burst' | 'from'> {
  /** Minimum time between two requests; 0 if only the cap limits. */
  readonly intervalMs: number;
}

/** The limits of one key, in this process alone or shared by a fleet. Times are monotonic. */
export interface HostLimits extends Omit<Room, 'heldUntil'> {
  readonly inFlight: number;
  /** How long the rate limit alone delays a request with `ahead` others before it. */
  lineMs(ahead: number, now: number): number;
  /** Ignores the rate. */
  hasSlot(ahead: number): boolean;
  sent(now: number, takenAt: number): void;
  /** A response came, or none will come: a pause measured from responses starts now. */
  answered(now: number): void;
  change(pace: Pace, now: number): void;
  /** How many requests could use a slot; only for shared limits. */
  want?(waiting: number): void;
}

/** Slots, and a token bucket for the pauses. Requests about to be sent count as sent. */
export class LocalLimits implements HostLimits {
  inFlight = 0;
  readonly #clock: Clock;
  #pace: Pace;
  #bucket: TokenBucket;
  /** Slots taken whose request is not sent yet. */
  #leaving = 0;

  constructor(pace: Pace, clock: Clock) {
    this.#clock = clock;
    this.#pace = pace;
    this.#bucket = this.#newBucket();
  }

  opensAt(ahead: number, now: number): number {
    if (!this.hasSlot(ahead)) return Infinity;
    // When the next may follow is known only once this one is sent.
    const { intervalMs, burst } = this.#pace;
    return intervalMs > 0 && this.#leaving >= burst ? Infinity : now + this.lineMs(ahead, now);
  }

  lineMs(ahead: number, now: number): number {
    return this.#pace.intervalMs === 0 ? 0 : this.#bucket.waitMs(1 + this.#leaving + ahead, now);
  }

  hasSlot(ahead: number): boolean {
    return this.inFlight + ahead < this.#pace.cap;
  }

  take(): void {
    this.inFlight += 1;
    this.#leaving += 1;
  }

  sent(now: number): void {
    this.#leaving -= 1;
    if (this.#pace.from === 'request') this.#bucket.spend(1, now);
  }

  release(): void {
    this.inFlight -= 1;
  }

  answered(now: number): void {
    if (this.#pace.from === 'answer') this.#restart(now);
  }

  change(pace: Pace, now: number): void {
    const isOther = pace.intervalMs !== this.#pace.intervalMs;
    this.#pace = pace;
    // Requests sent just before count against the new rate too.
    if (isOther) this.#restart(now);
  }

  isIdle(now: number): boolean {
    return this.inFlight === 0 && this.#bucket.isFull(now);
  }

  #restart(now: number): void {
    this.#bucket = this.#newBucket();
    this.#bucket.spend(1, now);
  }

  #newBucket(): TokenBucket {
    const { burst, intervalMs } = this.#pace;
    return new TokenBucket({ clock: this.#clock, capacity: burst, refillPerSecond: 1000 / intervalMs });
  }
}

export class Host implements Room {
  readonly #clock: Clock;
  readonly limits: HostLimits;
  state: HostState;
  isPaused = false;
  done = 0;
  /** By reason. */
  readonly failed = new Map<string, number>();

  constructor(state: HostState, limits: HostLimits, clock: Clock) {
    this.state = state;
    this.limits = limits;
    this.#clock = clock;
  }

  /** Time until requests may be sent again; Infinity while paused. */
  get holdMs(): number {
    return this.isPaused ? Infinity : Math.max(0, (this.state.hold?.at ?? 0) - this.#clock.now());
  }

  opensAt(ahead: number, now: number): number {
    return Math.max(this.limits.opensAt(ahead, now), now + this.holdMs);
  }

  heldUntil(now: number): number {
    return now + this.holdMs;
  }

  take(now: number): void {
    this.limits.take(now);
  }

  release(): void {
    this.limits.release();
  }

  isIdle(now: number): boolean {
    return this.holdMs === 0 && this.limits.isIdle(now) && isOrdinary({ ...this.state, hold: null });
  }

  close(): void {
    this.limits.close?.();
  }

  count(failure: string | null): void {
    if (failure === null) this.done += 1;
    else this.failed.set(failure, (this.failed.get(failure) ?? 0) + 1);
  }

  report(waiting: number): HostReport {
    const reason = this.isPaused ? 'paused' : this.state.hold?.reason;
    return {
      ...reportOf(this.state, this.holdMs, reason),
      inFlight: this.limits.inFlight,
      waiting,
      nextInMs: this.limits.lineMs(0, this.#clock.monotonic()),
      done: this.done,
      failed: Object.fromEntries(this.failed),
    };
  }
}

const DAY_MS = 24 * 3_600_000;

/** Reactions to hosts that state no limits or times. */
export const DEFAULT_POLICY = {
  /** How long a host is held after a 429 without a time; doubles each time. */
  backoff: { baseMs: 1_000, capMs: 60_000 },
  /** Consecutive failures before a host is held, and how long at first and at most. */
  circuit: { failures: 5, openMs: 30_000, longestOpenMs: 15 * 60_000 },
  /** A host that asks for a longer pause than this is given up. */
  giveUpAfterMs: 7 * DAY_MS,
};

export interface PolicySettings extends Readonly<typeof DEFAULT_POLICY> {
  readonly random?: Random | undefined;
}

/** From this many consecutive requests to slow down on, each one halves the cap. */
const STRIKES_TO_HALVE = 2;
/** From this many on, the host is rate-limited for longer each time, whatever time it names. */
const STRIKES_TO_LEAVE = 7;
/** Successes before the cap is raised by one, and before a slowed host's rate is raised by a quarter. */
const ANSWERS_TO_RAISE = 10;
const ANSWERS_TO_QUICKEN = 20;
const QUICKER = 1.25;
/** 429s alone never lower the rate below this share of what the rules allow. */
const SLOWEST_SHARE = 1 / 16;

/** A budget is reported again after it shrank by this share. */
const BUDGET_STEP = 0.05;

/** A new hold never shortens an existing one. */
export function held(host: HostState, hold: Hold): HostState {
  return host.hold !== null && host.hold.at >= hold.at ? host : { ...host, hold };
}

/** After a 429, or a 503 with a time. Several of one burst count as one: the first has closed the host. */
export function throttled(
  host: HostState,
  said: { readonly now: number; readonly retryAt: number | undefined; readonly status: number },
  settings: PolicySettings,
): HostState {
  const { now, retryAt, status } = said;
  const isNews = host.hold === null || host.hold.at <= now;
  const strikes = isNews ? host.strikes + 1 : host.strikes;
  const { random, backoff, circuit } = settings;
  const isStubborn = strikes >= STRIKES_TO_LEAVE;
  const capMs = isStubborn ? Math.max(backoff.capMs, circuit.longestOpenMs) : backoff.capMs;
  const delayMs = backoffDelay(Math.max(1, strikes), { baseMs: backoff.baseMs, capMs, random });
  const ownAt = now + Math.max(host.rules.pauseMs, delayMs);
  const at = isStubborn ? Math.max(retryAt ?? 0, ownAt) : (retryAt ?? ownAt);
  const closed = held(host, { at, reason: 'rate-limited' });
  if (!isNews) return closed;
  const slower = status === 429 && host.rules.slows === 'rate';
  return {
    ...closed,
    strikes,
    answersAtCap: 0,
    answersAtRate: 0,
    cap: strikes >= STRIKES_TO_HALVE ? Math.max(1, Math.floor(host.cap / 2)) : host.cap,
    perSecond: slower ? Math.max(host.rules.perSecond * SLOWEST_SHARE, host.perSecond / 2) : host.perSecond,
  };
}

/** Lowered limits are raised step by step, and failures are forgotten. */
export function answered(host: HostState): HostState {
  if (host.failures === 0 && host.opened === 0 && !isSlowed(host)) return host;
  let { cap, perSecond } = host;
  let answersAtCap = cap < host.rules.cap ? host.answersAtCap + 1 : 0;
  let answersAtRate = perSecond < host.rules.perSecond ? host.answersAtRate + 1 : 0;
  if (answersAtCap >= ANSWERS_TO_RAISE) {
    cap += 1;
    answersAtCap = 0;
  }
  if (answersAtRate >= ANSWERS_TO_QUICKEN) {
    perSecond = Math.min(host.rules.perSecond, perSecond * QUICKER);
    answersAtRate = 0;
  }
  return { ...host, cap, perSecond, answersAtCap, answersAtRate, strikes: 0, failures: 0, opened: 0 };
}

/** After several consecutive failures a host is held, each time twice as long. */
export function failed(host: HostState, now: number, settings: PolicySettings): HostState {
  const { circuit } = settings;
  const failures = host.failures + 1;
  const isOpen = host.hold !== null && host.hold.at > now && host.hold.reason === 'host-held';
  if (failures < circuit.failures || isOpen) return { ...host, failures };
  const openMs = Math.min(circuit.longestOpenMs, circuit.openMs * 2 ** Math.min(host.opened, 30));
  return held({ ...host, failures, opened: host.opened + 1 }, { at: now + openMs, reason: 'host-held' });
}

/** Applies the limits that some services (Crossref) state in their headers. */
export function applyLimits(
  host: HostState,
  limits: { readonly perSecond?: number; readonly cap?: number },
): HostState {
  const { perSecond = host.perSecond, cap = host.cap } = limits;
  if (perSecond === host.perSecond && cap === host.cap) return host;
  return { ...host, perSecond, cap, rules: { ...host.rules, perSecond, cap } };
}

/** Records the remaining daily budget; skips small changes, because a fleet stores each one. */
export function budgeted(host: HostState, left: number): HostState {
  const known = host.budgetLeft;
  const isNews = known === null || left > known || left === 0 || known - left >= known * BUDGET_STEP;
  return isNews && left !== known ? { ...host, budgetLeft: left } : host;
}

/** Null means unlimited. Times are milliseconds from the report, because clocks differ. */
export interface HostReport {
  readonly key: string;
  readonly cap: number | null;
  readonly perSecond: number | null;
  readonly inFlight: number;
  readonly waiting: number;
  readonly nextInMs: number;
  /** How long it is held, and why; `forMs` is null while paused. */
  readonly hold: { readonly forMs: number | null; readonly reason: HoldReason } | null;
  readonly slowed: boolean;
  readonly done: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly budgetLeft: number | null;
}

export function reportOf(state: HostState, holdMs: number, reason: HoldReason = 'rate-limited'): HostReport {
  const { key, cap, perSecond, budgetLeft } = state;
  return {
    key,
    cap: bounded(cap),
    perSecond: bounded(perSecond),
    inFlight: 0,
    waiting: 0,
    nextInMs: 0,
    hold: holdMs > 0 ? { forMs: bounded(holdMs), reason } : null,
    slowed: isSlowed(state),
    done: 0,
    failed: {},
    budgetLeft,
  };
}

/** Held and slowed hosts first, then the busiest. */
export function hostReports(reports: readonly HostReport[], most: number): HostReport[] {
  return reports
    .toSorted((a, b) => weight(b) - weight(a) || b.inFlight + b.waiting - a.inFlight - a.waiting || total(b) - total(a))
    .slice(0, most);
}

/** Null for unlimited, which JSON cannot express. */
export function bounded(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function weight({ hold, slowed }: HostReport): number {
  return (hold === null ? 0 : 2) + (slowed ? 1 : 0);
}

function total({ done, failed }: HostReport): number {
  return Object.values(failed).reduce((sum, times) => sum + times, done);
}
