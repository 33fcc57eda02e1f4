import type { Clock, Random, Timer } from '../base/index.ts';
import type { AheadJobs } from './ahead-jobs.ts';
import { givenBack } from './ahead-jobs.ts';
import type { Report } from './events.ts';
import type { Choice } from './lease-choice.ts';
import { LeaseChoice, NOTHING } from './lease-choice.ts';
import type { DrainMode, OrchestratorOptions } from './options.ts';
import { deathLimits, isDrained } from './options.ts';
import type { EndedJob, RunningJobs } from './running-jobs.ts';
import type { Seats } from './seats.ts';
import type { Exchange, QueueStore, SettledLease } from './types.ts';

/** While jobs flow, lanes are looked at again this often, or less often when the look is expensive. */
const LOOK_EVERY_MS = 1_000;
const LOOK_SHARE = 20;
/** An idle dispatcher looks by itself this often, should a notice have been lost; a draining one more often. */
const IDLE_LOOK_MS = 30_000;
const DRAIN_LOOK_MS = 1_000;

/** Whether jobs may be leased; what ends is settled in every mode. */
type Leasing = 'open' | 'paused' | 'stopped';
/** Whether a round is underway, and whether something happened since it began. */
type Round = 'resting' | 'underway' | 'wanted-again';
/** What is known of the queue; `unsure`: it may hold leases of this process that are not in its hands. */
type View = 'unsure' | 'stale' | 'current';

/**
 * Writes down what came of jobs and fills the workers they left, both in one write, and sleeps when there is neither. One
 * write is underway at a time: jobs that end meanwhile share the next one. Its state is three words:
 *
 *   leasing   open ⇄ paused, either ─[Symbol.dispose]─▶ stopped
 *   round     resting ─pump─▶ underway ─pump─▶ wanted-again ─end of round─▶ underway ─end of round─▶ resting
 *   view      current ─lookAgain, requeue, lane taken empty─▶ stale ─look─▶ current;  any ─reconcile─▶ unsure ─release─▶ stale
 */
export class Dispatcher implements Disposable {
  readonly #options: OrchestratorOptions;
  readonly #workerId: string;
  readonly #store: QueueStore;
  readonly #clock: Clock;
  readonly #seats: Seats;
  readonly #report: Report;
  readonly #jobs: RunningJobs;
  readonly #ahead: AheadJobs;
  readonly #rested: () => void;
  readonly #drained: () => void;
  readonly #failed: (error: unknown) => void;
  readonly #choice: LeaseChoice;
  #drain: DrainMode;
  #leasing: Leasing = 'open';
  #round: Round = 'resting';
  #view: View = 'stale';
  #lookAfter = 0;
  #alarm: Timer | undefined;

  constructor(given: {
    readonly options: OrchestratorOptions;
    readonly workerId: string;
    readonly store: QueueStore;
    readonly clock: Clock;
    readonly seats: Seats;
    readonly report: Report;
    readonly jobs: RunningJobs;
    readonly ahead: AheadJobs;
    readonly drain: DrainMode;
    readonly random: Random | undefined;
    /** Everything that could be settled is. */
    readonly rested: () => void;
    readonly drained: () => void;
    readonly failed: (error: unknown) => void;
  }) {
    this.#options = given.options;
    this.#workerId = given.workerId;
    this.#store = given.store;
    this.#clock = given.clock;
    this.#seats = given.seats;
    this.#report = given.report;
    this.#drain = given.drain;
    this.#jobs = given.jobs;
    this.#ahead = given.ahead;
    this.#rested = given.rested;
    this.#drained = given.drained;
    this.#failed = given.failed;
    this.#choice = new LeaseChoice(given);
  }

  /** Something may have changed in the queue: look before sleeping again. */
  lookAgain(): void {
    this.#outdate();
    this.pump();
  }

  /** From now on, ends when nothing is left. */
  setDrain(drain: DrainMode): void {
    this.#drain = drain;
    this.lookAgain();
  }

  /** What is leased to this process and not in its hands is given back before anything else is leased. */
  reconcile(): void {
    this.#view = 'unsure';
    this.pump();
  }

