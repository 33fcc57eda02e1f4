import type { Clock, Random, Timer } from '../base/index.ts';
import { systemClock } from '../base/index.ts';
import type { Admission } from '../hosts/index.ts';
import { createMemoryAdmission, hostReports, HostTable, isSlowed } from '../hosts/index.ts';
import { AheadJobs } from './ahead-jobs.ts';
import { Dispatcher } from './dispatcher.ts';
import type { Report } from './events.ts';
import type { Handler, HandlerContext } from './handler.ts';
import type { DrainMode, OrchestratorOptions } from './options.ts';
import { ORCHESTRATOR_DEFAULTS } from './options.ts';
import { Presence } from './presence.ts';
import { RunningJobs } from './running-jobs.ts';
import { Seats } from './seats.ts';
import type { LeasedJob, QueueStore, StoreChange } from './types.ts';
import type { WorkQueue } from './work-queue.ts';

/** What an orchestrator is made of: a queue and a handler; the rest has defaults. */
export interface OrchestratorSetup extends Partial<OrchestratorOptions> {
  readonly queue: WorkQueue;
  /** Runs a job; what it throws counts as a failed attempt. */
  readonly handler: Handler;
  readonly clock?: Clock;
  /** Told what happens to jobs. */
  readonly report?: Report;
  /** Where handlers write with `context.log`. */
  readonly log?: HandlerContext['log'];
  /** Wraps the run of each job, so that a tracer can make it its own. */
  readonly around?: (<T>(job: LeasedJob, run: () => Promise<T>) => Promise<T>) | undefined;
  /** The authority over hosts, shared with the web client or with a whole fleet; caps of this process alone otherwise. */
  readonly admission?: Admission;
  readonly random?: Random | undefined;
}

export interface RunSummary {
  readonly done: number;
  readonly skipped: number;
  readonly error: number;
  readonly requeued: number;
  readonly lost: number;
  readonly reason: 'drained' | 'stopped';
}

/** How often running jobs are checked for their time limit. */
const SWEEP_MS = 1_000;
/** How often a process that is at work tells how it goes, and of how many hosts. */
const TELL_MS = 5_000;
const HOSTS_TOLD = 100;

/**
 * Empties a queue: leases jobs as workers become free, runs them within their limits, writes down what came of them.
 *
 * ```ts
 * import { openStore, Orchestrator, WorkQueue } from 'docstokg/queue';
 *
 * await using queue = new WorkQueue(await openStore('state/queue.sqlite'));
 * await queue.enqueue('doi:10.1234/example', { doi: '10.1234/example' });
 * const orchestrator = new Orchestrator({ queue, handler: (job) => console.log(job.artifactId) });
 * await orchestrator.run({ drain: 'empty' });
 * ```
 */
