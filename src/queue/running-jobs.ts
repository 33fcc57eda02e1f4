import type { Clock, Random, Slot } from '../base/index.ts';
import { AppError } from '../base/index.ts';
import type { Report } from './events.ts';
import type { Handler, HandlerContext, HandlerOutcome } from './handler.ts';
import type { JobLimits } from './job-limits.ts';
import type { OrchestratorOptions } from './options.ts';
import type { StopReason } from './running-job.ts';
import { RunningJob, settlementOf, settlementOfFailure } from './running-job.ts';
import type { Settled } from './settler.ts';
import { Settler } from './settler.ts';
import type { LeasedJob, QueueStore, Settlement } from './types.ts';

/** What a handler gets to stop in after being told to; then it is abandoned. */
const ABANDON_MS = 5_000;

export interface RunningJobsOptions {
  readonly options: OrchestratorOptions;
  readonly workerId: string;
  readonly store: QueueStore;
  readonly handler: Handler;
  readonly clock: Clock;
  readonly limits: JobLimits;
  readonly report: Report;
  readonly log: HandlerContext['log'];
  readonly around: (<T>(job: LeasedJob, run: () => Promise<T>) => Promise<T>) | undefined;
  readonly random: Random | undefined;
  /** Some jobs were settled and their workers are free; some may have gone back to the queue. */
  readonly settled: (requeued: boolean) => void;
  /** Some workers are free although their jobs are still being written down. */
  readonly freed: () => void;
  /** The store cannot be written. */
  readonly failed: (error: unknown) => void;
}

/** The jobs that this process has leased: it runs them, keeps their leases, stops them, and settles each exactly once. */
export class RunningJobs {
  readonly counts = { done: 0, skipped: 0, error: 0, requeued: 0, lost: 0 };
  readonly #given: RunningJobsOptions;
  readonly #jobs = new Map<number, RunningJob>();
  readonly #settler: Settler;