  setPaused(paused: boolean): void {
    if (this.#leasing !== 'stopped') this.#leasing = paused ? 'paused' : 'open';
    this.lookAgain();
  }

  /** Something is being written or read. */
  get busy(): boolean {
    return this.#round !== 'resting';
  }

  /**
   * Jobs have ended. While those at hand end one turn of the loop after they were begun, and enough are left, what ended
   * waits until there is enough to be written together; the first turn in which nothing ends writes it.
   */
  ended(): void {
    const { unwritten } = this.#jobs;
    const isEnough = unwritten >= this.#ahead.group || this.#ahead.isLow;
    if (isEnough || this.#round !== 'resting' || this.#begin() === 0) {
      this.pump();
      return;
    }
    setImmediate(() => {
      if (this.#jobs.unwritten === unwritten) this.pump();
    });
  }

  /** Settles and leases; called whenever a job ended, a worker became free or something changed. */
  pump(): void {
    if (this.#round !== 'resting') {
      this.#begin();
      this.#round = 'wanted-again';
      return;
    }
    this.#round = 'underway';
    this.#pump()
      .catch((error: unknown) => {
        this.#failed(error);
        // Jobs that ended meanwhile are still to be settled.
        this.#round = 'wanted-again';
      })
      .finally(() => {
        const isWanted = this.#round === 'wanted-again';
        this.#round = 'resting';
        if (isWanted) this.pump();
        else this.#rested();
      });
  }

  /** Leases nothing any more; what ends is still settled. */
  [Symbol.dispose](): void {
    this.#leasing = 'stopped';
    this.#alarm?.[Symbol.dispose]();
  }

  async #pump(): Promise<void> {
    for (;;) {
      if (this.#view === 'unsure') {
        this.#view = 'stale';
        const held = [...this.#jobs.ids, ...this.#ahead.jobs.map(({ id }) => id)];
        await this.#store.release(this.#workerId, held, this.#clock.now());
      }
      if (this.#leasing === 'open' && this.#clock.monotonic() >= this.#lookAfter) await this.#look();
      const ended = this.#jobs.takeEnded();
      if (this.#leasing !== 'open') this.#ahead.giveBack();
      const hint = { tryHeld: this.#triesHeld, writes: ended.length > 0 };
      const choice = this.#leasing === 'open' ? this.#choice.next(hint) : NOTHING;
      const returned = this.#ahead.takeReturned();
      if (ended.length + returned.length + choice.picks.length > 0) {
        await this.#exchange(ended, returned, choice);
        continue;
      }
      this.#begin();
      if (this.#ahead.isReturning) continue;
      if (!this.#wantsMore || this.#view === 'current') break;
      await this.#look();
    }
    if (this.#leasing !== 'stopped') await this.#rest();
  }

  /**
   * Who ends with what is due does not wait for a host that is held for hours: when nothing else is left, its jobs are
   * tried all the same, where their handler knows other places to look.
   */
  get #triesHeld(): boolean {
    return this.#drain === 'due' && this.#options.heldLanes === 'try';
  }

  #outdate(): void {
    if (this.#view === 'current') this.#view = 'stale';
  }

  /** Gives jobs at hand to the workers that are free; answers how many. */
  #begin(): number {
    if (this.#leasing !== 'open') return 0;
    return this.#ahead.begin(this.#jobs.fresh, (job, worker) => this.#jobs.start(job, worker));
  }

  /** The same once a write is on its way, so that the queue works while they do. When the round is over, they have begun. */
  #beginSoon(): void {
    setImmediate(() => {
      if (this.#round !== 'resting') this.#begin();
    });
  }

  get #wantsMore(): boolean {
    return this.#leasing === 'open' && (this.#seats.freeWorkers > 0 || (this.#ahead.isLow && this.#ahead.wanted > 0));
  }

  async #exchange(ended: readonly EndedJob[], returned: readonly SettledLease[], choice: Choice): Promise<void> {
    const { picks } = choice;
    const [startedAt, askedAt] = [this.#clock.monotonic(), this.#clock.now()];
    // Kept for the jobs to come: a job that waits for its host must not take them meanwhile.
    const workers = this.#seats.takeWorkers(picks.reduce((sum, { limit }) => sum + limit, 0));
    const settlements = returned.length === 0 ? ended : [...ended, ...returned];
    this.#beginSoon();
    const { accepted, leased } = await this.#write(settlements, choice).catch((error: unknown) => {
      this.#jobs.unsettled(ended);
      throw error;
    });
    this.#jobs.settled(ended, accepted);
    if (settlements.some(({ settlement }) => settlement.kind === 'requeue')) this.#outdate();
    if (picks.length > 0)
      this.#report({ kind: 'dispatched', leased: leased.length, durationMs: this.#clock.monotonic() - startedAt });
    if (this.#choice.took(choice, leased)) this.#outdate();
    if (this.#leasing === 'stopped') {
      // Told to stop while the lease was on its way.
      if (leased.length > 0) await this.#write(leased.map(givenBack), NOTHING);
      return;
    }
    const begun = leased.filter(({ ahead }) => !ahead);
    workers.forEach((worker, at) => {
      const job = begun[at];
      if (job) this.#jobs.start(job, worker);
      else worker[Symbol.dispose]();
    });
    const waiting = leased.filter(({ ahead }) => ahead);
    for (const job of waiting) if (!this.#jobs.takeUp(job)) this.#ahead.add(job, askedAt);
    if (waiting.length < picks.reduce((sum, { ahead }) => sum + ahead, 0)) this.#ahead.rest();
  }

  #write(settlements: readonly SettledLease[], choice: Choice): Promise<Exchange> {
    return this.#store.exchange({
      workerId: this.#workerId,
      settlements,
      ...choice,
      now: this.#clock.now(),
      leaseMs: this.#options.leaseMs,
    });
  }

  async #look(): Promise<void> {
    const startedAt = this.#clock.monotonic();
    if (this.#view === 'stale') this.#view = 'current';
    await this.#jobs.heartbeatIfLate();
    const backlog = await this.#store.backlog(this.#clock.now(), deathLimits(this.#options.maxDeaths));
    const { exhausted } = backlog;
    this.#choice.replace(backlog);
    const endedAt = this.#clock.monotonic();
    this.#lookAfter = endedAt + Math.max(LOOK_EVERY_MS, LOOK_SHARE * (endedAt - startedAt));
    if (exhausted === 0) return;
    this.#jobs.counts.error += exhausted;
    this.#report({ kind: 'jobs-exhausted', jobs: exhausted });
  }

  /** Sets an alarm for the next moment at which there may be something to do, or ends when there will be nothing. */
  async #rest(): Promise<void> {
    this.#alarm?.[Symbol.dispose]();
    this.#alarm = undefined;
    // A process without free workers is woken by its own jobs, a paused one by whoever resumes it.
    const isPaused = this.#leasing === 'paused';
    const { againInMs } = this.#choice;
    if (this.#seats.freeWorkers === 0 || (isPaused && this.#drain === 'never')) {
      if (againInMs < Infinity && !isPaused) this.#wakeIn(againInMs);
      return;
    }
    const now = this.#clock.now();
    const outlook = await this.#store.outlook(now);
    const knows = this.#round === 'underway' && (isPaused || this.#view === 'current');
    if (
      knows &&
      this.#jobs.size + this.#ahead.size === 0 &&
      isDrained(this.#drain, outlook, isPaused || this.#choice.nothingCanRun)
    ) {
      this.#drained();
      return;
    }
    const longest = this.#drain === 'never' ? IDLE_LOOK_MS : DRAIN_LOOK_MS;
    const untilNext = outlook.nextAt === null ? longest : Math.max(1, outlook.nextAt - now);
    this.#wakeIn(Math.min(longest, untilNext, againInMs));
  }

  #wakeIn(delayMs: number): void {
    this.#alarm = this.#clock.setTimer(Math.max(1, delayMs), () => this.lookAgain());
  }
}
