import type { Clock, Random, Timer } from '../base/index.ts';
import { AppError, hostKey, KeyedLimiter } from '../base/index.ts';
import type { Admission } from '../hosts/index.ts';
import type { Report } from './events.ts';
import type { Handler, HandlerContext, Window, StopReason } from './handler.ts';
import { HostRoom, Lanes } from './lanes.ts';
import type { DrainMode, OrchestratorOptions } from './options.ts';
import { deathLimits, isDrained } from './options.ts';
import { GIVEN_BACK, HostBusy, settlementOf, settlementOfFailure, STOP_ERRORS } from './handler.ts';
import type {
  Lane,
  LaneBacklog,
  LeasedJob,
  Pause,
  LanePick,
  QueueStore,
  SettledLease,
  Settlement,
  Standing,
} from './types.ts';

/** How often lanes are read while jobs run; less often if reading takes too large a share of the time. */
const LOOK_EVERY_MS = 1_000;
const LOOK_SHARE = 20;
/** An idle worker looks this often in case a notification was lost; a draining one more often. */
const IDLE_LOOK_MS = 30_000;
const DRAIN_LOOK_MS = 1_000;
/** How long a stopped handler may take to stop; then it is abandoned. */
const ABANDON_MS = 5_000;
/** A quarantined job that has waited this long is next, once the jobs in hand have ended. */
const QUARANTINED_WAIT_MS = 600_000;
/** Delay of a job that was leased again while its earlier run is still being stopped here. */
const STILL_HERE_MS = 1_000;
const REFUSED_REMEMBERED = 1_000;
const SLOT = ['worker'];

export interface WorkerParts {
  readonly options: OrchestratorOptions;
  readonly workerId: string;
  readonly store: QueueStore;
  readonly handler: Handler;
  readonly clock: Clock;
  readonly admission: Admission;
  readonly report: Report;
  readonly log: HandlerContext['log'];
  readonly around: (<T>(job: LeasedJob, run: () => Promise<T>) => Promise<T>) | undefined;
  readonly random: Random | undefined;
}

interface RunningJob {
  /** As last leased: a process that holds a job beyond its lease may lease it again. */
  job: LeasedJob;
  readonly startedAt: number;
  readonly controller: AbortController;
  /** The slot it occupies; undefined while it is parked, and after it ended. */
  slot: Disposable | undefined;
  /** It was leased for a host whose slot it has not requested yet. */
  isExpected: boolean;
  /** When it must end; extended by the time it spends parked. */
  deadline: number;
  stopped: { readonly reason: StopReason; readonly at: number } | undefined;
  /** Its settlement is decided; whatever its handler still does is ignored. */
  ended: boolean;
}

type EndedJob = SettledLease & { readonly running: RunningJob };

interface Choice {
  readonly standing: Standing;
  readonly picks: readonly LanePick[];
}

const NOTHING: Choice = { standing: 'trusted', picks: [] };

type Mode =
  | { readonly kind: 'leasing' | 'paused' }
  | { readonly kind: 'stopping' }
  | { readonly kind: 'ended'; readonly reason: 'drained' | 'stopped' };

/**
 * Leases jobs and runs them: one loop, which everything that happens only wakes.
 *
 * ```
 *   worker:  leasing ⇄ paused ──stop, or the store fails──▶ stopping ──last job settled──▶ ended (stopped)
 *               └────────┴─────────── nothing left to drain ────────────────────────────▶ ended (drained)
 *
 *   loop:    ┌─▶ look at the lanes, if they may have changed
 *            │   write settlements and lease jobs for free slots, in one exchange ──there were some──┐
 *            │                                     │ there were none                                 │
 *            └──────woken, or it is time── sleep ◀─┘◀─────────────(again from the top)───────────────┘
 *
 *   job:     leased ──▶ running ⇄ parked (waits without a slot) ──▶ ended ──▶ settlement written
 *                          └──stopped: aborted, after 5 s abandoned──┘
 *
 *   lanes:   current ──change, requeue, lane empty──▶ stale ──look──▶ current;   any ──reconcile──▶ unsure ──release──▶ stale
 * ```
 */
