import type { Allowance, Pace } from '../allowance.ts';
import { LocalAllowance } from '../allowance.ts';
import { ReservedTurns } from './reserved-turns.ts';
import { LATE_SHARE, mostAhead, runsLow, sharedPace, turnsLacking } from './shared-pace.ts';
import type { Grant, Wish } from './wishes.ts';

/** A place that nobody uses goes back after so long, or at once when others want it. */
const IDLE_MS = 3_000;
/** A full key is asked for again in so long, since the process that has it may have died; else it says when it is free. */
const RETRY_MS = 1_000;
/** A turn that was too far off to be reserved is asked for again in so long at least. */
const SOON_MS = 60;

/** Draws from what a fleet shares: places that were leased and turns that were reserved, a few at a time. */
export class SharedAllowance implements Allowance {
  readonly #key: string;
  readonly #ask: (inMs: number) => void;
  readonly #isAway: () => number | undefined;
  readonly #margin: number;
  readonly #jitterMs: number;
  #pace: Pace;
  #local: LocalAllowance | undefined;
  #localWorkers = 0;
  inFlight = 0;
  #slots = 0;
  readonly #turns = new ReservedTurns();
  #waiting = 0;
  #spaced = false;
  #contended = false;
  /** A place was used since the fleet was told last. */
  #isUsed = false;
  /** Taken, and not on the wire yet. */
  #leaving = 0;
  /** A wish is on its way: what it asks for is not asked for again. */
  isPending = false;
  #usedAt = 0;
  /** When the next turn would be, as the server said last. */
  #nextAt = 0;
  readonly #forget: () => void;

  constructor(options: {
    readonly key: string;
    readonly pace: Pace;
    /** By how much a pace stays below its limit already. */
    readonly margin: number;
    /** By how much timers of a busy process are late: a turn that is missed by less is used all the same. */
    readonly jitterMs: number;
    /** Has the desk ask for this key soon. */
    readonly ask: (inMs: number) => void;
    /** How many workers were seen last when the server is away; undefined while it answers. */
    readonly isAway: () => number | undefined;
    readonly forget: () => void;
  }) {
    this.#key = options.key;
    this.#margin = options.margin;
    this.#jitterMs = options.jitterMs;
    this.#pace = sharedPace(options.pace, options);
    this.#ask = options.ask;
    this.#isAway = options.isAway;
    this.#forget = options.forget;
  }

