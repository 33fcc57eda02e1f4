import type { Clock } from '../../base/index.ts';
import type { HostLimits, Pace } from '../host.ts';
import { LocalLimits } from '../host.ts';
import { isServiceKey } from '../host-table.ts';

export interface LimitRequest {
  readonly key: string;
  readonly pace: Pace;
  readonly turns: number;
  readonly slots: number;
  readonly used: number;
  readonly spaced: boolean;
  /** So many of the turns that were given last are not used, and what the server said would come behind them. */
  readonly unused: number;
  readonly behind: number;
}

export interface Grant {
  /** When the first of its turns is, or the next one would be, by the caller's monotonic clock. */
  readonly firstAt: number;
  /** What comes behind them, as the server says it. */
  readonly behind: number;
  readonly turns: number;
  readonly slots: number;
  readonly contended: boolean;
}

/** The limits of a key in this process, and what to call when they have changed. */
export interface Registered {
  readonly limits: SharedLimits;
  readonly changed: () => void;
}

/** An unused slot goes back after so long, or at once when others want it. */
const IDLE_MS = 3_000;
/** A full key is asked for again in so long, since the process that has it may have died; else it says when it is free. */
const RETRY_MS = 1_000;
/** A turn that was too far off to be reserved is asked for again in so long at least. */
const SOON_MS = 60;

interface SharedLimitsOptions {
  readonly key: string;
  readonly clock: Clock;
  readonly pace: Pace;
  /** By how much a pace stays below its limit already. */
  readonly margin: number;
  /** By how much timers of a busy process are late: a turn that is missed by less is used all the same. */
  readonly jitterMs: number;
  /** Has the fleet ask for this key soon. */
  readonly ask: (inMs: number) => void;
  /** How many workers were seen last when the server is away; undefined while it answers. */
  readonly isAway: () => number | undefined;
  readonly forget: () => void;
}

/** Limits that a fleet shares: slots that were leased and turns that were reserved, a few at a time. */
export class SharedLimits implements HostLimits {
  readonly #options: SharedLimitsOptions;
  readonly #ask: (inMs: number) => void;
  #pace: Pace;
  #local: LocalLimits | undefined;
  #localWorkers = 0;
  inFlight = 0;
  #slots = 0;
  readonly #turns = new ReservedTurns();
  #waiting = 0;
  #spaced = false;
  #contended = false;
  /** A slot was used since the last request to the server. */
  #isUsed = false;
  /** Taken, and not on the wire yet. */
  #leaving = 0;
  /** A request is on its way: what it asks for is not asked for again. */
  isPending = false;
  #usedAt = 0;
  /** When the next turn would be, as the server said last. */
  #nextAt = 0;

  constructor(options: SharedLimitsOptions) {
    this.#options = options;
    this.#ask = options.ask;
    this.#pace = sharedPace(options.pace, options.margin);
  }