export class Worker {
  readonly counts = { done: 0, skipped: 0, error: 0, requeued: 0, lost: 0 };
  readonly #parts: WorkerParts;
  readonly #options: OrchestratorOptions;
  readonly #clock: Clock;
  readonly #store: QueueStore;
  readonly #report: Report;
  readonly #slots: KeyedLimiter;
  readonly #room: HostRoom;
  readonly #lanes = new Lanes();
  readonly #jobs = new Map<number, RunningJob>();
  /** Answers refused because their lease had expired, by job: valid after all if this process leases the job next. */
  readonly #refused = new Map<number, EndedJob>();
  #quarantined: readonly LaneBacklog[] = [];
  /** Since when quarantined jobs wait, or the last one was leased. */
  #quarantinedSince = Infinity;
  #ended: EndedJob[] = [];
  /** Jobs that ended in this turn of the event loop and still occupy their slots. */
  #endedNow: RunningJob[] = [];
  #mode: Mode = { kind: 'leasing' };
  /** `unsure`: the store may hold leases of this process that it does not know of. */
  #view: 'unsure' | 'stale' | 'current' = 'stale';
  #drain: DrainMode = 'never';
  #parked = 0;
  #lookAfter = 0;
  /** When all leases were last extended, by the wall clock: the monotonic clock stops while a machine sleeps. */
  #extendedAt: number;
  #isWoken = false;
  #wakeUp: (() => void) | undefined;
  #alarm: Timer | undefined;
  #grace: Timer | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(parts: WorkerParts) {
    const { options, clock, admission } = parts;
    this.#parts = parts;
    this.#options = options;
    this.#clock = clock;
    this.#store = parts.store;
    this.#report = parts.report;
    this.#slots = new KeyedLimiter({ clock, defaultLimit: options.maxWorkers });
    this.#room = new HostRoom(admission, options);
    this.#extendedAt = clock.now();
  }

  get running(): number {
    return this.#jobs.size - this.#parked;
  }

  get parked(): number {
    return this.#parked;
  }

  /** Rejects with the error of a store that failed, after running jobs ended. */
  async run(): Promise<'drained' | 'stopped'> {
    for (;;) {
      this.#isWoken = false;
      try {
        await this.#round();
      } catch (error) {
        this.fail(error);
      }
      if (this.#mode.kind === 'stopping' && this.#jobs.size === 0 && this.#ended.length === 0)
        this.#mode = { kind: 'ended', reason: 'stopped' };
      if (this.#mode.kind === 'ended') break;
      if (!this.#isWoken) await this.#sleep();
    }
    this.#clearAlarm();
    this.#grace?.[Symbol.dispose]();
    if (this.#failure) throw this.#failure.error;
    return this.#mode.reason;
  }

  #wake(): void {
    this.#isWoken = true;
    this.#wakeUp?.();
  }

  hostsChanged(): void {
    if (this.#free > 0) this.#wake();
  }

  lookAgain(): void {
    if (this.#view === 'current') this.#view = 'stale';
    this.#wake();
  }

  /** Gives back jobs leased to this process that it does not know of, before it leases anything else. */
  reconcile(): void {
    this.#view = 'unsure';
    this.#wake();
  }

  drain(mode: DrainMode): void {
    this.#drain = mode;
    this.lookAgain();
  }

  resize(maxWorkers: number): void {
    this.#slots.setLimit('worker', maxWorkers);
    this.#wake();
  }

  applyPauses(pauses: readonly Pause[]): void {
    this.#room.applyPauses(pauses);
    if (this.#isOpen) this.#mode = { kind: pauses.some(({ scope }) => scope === 'all') ? 'paused' : 'leasing' };
    this.lookAgain();
  }

  /** Leases nothing more. Running jobs may finish within the grace time; parked ones are aborted at once. */
  stop(reason: string): void {
    if (!this.#isOpen) return;
    this.#mode = { kind: 'stopping' };
    this.#alarm?.[Symbol.dispose]();
    this.#report({ kind: 'stopping', reason, running: this.#jobs.size });
    const { shutdownGraceMs } = this.#options;
    this.#stopAll(shutdownGraceMs > 0);
    this.#grace = this.#clock.setTimer(shutdownGraceMs, () => this.#stopAll(false));
    this.#wake();
  }

  /** `run` rejects with the error once running jobs have ended. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.stop('the queue cannot be used');
  }

  async heartbeat(): Promise<void> {
    const now = this.#clock.now();
    this.#extendedAt = now;
    const held = [...this.#jobs.values()].filter(({ ended }) => !ended).map(({ job }) => job);
    if (held.length === 0) return;
    for (const { id, token } of await this.#store.extend(held, now, this.#options.leaseMs)) {
      const running = this.#jobs.get(id);
      if (!running || running.job.token !== token || running.ended) continue;
      this.#report({ kind: 'lease-lost', job: running.job });
      this.#stopJob(running, 'lease-lost');
    }
  }

  sweep(): void {
    const now = this.#clock.monotonic();
    for (const running of this.#jobs.values()) {
      if (running.ended) continue;
      if (running.slot && now >= running.deadline) this.#stopJob(running, 'timeout');
      if (!running.stopped || now < running.stopped.at + ABANDON_MS) continue;
      this.#report({ kind: 'job-abandoned', job: running.job });
      this.#end(running, this.#failed(running, running.controller.signal.reason));
    }
  }

  get #isOpen(): boolean {
    return this.#mode.kind === 'leasing' || this.#mode.kind === 'paused';
  }

  /** How many more jobs may be started: while too many are parked, their slots stay reserved for them. */
  get #free(): number {
    return Math.max(0, this.#slots.room('worker') - Math.max(0, this.#parked - this.#options.maxParked));
  }

  async #round(): Promise<void> {
    for (;;) {
      if (this.#view === 'unsure') {
        this.#view = 'stale';
        await this.#store.release(this.#parts.workerId, [...this.#jobs.keys()], this.#clock.now());
      }
      const isLeasing = this.#mode.kind === 'leasing';
      if (isLeasing && this.#clock.monotonic() >= this.#lookAfter) await this.#look();
      const ended = this.#ended;
      this.#ended = [];
      const choice = this.#mode.kind === 'leasing' ? this.#choose() : NOTHING;
      if (ended.length + choice.picks.length > 0) await this.#exchange(ended, choice);
      else if (isLeasing && this.#free > 0 && this.#view !== 'current') await this.#look();
      else break;
    }
    if (this.#isOpen) await this.#rest();
  }

  async #look(): Promise<void> {
    this.#clearAlarm();
    const startedAt = this.#clock.monotonic();
    if (this.#view === 'stale') this.#view = 'current';
    // A process that slept beyond its heartbeats is not dead: it extends its leases before it looks for expired ones.
    if (this.#clock.now() - this.#extendedAt > this.#options.leaseMs / 2) await this.heartbeat();
    const limits = deathLimits(this.#options.maxDeaths);
    const { lanes, quarantined, exhausted } = await this.#store.backlog(this.#clock.now(), limits);
    this.#lanes.replace(lanes);
    this.#quarantined = quarantined;
    const endedAt = this.#clock.monotonic();
    this.#quarantinedSince = quarantined.length > 0 ? Math.min(this.#quarantinedSince, endedAt) : Infinity;
    this.#lookAfter = endedAt + Math.max(LOOK_EVERY_MS, LOOK_SHARE * (endedAt - startedAt));
    if (exhausted === 0) return;
    this.counts.error += exhausted;
    this.#report({ kind: 'jobs-exhausted', jobs: exhausted });
  }

  /** Trusted jobs, or one quarantined job if none can run or it has waited long; nothing while a quarantined one runs. */
  #choose(): Choice {
    if (this.#jobs.values().some(({ job }) => job.standing === 'quarantined')) return NOTHING;
    // If nothing else is left, jobs of hosts held for hours are tried: their handler may know other URLs.
    const triesHeld = this.#drain === 'due' && this.#options.heldLanes === 'try' && this.#jobs.size === 0;
    const quarantined = this.#quarantined.find(
      (lane) => !this.#room.isPaused(lane) && (triesHeld || !this.#room.isHeldLong(lane)),
    );
    const isLate = quarantined && this.#clock.monotonic() >= this.#quarantinedSince + QUARANTINED_WAIT_MS;
    if (isLate && this.#jobs.size > 0) return NOTHING;
    const picks = isLate ? [] : this.#lanes.choose(this.#free, (lane) => this.#room.of(lane, this.#parked));
    if (picks.length > 0 || this.#jobs.size > 0) return { standing: 'trusted', picks };
    if (quarantined) return { standing: 'quarantined', picks: [{ ...quarantined, limit: 1 }] };
    if (!triesHeld) return NOTHING;
    return { standing: 'trusted', picks: this.#lanes.choose(this.#free, (lane) => this.#room.elsewhere(lane)) };
  }

  #isBlocked(lane: Lane): boolean {
    return this.#room.isPaused(lane) || this.#room.isHeldLong(lane);
  }

  async #exchange(ended: readonly EndedJob[], { standing, picks }: Choice): Promise<void> {
    this.#clearAlarm();
    const startedAt = this.#clock.monotonic();
    // Reserved for the new jobs: a parked job must not take them meanwhile.
    const wanted = picks.reduce((sum, { limit }) => sum + limit, 0);
    const reserved = Array.from({ length: wanted }, () => this.#slots.tryAcquire(SLOT)).filter(
      (slot) => slot !== undefined,
    );
    const now = this.#clock.now();
    const { workerId } = this.#parts;
    const { leaseMs } = this.#options;
    const { accepted, leased } = await this.#store
      .exchange({ workerId, settlements: ended, picks, standing, now, leaseMs })
      .catch((error: unknown) => {
        // Their leases expire: they are repeated, never lost.
        for (const { running } of ended) this.#forget(running);
        for (const slot of reserved) slot[Symbol.dispose]();
        throw error;
      });
    ended.forEach((each, at) => this.#settled(each, accepted[at] ?? false));
    if (picks.length > 0)
      this.#report({ kind: 'dispatched', leased: leased.length, durationMs: this.#clock.monotonic() - startedAt });
    if (ended.some(({ settlement }) => settlement.kind === 'requeue') || this.#isAnyLaneEmpty(standing, picks, leased))
      this.#view = this.#view === 'current' ? 'stale' : this.#view;
    if (!this.#isOpen && leased.length > 0) {
      const settlements = leased.map((job) => ({ ...job, settlement: GIVEN_BACK }));
      for (const slot of reserved) slot[Symbol.dispose]();
      await this.#store.exchange({ workerId, settlements, picks: [], now: this.#clock.now(), leaseMs });
      return;
    }
    reserved.forEach((slot, at) => {
      const job = leased[at];
      if (job && !this.#takeUp(job)) this.#start(job, slot);
      else slot[Symbol.dispose]();
    });
  }

  /** Also records what was leased from each lane. */
  #isAnyLaneEmpty(standing: Standing, picks: readonly LanePick[], leased: readonly LeasedJob[]): boolean {
    if (standing === 'quarantined') {
      this.#quarantinedSince = this.#clock.monotonic();
      this.#quarantined = this.#quarantined.flatMap((lane) => {
        if (!picks.some(({ host, resolver }) => lane.host === host && lane.resolver === resolver)) return [lane];
        return leased.length > 0 && lane.jobs > 1 ? [{ ...lane, jobs: lane.jobs - 1 }] : [];
      });
      return picks.length > 0;
    }
    return picks
      .map((pick) => {
        const found = leased.filter((job) => job.host === pick.host && job.resolverHint === pick.resolver).length;
        return this.#lanes.leased(pick, found);
      })
      .includes(true);
  }

  async #rest(): Promise<void> {
    // Set after the last look or exchange: only hosts have changed since.
    if (this.#alarm && this.#jobs.size > 0) return;
    this.#clearAlarm();
    const isPaused = this.#mode.kind === 'paused';
    // A worker without free slots is woken by its jobs, a paused one by the operator who resumes it.
    if (this.#free === 0 || (isPaused && this.#drain === 'never')) return;
    const now = this.#clock.now();
    const outlook = await this.#store.outlook(now);
    if (!this.#isOpen) return;
    const isKnown = !this.#isWoken && (isPaused || this.#view === 'current');
    const nothingCanRun =
      isPaused ||
      (this.#lanes.size + this.#quarantined.length > 0 &&
        this.#lanes.every((lane) => this.#isBlocked(lane)) &&
        this.#quarantined.every((lane) => this.#isBlocked(lane)));
    if (isKnown && this.#jobs.size === 0 && isDrained(this.#drain, outlook, nothingCanRun)) {
      this.#mode = { kind: 'ended', reason: 'drained' };
      return;
    }
    const longest = this.#drain === 'never' ? IDLE_LOOK_MS : DRAIN_LOOK_MS;
    const delayMs = Math.min(longest, outlook.nextAt === null ? longest : outlook.nextAt - now);
    this.#alarm = this.#clock.setTimer(Math.max(1, delayMs), () => this.lookAgain());
  }

  #clearAlarm(): void {
    this.#alarm?.[Symbol.dispose]();
    this.#alarm = undefined;
  }

  async #sleep(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakeUp = resolve;
    await promise;
    this.#wakeUp = undefined;
  }

  #start(job: LeasedJob, slot: Disposable): void {
    const startedAt = this.#clock.monotonic();
    const { jobTimeoutMs } = this.#options;
    const running: RunningJob = {
      job,
      startedAt,
      controller: new AbortController(),
      slot,
      isExpected: true,
      deadline: jobTimeoutMs > 0 ? startedAt + jobTimeoutMs : Infinity,
      stopped: undefined,
      ended: false,
    };
    this.#jobs.set(job.id, running);
    this.#room.expect(job, 1);
    this.#report({ kind: 'job-started', job, workerId: this.#parts.workerId });
    void this.#handle(running);
  }

  async #handle(running: RunningJob): Promise<void> {
    const { handler, around } = this.#parts;
    const { job } = running;
    let settlement: Settlement;
    try {
      const { id, token, artifactId, attempt, resolverHint } = job;
      const view = { id, token, artifactId, payload: parsePayload(job), attempt, resolverHint };
      const context = this.#contextOf(running);
      const outcome = await (around ? around(job, async () => handler(view, context)) : handler(view, context));
      settlement = settlementOf(outcome, this.#clock);
    } catch (error) {
      settlement = this.#failed(running, error);
    }
    this.#end(running, settlement);
  }

  #contextOf(running: RunningJob): HandlerContext {
    return {
      signal: running.controller.signal,
      workerId: this.#parts.workerId,
      log: this.#parts.log,
      withLimits: (resolver, url, work) => this.#withLimits(running, { resolver, host: hostKey(url) }, work),
      asks: (host) => {
        if (running.job.host === host) this.#unexpect(running);
      },
      // The awaited resource may be held by a job that needs a slot: no slot is reserved, however many jobs wait.
      whileWaiting: (wait) => (running.slot ? this.#park(running, wait) : wait()),
    };
  }

  #failed(running: RunningJob, error: unknown): Settlement {
    const stopReason = running.stopped?.reason;
    return settlementOfFailure(running.job, { error, stopReason }, this.#options, this.#parts.random);
  }

  #end(running: RunningJob, settlement: Settlement): void {
    if (running.ended) return;
    running.ended = true;
    const durationMs = this.#clock.monotonic() - running.startedAt;
    this.#report({ kind: 'job-ended', job: running.job, settlement, durationMs });
    this.#unexpect(running);
    this.#addEnded(running, running.job, settlement);
  }

  /** Jobs that end in one turn of the event loop are written together, and their slots are filled together. */
  #addEnded(running: RunningJob, { id, token }: LeasedJob, settlement: Settlement): void {
    this.#ended.push({ id, token, settlement, running });
    if (this.#endedNow.push(running) > 1) return;
    setImmediate(() => {
      const ended = this.#endedNow;
      this.#endedNow = [];
      for (const each of ended) {
        if (!each.ended) continue;
        each.slot?.[Symbol.dispose]();
        each.slot = undefined;
      }
      this.#wake();
    });
  }

  #settled(ended: EndedJob, accepted: boolean): void {
    const { running, settlement, id } = ended;
    this.#forget(running);
    if (!accepted) {
      this.counts.lost += 1;
      if (!running.stopped) this.#refused.set(id, ended);
      const [oldest] = this.#refused.keys();
      if (this.#refused.size > REFUSED_REMEMBERED && oldest !== undefined) this.#refused.delete(oldest);
    } else if (settlement.kind === 'requeue') this.counts.requeued += 1;
    else this.counts[settlement.state] += 1;
    this.#report({ kind: 'job-settled', job: running.job, settlement, accepted });
  }

  #forget(running: RunningJob): void {
    if (running.ended && this.#jobs.get(running.job.id) === running) this.#jobs.delete(running.job.id);
  }

  /**
   * A process frozen beyond a lease may lease its own job again. If the token is the next one, no other process had it:
   * the new lease covers the run here, or its refused result. Otherwise the run here is stopped and the job requeued.
   */
  #takeUp(job: LeasedJob): boolean {
    const refused = this.#refused.get(job.id);
    this.#refused.delete(job.id);
    if (refused && refused.token + 1 === job.token) {
      this.#addEnded(refused.running, job, refused.settlement);
      return true;
    }
    const running = this.#jobs.get(job.id);
    if (!running) return false;
    if (running.job.token + 1 === job.token && !running.ended) running.job = job;
    else {
      this.#stopJob(running, 'lease-lost');
      this.#addEnded(running, job, { kind: 'requeue', delayMs: STILL_HERE_MS, refund: true });
    }
    return true;
  }

  #stopJob(running: RunningJob, reason: StopReason): void {
    if (running.stopped || running.ended) return;
    running.stopped = { reason, at: this.#clock.monotonic() };
    running.controller.abort(STOP_ERRORS[reason]());
  }

  #stopAll(parkedOnly: boolean): void {
    for (const running of this.#jobs.values()) if (!parkedOnly || !running.slot) this.#stopJob(running, 'shutdown');
  }

  #unexpect(running: RunningJob): void {
    if (!running.isExpected) return;
    running.isExpected = false;
    this.#room.expect(running.job, -1);
  }

  /** Waits without a slot, then takes one before any new job does. */
  async #park<T>(running: RunningJob, wait: () => Promise<T>): Promise<T> {
    const startedAt = this.#clock.monotonic();
    this.#parked += 1;
    running.slot?.[Symbol.dispose]();
    running.slot = undefined;
    this.#wake();
    try {
      const result = await wait();
      running.slot = await this.#slots.acquire(SLOT, running.controller.signal);
      return result;
    } finally {
      this.#parked -= 1;
      running.deadline += this.#clock.monotonic() - startedAt;
    }
  }

  async #withLimits<T>(
    running: RunningJob,
    { resolver, host }: { readonly resolver: string | null; readonly host: string },
    work: (window: Window) => Promise<T>,
  ): Promise<T> {
    const { admission } = this.#parts;
    const { signal } = running.controller;
    signal.throwIfAborted();
    this.#unexpect(running);
    const turn = await admission.acquire(admission.table.keysOf(host, { resolver }), {
      patienceMs: Infinity,
      longestLineMs: Infinity,
      signal,
      whileWaiting: (wait) => {
        if (this.#parked >= this.#options.maxParked) throw new HostBusy(host);
        return this.#park(running, wait);
      },
    });
    if (turn.kind !== 'go') throw new HostBusy(host);
    using slot = turn.slot;
    slot.sent();
    if (turn.waited) this.#report({ kind: 'limits-waited', job: running.job, host, waited: turn.waited });
    let wasThrottled = false;
    const throttled: Window['throttled'] = (options) => {
      wasThrottled = true;
      admission.observe([host], { kind: 'throttled', retryAt: options?.retryAt });
    };
    try {
      const result = await work({ signal, throttled });
      if (!wasThrottled) admission.observe([host], { kind: 'success' });
      return result;
    } catch (error) {
      if (!wasThrottled && asksToSlowDown(error)) throttled({ retryAt: retryAtOf(error) });
      throw error;
    }
  }
}

function parsePayload({ artifactId, artifactJson }: LeasedJob): unknown {
  try {
    return JSON.parse(artifactJson) as unknown;
  } catch (cause) {
    throw Object.assign(new AppError('ARTIFACT_INVALID', `the payload of ${artifactId} is not JSON`, { cause }), {
      retryable: false,
    });
  }
}

/** HTTP clients store the status of an error under one of two names. */
function asksToSlowDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status = 'status' in error ? error.status : 'statusCode' in error ? error.statusCode : undefined;
  return status === 429 || status === 503;
}

function retryAtOf(error: unknown): number | undefined {
  return error instanceof Error && 'retryAt' in error && typeof error.retryAt === 'number' ? error.retryAt : undefined;
}
