import type { Clock, Timer } from '../../base/index.ts';
import { AppError } from '../../base/index.ts';
import type { ReplaceReason } from '../events.ts';
import type { Executor, ItemRun, Performed } from './item-run.ts';
import type { Tell } from '../kernel-event.ts';
import type { BareError } from '../stage-error.ts';
import { discardOutputs } from '../commit/staging.ts';
import type { StageOptions } from '../types.ts';
import type { Death, FromWorker, WorkerStart } from './worker-process.ts';
import { WorkerProcess } from './worker-process.ts';

/** Workers that die before they are ready, in a row, until the stage is given up. */
const USELESS_STARTS = 3;
/** How long killed workers may take to be gone before the stage ends without them. */
const LEAVE_MS = 2_000;

/** What the pool needs of the run. */
export interface WorkerPoolOptions {
  readonly options: StageOptions;
  readonly clock: Clock;
  readonly start: WorkerStart;
  readonly environment: Readonly<Record<string, string>>;
  readonly suffix: (run: ItemRun) => string;
  readonly tell: Tell;
  /** Resolves when workers are to be started although there is nothing for them yet. */
  readonly expecting?: Promise<void>;
}

/**
 * One worker process:
 *
 * ```
 *   starting ──ready──▶ ready ──died, killed, or enough items or memory──▶ gone
 *       └────────────────────── died or killed ──────────────────────────────┘
 * ```
 */
interface Slot {
  readonly process: WorkerProcess;
  mode: 'starting' | 'ready' | 'gone';
  /** The attempt it runs. */
  job: { readonly run: ItemRun; readonly suffix: string } | undefined;
  timer: Timer | undefined;
  done: number;
  lastWords: string | undefined;
}

/** Runs cpu items in child processes, one item at a time in each. */
export class WorkerPool implements Executor {
  readonly #owner: WorkerPoolOptions;
  readonly #slots = new Set<Slot>();
  readonly #leaving = new Set<Promise<void>>();
  #spare: Slot | undefined;
  #waiting: ItemRun[] = [];
  #uselessStarts = 0;
  #closed = false;