  constructor(given: RunningJobsOptions) {
    this.#given = given;
    this.#settler = new Settler({
      store: given.store,
      now: () => given.clock.now(),
      underway: (group) => this.#leaveWorkers(group),
      settled: (results) => this.#settled(results),
      failed: (error, unsettled) => {
        // Their leases run out by themselves: a lost settlement means a repeat, never a loss.
        for (const job of unsettled) this.#forget(job);
        given.failed(error);
      },
    });
  }

  get size(): number {
    return this.#jobs.size;
  }

  start(job: LeasedJob, worker: Slot): void {
    const { options, clock, limits, report, workerId } = this.#given;
    const startedAt = clock.monotonic();
    const deadline = options.jobTimeoutMs > 0 ? startedAt + options.jobTimeoutMs : Infinity;
    const running = new RunningJob(job, { startedAt, deadline, worker });
    this.#jobs.set(job.id, running);
    limits.expect(running, 1);
    report({ kind: 'job-started', job, workerId });
    this.#run(running).then(
      (outcome) => this.#end(running, () => settlementOf(outcome, clock)),
      (error: unknown) => this.#end(running, () => this.#failure(running, error)),
    );
  }

  /** Prolongs every lease in one write, and stops the jobs whose lease was lost. */
  async heartbeat(): Promise<void> {
    const { store, clock, options, report } = this.#given;
    const held = [...this.#jobs.values()].filter(({ ended }) => !ended);
    if (held.length === 0) return;
    const lost = await store.extend(
      held.map(({ job }) => job),
      clock.now(),
      options.leaseMs,
    );
    for (const { id, token } of lost) {
      const running = this.#jobs.get(id);
      if (!running || running.job.token !== token || running.ended) continue;
      report({ kind: 'lease-lost', job: running.job });
      running.stop('lease-lost', clock.monotonic());
    }
  }

  /** Stops jobs whose time is up, and abandons those that did not stop when told to. */
  sweep(): void {
    const now = this.#given.clock.monotonic();
    for (const running of this.#jobs.values()) {
      if (running.ended) continue;
      if (running.stopReason === undefined && running.worker && now >= running.deadline) running.stop('timeout', now);
      if (running.stopReason !== undefined && now >= running.stoppedAt + ABANDON_MS) this.#abandon(running);
    }
  }

  /** Tells every job to stop; with `parkedOnly`, just those that wait without a worker. */
  stopAll(reason: StopReason, parkedOnly = false): void {
    const now = this.#given.clock.monotonic();
    for (const running of this.#jobs.values()) {
      if (!running.ended && !(parkedOnly && running.worker)) running.stop(reason, now);
    }
  }

  async #run(running: RunningJob): Promise<HandlerOutcome> {
    const { handler, limits, log, workerId, around } = this.#given;
    const { job } = running;
    const view = {
      id: job.id,
      artifactId: job.artifactId,
      artifact: parseArtifact(job),
      attempt: job.attempt,
      resolverHint: job.resolverHint,
    };
    const context = new JobContext(running, limits, { workerId, log });
    return around ? around(job, async () => handler(view, context)) : handler(view, context);
  }

  #end(running: RunningJob, decide: () => Settlement): void {
    if (running.ended) return;
    running.ended = true;
    const { job } = running;
    let settlement: Settlement;
    try {
      settlement = decide();
    } catch (error) {
      // The handler's answer made no sense: that is a failure like any other.
      settlement = this.#failure(running, error);
    }
    this.#given.report({
      kind: 'job-ended',
      job,
      settlement,
      durationMs: this.#given.clock.monotonic() - running.startedAt,
    });
    this.#settler.add(job, settlement);
  }

  #failure(running: RunningJob, error: unknown): Settlement {
    const { options, random } = this.#given;
    return settlementOfFailure(running, error, {
      maxAttempts: options.maxAttempts,
      baseMs: options.retryBackoffMs,
      jitterMs: options.retryJitterMs,
      capMs: options.retryMaxDelayMs,
      ...(random && { random }),
    });
  }

  #abandon(running: RunningJob): void {
    this.#given.report({ kind: 'job-abandoned', job: running.job });
    this.#end(running, () => this.#failure(running, running.controller.signal.reason));
  }

  #settled(results: readonly Settled[]): void {
    for (const { job, settlement, accepted } of results) {
      this.#forget(job);
      if (!accepted) this.counts.lost += 1;
      else if (settlement.kind === 'requeue') this.counts.requeued += 1;
      else this.counts[settlement.state] += 1;
      this.#given.report({ kind: 'job-settled', job, settlement, accepted });
    }
    this.#given.settled(results.some(({ settlement }) => settlement.kind === 'requeue'));
  }

  /** Only one group is written at a time, so that no more than a full set of jobs is ever held beyond the workers. */
  #leaveWorkers(group: readonly Settled[]): void {
    for (const { job } of group) {
      const running = this.#jobs.get(job.id);
      if (running?.job === job) this.#leaveWorker(running);
    }
    this.#given.freed();
  }

  #leaveWorker(running: RunningJob): void {
    this.#given.limits.expect(running, -1);
    running.worker?.[Symbol.dispose]();
    running.worker = undefined;
  }

  #forget(job: LeasedJob): void {
    const running = this.#jobs.get(job.id);
    if (!running || running.job !== job) return;
    this.#jobs.delete(job.id);
    this.#leaveWorker(running);
  }
}

/** A class, because a signal made only for those who ask costs a small job nothing, and an object with a getter more than the signal. */
class JobContext implements HandlerContext {
  readonly workerId: string;
  readonly log: HandlerContext['log'];
  readonly withLimits: HandlerContext['withLimits'];
  readonly #running: RunningJob;

  constructor(running: RunningJob, limits: JobLimits, given: Pick<HandlerContext, 'workerId' | 'log'>) {
    this.#running = running;
    this.workerId = given.workerId;
    this.log = given.log;
    this.withLimits = (resolver, url, work) => limits.run(running, resolver, url, work);
  }

  get signal(): AbortSignal {
    return this.#running.controller.signal;
  }
}

function parseArtifact(job: LeasedJob): unknown {
  try {
    return JSON.parse(job.artifactJson) as unknown;
  } catch (cause) {
    throw Object.assign(new AppError('ARTIFACT_INVALID', `the payload of ${job.artifactId} is not JSON`, { cause }), {
      retryable: false,
    });
  }
}
