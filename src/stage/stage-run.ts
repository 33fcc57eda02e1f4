import { dirname } from 'node:path';

import type { Clock, Random, Timer } from '../base/index.ts';
import { spreadDelay } from '../base/index.ts';
import { Endings } from './record/endings.ts';
import type { StageEvent } from './events.ts';
import type { Feed } from './plan/feed.ts';
import type { HookCaller } from './record/hooks.ts';
import { Intake } from './plan/intake.ts';
import type { Executor, ItemRun, Performed } from './execute/item-run.ts';
import type { ManifestSink } from './record/manifest-sink.ts';
import type { KernelEvent, Tell } from './kernel-event.ts';
import { Meter } from './record/meter.ts';
import type { Resume } from './plan/resume.ts';
import type { RunMark } from './commit/run-mark.ts';
import type { BareError } from './stage-error.ts';
import { isDiskFull } from './stage-error.ts';
import { TurnBudget } from './execute/turn-budget.ts';
import type { StageErrorInfo, StageOptions } from './types.ts';

/** Retries are spread by a quarter to either side, and never wait longer than this unless a server asks for it. */
const RETRY_SPREAD = 0.25;
const LONGEST_RETRY_MS = 3_600_000;

/** What a run is made of. */
export interface RunParts {
  readonly stageName: string;
  readonly schemaVersion: string;
  readonly options: StageOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: ((event: StageEvent) => void) | undefined;
  readonly feed: Feed;
  readonly hooks: HookCaller;
  readonly sink: ManifestSink;
  readonly mark: RunMark;
  readonly resume: Resume;
  readonly createExecutor: (tell: Tell) => Executor;
}

/**
 * One run of a stage. Everything that happens to an item ends in `#pump`, which starts what can be started:
 *
 *   feed → judged → (satisfied) ──────────────────────────────→ in order: row, hook, settlement
 *            └→ schedule → executor → outputs committed ──────────┘
 *                  ↑           └ retryable: waits beside the others
 *                  └───────────────┘
 */
