import { hostname } from 'node:os';

import type { Clock, Random } from '../base/index.ts';
import { systemClock } from '../base/index.ts';
import type { Admission } from '../hosts/index.ts';
import { createMemoryAdmission, hostReports, HostTable } from '../hosts/index.ts';
import type { Report } from './events.ts';
import type { Handler, HandlerContext } from './handler.ts';
import type { DrainMode, OrchestratorOptions } from './options.ts';
import { ORCHESTRATOR_DEFAULTS } from './options.ts';
import { RateMeter } from './overview.ts';
import type { LeasedJob, QueueStore } from './types.ts';
import { RETIRED_AT_ONCE } from './types.ts';
import type { WorkQueue } from './work-queue.ts';
import { createWorkerId, recoverDead } from './worker-identity.ts';
import { Worker } from './worker.ts';

/** A queue, what is done with its jobs, and options that override the defaults. */
export interface OrchestratorSetup extends Partial<OrchestratorOptions> {
  /** Where jobs come from. */
  readonly queue: WorkQueue;
  /** What is done with a job. */
  readonly handler: Handler;
  /** By default the clock of the system. */
  readonly clock?: Clock;
  /** Called with what happens; by default nobody is told. */
  readonly report?: Report;
  /** Receives the lines that handlers write; by default they are dropped. */
  readonly log?: HandlerContext['log'];
  /** Wraps the run of each job, for example in a span. */
  readonly around?: (<T>(job: LeasedJob, run: () => Promise<T>) => Promise<T>) | undefined;
  /** Limits of hosts, shared with the web client or with a fleet; by default caps of this process alone. */
  readonly admission?: Admission;
  /** For jitter; `Math.random` by default. */
  readonly random?: Random | undefined;
}

/** How the jobs of a run ended. */
export interface RunSummary {
  /** Finished by their handler. */
  readonly done: number;
  /** Skipped by their handler. */
  readonly skipped: number;
  /** Failed for good. */
  readonly error: number;
  /** Given back to run later. */
  readonly requeued: number;
  /** Taken over by another process, so the result was dropped. */
  readonly lost: number;
  /** Whether the queue was empty, or the run was stopped. */
  readonly reason: 'drained' | 'stopped';
}

/** How often running jobs are checked for their time limit. */
const SWEEP_MS = 1_000;
/** How often a process with jobs in hand reports its progress, and about how many hosts. */
const ANNOUNCE_MS = 5_000;
const HOSTS_ANNOUNCED = 100;
/** How often surplus finished jobs are removed, and in how many steps at most. */
const RETIRE_MS = 60_000;
const RETIRE_STEPS = 100;

