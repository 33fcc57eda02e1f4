import { dirname } from 'node:path';

import type { Clock, Random, Timer } from '../base/index.ts';
import { backoffDelay, errorInfo, forEachOf } from '../base/index.ts';
import type { StoredFingerprint, Verdict } from './commit/fingerprint.ts';
import { hashInputs } from './commit/fingerprint.ts';
import { OutputCommits } from './commit/outputs.ts';
import type { RunMark } from './commit/run-mark.ts';
import type { Executor, ItemRun } from './execute/perform.ts';
import type { Performed } from './execute/performed.ts';
import type { Feed } from './plan/feed.ts';
import type { Resume } from './plan/resume.ts';
import { Meter } from './record/meter.ts';
import type { BareError } from './stage-error.ts';
import { isDiskFull } from './stage-error.ts';
import type {
  ItemEnd,
  ItemOutcome,
  ItemRecord,
  ManifestSink,
  StageContext,
  StageErrorInfo,
  StageEvent,
  StageHooks,
  WorkItem,
} from './types.ts';

/** Retry delays vary by a quarter, and are never longer than this unless the server asks for it. */
const LONGEST_RETRY_MS = 3_600_000;
/** Maximum number of items taken but not yet recorded: bounds the rows that wait behind a slow item. */
const MOST_OPEN = 1 << 14;
/**
 * The same for items of a source, beside those that run or wait to run: what it cannot settle, it need not hand out.
 */
const MOST_UNSETTLED = 64;
const SETTLED_TOGETHER = 4;
/** Items that may wait for a worker; an unsorted plan of unknown length is sorted within this many. */
const MOST_WAITING = 10_000;
const ROWS_AT_ONCE = 1_000;

export interface ExecutorEvents {
  /** An attempt ignored its abort; the item is reported without it. */
  readonly abandoned: (run: ItemRun) => void;
  /** No worker can be started, so the stage cannot continue. */
  readonly unusable: (error: Error) => void;
  /** Killed workers have not exited, and the stage ends without them. */
  readonly stuck: (workers: number) => void;
}

export interface RunParts {
  readonly context: StageContext;
  readonly schemaVersion: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (event: StageEvent) => void;
  readonly feed: Feed;
  readonly hooks: StageHooks;
  readonly sink: ManifestSink;
  readonly mark: RunMark;
  readonly resume: Resume;
  readonly createExecutor: (events: ExecutorEvents) => Executor;
}

interface Ended {
  readonly item: WorkItem;
  readonly end: Exclude<ItemEnd, { readonly kind: 'unfinished' }>;
  readonly log: () => void | Promise<void>;
}

/**
 * One run of a stage:
 *
 *   plan → verdict ─satisfied──────────────────────────────→ recorded: row, hook, settled at the source
 *             └run→ waiting → attempt → outputs committed ────┘
 *                      ↑         └ retryable: waits for its delay
 *                      └─────────┘
 *
 * `#takeIn` fills the waiting list, `#pump` starts attempts, `#record` writes rows; each wakes the others.
 */