  isOpen(ahead: number, now: number): boolean {
    const local = this.#fallback(now);
    if (local) return local.isOpen(ahead, now);
    return this.opensAt(ahead, now) <= now + 1e-6;
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

  hasPlace(ahead: number): boolean {
    return this.#local?.hasPlace(ahead) ?? this.inFlight + ahead < this.#slots;
  }

  take(now: number): void {
    this.inFlight += 1;
    this.#leaving += 1;
    this.#usedAt = now;
    this.#local?.take();
    if (this.#local) return;
    this.#turns.take();
    if (this.#runsLow) this.#ask(0);
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
    this.#pace = sharedPace(pace, { margin: this.#margin, jitterMs: this.#jitterMs });
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
    this.#forget();
  }

  isIdle(): boolean {
    return this.inFlight === 0 && this.#slots === 0 && this.#waiting === 0 && !this.#spaced;
  }

  /** Another process gave a place back, or began to wait for one. */
  heard(news: 'free' | 'wanted'): void {
    if (news === 'free' && this.#lacksPlace) this.#ask(0);
    if (news === 'wanted' && this.#slots > 0) {
      this.#contended = true;
      if (this.inFlight < this.#slots) this.#ask(0);
    }
  }

  /** Places at the key that this process has, used or not. */
  get places(): number {
    return this.#slots;
  }

  /** Somebody waits for what it would say, here or elsewhere; a place that is given back unasked can be told any time. */
  get isUrgent(): boolean {
    return this.#waiting > 0 || this.#contended || this.#spaced || this.#turns.hasUnused || this.#runsLow;
  }

  /** What to ask for now; undefined when there is nothing to say. Whoever leaves keeps nothing for a moment. */
  wish(now: number, isLeaving = false): Wish | undefined {
    if (this.isPending) return undefined;
    this.#dropLate(now);
    const { intervalMs, cap, from } = this.#pace;
    // Where others wait for the place that was just used, it is theirs first; one that is still to be used is kept.
    const yields = this.#contended && this.#isUsed && this.inFlight < this.#slots && cap <= 1;
    const wanted = yields ? 0 : this.#waiting;
    const slots = Math.min(cap, this.inFlight + wanted);
    // Where the pause counts from the answer, the next turn is known when that has come.
    const isOpen = intervalMs > 0 && !this.#spaced && (from === 'request' || this.inFlight === 0);
    const have = this.#turns.count;
    const turns = isOpen ? turnsLacking(this.#pace, this.#jitterMs, { have, wanted, isBusy: this.inFlight > 0 }) : 0;
    // Where pauses are long, a turn that nobody will use is worth the telling: whoever has a place could use it.
    if (from === 'request' && mostAhead(this.#pace) === 1) this.#turns.leave(wanted);
    const isNews = slots !== this.#slots || turns > 0 || this.#spaced || this.#turns.hasUnused;
    if (!isNews) return undefined;
    const idleMs = now - this.#usedAt;
    // A place is kept for a moment, since the next request often comes soon.
    const isHurry = isLeaving || this.#contended || this.#spaced || this.#turns.hasUnused;
    if (slots < this.#slots && turns === 0 && !isHurry && idleMs < IDLE_MS) {
      this.#ask(IDLE_MS - idleMs);
      return undefined;
    }
    const wish: Wish = {
      key: this.#key,
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
    return wish;
  }

  /** A lease that is held must be prolonged although nothing else is wanted. */
  renewal(): Wish | undefined {
    if (this.#slots === 0 || this.isPending) return undefined;
    this.isPending = true;
    const [key, pace, used] = [this.#key, this.#pace, this.inFlight];
    return { key, pace, turns: 0, slots: this.#slots, used, spaced: false, unused: 0, behind: 0 };
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
    // No place, or a turn too far off to be reserved: ask again when that may have changed.
    if (this.#lacksPlace) this.#ask(RETRY_MS);
    else if (this.#pace.intervalMs > 0 && this.#turns.count === 0) {
      this.#ask(Math.min(1_000, Math.max(SOON_MS, (grant.firstAt - now) / 2)));
    }
  }

  /** Somebody waits here, and every place that this process has is in use. */
  get #lacksPlace(): boolean {
    return this.#waiting > 0 && this.inFlight >= this.#slots;
  }

  /** Places count as gone when that is told; a turn that counts from an answer was for the place it came with. */
  #giveBack(slots: number): void {
    this.#slots = slots;
    if (this.#pace.from === 'answer') this.#turns.clear();
  }

  /** The wish came to nothing: the server is away. */
  refused(): void {
    this.isPending = false;
  }

  /** While the server is away: our share of what the fleet may do, as many as were seen last. */
  #fallback(now: number): LocalAllowance | undefined {
    const workers = this.#isAway();
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
    this.#local = new LocalAllowance(pace);
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

  get #runsLow(): boolean {
    return runsLow(this.#pace, this.#jitterMs, this.#turns.count);
  }

  /** How late a turn may be used: never more turns than were reserved, and hardly closer together. */
  get #lateMs(): number {
    return Math.max(LATE_SHARE * this.#pace.intervalMs, this.#jitterMs);
  }

  #dropLate(now: number): void {
    const { intervalMs, burst, from } = this.#pace;
    if (intervalMs === 0 || burst > 1 || from === 'answer') return;
    // Its time could be given to somebody else, or to us again.
    if (this.#turns.dropBefore(now - this.#lateMs)) this.#ask(0);
  }
}
