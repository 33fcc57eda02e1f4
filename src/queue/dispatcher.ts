import type { Clock, Slot, Timer } from '../base/index.ts';
import type { Report } from './events.ts';
import type { JobLimits } from './job-limits.ts';
import { LaneBook } from './lane-book.ts';
import type { DrainMode, OrchestratorOptions } from './options.ts';
import type { LeasedJob, QueueStore } from './types.ts';

/** While jobs flow, lanes are looked at again this often, or less often when the look is expensive. */
const LOOK_EVERY_MS = 1_000;
const LOOK_SHARE = 20;
/** An idle dispatcher looks by itself this often, should a notice have been lost; a draining one more often. */
const IDLE_LOOK_MS = 30_000;
const DRAIN_LOOK_MS = 1_000;

/** Fills free workers with jobs the moment there are both, and sleeps when there are not. */
export class Dispatcher implements Disposable {
  readonly #options: OrchestratorOptions;
  readonly #workerId: string;
  readonly #store: QueueStore;
  readonly #clock: Clock;
  readonly #limits: JobLimits;
  readonly #report: Report;
  #drain: DrainMode;
  readonly #start: (job: LeasedJob, worker: Slot) => void;
  readonly #busy: () => boolean;
  readonly #drained: () => void;
  readonly #failed: (error: unknown) => void;
  readonly #lanes = new LaneBook();
  #paused = false;
  #stopped = false;
  #pumping = false;
  #pumpAgain = false;
  #lookNeeded = true;
  #lookAfter = 0;
  #alarm: Timer | undefined;

  constructor(given: {
    readonly options: OrchestratorOptions;
    readonly workerId: string;
    readonly store: QueueStore;
    readonly clock: Clock;
    readonly limits: JobLimits;
    readonly report: Report;
    readonly drain: DrainMode;
    readonly start: (job: LeasedJob, worker: Slot) => void;
    /** Some jobs of this process have not been settled. */
    readonly busy: () => boolean;
    readonly drained: () => void;
    readonly failed: (error: unknown) => void;
  }) {
    this.#options = given.options;
    this.#workerId = given.workerId;
    this.#store = given.store;
    this.#clock = given.clock;
    this.#limits = given.limits;
    this.#report = given.report;
    this.#drain = given.drain;
    this.#start = given.start;
    this.#busy = given.busy;
    this.#drained = given.drained;
    this.#failed = given.failed;
  }

  /** Something may have changed in the queue: look before sleeping again. */
  lookAgain(): void {
    this.#lookNeeded = true;
    this.pump();
  }

  /** From now on, ends when nothing is left. */
  setDrain(drain: DrainMode): void {
    this.#drain = drain;
    this.lookAgain();
  }

  setPaused(paused: boolean): void {
    this.#paused = paused;
    if (!paused) this.lookAgain();
  }

  /** Fills free workers; called whenever one became free or something changed. */
  pump(): void {
    if (this.#pumping) {
      this.#pumpAgain = true;
      return;
    }
    this.#pumping = true;
    this.#pump().then(
      () => {
        this.#pumping = false;
        if (this.#pumpAgain) {
          this.#pumpAgain = false;
          this.pump();
        }
      },
      (error: unknown) => {
        this.#pumping = false;
        this.#failed(error);
      },
    );
  }

  /** Leases nothing any more. */
  [Symbol.dispose](): void {
    this.#stopped = true;
    this.#alarm?.[Symbol.dispose]();
  }

  async #pump(): Promise<void> {
    while (!this.#stopped && !this.#paused && this.#limits.freeWorkers > 0) {
      if (this.#clock.monotonic() >= this.#lookAfter) await this.#look();
      const picks = this.#lanes.choose(this.#limits.freeWorkers, this.#limits.room);
      if (picks.length > 0) await this.#lease(picks);
      else if (this.#lookNeeded) await this.#look();
      else break;
    }
    if (!this.#stopped) await this.#rest();
  }

  async #lease(
    picks: readonly { readonly host: string | null; readonly resolver: string | null; readonly limit: number }[],
  ): Promise<void> {
    const startedAt = this.#clock.monotonic();
    const jobs = await this.#store.lease({
      workerId: this.#workerId,
      picks,
      now: this.#clock.now(),
      leaseMs: this.#options.leaseMs,
    });
    this.#report({ kind: 'dispatched', leased: jobs.length, durationMs: this.#clock.monotonic() - startedAt });
    for (const pick of picks) {
      const leased =
        picks.length === 1
          ? jobs.length
          : jobs.filter((job) => job.host === pick.host && job.resolverHint === pick.resolver).length;
      if (this.#lanes.took(pick, leased)) this.#lookNeeded = true;
    }
    for (const job of jobs) {
      const worker = this.#limits.takeWorker();
      if (worker) this.#start(job, worker);
      else await this.#giveBack(job);
    }
  }

  /** A parked job may have taken the worker while the lease was on its way. */
  async #giveBack(job: LeasedJob): Promise<void> {
    await this.#store.settle(
      [{ ...job, settlement: { kind: 'requeue', delayMs: 0, refund: true } }],
      this.#clock.now(),
    );
    this.#lookNeeded = true;
  }

  async #look(): Promise<void> {
    const startedAt = this.#clock.monotonic();
    this.#lookNeeded = false;
    const { lanes, exhausted } = await this.#store.backlog(this.#clock.now(), this.#options.maxAttempts);
    this.#lanes.replace(lanes);
    const endedAt = this.#clock.monotonic();
    this.#lookAfter = endedAt + Math.max(LOOK_EVERY_MS, LOOK_SHARE * (endedAt - startedAt));
    if (exhausted > 0) this.#report({ kind: 'jobs-exhausted', jobs: exhausted });
  }

  /** Sets an alarm for the next moment at which there may be something to do, or ends when there will be nothing. */
  async #rest(): Promise<void> {
    this.#alarm?.[Symbol.dispose]();
    this.#alarm = undefined;
    // A process without free workers is woken by its own jobs, a paused one by whoever resumes it.
    if (this.#paused || this.#limits.freeWorkers === 0) return;
    const now = this.#clock.now();
    const outlook = await this.#store.outlook(now);
    if (this.#drain !== 'never' && !this.#busy() && !this.#pumpAgain && !this.#lookNeeded) {
      const waiting = outlook.ready + outlook.inProgress + (this.#drain === 'empty' ? outlook.delayed : 0);
      if (waiting === 0) {
        this.#drained();
        return;
      }
    }
    const longest = this.#drain === 'never' ? IDLE_LOOK_MS : DRAIN_LOOK_MS;
    const untilNext = outlook.nextAt === null ? longest : Math.max(1, outlook.nextAt - now);
    this.#alarm = this.#clock.setTimer(Math.min(longest, untilNext), () => this.lookAgain());
  }
}
