import type { Clock, Timer } from '../../base/index.ts';
import type { Progress, StageEvent } from '../events.ts';
import { ErrorTally, Percentiles, Slowest } from './statistics.ts';
import type { StageErrorInfo, StageOutcome } from '../types.ts';

/** Least time between two progress events. */
const PROGRESS_EVERY_MS = 200;

/** What the meter has to ask the run. */
export interface Gauges {
  readonly inFlight: number;
  readonly queued: number;
  readonly waitingForRetry: number;
}

/** Counts and times of a run, and who is told about them. Nothing is done while nothing happens. */
export class Meter implements Disposable {
  readonly #stageName: string;
  readonly #total: number | undefined;
  readonly #clock: Clock;
  readonly #report: ((event: StageEvent) => void) | undefined;
  readonly #gauges: () => Gauges;
  readonly #startedAt: number;
  readonly #exec = new Percentiles();
  readonly #queue = new Percentiles();
  readonly #slowest = new Slowest();
  readonly #errors = new ErrorTally();
  #progressAt = 0;
  #timer: Timer | undefined;
  scheduled = 0;
  succeeded = 0;
  skipped = 0;
  failed = 0;
  retried = 0;
  unfinished = 0;
  abandoned = 0;

  constructor(options: {
    readonly stageName: string;
    readonly total: number | undefined;
    readonly clock: Clock;
    readonly report: ((event: StageEvent) => void) | undefined;
    readonly diagnosticsIntervalS: number;
    readonly gauges: () => Gauges;
  }) {
    this.#stageName = options.stageName;
    this.#total = options.total;
    this.#clock = options.clock;
    this.#report = options.report;
    this.#gauges = options.gauges;
    this.#startedAt = options.clock.monotonic();
    if (options.report && options.diagnosticsIntervalS > 0) this.#diagnose(options.diagnosticsIntervalS * 1000);
  }

  /** An attempt ended. */
  measure(itemId: string, queuedMs: number, durationMs: number): void {
    this.#queue.add(queuedMs);
    this.#exec.add(durationMs);
    this.#slowest.add(itemId, durationMs);
  }

  fail(error: StageErrorInfo): void {
    this.failed += 1;
    this.#errors.add(error);
  }

  /** Something became final: perhaps it is time to say so. */
  tick(): void {
    if (!this.#report) return;
    const now = this.#clock.monotonic();
    if (now - this.#progressAt < PROGRESS_EVERY_MS) return;
    this.#progressAt = now;
    this.#report({ kind: 'progress', progress: this.progress() });
  }

  progress(): Progress {
    const { inFlight, queued, waitingForRetry } = this.#gauges();
    const elapsedMs = this.#clock.monotonic() - this.#startedAt;
    const done = this.succeeded + this.skipped + this.failed;
    // Items satisfied by an earlier run took no time and say nothing about those to come.
    const worked = this.succeeded + this.failed;
    const itemsPerSecond = elapsedMs > 0 ? (worked / elapsedMs) * 1000 : 0;
    const left = this.#total === undefined ? undefined : Math.max(0, this.#total - done);
    const etaMs =
      left === 0 ? 0 : left !== undefined && itemsPerSecond > 0 ? (left / itemsPerSecond) * 1000 : undefined;
    return {
      stageName: this.#stageName,
      elapsedMs,
      done,
      ...(this.#total !== undefined && { total: this.#total }),
      succeeded: this.succeeded,
      skipped: this.skipped,
      failed: this.failed,
      retried: this.retried,
      inFlight,
      queued,
      waitingForRetry,
      execP50Ms: this.#exec.at(0.5),
      execP95Ms: this.#exec.at(0.95),
      itemsPerSecond,
      ...(etaMs !== undefined && { etaMs }),
    };
  }

  outcome(stopReason: string | undefined): StageOutcome {
    return {
      stageName: this.#stageName,
      scheduled: this.scheduled,
      skipped: this.skipped,
      succeeded: this.succeeded,
      failed: this.failed,
      retried: this.retried,
      cancelled: stopReason !== undefined,
      ...(stopReason !== undefined && { stopReason }),
      unfinished: this.unfinished,
      abandoned: this.abandoned,
      wallMs: this.#clock.monotonic() - this.#startedAt,
      queueP50Ms: this.#queue.at(0.5),
      execP50Ms: this.#exec.at(0.5),
      execP95Ms: this.#exec.at(0.95),
      errors: this.#errors.first,
      slowest: this.#slowest.list(),
      topErrors: this.#errors.top(),
    };
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #diagnose(everyMs: number): void {
    this.#timer = this.#clock.setTimer(everyMs, () => {
      this.#report?.({ kind: 'diagnostics', progress: this.progress() });
      this.#diagnose(everyMs);
    });
    this.#timer.unref();
  }
}