export class Orchestrator {
  readonly #options: OrchestratorOptions;
  readonly #report: Report;
  readonly #clock: Clock;
  readonly #store: QueueStore;
  readonly #admission: Admission;
  readonly #seats: Seats;
  readonly #ahead: AheadJobs;
  readonly #jobs: RunningJobs;
  readonly #presence: Presence;
  readonly #random: Random | undefined;
  readonly #timers = new Set<Timer>();
  readonly #ended = Promise.withResolvers<RunSummary['reason']>();
  #dispatcher: Dispatcher | undefined;
  #stopping = false;
  /** Something has happened since it was told last. */
  #isNews = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(setup: OrchestratorSetup) {
    const { queue, handler, clock = systemClock, report, log, around, admission, random, ...given } = setup;
    const { store } = queue;
    const options = { ...ORCHESTRATOR_DEFAULTS, ...given };
    this.#options = options;
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    this.#report = report ?? (() => undefined);
    this.#presence = new Presence(store, clock, options);
    this.#admission = admission ?? ownAdmission(options, { clock, random, report: this.#report });
    this.#seats = new Seats({
      options,
      admission: this.#admission,
      clock,
      report: this.#report,
      freed: () => this.#dispatcher?.pump(),
    });
    this.#ahead = new AheadJobs({ options, clock, seats: this.#seats });
    this.#jobs = new RunningJobs({
      options,
      workerId: this.workerId,
      store,
      handler,
      clock,
      seats: this.#seats,
      ahead: this.#ahead,
      report: this.#report,
      log: log ?? (() => undefined),
      around,
      random,
      ended: () => this.#dispatcher?.ended(),
    });
  }

  /** The name of this process at the queue. */
  get workerId(): string {
    return this.#presence.workerId;
  }

  /** What goes on now: jobs that hold a worker, jobs that wait for a host, what was settled so far. */
  get status(): { readonly running: number; readonly parked: number; readonly counts: Omit<RunSummary, 'reason'> } {
    const { parked } = this.#seats;
    return { running: this.#jobs.size - parked, parked, counts: { ...this.#jobs.counts } };
  }

  /** Hosts whose cap was lowered or which are held, because they asked for it. */
  get throttled(): { readonly host: string; readonly cap: number; readonly heldMs: number | null }[] {
    return this.#admission
      .snapshot()
      .filter((host) => isSlowed(host) || (host.hold !== null && host.hold.reason !== 'paused'))
      .map(({ key, cap, hold }) => ({ host: key, cap, heldMs: hold?.leftMs ?? null }));
  }

  /**
   * Works until drained or told to stop by the signal. Stopping lets running jobs finish within the grace time, then aborts
   * them, and gives back at once whatever is left.
   */
  async run(options: { readonly drain?: DrainMode; readonly signal?: AbortSignal } = {}): Promise<RunSummary> {
    const { signal } = options;
    using dispatcher = new Dispatcher({
      options: this.#options,
      workerId: this.workerId,
      store: this.#store,
      clock: this.#clock,
      seats: this.#seats,
      report: this.#report,
      drain: options.drain ?? 'never',
      jobs: this.#jobs,
      ahead: this.#ahead,
      random: this.#random,
      rested: () => this.#endWhenIdle(),
      drained: () => this.#ended.resolve('drained'),
      failed: (error) => this.#fail(error),
    });
    this.#dispatcher = dispatcher;
    const stop = (): void => this.#stop('told to stop');
    using _watch = this.#store.watch((change) => this.#changed(change));
    using _room = this.#admission.watch(() => this.#seats.freeWorkers > 0 && dispatcher.pump());
    signal?.addEventListener('abort', stop, { once: true });
    try {
      await this.#presence.recoverDead();
      await this.#readPauses();
      await this.#announce();
      this.#every(this.#options.heartbeatMs, () => this.#heartbeat());
      if (this.#options.heartbeatMs > TELL_MS) this.#every(TELL_MS, () => this.#announceWork());
      this.#every(SWEEP_MS, () => this.#sweep());
      if (signal?.aborted) stop();
      dispatcher.pump();
      const reason = await this.#ended.promise;
      if (this.#failure) throw this.#failure.error;
      await this.#presence.leave();
      return { ...this.#jobs.counts, reason };
    } finally {
      signal?.removeEventListener('abort', stop);
      for (const timer of this.#timers) timer[Symbol.dispose]();
    }
  }

  /** Ends the run when nothing is left: said once no more jobs will come in. */
  drain(mode: DrainMode = 'empty'): void {
    this.#dispatcher?.setDrain(mode);
  }

  #changed(change: StoreChange): void {
    if (change === 'jobs') {
      this.#dispatcher?.lookAgain();
      return;
    }
    // An operator paused, resumed or cancelled: a cancelled job shows in the next heartbeat, so have one now.
    this.#guard(async () => {
      await this.#readPauses();
      await this.#jobs.heartbeat();
      // It is also what is told after the server was away, which may have forgotten a settlement.
      this.#dispatcher?.reconcile();
    });
  }

  async #readPauses(): Promise<void> {
    const pauses = await this.#store.admin.pauses();
    this.#seats.applyPauses(pauses);
    this.#report({
      kind: 'pauses-changed',
      pauses: pauses.map(({ scope, name }) => (scope === 'all' ? 'all' : `${scope} ${name}`)),
    });
    this.#dispatcher?.setPaused(pauses.some(({ scope }) => scope === 'all'));
  }

  async #heartbeat(): Promise<void> {
    await this.#jobs.heartbeat();
    this.#dispatcher?.reconcile();
    await this.#presence.recoverDead();
    await this.#announce();
  }

  #sweep(): void {
    this.#jobs.sweep();
    this.#ahead.giveBackLate();
    if (this.#ahead.size > 0) this.#dispatcher?.pump();
  }

  /** Whoever does nothing has nothing new to tell. */
  async #announceWork(): Promise<void> {
    if (this.#jobs.size > 0 || this.#isNews) await this.#announce();
  }

  #announce(): Promise<void> {
    const { running, parked, counts } = this.status;
    this.#isNews = running + parked > 0;
    return this.#presence.announce({
      running,
      parked,
      ended: counts.done + counts.skipped + counts.error,
      hosts: hostReports(this.#admission.snapshot(), HOSTS_TOLD),
    });
  }

  #stop(reason: string): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#dispatcher?.[Symbol.dispose]();
    this.#report({ kind: 'stopping', reason, running: this.#jobs.size });
    // Those that only wait have nothing to finish.
    this.#jobs.stopAll('shutdown', true);
    this.#timers.add(this.#clock.setTimer(this.#options.shutdownGraceMs, () => this.#jobs.stopAll('shutdown')));
    // Those that were leased ahead go back.
    if (this.#ahead.size > 0) this.#dispatcher?.pump();
    this.#endWhenIdle();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stop('the queue cannot be used');
  }

  #endWhenIdle(): void {
    const inHand = this.#jobs.size + this.#ahead.size;
    if (this.#stopping && inHand === 0 && !this.#dispatcher?.busy) this.#ended.resolve('stopped');
  }

  #every(intervalMs: number, work: () => Promise<void> | void): void {
    let timer: Timer | undefined;
    const arm = (): void => {
      timer = this.#clock.setTimer(intervalMs, () => {
        if (timer) this.#timers.delete(timer);
        arm();
        this.#guard(work);
      });
      this.#timers.add(timer);
    };
    arm();
  }

  #guard(work: () => Promise<void> | void): void {
    (async () => work())().catch((error: unknown) => this.#fail(error));
  }
}

/** Caps per host and resolver, and nothing else: a handler of one's own brings its own pace. */
function ownAdmission(
  { maxPerHost, maxPerResolver }: OrchestratorOptions,
  { clock, random, report }: { readonly clock: Clock; readonly random: Random | undefined; readonly report: Report },
): Admission {
  return createMemoryAdmission({
    table: new HostTable({ perHost: { perSecond: Infinity, concurrency: maxPerHost }, perResolver: maxPerResolver }),
    clock,
    report,
    policy: { random },
  });
}
