import type { Clock, Random } from '../base/index.ts';
import { AppError } from '../base/index.ts';
import type { AheadJobs } from './ahead-jobs.ts';
import type { Report } from './events.ts';
import type { Handler, HandlerContext } from './handler.ts';
import type { OrchestratorOptions } from './options.ts';
import type { StopReason } from './running-job.ts';
import { RunningJob, settlementOf, settlementOfFailure } from './running-job.ts';
import type { Seats } from './seats.ts';
import { seated } from './seats.ts';
import type { LeasedJob, QueueStore, SettledLease, Settlement } from './types.ts';

/** What a handler gets to stop in after being told to; then it is abandoned. */
const ABANDON_MS = 5_000;
/** When a job is looked at again that this process still has in hand. */
const TAKE_UP_MS = 1_000;
const REFUSED_KEPT = 1_000;

export interface RunningJobsOptions {
  readonly options: OrchestratorOptions;
  readonly workerId: string;
  readonly store: QueueStore;
  readonly handler: Handler;
  readonly clock: Clock;
  readonly seats: Seats;
  /** Those that were leased and are not begun yet: their leases are kept with the others. */
  readonly ahead: AheadJobs;
  readonly report: Report;
  readonly log: HandlerContext['log'];
  readonly around: (<T>(job: LeasedJob, run: () => Promise<T>) => Promise<T>) | undefined;
  readonly random: Random | undefined;
  /** Jobs have ended whose settlements wait to be written. */
  readonly ended: () => void;
}

/** A job that ended, and what is to be written down of it. */
export interface EndedJob extends SettledLease {
  readonly running: RunningJob;
}

/** The jobs that this process has leased: it runs them, keeps their leases, stops them, and settles each exactly once. */
export class RunningJobs {
  readonly counts = { done: 0, skipped: 0, error: 0, requeued: 0, lost: 0 };
  readonly #given: RunningJobsOptions;
  readonly #jobs = new Map<number, RunningJob>();
  /** Answers that were refused because their lease had run out, by job: kept for as long as one may come of it. */
  readonly #refused = new Map<number, Pick<EndedJob, 'running' | 'settlement' | 'token'>>();
  /** When all leases were prolonged last, by the wall clock: the other stands still while a machine sleeps. */
  #keptAt: number;
  #writing = 0;
  /** Jobs that ended in this turn of the loop. */
  #ended: EndedJob[] = [];
  /** Jobs that ended in earlier turns. */
  #unwritten: EndedJob[] = [];

  constructor(given: RunningJobsOptions) {
    this.#given = given;
    this.#keptAt = given.clock.now();
  }

  get size(): number {
    return this.#jobs.size;
  }