export class StageRun {
  readonly meter: Meter;
  readonly #parts: RunParts;
  readonly #executor: Executor;
  readonly #budget = new TurnBudget(() => this.#pump());
  readonly #intake: Intake;
  readonly #endings: Endings;
  readonly #retryTimers = new Map<ItemRun, Timer>();
  readonly #retryReady: ItemRun[] = [];
  readonly #ended = Promise.withResolvers<void>();
  /** idle ──something happened──▶ pumping ──again meanwhile──▶ again ──▶ pumping ──▶ idle */
  #pumpMode: 'idle' | 'pumping' | 'again' = 'idle';
  #stopReason: string | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(parts: RunParts) {
    const { stageName, options, feed, clock, report } = parts;
    this.#parts = parts;
    this.meter = new Meter({
      stageName,
      total: feed.total,
      clock,
      report,
      diagnosticsIntervalS: options.diagnosticsIntervalS,
      gauges: () => ({
        inFlight: this.#executor.inFlight,
        queued: this.#intake.size + this.#retryReady.length,
        waitingForRetry: this.#retryTimers.size,
      }),
    });
    const tell: Tell = (event) => this.#hear(event);
    this.#endings = new Endings({
      ...parts,
      durable: options.durable,
      meter: this.meter,
      source: feed.source,
      tell,
    });
    this.#intake = new Intake({ ...parts, budget: this.#budget, places: this.#endings, tell });
    this.#executor = parts.createExecutor(tell);
  }

  get stopReason(): string | undefined {
    return this.#stopReason;
  }

  /** Resolves when every item begun has ended, its row is written and its source knows. */
  async run(): Promise<void> {
    this.#pump();
    await this.#ended.promise;
    this.meter[Symbol.dispose]();
    await this.#executor[Symbol.asyncDispose]();
    if (this.#failure) throw this.#failure.error;
  }

  /** No new items; what runs may finish, what waited is left for the next run. */
  drain(reason: string): void {
    if (this.#stopReason !== undefined) return;
    this.#stopReason = reason;
    this.#parts.report?.({ kind: 'stopping', reason });
    for (const [run, timer] of this.#retryTimers) {
      timer[Symbol.dispose]();
      this.#endings.leave(run);
    }
    this.#retryTimers.clear();
    for (const run of this.#retryReady.splice(0)) this.#endings.leave(run);
    this.#intake.stop();
    this.#pump();
  }

  /** Stops what runs as well. */
  abort(reason: string): void {
    this.drain(reason);
    this.#executor.abort();
    this.#pump();
  }

  /** Everything that the rooms tell is answered here. */
  #hear(event: KernelEvent): void {
    const { report } = this.#parts;
    switch (event.kind) {
      case 'answered':
        this.#answered(event.run, event.performed);
        break;
      case 'satisfied':
        this.#endings.satisfied(event.run, event.verdict);
        break;
      case 'left':
        this.#endings.leave(event.run);
        break;
      case 'commit-failed':
        this.#attemptFailed(event.run, event.performed, event.error);
        break;
      case 'plan-broke':
        this.#failure ??= { error: event.error };
        break;
      case 'record-failed':
      case 'workers-unusable':
        this.#fail(event.error);
        break;
      case 'abandoned':
        this.meter.abandoned += 1;
        report?.({ kind: 'item-abandoned', itemId: event.run.item.itemId });
        break;
      case 'workers-stuck': {
        this.meter.abandoned += event.workers;
        const message = `${event.workers} worker(s) could not be ended; native code needs isolation: process`;
        report?.({ kind: 'warning', message });
        break;
      }
      case 'worker-replaced': {
        const { reason, run } = event;
        report?.({ kind: 'worker-replaced', reason, ...(run && { itemId: run.item.itemId }) });
        break;
      }
      case 'worker-output':
        report?.({ kind: 'worker-output', text: event.text });
        break;
      case 'changed':
        this.#pump();
        break;
    }
  }

  /** The run itself cannot go on; the error is thrown when what runs has finished. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.drain('failed');
  }

  #pump(): void {
    const wasIdle = this.#pumpMode === 'idle';
    this.#pumpMode = 'again';
    if (!wasIdle) return;
    while (this.#takeTurn()) {
      this.#intake.fill();
      this.#submit();
      this.#executor.flush();
    }
    if (this.#executor.inFlight > 0 || this.#intake.size > 0 || this.#retryReady.length > 0) return;
    // Waiting for the plan, for a retry or for the end: rows need not wait for company.
    this.#endings.writeNow();
    if (this.#intake.isOver && this.#retryTimers.size === 0 && this.#endings.isIdle) this.#ended.resolve();
  }

  /** Whether anything changed since the last turn. */
  #takeTurn(): boolean {
    const again = this.#pumpMode === 'again';
    this.#pumpMode = again ? 'pumping' : 'idle';
    return again;
  }

  #submit(): void {
    const { hooks, mark } = this.#parts;
    while (this.#executor.room > 0 && this.#endings.keepsUp && this.#budget.spend(1)) {
      const run = this.#retryReady.shift() ?? this.#intake.take();
      if (!run) {
        if (this.#intake.isOver) return;
        this.#intake.fill();
        if (this.#intake.size === 0) return;
        continue;
      }
      if (run.lost?.aborted) {
        this.#endings.leave(run);
        continue;
      }
      if (run.attempt === 1) {
        this.meter.scheduled += 1;
        hooks.beforeItem(run.item);
      }
      if (run.hasOutputs) for (const path of Object.values(run.item.outputs)) mark.note(dirname(path));
      this.#executor.submit(run);
    }
  }

  #answered(run: ItemRun, performed: Performed | undefined): void {
    if (!performed) this.#endings.leave(run);
    else {
      this.meter.measure(run.item.itemId, run.startedAt - run.queuedAt, performed.durationMs);
      switch (performed.status) {
        case 'success':
          this.#endings.succeeded(run, performed);
          break;
        case 'skip':
          this.#endings.skipped(run, performed);
          break;
        case 'failure':
          this.#attemptFailed(run, performed, performed.error);
          break;
      }
    }
    this.#pump();
  }

  #attemptFailed(run: ItemRun, performed: Performed, bare: BareError | undefined): void {
    const { options, clock, sink, report, stageName } = this.#parts;
    const unknown: BareError = { category: 'unknown', message: 'failed without a reason', retryable: false };
    const error: StageErrorInfo = { stage: stageName, itemId: run.item.itemId, ...(bare ?? unknown) };
    const record = this.#endings.record(run, performed);
    const again = error.retryable && run.attempt <= options.retries;
    if (isDiskFull(error)) this.drain(`disk: ${error.message}`);
    // What stops the stage may have passed by the time of the next attempt.
    else if (error.stopsStage && !again) this.drain(error.message);
    const delayMs = again ? this.#retryDelay(run.attempt, error) : undefined;
    sink.logAttempt(record, error, delayMs);
    if (delayMs === undefined) {
      this.#endings.failed(run, performed, error);
      report?.({ kind: 'item-failed', error, attempts: run.attempt });
      if (options.errorBudget > 0 && this.meter.failed > options.errorBudget)
        this.drain(`error budget: more than ${options.errorBudget} items failed`);
      return;
    }
    if (this.#stopReason !== undefined) {
      this.#endings.leave(run);
      return;
    }
    this.meter.retried += 1;
    report?.({ kind: 'item-retry', error, attempt: run.attempt, delayMs });
    run.attempt += 1;
    this.#retryTimers.set(
      run,
      clock.setTimer(delayMs, () => {
        this.#retryTimers.delete(run);
        this.#retryReady.push(run);
        this.#pump();
      }),
    );
  }

  #retryDelay(attempt: number, error: StageErrorInfo): number {
    const { options, random } = this.#parts;
    const delayMs = spreadDelay(attempt, {
      baseMs: options.retryBackoffS * 1000,
      spread: RETRY_SPREAD,
      capMs: LONGEST_RETRY_MS,
      random,
    });
    return Math.max(delayMs, error.retryAfterMs ?? 0);
  }
}