export class StageRun {
  readonly meter: Meter;
  readonly #parts: RunParts;
  readonly #executor: Executor;
  readonly #commits: OutputCommits;
  readonly #capacity: number;
  readonly #mostOpen: number;
  readonly #waiting: ItemRun[] = [];
  readonly #retryTimers = new Map<ItemRun, Timer>();
  readonly #retryReady: ItemRun[] = [];
  /** Items not recorded yet, by their turn; undefined for one that is left and has no row. */
  readonly #endedByTurn = new Map<number, Ended | undefined>();
  readonly #left: WorkItem[] = [];
  readonly #ended = Promise.withResolvers<void>();
  #changed = Promise.withResolvers<void>();
  #running = 0;
  #open = 0;
  #sequence = 0;
  #turns = 0;
  #recorded = 0;
  #isRecording = false;
  #isPlanRead = false;
  #stopReason: string | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(parts: RunParts) {
    const { context, feed, clock, report, mark } = parts;
    const { stageName, options } = context;
    this.#parts = parts;
    this.#commits = new OutputCommits({ durable: options.durable, runId: mark.id });
    // An item taken from a shared source and only waiting here could be processed by another runner.
    const ahead = feed.source ? options.workers : Math.max(64, 2 * options.workers);
    this.#capacity = Math.min(options.maxQueue || (feed.isOrdered ? ahead : MOST_WAITING), MOST_WAITING);
    this.#mostOpen = feed.source ? MOST_UNSETTLED + options.workers + this.#capacity : MOST_OPEN;
    this.meter = new Meter({
      stageName,
      total: feed.total,
      clock,
      report,
      diagnosticsIntervalS: options.diagnosticsIntervalS,
      gauges: () => ({
        inFlight: this.#running,
        queued: this.#waiting.length + this.#retryReady.length,
        waitingForRetry: this.#retryTimers.size,
      }),
    });
    this.#executor = parts.createExecutor({
      abandoned: ({ item }) => {
        this.meter.counts.abandoned += 1;
        report({ kind: 'item-abandoned', itemId: item.itemId });
      },
      unusable: (error) => this.#fail(error),
      stuck: (workers) => {
        this.meter.counts.abandoned += workers;
        report({ kind: 'warning', message: `${workers} worker process(es) did not exit` });
      },
    });
  }

  get stopReason(): string | undefined {
    return this.#stopReason;
  }

  async run(): Promise<void> {
    void this.#takeIn();
    await this.#ended.promise;
    this.meter[Symbol.dispose]();
    await this.#executor[Symbol.asyncDispose]();
    if (this.#failure) throw this.#failure.error;
  }

  /** Running items may finish, waiting ones are left for the next run. */
  drain(reason: string): void {
    if (this.#stopReason !== undefined) return;
    this.#stopReason = reason;
    this.#parts.report({ kind: 'stopping', reason });
    for (const timer of this.#retryTimers.values()) timer[Symbol.dispose]();
    const left = [...this.#retryTimers.keys(), ...this.#retryReady.splice(0), ...this.#waiting.splice(0)];
    this.#retryTimers.clear();
    for (const run of left) this.#leave(run);
    this.#parts.feed.close().catch((error: unknown) => (this.#failure ??= { error }));
    this.#pump();
  }

  abort(reason: string): void {
    this.drain(reason);
    this.#executor.abort();
  }

  /** The error is thrown when running items have finished. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.drain('failed');
  }

  async #takeIn(): Promise<void> {
    const { feed } = this.#parts;
    try {
      while (this.#stopReason === undefined) {
        if (this.#waiting.length * 2 > this.#capacity || this.#open >= this.#mostOpen) {
          await this.#changed.promise;
          continue;
        }
        const runs = await feed.pull(this.#capacity - this.#waiting.length);
        // A generator that returns after a stop is not waited for; a source has already handed out the items.
        if (!runs || (this.#isStopped() && !feed.source)) break;
        this.#open += runs.length;
        for (const run of runs) await this.#admit(run);
        // Promises alone would starve timers and writes.
        await new Promise(setImmediate);
      }
    } catch (error) {
      if (!this.#isStopped()) this.#failure ??= { error };
    }
    this.#isPlanRead = true;
    this.#pump();
  }

  #isStopped(): boolean {
    return this.#stopReason !== undefined;
  }

  async #admit(run: ItemRun): Promise<void> {
    const { feed, clock, context } = this.#parts;
    const { resume, force, scheduling } = context.options;
    const isUnknown = !resume || force || !run.hasOutputs;
    const verdict = this.#isStopped() || isUnknown ? undefined : await this.#judge(run);
    if (this.#isStopped()) {
      this.#leave(run);
      return;
    }
    if (feed.isOrdered || verdict?.kind === 'satisfied') run.sequence = this.#sequence++;
    if (verdict?.kind === 'satisfied') {
      this.meter.counts.skipped += 1;
      const { item } = run;
      const outcome = { status: 'skip', durationS: 0, reason: 'resume-satisfied' } as const;
      this.#end(run, { item, end: { kind: 'skip', outcome }, log: () => this.#logMissing(run, verdict.stored) });
      return;
    }
    run.queuedAt = clock.monotonic();
    const sign = scheduling === 'sjf' ? 1 : -1;
    const isBefore = (other: ItemRun): boolean =>
      feed.isOrdered || sign * (other.item.costHint - run.item.costHint) <= 0;
    this.#waiting.splice(this.#waiting.findLastIndex(isBefore) + 1, 0, run);
    this.#pump();
  }

  /** An item with unreadable files is run, and fails with its own error. */
  async #judge(run: ItemRun): Promise<Verdict | undefined> {
    try {
      return await this.#parts.resume.judge(run.item);
    } catch {
      return undefined;
    }
  }

  #pump(): void {
    const { workers } = this.#parts.context.options;
    while (this.#running < workers) {
      const run = this.#retryReady.shift() ?? this.#waiting.shift();
      if (!run) break;
      if (run.sequence === -1) run.sequence = this.#sequence++;
      if (run.lost?.aborted) this.#leave(run);
      else {
        this.#running += 1;
        void this.#attempt(run).catch((error: unknown) => this.#fail(error));
      }
    }
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    // After a stop only a source is waited for: it may have handed out items.
    const isOver = this.#isPlanRead || (this.#isStopped() && !this.#parts.feed.source);
    if (isOver && this.#open === 0 && this.#running === 0) this.#ended.resolve();
  }

  async #attempt(run: ItemRun): Promise<void> {
    const { mark, clock, context, hooks } = this.#parts;
    let isRunning = true;
    const free = (): void => {
      if (isRunning) this.#running -= 1;
      isRunning = false;
      this.#pump();
    };
    try {
      if (run.attempt === 1) {
        this.meter.counts.scheduled += 1;
        this.#callHook('beforeItem', run.item, () => hooks.beforeItem?.(run.item, context));
      }
      for (const path of Object.values(run.item.outputs)) mark.note(dirname(path));
      run.startedAt = clock.monotonic();
      const performed = await this.#executor.run(run);
      if (!performed) {
        this.#leave(run);
        return;
      }
      this.meter.measure(run.item.itemId, run.startedAt - run.queuedAt, performed.durationMs);
      if (performed.status === 'failure') await this.#attemptFailed(run, performed, performed.error);
      else if (performed.status === 'skip') this.#succeed(run, performed, this.#recordOf(run, performed));
      else {
        const record = this.#recordOf(run, performed);
        // The worker is free while the disk is busy.
        if (run.hasOutputs) free();
        const suffix = mark.suffix(run.sequence, run.attempt);
        const error = run.hasOutputs
          ? await this.#commits.commit({ item: run.item, performed, record, suffix })
          : undefined;
        if (error) await this.#attemptFailed(run, performed, error);
        else this.#succeed(run, performed, record);
      }
    } finally {
      free();
    }
  }

  #succeed(run: ItemRun, performed: Performed, record: ItemRecord): void {
    const { sink } = this.#parts;
    const kind = performed.status === 'skip' ? 'skip' : 'success';
    this.meter.counts[kind === 'skip' ? 'skipped' : 'succeeded'] += 1;
    const log = (): void =>
      kind === 'skip' ? sink.logSkip(record, performed.reason ?? 'worker') : sink.logSuccess(record);
    this.#end(run, { item: run.item, end: { kind, outcome: outcomeOf(performed) }, log });
  }

  async #attemptFailed(run: ItemRun, performed: Performed, bare: BareError | undefined): Promise<void> {
    const { context, clock, sink, report, random } = this.#parts;
    const { stageName, options } = context;
    const unknown: BareError = { category: 'unknown', message: 'failed without a reason', retryable: false };
    const error: StageErrorInfo = { stage: stageName, itemId: run.item.itemId, ...(bare ?? unknown) };
    const record = this.#recordOf(run, performed);
    const isRetried = error.retryable && run.attempt <= options.retries;
    if (isDiskFull(error)) this.drain(`disk: ${error.message}`);
    // A retry may succeed although this error would stop the stage.
    else if (error.stopsStage && !isRetried) this.drain(error.message);
    if (!isRetried) {
      sink.logAttempt(record, error, undefined);
      this.meter.fail(error);
      report({ kind: 'item-failed', error, attempts: run.attempt });
      if (options.errorBudget > 0 && this.meter.counts.failed > options.errorBudget)
        this.drain(`error budget: more than ${options.errorBudget} items failed`);
      const { item } = run;
      const inputSha256 = await hashOf(item);
      const log = (): void => sink.logFailure({ ...record, inputSha256 }, error);
      this.#end(run, { item, end: { kind: 'failure', error }, log });
      return;
    }
    const backoff = { baseMs: options.retryBackoffS * 1000, capMs: LONGEST_RETRY_MS, random };
    const delayMs = Math.max(backoffDelay(run.attempt, backoff), error.retryAfterMs ?? 0);
    sink.logAttempt(record, error, delayMs);
    if (this.#isStopped()) {
      this.#leave(run);
      return;
    }
    this.meter.counts.retried += 1;
    report({ kind: 'item-retry', error, attempt: run.attempt, delayMs });
    run.attempt += 1;
    const timer = clock.setTimer(delayMs, () => {
      this.#retryTimers.delete(run);
      this.#retryReady.push(run);
      this.#pump();
    });
    this.#retryTimers.set(run, timer);
  }

  /** Leaves an item for the next run, without a row. */
  #leave(run: ItemRun): void {
    this.meter.counts.unfinished += 1;
    this.#left.push(run.item);
    this.#end(run, undefined);
  }

  #end(run: ItemRun, ended: Ended | undefined): void {
    // In a live plan, order means nothing, and the next stage would wait for the slowest item.
    const turn = this.#parts.feed.isLive ? this.#turns++ : run.sequence;
    if (turn !== -1) this.#endedByTurn.set(turn, ended);
    this.meter.tick();
    if (!this.#isRecording) void this.#record();
  }

  /** Writes rows in order. Items that end meanwhile share the next write. */
  async #record(): Promise<void> {
    this.#isRecording = true;
    const { sink, feed, hooks, context } = this.#parts;
    for (;;) {
      const ends: [WorkItem, ItemEnd][] = this.#left.splice(0).map((item) => [item, { kind: 'unfinished' }]);
      let taken = ends.length;
      try {
        while (taken < ROWS_AT_ONCE) {
          if (!this.#endedByTurn.has(this.#recorded)) break;
          const ended = this.#endedByTurn.get(this.#recorded);
          this.#endedByTurn.delete(this.#recorded++);
          if (!ended) continue;
          taken += 1;
          const { item, end } = ended;
          await ended.log();
          const result = end.kind === 'failure' ? end.error : end.outcome;
          this.#callHook('afterItem', item, () => hooks.afterItem?.(item, result, context));
          ends.push([item, end]);
        }
        if (taken === 0) break;
        await sink.flush();
        const { source } = feed;
        if (source) await forEachOf(ends, SETTLED_TOGETHER, ([item, end]) => source.settle(item, end));
      } catch (error) {
        this.#fail(error);
      }
      this.#open -= taken;
    }
    this.#isRecording = false;
    this.#pump();
  }

  async #logMissing(run: ItemRun, stored: StoredFingerprint): Promise<void> {
    const { sink, resume } = this.#parts;
    const { success, skip } = await resume.missingRows(run.item, stored);
    if (success) sink.logSuccess(success);
    if (!skip) return;
    const record = this.#recordOf(run, { status: 'skip', durationMs: 0 });
    sink.logSkip({ ...record, inputSha256: stored.input_sha256, attempts: 0 }, 'resume-satisfied');
  }

  #callHook(hook: string, { itemId }: WorkItem, call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#parts.report({ kind: 'hook-failed', hook, message: errorInfo(error).message, itemId });
    }
  }

  #recordOf({ item, attempt }: ItemRun, performed: Performed): ItemRecord {
    const { context, schemaVersion, clock } = this.#parts;
    return {
      stage: context.stageName,
      itemId: item.itemId,
      inputPath: Object.values(item.inputs)[0],
      outputPaths: Object.values(item.outputs),
      durationS: performed.durationMs / 1000,
      schemaVersion,
      inputSha256: performed.inputs?.sha256 ?? item.fingerprint?.inputSha256,
      cfgHash: item.cfgHash,
      attempts: attempt,
      finishedAt: clock.now(),
      extras: performed.manifest,
    };
  }
}

/** The row of a failed item says which file failed; undefined if it cannot be read. */
async function hashOf({ inputs, fingerprint }: WorkItem): Promise<string | undefined> {
  if (fingerprint) return fingerprint.inputSha256;
  if (Object.keys(inputs).length === 0) return undefined;
  return hashInputs(inputs).catch(() => undefined);
}

function outcomeOf({ durationMs, error: _error, inputs: _inputs, outputs: _outputs, ...rest }: Performed): ItemOutcome {
  return { ...rest, durationS: durationMs / 1000 };
}