  opensAt(ahead: number, now: number): number {
    const local = this.#fallback(now);
    if (local) return local.opensAt(ahead, now);
    this.#dropLate(now);
    if (this.inFlight + ahead >= this.#slots) return Infinity;
    const { intervalMs, burst } = this.#pace;
    if (intervalMs === 0) return now;
    // When it may be followed is known when it is on the wire.
    return this.#leaving >= burst ? Infinity : (this.#turns.at(ahead) ?? Infinity);
  }

  lineMs(ahead: number, now: number): number {
    const { intervalMs, burst } = this.#pace;
    if (intervalMs === 0) return 0;
    return Math.max(0, (this.#turns.at(0) ?? this.#nextAt) - now) + Math.max(0, ahead - (burst - 1)) * intervalMs;
  }

  hasSlot(ahead: number): boolean {
    return this.#local?.hasSlot(ahead) ?? this.inFlight + ahead < this.#slots;
  }

  take(now: number): void {
    this.inFlight += 1;
    this.#leaving += 1;
    this.#usedAt = now;
    this.#local?.take();
    if (this.#local) return;
    this.#turns.take();
  }

  /** One that left late makes those after it late: our own, and as soon as the fleet knows, everybody's. */
  sent(now: number, takenAt: number): void {
    this.#leaving -= 1;
    if (this.#local) return this.#local.sent(now);
    const { intervalMs, burst, from } = this.#pace;
    if (from !== 'request' || intervalMs === 0 || burst > 1) return;
    if (now - takenAt <= this.#lateMs) return;
    this.#spaced = true;
    if (this.#turns.count > 0 || this.#waiting > 0) this.#ask(0);
    this.#turns.dropBefore(now + intervalMs - this.#lateMs);
  }

  release(): void {
    this.inFlight -= 1;
    this.#isUsed = true;
    this.#local?.release();
    this.#ask(this.#contended || this.#waiting > 0 ? 0 : IDLE_MS);
  }

  answered(now: number): void {
    this.#local?.answered(now);
    if (this.#pace.from !== 'answer' || this.#pace.intervalMs === 0) return;
    this.#spaced = true;
    this.#turns.clear();
    this.#ask(0);
  }

  change(pace: Pace, now: number): void {
    this.#pace = sharedPace(pace, this.#options.margin);
    this.#local = undefined;
    this.#fallback(now);
    this.#turns.clear();
    this.#ask(0);
  }

  want(waiting: number): void {
    if (waiting === this.#waiting) return;
    const isMore = waiting > this.#waiting;
    this.#waiting = waiting;
    this.#ask(isMore ? 0 : IDLE_MS);
  }

  close(): void {
    this.#options.forget();
  }

  isIdle(): boolean {
    return this.inFlight === 0 && this.#slots === 0 && this.#waiting === 0 && !this.#spaced;
  }

  /** Another process gave a slot back, or began to wait for one. */
  slotNews(news: 'free' | 'wanted'): void {
    if (news === 'free' && this.#lacksPlace) this.#ask(0);
    if (news === 'wanted' && this.#slots > 0) {
      this.#contended = true;
      if (this.inFlight < this.#slots) this.#ask(0);
    }
  }

  /** Slots at the key that this process has, used or not. */
  get slots(): number {
    return this.#slots;
  }

  /** Whether a process waits for this request, here or elsewhere; giving back an unwanted slot can wait. */
  get isUrgent(): boolean {
    return this.#waiting > 0 || this.#contended || this.#spaced || this.#turns.hasUnused;
  }

  /** What to ask for now; undefined when there is nothing to send. `isLeaving` keeps no slot for the next request. */
  request(now: number, isLeaving = false): LimitRequest | undefined {
    if (this.isPending) return undefined;
    this.#dropLate(now);
    const { intervalMs, cap, from } = this.#pace;
    // Where others wait for the slot that was just used, they get it first; one that is still to be used is kept.
    const yields = this.#contended && this.#isUsed && this.inFlight < this.#slots && cap <= 1;
    const wanted = yields ? 0 : this.#waiting;
    const slots = Math.min(cap, this.inFlight + wanted);
    // Where the pause counts from the answer, the next turn is known when that has come.
    const isOpen = intervalMs > 0 && !this.#spaced && (from === 'request' || this.inFlight === 0);
    const turns = isOpen ? Math.max(0, Math.min(wanted, mostAhead(this.#pace)) - this.#turns.count) : 0;
    // Where pauses are long, an unused turn is given back at once: another process could use it.
    if (from === 'request' && mostAhead(this.#pace) === 1) this.#turns.leave(wanted);
    const isNews = slots !== this.#slots || turns > 0 || this.#spaced || this.#turns.hasUnused;
    if (!isNews) return undefined;
    const idleMs = now - this.#usedAt;
    // A slot is kept for a moment, since the next request often comes soon.
    const isHurry = isLeaving || this.#contended || this.#spaced || this.#turns.hasUnused;
    if (slots < this.#slots && turns === 0 && !isHurry && idleMs < IDLE_MS) {
      this.#ask(IDLE_MS - idleMs);
      return undefined;
    }
    const request: LimitRequest = {
      key: this.#options.key,
      pace: this.#pace,
      turns,
      slots,
      used: this.inFlight,
      spaced: this.#spaced,
      ...this.#turns.takeUnused(),
    };
    this.isPending = true;
    this.#spaced = false;
    this.#isUsed = false;
    if (slots < this.#slots) this.#giveBack(slots);
    return request;
  }

  /** A lease that is held must be prolonged although nothing else is wanted. */
  renewal(): LimitRequest | undefined {
    if (this.#slots === 0 || this.isPending) return undefined;
    this.isPending = true;
    const { key } = this.#options;
    const [pace, slots, used] = [this.#pace, this.#slots, this.inFlight];
    return { key, pace, turns: 0, slots, used, spaced: false, unused: 0, behind: 0 };
  }

  granted(grant: Grant, now: number): void {
    this.isPending = false;
    this.#contended = grant.contended;
    if (grant.slots < this.#slots) this.#giveBack(grant.slots);
    this.#slots = grant.slots;
    // What was asked for before an answer came, or before one left late, does not know of it.
    if (!this.#spaced) this.#turns.add(grant, this.#pace.intervalMs);
    else if (this.#pace.from === 'request') this.#turns.refuse(grant);
    this.#nextAt = grant.firstAt;
    if (this.#waiting === 0) return;
    // No slot, or a turn too far off to be reserved: ask again when that may have changed.
    if (this.#lacksPlace) this.#ask(RETRY_MS);
    else if (this.#pace.intervalMs > 0 && this.#turns.count === 0) {
      this.#ask(Math.min(1_000, Math.max(SOON_MS, (grant.firstAt - now) / 2)));
    }
  }

  /** A request waits here, and every slot of this process is in use. */
  get #lacksPlace(): boolean {
    return this.#waiting > 0 && this.inFlight >= this.#slots;
  }

  /** Slots count as gone when that is sent; a turn that counts from an answer belongs to its slot. */
  #giveBack(slots: number): void {
    this.#slots = slots;
    if (this.#pace.from === 'answer') this.#turns.clear();
  }

  /** The request came to nothing: the server is away. */
  refused(): void {
    this.isPending = false;
  }

  /** While the server is away: our share of what the fleet may do, as many as were seen last. */
  #fallback(now: number): LocalLimits | undefined {
    const workers = this.#options.isAway();
    if (workers === undefined) {
      if (this.#local) this.#rejoin();
      return undefined;
    }
    if (this.#local && this.#localWorkers === workers) return this.#local;
    this.#localWorkers = workers;
    const pace = {
      ...this.#pace,
      cap: Math.max(1, Math.floor(this.#pace.cap / workers)),
      intervalMs: this.#pace.intervalMs * workers,
      burst: 1,
    };
    this.#local = new LocalLimits(pace, this.#options.clock);
    // What was reserved or sent a moment ago counts.
    for (let at = 0; at < this.inFlight; at += 1) this.#local.take();
    for (let at = this.#leaving; at < this.inFlight; at += 1) this.#local.sent(now);
    if (pace.intervalMs > 0) this.#local.change({ ...pace, intervalMs: pace.intervalMs + 1e-9 }, now);
    this.#turns.clear();
    this.#slots = 0;
    this.isPending = false;
    return this.#local;
  }

  /** The server is back and does not know what was sent meanwhile: the next turn keeps its distance from now. */
  #rejoin(): void {
    this.#local = undefined;
    this.#turns.clear();
    this.#spaced = this.#pace.intervalMs > 0;
    this.#ask(0);
  }

  /** How late a turn may be used: never more turns than were reserved, and hardly closer together. */
  get #lateMs(): number {
    return Math.max(LATE_SHARE * this.#pace.intervalMs, this.#options.jitterMs);
  }

  #dropLate(now: number): void {
    const { intervalMs, burst, from } = this.#pace;
    if (intervalMs === 0 || burst > 1 || from === 'answer') return;
    // Its time could be given to somebody else, or to us again.
    if (this.#turns.dropBefore(now - this.#lateMs)) this.#ask(0);
  }
}

/** The turns that a process has reserved at one key, by its monotonic clock, and those of them that it will not use. */
export class ReservedTurns {
  #moments: number[] = [];
  /** The last ones that were given and are not used: they come back if no turn was reserved after them. */
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

/** A turn may be used this share of the pause too late; the margin of every rate is at least that. */
const LATE_SHARE = 0.03;
/** Turns are reserved this far ahead at most: what a process does not come to use is lost to the others. */
const AHEAD_MS = 2_000;
const MOST_TURNS = 16;

/** A pace as a fleet keeps it: turns are so far apart that one used as late as it may be keeps its distance from the next. */
function sharedPace(pace: Pace, margin: number): Pace {
  if (pace.from !== 'request' || margin >= LATE_SHARE) return pace;
  return { ...pace, intervalMs: (pace.intervalMs * (1 + LATE_SHARE)) / (1 + margin) };
}

function mostAhead({ intervalMs, from }: Pace): number {
  return from === 'answer' ? 1 : Math.min(MOST_TURNS, Math.max(1, Math.floor(AHEAD_MS / (intervalMs || 1))));
}

/** More keys than this are not asked for at once. */
const MOST_KEYS = 500;

/** What is wanted at the keys that were asked for, at hosts and then at services: the order in which slots are taken. */
export function takeRequests(asked: Set<string>, known: ReadonlyMap<string, Registered>, now: number): LimitRequest[] {
  const requests: LimitRequest[] = [];
  let isLeaving = false;
  for (const isService of [false, true]) {
    // Keys whose answer is pending stay in the set, and are asked for after it.
    const isNext = (key: string): boolean =>
      isServiceKey(key) === isService && known.get(key)?.limits.isPending !== true;
    const keys = [...asked].filter(isNext).slice(0, MOST_KEYS);
    for (const key of keys) asked.delete(key);
    for (const { limits, changed } of keys.flatMap((key) => known.get(key) ?? [])) {
      const { slots } = limits;
      const request = limits.request(now, isLeaving);
      if (!request) continue;
      requests.push(request);
      if (request.slots >= slots) continue;
      // Without the slot it cannot use those at the services after it, nor turns: they go back in the same call.
      isLeaving = true;
      changed();
    }
  }
  return requests;
}