/**
 * Empties a queue: leases jobs as workers become free, runs them within their limits, writes down their outcome. A
 * job runs **at least once**: see `Handler`.
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
  /** Names this process in the queue. */
  readonly workerId = createWorkerId();
  readonly #options: OrchestratorOptions;
  readonly #report: Report;
  readonly #clock: Clock;
  readonly #store: QueueStore;
  readonly #admission: Admission;
  readonly #worker: Worker;
  readonly #startedAt: number;
  readonly #rate = new RateMeter();
  readonly #resources = new DisposableStack();
  #ended: Promise<RunSummary> | undefined;
  /** Unfinished work started by a timer or a change of the queue. */
  readonly #inFlight = new Set<Promise<void>>();
  /** Whether this process had jobs when it was last announced. */
  #wasBusy = false;

  constructor(setup: OrchestratorSetup) {
    const { queue, handler, clock = systemClock, around, admission, random, ...more } = setup;
    const { report = () => undefined, log = () => undefined, ...given } = more;
    const options = { ...ORCHESTRATOR_DEFAULTS, ...given };
    const { store } = queue;
    this.#options = options;
    this.#store = store;
    this.#clock = clock;
    this.#report = report;
    this.#startedAt = clock.now();
    this.#admission = admission ?? localAdmission(options, { clock, random, report });
    const parts = { options, store, handler, clock, report, log, around, random };
    this.#worker = new Worker({ ...parts, workerId: this.workerId, admission: this.#admission });
  }

  /** `parked` jobs wait for a host without a worker. */
  get status(): { readonly running: number; readonly parked: number; readonly counts: Omit<RunSummary, 'reason'> } {
    const { running, parked, counts } = this.#worker;
    return { running, parked, counts: { ...counts } };
  }

  /** Hosts that are held or slowed because they asked for it. */
  get throttled(): { readonly host: string; readonly cap: number | null; readonly heldMs: number | null }[] {
    return this.#admission
      .snapshot()
      .filter(({ slowed, hold }) => slowed || (hold !== null && hold.reason !== 'paused'))
      .map(({ key, cap, hold }) => ({ host: key, cap, heldMs: hold?.forMs ?? null }));
  }

  /** Works until drained or stopped. When stopped, running jobs may finish within the grace time. */
  async run(options: { readonly drain?: DrainMode; readonly signal?: AbortSignal } = {}): Promise<RunSummary> {
    await this.start(options);
    try {
      const summary = await this.ended;
      await this.leave();
      return summary;
    } finally {
      this.#resources.dispose();
    }
  }

  /** `run` in steps: resolves once this process is announced in the queue; then await `ended` and `leave`. */
  async start(options: { readonly drain?: DrainMode; readonly signal?: AbortSignal } = {}): Promise<void> {
    const { drain = 'never', signal } = options;
    const worker = this.#worker;
    const stop = (): void => worker.stop('asked to stop');
    // Before the first await: `drain` may be called meanwhile.
    worker.drain(drain);
    try {
      this.#resources.use(
        this.#store.watch((change) => (change === 'jobs' ? worker.lookAgain() : this.#guard(() => this.#controlled()))),
      );
      this.#resources.use(this.#admission.watch(() => worker.hostsChanged()));
      await recoverDead(this.#store, this.#clock);
      await this.#readPauses();
      await this.#announce();
      this.#every(this.#options.heartbeatMs, () => this.#heartbeat());
      if (this.#options.heartbeatMs > ANNOUNCE_MS) this.#every(ANNOUNCE_MS, () => this.#announceProgress());
      this.#every(SWEEP_MS, async () => worker.sweep());
      const { keepFinished } = this.#options;
      if (keepFinished > 0) this.#every(RETIRE_MS, () => this.#retire(keepFinished));
    } catch (error) {
      this.#resources.dispose();
      throw error;
    }
    signal?.addEventListener('abort', stop, { once: true });
    this.#resources.defer(() => signal?.removeEventListener('abort', stop));
    if (signal?.aborted) stop();
    this.#ended = worker.run().then((reason) => ({ ...worker.counts, reason }));
    // Rejections reach the callers that await `ended`.
    this.#ended.catch(() => undefined);
  }

  /** Resolves with the summary when the orchestrator has ended. */
  get ended(): Promise<RunSummary> {
    return this.#ended ?? Promise.reject(new Error('the orchestrator was not started'));
  }

  /** Ends the run when the queue is empty: call when no more jobs will be enqueued. */
  drain(mode: DrainMode = 'empty'): void {
    this.#worker.drain(mode);
  }

  /** Changes how many jobs run at once; those over a lower number finish. */
  resize(maxWorkers: number): void {
    this.#worker.resize(maxWorkers);
  }

  /** Call after `ended`: other processes no longer see this one. */
  async leave(): Promise<void> {
    this.#resources.dispose();
    // A later write would announce this process again.
    await Promise.all(this.#inFlight);
    await this.#store.announce(this.workerId, null, this.#clock.now());
  }

  /** An operator paused, resumed or cancelled something, or the server is reachable again. */
  async #controlled(): Promise<void> {
    await this.#readPauses();
    // A cancelled job shows as a lost lease. A server may have lost a settlement in an outage.
    await this.#worker.heartbeat();
    this.#worker.reconcile();
  }

  async #heartbeat(): Promise<void> {
    await this.#worker.heartbeat();
    this.#worker.reconcile();
    await recoverDead(this.#store, this.#clock);
    await this.#announce();
  }

  async #retire(keep: number): Promise<void> {
    for (let step = 0; step < RETIRE_STEPS; step += 1)
      if ((await this.#store.admin.retire(keep)) < RETIRED_AT_ONCE) return;
  }

  async #announceProgress(): Promise<void> {
    const { running, parked } = this.#worker;
    if (running + parked > 0 || this.#wasBusy) await this.#announce();
  }

  #every(intervalMs: number, work: () => Promise<void>): void {
    const arm = (): Disposable =>
      this.#clock.setTimer(intervalMs, () => {
        timer = arm();
        this.#guard(work);
      });
    let timer = arm();
    this.#resources.defer(() => timer[Symbol.dispose]());
  }

  #guard(work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => this.#worker.fail(error))
      .finally(() => this.#inFlight.delete(running));
    this.#inFlight.add(running);
  }

  async #readPauses(): Promise<void> {
    const pauses = await this.#store.admin.pauses();
    this.#worker.applyPauses(pauses);
    this.#report({
      kind: 'pauses-changed',
      pauses: pauses.map(({ scope, name }) => (scope === 'all' ? 'all' : `${scope} ${name}`)),
    });
  }

  async #announce(): Promise<void> {
    const { running, parked, counts } = this.#worker;
    const { maxWorkers, heartbeatMs } = this.#options;
    const now = this.#clock.now();
    this.#wasBusy = running + parked > 0;
    this.#rate.note(counts.done + counts.skipped + counts.error, now);
    await this.#store.announce(
      this.workerId,
      {
        pid: process.pid,
        hostname: hostname(),
        startedAt: this.#startedAt,
        maxWorkers,
        heartbeatMs,
        running,
        parked,
        perSecond: this.#rate.perSecond ?? 0,
        hosts: hostReports(this.#admission.snapshot(), HOSTS_ANNOUNCED),
      },
      now,
    );
  }
}

/** Caps per host and resolver, without rates: handlers limit their own rate. */
function localAdmission(
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
