import type { Clock, Timer } from '../base/index.ts';
import { firstPicks } from './first-picks.ts';
import { deathLimits } from './options.ts';
import { Presence } from './presence.ts';
import { SuspectTurn } from './suspect-turn.ts';
import type { LeasedJob, Settlement } from './types.ts';
import type { WorkQueue } from './work-queue.ts';

/** How often who finds nothing looks again, beside being told: another process's last job ends without a word. */
const LOOK_AGAIN_MS = 1_000;

export interface JobHolderOptions {
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** A job whose holders died this often while it was alone in their hands is given up. */
  readonly maxDeaths: number;
  /** How many jobs are worked on at once, for operators to see. */
  readonly workers: number;
}

/** A job in one's hands; `lost` is aborted when it is no longer. */
export interface HeldJob {
  readonly job: LeasedJob;
  readonly lost: AbortSignal;
}

/**
 * Jobs taken when one wants them, where the Orchestrator hands them out: leased, kept alive while they are held, given
 * back at the end. A suspect is given out alone: nothing else before it is settled. For those who have a scheduler of their
 * own.
 */
export class JobHolder implements AsyncDisposable {
  readonly presence: Presence;
  readonly #options: JobHolderOptions;
  readonly #held = new Map<number, { readonly job: LeasedJob; readonly lost: AbortController }>();
  readonly #turn = new SuspectTurn();
  readonly #watch: Disposable;
  #changes = 0;
  #ended = 0;
  #wake: (() => void) | undefined;
  #timer: Timer | undefined;
  #beating: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  constructor(options: JobHolderOptions) {
    this.#options = options;
    const { workers: maxWorkers, heartbeatMs } = options;
    this.presence = new Presence(options.queue.store, options.clock, { maxWorkers, heartbeatMs });
    this.#watch = options.queue.store.watch(() => this.#changed());
    this.#arm();
  }

  announce(): Promise<void> {
    return this.presence.announce({ running: this.#held.size, parked: 0, ended: this.#ended, hosts: [] });
  }

  /** Waits for jobs, at most `limit`; undefined when the queue is empty or the signal says so. */
  async take(limit: number, signal: AbortSignal): Promise<readonly HeldJob[] | undefined> {
    const { queue, clock } = this.#options;
    while (!signal.aborted) {
      if (this.#failure) throw this.#failure.error;
      const seen = this.#changes;
      const jobs = await this.#lease(limit);
      if (jobs.length > 0) return jobs.map((job) => this.#hold(job));
      const { ready, delayed, inProgress } = await queue.store.outlook(clock.now());
      if (ready + delayed + inProgress === 0) return undefined;
      if (this.#changes === seen) await this.#change(signal);
      await this.presence.recoverDead();
    }
    return undefined;
  }

  /** Writes down what came of jobs; those that were lost meanwhile are somebody else's to settle. */
  async settle(jobs: readonly LeasedJob[], settlement: Settlement): Promise<void> {
    const { queue, clock, leaseMs } = this.#options;
    // The same job may have been lost and taken again: that is another lease.
    const held = jobs.flatMap((job) => this.#held.get(job.id) ?? []).filter(({ job }) => jobs.includes(job));
    const own = held.filter(({ lost }) => !lost.signal.aborted).map(({ job }) => job);
    for (const { job } of held) this.#held.delete(job.id);
    if (settlement.kind === 'finish') this.#ended += own.length;
    if (own.length > 0) {
      await queue.store.exchange({
        workerId: this.presence.workerId,
        settlements: own.map((job) => ({ ...job, settlement })),
        picks: [],
        now: clock.now(),
        leaseMs,
      });
    }
    this.#changed();
  }

  /** Gives jobs back as if they had never been taken. */
  giveBack(jobs: readonly LeasedJob[]): Promise<void> {
    return this.settle(jobs, { kind: 'requeue', delayMs: 0, refund: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
    await this.#beating;
    this.#timer?.[Symbol.dispose]();
    await this.giveBack([...this.#held.values()].map(({ job }) => job));
    await this.presence.leave();
  }

  async #lease(limit: number): Promise<readonly LeasedJob[]> {
    const { queue, clock, leaseMs, maxDeaths } = this.#options;
    const now = clock.now();
    const { lanes, suspects } = await queue.store.backlog(now, deathLimits(maxDeaths));
    const move = this.#turn.decide({
      now: clock.monotonic(),
      inHand: this.#held.size,
      suspectWaits: suspects.length > 0,
      otherWaits: () => lanes.length > 0,
    });
    // What is in hand is never taken out of it: who has a scheduler of one's own bounds the time of each job.
    if (move !== 'others' && move !== 'suspect') return [];
    const standing = move === 'suspect' ? 'suspect' : 'trusted';
    const picks = move === 'suspect' ? firstPicks(suspects.slice(0, 1), 1) : firstPicks(lanes, limit);
    if (picks.length === 0) return [];
    const { workerId } = this.presence;
    return (await queue.store.exchange({ workerId, settlements: [], picks, standing, now, leaseMs })).leased;
  }

  #hold(job: LeasedJob): HeldJob {
    const lost = new AbortController();
    this.#held.set(job.id, { job, lost });
    return { job, lost: lost.signal };
  }

  #changed(): void {
    this.#changes += 1;
    this.#wake?.();
  }

  async #change(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    using _timer = this.#options.clock.setTimer(LOOK_AGAIN_MS, wake);
    this.#wake = wake;
    signal.addEventListener('abort', wake, { once: true });
    if (signal.aborted) wake();
    await promise;
    signal.removeEventListener('abort', wake);
  }

  #arm(): void {
    this.#timer = this.#options.clock.setTimer(this.#options.heartbeatMs, () => {
      this.#beating = this.#beat().catch((error: unknown) => {
        this.#failure = { error };
        this.#changed();
      });
    });
  }

  async #beat(): Promise<void> {
    const { queue, leaseMs } = this.#options;
    const leases = [...this.#held.values()].map(({ job }) => job);
    if (leases.length > 0) {
      const lost = new Set((await queue.heartbeat(leases, leaseMs)).map(({ id }) => id));
      for (const { job, lost: controller } of this.#held.values()) if (lost.has(job.id)) controller.abort();
    }
    await this.presence.recoverDead();
    await this.announce();
    this.#arm();
  }
}
