import type { Clock, Timer } from '../../base/index.ts';
import { AppError } from '../../base/index.ts';
import { discardOutputs } from '../commit/outputs.ts';
import type { StageOptions } from '../options.ts';
import type { BareError } from '../stage-error.ts';
import type { ReplaceReason, StageEvent } from '../types.ts';
import type { Executor, ItemRun } from './perform.ts';
import type { Performed } from './performed.ts';
import type { Death, FromWorker, WorkerStart } from './worker-process.ts';
import { WorkerProcess } from './worker-process.ts';

/** Consecutive workers that die before they are ready until the stage gives up. */
const USELESS_STARTS = 3;
/** How long killed workers may take to exit before the stage ends without them. */
const LEAVE_MS = 2_000;

export interface WorkerPoolOptions {
  readonly options: StageOptions;
  readonly clock: Clock;
  readonly start: WorkerStart;
  readonly environment: Readonly<Record<string, string>>;
  readonly suffix: (run: ItemRun) => string;
  readonly report: (event: StageEvent) => void;
  readonly unusable: (error: AppError) => void;
  readonly stuck: (workers: number) => void;
  /** Resolves when workers should be started although there is no item yet. */
  readonly expecting?: Promise<void> | undefined;
}

/**
 *   starting ──ready──▶ ready ──died, killed, or enough items──▶ gone
 *       └───────────── died or killed ─────────────────────────────┘
 */
interface Slot {
  readonly process: WorkerProcess;
  mode: 'starting' | 'ready' | 'gone';
  job: Job | undefined;
  done: number;
  /** The message of the exception that ended it. */
  lastWords: string | undefined;
}

interface Job {
  readonly run: ItemRun;
  readonly suffix: string;
  readonly resolve: (performed: Performed | undefined) => void;
  timer?: Timer;
}

export class WorkerPool implements Executor {
  readonly #owner: WorkerPoolOptions;
  readonly #slots = new Set<Slot>();
  readonly #leaving = new Set<Promise<void>>();
  #uselessStarts = 0;
  #closed = false;

  constructor(owner: WorkerPoolOptions) {
    this.#owner = owner;
    void owner.expecting?.then(() => {
      while (!this.#closed && this.#slots.size < owner.options.workers) this.#start();
    });
  }

  run(run: ItemRun): Promise<Performed | undefined> {
    return new Promise((resolve) => {
      if (this.#closed) resolve(undefined);
      else this.#send({ run, suffix: this.#owner.suffix(run), resolve });
    });
  }

  abort(): void {
    this.#closed = true;
    for (const slot of this.#slots) {
      const { job } = slot;
      this.#drop(slot, 'kill');
      job?.resolve(undefined);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const slot of this.#slots) this.#drop(slot, slot.mode === 'starting' ? 'kill' : 'close');
    const late = Promise.withResolvers<void>();
    using _timer = this.#owner.clock.setTimer(LEAVE_MS, late.resolve);
    await Promise.race([Promise.all(this.#leaving), late.promise]);
    if (this.#leaving.size > 0) this.#owner.stuck(this.#leaving.size);
  }

  #send(job: Job): void {
    const { clock, options } = this.#owner;
    const slot = [...this.#slots].find((each) => !each.job) ?? this.#start();
    slot.job = job;
    job.run.startedAt = clock.monotonic();
    const kill = (reason: ReplaceReason, error?: BareError): void => {
      if (slot.job === job) this.#kill(slot, reason, error);
    };
    job.run.lost?.addEventListener('abort', () => kill('lost'), { once: true });
    if (options.perItemTimeoutS > 0)
      job.timer = clock.setTimer(options.perItemTimeoutS * 1000, () => {
        const error = timedOut(`it took longer than the time limit of ${options.perItemTimeoutS} s`);
        // The result may have arrived while this thread was busy: it is read before the worker is killed.
        setImmediate(() => setImmediate(() => kill('timeout', error)));
      });
    slot.process.send([job.run.item, job.suffix, job.run.attempt]);
  }

  #start(): Slot {
    const { clock, start, environment, report } = this.#owner;
    const process = new WorkerProcess(
      start,
      { environment, clock },
      {
        message: (message) => this.#receive(slot, message),
        output: (text) => report({ kind: 'worker-output', text }),
        exit: (death) => this.#died(slot, death),
      },
    );
    const slot: Slot = { process, mode: 'starting', job: undefined, done: 0, lastWords: undefined };
    this.#slots.add(slot);
    return slot;
  }

  #receive(slot: Slot, message: FromWorker): void {
    if (slot.mode === 'gone') return;
    switch (message.kind) {
      case 'done':
        this.#finished(slot, message.performed);
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

  #finished(slot: Slot, performed: Performed): void {
    const { job } = slot;
    if (!job) throw new Error('a worker answered without an item');
    slot.job = undefined;
    job.timer?.[Symbol.dispose]();
    slot.done += 1;
    const { recycleAfterItems } = this.#owner.options;
    if (recycleAfterItems > 0 && slot.done >= recycleAfterItems) {
      this.#owner.report({ kind: 'worker-replaced', reason: 'items' });
      this.#drop(slot, 'close');
    }
    job.resolve(job.run.lost?.aborted ? undefined : performed);
  }

  /** Ends a worker because of its item. Without an error the item has no outcome. */
  #kill(slot: Slot, reason: ReplaceReason, error: BareError | undefined): void {
    const { job } = slot;
    if (!job) return;
    const durationMs = this.#owner.clock.monotonic() - job.run.startedAt;
    this.#owner.report({ kind: 'worker-replaced', reason, itemId: job.run.item.itemId });
    this.#drop(slot, 'kill');
    job.resolve(error && { status: 'failure', durationMs, error });
  }

  /** Ends a worker. The outputs of its attempt are removed once it can no longer write. */
  #drop(slot: Slot, how: 'close' | 'kill'): void {
    const { job } = slot;
    slot.mode = 'gone';
    slot.job = undefined;
    job?.timer?.[Symbol.dispose]();
    this.#slots.delete(slot);
    slot.process[how]();
    const ended = slot.process.ended.then(() => {
      this.#leaving.delete(ended);
      if (job) discardOutputs(job.run.item, job.suffix);
    });
    this.#leaving.add(ended);
  }

  /** A worker exited: its item is to blame, unless the worker was still starting. */
  #died(slot: Slot, death: Death): void {
    const { job } = slot;
    if (slot.mode === 'gone') return;
    if (slot.mode === 'starting') {
      this.#uselessStarts += 1;
      slot.job = undefined;
      this.#drop(slot, 'kill');
      if (this.#uselessStarts >= USELESS_STARTS) this.#unusable(death.message);
      if (job && this.#closed) job.resolve(undefined);
      else if (job) this.#send(job);
    } else if (!job) {
      this.#drop(slot, 'kill');
      this.#owner.report({ kind: 'worker-replaced', reason: death.reason });
    } else if (death.reason === 'timeout') this.#kill(slot, 'timeout', timedOut(death.message));
    else
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
    this.#owner.unusable(error);
    this.abort();
  }
}

function timedOut(message: string): BareError {
  return { category: 'timeout', message, retryable: false, code: 'ITEM_TIMEOUT' };
}