  get ids(): number[] {
    return [...this.#jobs.keys()];
  }

  /** How many run, or have ended and are not being written yet. */
  get fresh(): number {
    return this.#jobs.size - this.#writing;
  }

  /** How many have ended and are not being written yet. */
  get unwritten(): number {
    return this.#ended.length + this.#unwritten.length;
  }

  /** Runs a job, unless this process still has it in hand from a lease that ran out. */
  start(job: LeasedJob, worker: Disposable): void {
    if (this.takeUp(job)) {
      worker[Symbol.dispose]();
      return;
    }
    const { options, clock, seats, report, workerId } = this.#given;
    const startedAt = clock.monotonic();
    const deadline = options.jobTimeoutMs > 0 ? startedAt + options.jobTimeoutMs : Infinity;
    const running = new RunningJob(job, { startedAt, deadline, worker });
    this.#jobs.set(job.id, running);
    seats.expect(running, 1);
    report({ kind: 'job-started', job, workerId });
    void this.#run(running);
  }

  /** A process that slept beyond its heartbeats prolongs its leases before it looks for those that ran out: it is not dead. */
  async heartbeatIfLate(): Promise<void> {
    const { clock, options } = this.#given;
    if (clock.now() - this.#keptAt > options.leaseMs / 2) await this.heartbeat();
  }

  /** Prolongs every lease in one write, and stops the jobs whose lease was lost. */
  async heartbeat(): Promise<void> {
    const { store, clock, options, report, ahead } = this.#given;
    const now = clock.now();
    this.#keptAt = now;
    const held = [...this.#jobs.values()].filter(({ ended }) => !ended);
    const leases = [...held.map(({ job }) => job), ...ahead.jobs];
    if (leases.length === 0) return;
    const lost = await store.extend(leases, now, options.leaseMs);
    ahead.prolonged(now, leases, lost);
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

  /** The jobs whose settlements wait to be written. */
  takeEnded(): readonly EndedJob[] {
    const ended = this.#unwritten;
    if (ended.length > 0) this.#unwritten = [];
    this.#writing = ended.length;
    return ended;
  }

  /** The settlements were written, or refused where the lease had been lost. */
  settled(group: readonly EndedJob[], accepted: readonly boolean[]): void {
    this.#writing = 0;
    group.forEach(({ running, settlement, id, token }, at) => {
      this.#forget(running);
      const taken = accepted[at] ?? false;
      if (!taken) {
        this.counts.lost += 1;
        if (running.stopReason === undefined) this.#remember(id, { running, settlement, token });
      } else if (settlement.kind === 'requeue') this.counts.requeued += 1;
      else this.counts[settlement.state] += 1;
      this.#given.report({ kind: 'job-settled', job: running.job, settlement, accepted: taken });
    });
  }

  /** The settlements could not be written. Their leases run out by themselves: that means a repeat, never a loss. */
  unsettled(group: readonly EndedJob[]): void {
    this.#writing = 0;
    for (const { running } of group) this.#forget(running);
  }

  /**
   * A process that was frozen or blocked beyond a lease may lease its own job again. Nobody had it in between if the token
   * is the next one: then the new lease is for what already runs, or for the answer that was refused. Otherwise
   * somebody else has worked on it, so what runs here is told to stop, and the job comes back when it has.
   */
  takeUp(job: LeasedJob): boolean {
    const refused = this.#refused.get(job.id);
    this.#refused.delete(job.id);
    if (refused && refused.token + 1 === job.token) {
      this.#write(refused.running, job, refused.settlement);
      return true;
    }
    const running = this.#jobs.get(job.id);
    if (!running) return false;
    if (running.job.token + 1 === job.token && !running.ended) running.job = job;
    else {
      running.stop('lease-lost', this.#given.clock.monotonic());
      this.#write(running, job, { kind: 'requeue', delayMs: TAKE_UP_MS, refund: true });
    }
    return true;
  }

  async #run(running: RunningJob): Promise<void> {
    let settlement: Settlement;
    try {
      settlement = settlementOf(await this.#handle(running), this.#given.clock);
    } catch (error) {
      // It threw, or its answer made no sense.
      settlement = this.#failure(running, error);
    }
    this.#end(running, settlement);
  }

  #handle(running: RunningJob): ReturnType<Handler> {
    const { handler, seats, log, workerId, around } = this.#given;
    const { job } = running;
    const view = {
      id: job.id,
      artifactId: job.artifactId,
      artifact: parseArtifact(job),
      attempt: job.attempt,
      resolverHint: job.resolverHint,
    };
    const context = new JobContext(running, seats, workerId, log);
    return seated(seats.seatOf(running), () =>
      around ? around(job, async () => handler(view, context)) : handler(view, context),
    );
  }

  #end(running: RunningJob, settlement: Settlement): void {
    if (running.ended) return;
    running.ended = true;
    const { job } = running;
    const durationMs = this.#given.clock.monotonic() - running.startedAt;
    this.#given.ahead.learn(durationMs);
    this.#given.report({ kind: 'job-ended', job, settlement, durationMs });
    this.#write(running, job, settlement);
  }

  #write(running: RunningJob, { id, token, resolverHint }: LeasedJob, settlement: Settlement): void {
    this.#ended.push({ id, token, resolverHint, settlement, running });
    if (this.#ended.length > 1) return;
    // Those that end in one turn of the loop are written together, which is what makes many small jobs cheap.
    setImmediate(() => {
      const ended = this.#ended;
      this.#ended = [];
      this.#unwritten = this.#unwritten.length === 0 ? ended : this.#unwritten.concat(ended);
      for (const each of ended) if (each.running.ended) this.#leaveWorker(each.running);
      this.#given.ended();
    });
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
    this.#end(running, this.#failure(running, running.controller.signal.reason));
  }

  #leaveWorker(running: RunningJob): void {
    this.#given.seats.expect(running, -1);
    running.worker?.[Symbol.dispose]();
    running.worker = undefined;
  }

  #remember(id: number, refused: Pick<EndedJob, 'running' | 'settlement' | 'token'>): void {
    this.#refused.set(id, refused);
    for (const oldest of this.#refused.keys()) {
      if (this.#refused.size <= REFUSED_KEPT) break;
      this.#refused.delete(oldest);
    }
  }

  #forget(running: RunningJob): void {
    if (running.ended && this.#jobs.get(running.job.id) === running) this.#jobs.delete(running.job.id);
  }
}

/** A class, because a signal made only for those who ask costs a small job nothing, and an object with a getter more than the signal. */
class JobContext implements HandlerContext {
  readonly workerId: string;
  readonly log: HandlerContext['log'];
  readonly withLimits: HandlerContext['withLimits'];
  readonly #running: RunningJob;

  constructor(running: RunningJob, seats: Seats, workerId: string, log: HandlerContext['log']) {
    this.#running = running;
    this.workerId = workerId;
    this.log = log;
    this.withLimits = (resolver, url, work) => seats.run(running, resolver, url, work);
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
