import type { Clock, Timer } from '../../base/index.ts';
import type { ErrorCategory, Progress, StageErrorInfo, StageEvent, StageOutcome } from '../types.ts';

const PROGRESS_EVERY_MS = 200;
const SLOWEST = 10;
const TOP_ERRORS = 10;
const MOST_ERRORS = 1_000;

interface MeterOptions {
  readonly stageName: string;
  readonly total: number | undefined;
  readonly clock: Clock;
  readonly report: (event: StageEvent) => void;
  readonly diagnosticsIntervalS: number;
  readonly gauges: () => Pick<Progress, 'inFlight' | 'queued' | 'waitingForRetry'>;
}

export class Meter implements Disposable {
  readonly counts = { scheduled: 0, skipped: 0, succeeded: 0, failed: 0, retried: 0, unfinished: 0, abandoned: 0 };
  readonly #options: MeterOptions;
  readonly #startedAt: number;
  readonly #exec = new Percentiles();
  readonly #queue = new Percentiles();
  readonly #errors = new ErrorTally();
  #slowest: StageOutcome['slowest'] = [];
  #progressAt = 0;
  #timer: Timer | undefined;

  constructor(options: MeterOptions) {
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
    if (options.diagnosticsIntervalS > 0) this.#diagnose(options.diagnosticsIntervalS * 1000);
  }

  measure(itemId: string, queuedMs: number, durationMs: number): void {
    this.#queue.add(queuedMs);
    this.#exec.add(durationMs);
    const durationS = durationMs / 1000;
    if (this.#slowest.length === SLOWEST && durationS <= (this.#slowest.at(-1)?.durationS ?? 0)) return;
    this.#slowest = [...this.#slowest, { itemId, durationS }]
      .sort((a, b) => b.durationS - a.durationS)
      .slice(0, SLOWEST);
  }

  fail(error: StageErrorInfo): void {
    this.counts.failed += 1;
    this.#errors.add(error);
  }

  tick(): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#progressAt < PROGRESS_EVERY_MS) return;
    this.#progressAt = now;
    this.#options.report({ kind: 'progress', progress: this.#progress() });
  }

  outcome(stopReason: string | undefined): StageOutcome {
    return {
      stageName: this.#options.stageName,
      ...this.counts,
      cancelled: stopReason !== undefined,
      ...(stopReason !== undefined && { stopReason }),
      wallMs: this.#options.clock.monotonic() - this.#startedAt,
      queueP50Ms: this.#queue.at(0.5),
      execP50Ms: this.#exec.at(0.5),
      execP95Ms: this.#exec.at(0.95),
      errors: this.#errors.first,
      slowest: this.#slowest,
      topErrors: this.#errors.top(),
    };
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #progress(): Progress {
    const { succeeded, skipped, failed, retried } = this.counts;
    const elapsedMs = this.#options.clock.monotonic() - this.#startedAt;
    const done = succeeded + skipped + failed;
    // Skipped items took no time and say nothing about the rest.
    const itemsPerSecond = elapsedMs > 0 ? ((succeeded + failed) / elapsedMs) * 1000 : 0;
    const { stageName, total } = this.#options;
    const left = total === undefined ? undefined : Math.max(0, total - done);
    const isPredictable = left === 0 || itemsPerSecond > 0;
    return {
      stageName,
      elapsedMs,
      done,
      ...(total !== undefined && { total }),
      succeeded,
      skipped,
      failed,
      retried,
      ...this.#options.gauges(),
      execP50Ms: this.#exec.at(0.5),
      execP95Ms: this.#exec.at(0.95),
      itemsPerSecond,
      ...(left !== undefined && isPredictable && { etaMs: left === 0 ? 0 : (left / itemsPerSecond) * 1000 }),
    };
  }

  #diagnose(everyMs: number): void {
    this.#timer = this.#options.clock.setTimer(everyMs, () => {
      this.#options.report({ kind: 'diagnostics', progress: this.#progress() });
      this.#diagnose(everyMs);
    });
    this.#timer.unref();
  }
}

const PER_DOUBLING = 64;

/** Percentiles in bounded space, to about one percent. */
export class Percentiles {
  readonly #counts = new Map<number, number>();
  #total = 0;

  add(ms: number): void {
    const bucket = ms > 0 ? Math.round(Math.log2(ms) * PER_DOUBLING) : -Infinity;
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1);
    this.#total += 1;
  }

  /** The smallest duration that at least this share does not exceed; 0 if there is none. */
  at(share: number): number {
    let left = Math.ceil(share * this.#total);
    for (const [bucket, count] of [...this.#counts].sort(([a], [b]) => a - b)) {
      left -= count;
      if (left <= 0) return 2 ** (bucket / PER_DOUBLING);
    }
    return 0;
  }
}

/** Final errors: the first thousand in full, and counts by kind. */
export class ErrorTally {
  readonly first: StageErrorInfo[] = [];
  readonly #kinds = new Map<string, { readonly category: ErrorCategory; readonly message: string; count: number }>();

  add(error: StageErrorInfo): void {
    if (this.first.length < MOST_ERRORS) this.first.push(error);
    const { category, message } = error;
    // The same error of many documents differs only in names and numbers.
    const kindOf = message.replaceAll(/(?<!\S)[^\s/\\]*[/\\]\S*/g, '').replaceAll(/\d+/g, '');
    const key = `${category} ${kindOf}`;
    const kind = this.#kinds.get(key);
    if (kind) kind.count += 1;
    else if (this.#kinds.size < MOST_ERRORS) this.#kinds.set(key, { category, message, count: 1 });
  }

  top(): StageOutcome['topErrors'] {
    return [...this.#kinds.values()].sort((a, b) => b.count - a.count).slice(0, TOP_ERRORS);
  }
}