  constructor(owner: WorkerPoolOptions) {
    this.#owner = owner;
    void owner.expecting?.then(() => {
      while (!this.#closed && this.#slots.size < owner.options.workers) this.#slots.add(this.#startSlot());
    });
  }

  get inFlight(): number {
    let held = this.#waiting.length;
    for (const { job } of this.#slots) if (job) held += 1;
    return held;
  }

  get room(): number {
    return this.#owner.options.workers - this.inFlight;
  }

  submit(run: ItemRun): void {
    this.#waiting.push(run);
  }

  flush(): void {
    if (this.#closed) return;
    for (const slot of this.#slots) {
      if (slot.job) continue;
      const run = this.#waiting.shift();
      if (!run) return;
      this.#send(slot, run);
    }
    while (this.#waiting.length > 0 && this.#slots.size < this.#owner.options.workers) {
      const slot = this.#spare ?? this.#startSlot();
      this.#spare = undefined;
      this.#slots.add(slot);
      const run = this.#waiting.shift();
      if (run) this.#send(slot, run);
    }
  }

  abort(): void {
    this.#closed = true;
    for (const slot of this.#slots) {
      const { job } = slot;
      this.#drop(slot, 'kill');
      if (job) this.#answer(job.run, undefined);
    }
    for (const run of this.#waiting.splice(0)) this.#answer(run, undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const slot of [...this.#slots, ...(this.#spare ? [this.#spare] : [])])
      this.#drop(slot, slot.mode === 'starting' ? 'kill' : 'close');
    this.#spare = undefined;
    const late = Promise.withResolvers<void>();
    using _timer = this.#owner.clock.setTimer(LEAVE_MS, late.resolve);
    await Promise.race([Promise.all(this.#leaving), late.promise]);
    if (this.#leaving.size > 0) this.#owner.tell({ kind: 'workers-stuck', workers: this.#leaving.size });
  }

  #send(slot: Slot, run: ItemRun): void {
    const { clock, options, suffix } = this.#owner;
    const job = { run, suffix: suffix(run) };
    slot.job = job;
    run.startedAt = clock.monotonic();
    run.lost?.addEventListener('abort', () => slot.job === job && this.#kill(slot, 'lost', undefined), { once: true });
    if (options.perItemTimeoutS > 0)
      slot.timer = clock.setTimer(options.perItemTimeoutS * 1000, () => {
        // The answer may have arrived while this thread was busy: it is read before the worker is killed.
        setImmediate(() => setImmediate(() => slot.job === job && this.#kill(slot, 'timeout', this.#timedOut())));
      });
    slot.process.send([run.item, job.suffix, run.attempt]);
  }

  #startSlot(): Slot {
    const { clock, start, environment, tell } = this.#owner;
    const process = new WorkerProcess(
      start,
      { environment, clock },
      {
        message: (message) => this.#receive(slot, message),
        output: (text) => tell({ kind: 'worker-output', text }),
        exit: (death) => this.#died(slot, death),
      },
    );
    const slot: Slot = { process, mode: 'starting', job: undefined, timer: undefined, done: 0, lastWords: undefined };
    return slot;
  }

  #receive(slot: Slot, message: FromWorker): void {
    if (slot.mode === 'gone') return;
    switch (message.kind) {
      case 'done':
        this.#finished(slot, message.performed, message.heldMb);
        break;
      case 'ready':
        slot.mode = 'ready';
        this.#uselessStarts = 0;
        break;
      case 'dying':
        slot.lastWords = message.message;
        break;
      case 'unusable':
        this.#unusable(message.message);
        break;
    }
  }

  #finished(slot: Slot, performed: Performed, heldMb: number): void {
    const { job } = slot;
    if (!job) throw new Error('a worker answered without an item');
    slot.job = undefined;
    slot.timer?.[Symbol.dispose]();
    slot.done += 1;
    const { recycleAfterItems, recycleOverMb, warmSpare, workers } = this.#owner.options;
    const isOld = recycleAfterItems > 0 && slot.done >= recycleAfterItems;
    if (isOld || (recycleOverMb > 0 && heldMb > recycleOverMb)) {
      this.#owner.tell({ kind: 'worker-replaced', reason: isOld ? 'items' : 'memory', run: undefined });
      this.#drop(slot, 'close');
    }
    if (warmSpare && !this.#spare && !this.#closed && this.inFlight + 1 >= workers) this.#spare = this.#startSlot();
    this.#answer(job.run, job.run.lost?.aborted ? undefined : performed);
  }

  #timedOut(): BareError {
    const message = `the item exceeded its ${this.#owner.options.perItemTimeoutS} s`;
    return { category: 'timeout', message, retryable: false, code: 'ITEM_TIMEOUT' };
  }

  /** Ends a worker because of its item. Without an error the item has no outcome. */
  #kill(slot: Slot, reason: ReplaceReason, error: BareError | undefined): void {
    const { job } = slot;
    if (!job) return;
    const durationMs = this.#owner.clock.monotonic() - job.run.startedAt;
    this.#owner.tell({ kind: 'worker-replaced', reason, run: job.run });
    this.#drop(slot, 'kill');
    this.#answer(job.run, error && { status: 'failure', durationMs, error });
  }

  #answer(run: ItemRun, performed: Performed | undefined): void {
    this.#owner.tell({ kind: 'answered', run, performed });
  }

  /** Ends a worker. What its attempt wrote is removed once it surely writes no more. */
  #drop(slot: Slot, how: 'close' | 'kill'): void {
    const { job } = slot;
    slot.mode = 'gone';
    slot.job = undefined;
    slot.timer?.[Symbol.dispose]();
    this.#slots.delete(slot);
    slot.process[how]();
    const ended = slot.process.ended.then(() => {
      this.#leaving.delete(ended);
      if (job?.run.hasOutputs) discardOutputs(job.run.item, job.suffix);
    });
    this.#leaving.add(ended);
  }

  /** A worker ended by itself: its item is to blame, unless it had not even started. */
  #died(slot: Slot, death: Death): void {
    if (slot.mode === 'gone') return;
    if (slot === this.#spare) this.#spare = undefined;
    if (slot.mode === 'starting') {
      this.#uselessStarts += 1;
      if (slot.job) this.#waiting.unshift(slot.job.run);
      slot.job = undefined;
      this.#drop(slot, 'kill');
      if (this.#uselessStarts >= USELESS_STARTS) this.#unusable(death.message);
      else this.flush();
      return;
    }
    if (!slot.job) {
      this.#drop(slot, 'kill');
      this.#owner.tell({ kind: 'worker-replaced', reason: death.reason, run: undefined });
      return;
    }
    if (death.reason === 'timeout')
      return this.#kill(slot, 'timeout', {
        category: 'timeout',
        message: death.message,
        retryable: false,
        code: 'ITEM_TIMEOUT',
      });
    this.#kill(slot, death.reason, {
      category: 'runtime',
      message: slot.lastWords ?? death.message,
      retryable: false,
      code: death.reason === 'out-of-memory' ? 'WORKER_OUT_OF_MEMORY' : 'WORKER_CRASHED',
    });
  }

  #unusable(message: string): void {
    if (this.#closed) return;
    const error = new AppError('STAGE_WORKER_UNUSABLE', `no worker could be started: ${message}`, {
      hint: 'the worker module must load on its own and export a function; see docs/guides/own-stage.md',
    });
    this.#owner.tell({ kind: 'workers-unusable', error });
    this.abort();
  }
}
