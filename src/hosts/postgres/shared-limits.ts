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
  /** Unused turns of the last grant, and the `behind` that the server sent with it. */
  readonly unused: number;
  readonly behind: number;
}

export interface Grant {
  /** When its first turn is, or the next would be, by the caller's monotonic clock. */
  readonly firstAt: number;
  /** What follows these turns, as the server reports it. */
  readonly behind: number;
  readonly turns: number;
  readonly slots: number;
  readonly contended: boolean;
}

export interface Registered {
  readonly limits: SharedLimits;
  readonly changed: () => void;
}

/** An unused slot is returned after this time, or at once if others want it. */
const IDLE_MS = 3_000;
/** Retry interval for a full key, since its holder may have died; otherwise its release is announced. */
const RETRY_MS = 1_000;
/** Minimum retry interval for a turn too far ahead to reserve. */
const SOON_MS = 60;

interface SharedLimitsOptions {
  readonly key: string;
  readonly clock: Clock;
  readonly pace: Pace;
  /** How far the pace already stays below its limit. */
  readonly margin: number;
  readonly ask: (inMs: number) => void;
  readonly isAway: () => number | undefined;
  readonly forget: () => void;
}

/** Slots are leased and turns reserved, a few at a time. */
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
  /** Since the last request to the server. */
  #isUsed = false;
  /** Slots taken whose request is not sent yet. */
  #leaving = 0;
  isPending = false;
  #usedAt = 0;
  /** When the next turn would be, by the server's last reply. */
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
    // When the next may follow is known only once this one is sent.
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

  /** A request sent late delays those after it: ours at once, others' as soon as the fleet knows. */
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

  slotNews(news: 'free' | 'wanted'): void {
    if (news === 'free' && this.#lacksPlace) this.#ask(0);
    if (news === 'wanted' && this.#slots > 0) {
      this.#contended = true;
      if (this.inFlight < this.#slots) this.#ask(0);
    }
  }

  get slots(): number {
    return this.#slots;
  }

  /** Whether a process waits for this request, here or elsewhere; returning an unwanted slot can wait. */
  get isUrgent(): boolean {
    return this.#waiting > 0 || this.#contended || this.#spaced || this.#turns.hasUnused;
  }

  /** What to request now; undefined if nothing. With `isLeaving` no slot is reserved for the next request. */
  request(now: number, isLeaving = false): LimitRequest | undefined {
    if (this.isPending) return undefined;
    this.#dropLate(now);
    const { intervalMs, cap, from } = this.#pace;
    // If others wait, they get the slot that was just used; an unused one is not released.
    const yields = this.#contended && this.#isUsed && this.inFlight < this.#slots && cap <= 1;
    const wanted = yields ? 0 : this.#waiting;
    const slots = Math.min(cap, this.inFlight + wanted);
    // If the pause starts at the response, the next turn is known only after it.
    const isOpen = intervalMs > 0 && !this.#spaced && (from === 'request' || this.inFlight === 0);
    const turns = isOpen ? Math.max(0, Math.min(wanted, mostAhead(this.#pace)) - this.#turns.count) : 0;
    // With long pauses an unused turn is returned at once: another process could use it.
    if (from === 'request' && mostAhead(this.#pace) === 1) this.#turns.leave(wanted);
    const isNews = slots !== this.#slots || turns > 0 || this.#spaced || this.#turns.hasUnused;
    if (!isNews) return undefined;
    const idleMs = now - this.#usedAt;
    // A slot is held a little longer, since the next request often comes soon.
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
    // A grant requested before a response came, or before a late send, does not account for it.
    if (!this.#spaced) this.#turns.add(grant, this.#pace.intervalMs);
    else if (this.#pace.from === 'request') this.#turns.refuse(grant);
    this.#nextAt = grant.firstAt;
    if (this.#waiting === 0) return;
    // No slot, or a turn too far ahead: ask again when that may have changed.
    if (this.#lacksPlace) this.#ask(RETRY_MS);
    else if (this.#pace.intervalMs > 0 && this.#turns.count === 0) {
      this.#ask(Math.min(1_000, Math.max(SOON_MS, (grant.firstAt - now) / 2)));
    }
  }

  get #lacksPlace(): boolean {
    return this.#waiting > 0 && this.inFlight >= this.#slots;
  }

  /** Slots count as returned when that is sent; a turn measured from a response belongs to its slot. */
  #giveBack(slots: number): void {
    this.#slots = slots;
    if (this.#pace.from === 'answer') this.#turns.clear();
  }

  refused(): void {
    this.isPending = false;
  }

  /** During an outage: our share of the fleet's limits, by the last known number of processes. */
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
    // Requests reserved or sent just before count.
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
    return Math.max(LATE_SHARE * this.#pace.intervalMs, JITTER_MS);
  }

  #dropLate(now: number): void {
    const { intervalMs, burst, from } = this.#pace;
    if (intervalMs === 0 || burst > 1 || from === 'answer') return;
    // Its time could be granted to another process, or to us again.
    if (this.#turns.dropBefore(now - this.#lateMs)) this.#ask(0);
  }
}

/** Turns reserved at one key, by the monotonic clock, and the number that will not be used. */
export class ReservedTurns {
  #moments: number[] = [];
  /** The last granted turns that stay unused: returned if no turn was reserved after them. */
  #unused = 0;
  #behind = 0;
  /** Size of the last grant: other processes may have turns between it and earlier ones. */
  #givenLast = 0;

  get count(): number {
    return this.#moments.length;
  }

  get hasUnused(): boolean {
    return this.#unused > 0;
  }

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

  refuse(grant: Grant): void {
    this.#given(grant, grant.turns);
  }

  /** Drops turns before a time; returns whether this left none. */
  dropBefore(moment: number): boolean {
    const before = this.#moments.length;
    while ((this.#moments[0] ?? moment) < moment) this.#moments.shift();
    const isEmptied = before > 0 && this.#moments.length === 0;
    if (isEmptied) this.#unused += before;
    return isEmptied;
  }

  leave(wanted: number): void {
    while (this.#moments.length > wanted) {
      this.#moments.pop();
      this.#unused += 1;
    }
  }

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

/** A turn may be late by this share of the pause; the margin of every rate is at least that. */
const LATE_SHARE = 0.03;
/** How late timers of a busy process fire: a turn missed by less is still used. */
const JITTER_MS = 20;
/** Turns are reserved at most this far ahead: unused ones are lost to the others. */
const AHEAD_MS = 2_000;
const MOST_TURNS = 16;

/** The pace of a fleet: turns far enough apart that one used as late as allowed keeps its distance from the next. */
function sharedPace(pace: Pace, margin: number): Pace {
  if (pace.from !== 'request' || margin >= LATE_SHARE) return pace;
  return { ...pace, intervalMs: (pace.intervalMs * (1 + LATE_SHARE)) / (1 + margin) };
}

function mostAhead({ intervalMs, from }: Pace): number {
  return from === 'answer' ? 1 : Math.min(MOST_TURNS, Math.max(1, Math.floor(AHEAD_MS / (intervalMs || 1))));
}

const MOST_KEYS = 500;

/** The requests for the given keys, hosts before services: the order in which slots are taken. */
export function takeRequests(
  asked: Pick<Map<string, unknown>, 'keys' | 'delete'>,
  known: ReadonlyMap<string, Registered>,
  now: number,
): LimitRequest[] {
  const requests: LimitRequest[] = [];
  let isLeaving = false;
  for (const isService of [false, true]) {
    // Keys with a pending reply stay in the set and are requested after it.
    const isNext = (key: string): boolean =>
      isServiceKey(key) === isService && known.get(key)?.limits.isPending !== true;
    const keys = [...asked.keys()].filter(isNext).slice(0, MOST_KEYS);
    for (const key of keys) asked.delete(key);
    for (const { limits, changed } of keys.flatMap((key) => known.get(key) ?? [])) {
      const { slots } = limits;
      const request = limits.request(now, isLeaving);
      if (!request) continue;
      requests.push(request);
      if (request.slots >= slots) continue;
      // Without this slot, slots and turns at later services are useless: they are returned in the same call.
      isLeaving = true;
      changed();
    }
  }
  return requests;
}
