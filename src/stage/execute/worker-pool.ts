import type { Clock } from '../../base/index.ts';
import { AppError } from '../../base/index.ts';
import type { CarrierEvents, Death, FromWorker, StartCarrier, WorkerStart } from './carrier.ts';
import type { HeldJob } from './cpu-slot.ts';
import { CpuSlot } from './cpu-slot.ts';
import { Depth } from './depth.ts';
import type { ReplaceReason } from '../events.ts';
import type { Executor, ItemRun, Performed } from './item-run.ts';
import type { Tell } from '../kernel-event.ts';
import type { BareError } from '../stage-error.ts';
import { discardOutputs } from '../commit/staging.ts';
import type { StageOptions } from '../types.ts';

/** Workers that die before they are ready, in a row, until the stage is given up. */
const USELESS_STARTS = 3;
/** How long killed workers may take to be gone before the stage ends without them. */
const LEAVE_MS = 2_000;

/** What the pool needs of the run. */
export interface WorkerPoolOptions {
  readonly options: StageOptions;
  readonly clock: Clock;
  readonly start: WorkerStart;
  readonly startCarrier: StartCarrier;
  readonly suffix: (run: ItemRun) => string;
  readonly tell: Tell;
  /** Resolves when workers are to be started although there is nothing for them yet. */
  readonly expecting?: Promise<void>;
}

/**
 * Hands cpu items to threads or processes. A worker holds several items and runs one, so that it never waits for
 * mail; items sent but not begun go back to the others when their worker is lost.
 */
export class WorkerPool implements Executor {
  readonly #owner: WorkerPoolOptions;
  readonly #slots = new Set<CpuSlot>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #depth: Depth;
  #spare: CpuSlot | undefined;
  #waiting: ItemRun[] = [];
  #held = 0;
  #nextId = 1;
  #uselessStarts = 0;
  #closed = false;

  constructor(owner: WorkerPoolOptions) {
    this.#owner = owner;
    const { workers, maxQueue } = owner.options;
    this.#depth = new Depth(maxQueue > 0 ? 1 + Math.floor(maxQueue / workers) : Infinity);
    void owner.expecting?.then(() => {
      while (!this.#closed && this.#slots.size < workers) this.#slots.add(this.#startSlot());
    });
  }

  get inFlight(): number {
    return this.#held + this.#waiting.length;
  }

  get room(): number {
    return this.#owner.options.workers * this.#depth.value - this.inFlight;
  }

  submit(run: ItemRun): void {
    this.#waiting.push(run);
  }

  flush(): void {
    if (this.#closed || this.#waiting.length === 0) return;
    const { workers } = this.#owner.options;
    while (this.#slots.size < workers && this.#slots.size < this.inFlight) this.#slots.add(this.#promoteOrStart());
    const depth = this.#depth.value;
    // Nobody takes more than an equal share, or the last items would wait behind one worker while others idle.
    const share = Math.ceil(this.inFlight / this.#slots.size);
    for (const slot of this.#slots) {
      if (this.#waiting.length === 0) return;
      // Topped up when half empty: one message then carries several items.
      if (slot.mode === 'retiring' || slot.held.length > depth / 2) continue;
      const { recycleAfterItems } = this.#owner.options;
      const left = recycleAfterItems > 0 ? recycleAfterItems - slot.done - slot.held.length : Infinity;
      const count = Math.min(depth, share, left + slot.held.length) - slot.held.length;
      if (count > 0) this.#send(slot, this.#waiting.splice(0, count));
    }
  }

  abort(): void {
    this.#closed = true;
    for (const slot of this.#slots) {
      const jobs = slot.held.splice(0);
      this.#drop(slot, 'kill', jobs);
      for (const { run } of jobs) this.#giveUp(run);
    }
    for (const run of this.#waiting.splice(0)) this.#answer(run, undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const slot of [...this.#slots, ...(this.#spare ? [this.#spare] : [])])
      this.#drop(slot, slot.mode === 'starting' ? 'kill' : 'close', []);
    this.#spare = undefined;
    let timer: Disposable | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.#owner.clock.setTimer(LEAVE_MS, resolve);
    });
    await Promise.race([Promise.all(this.#leaving), late]);
    timer?.[Symbol.dispose]();
    if (this.#leaving.size > 0) this.#owner.tell({ kind: 'workers-stuck', workers: this.#leaving.size });
  }

  #send(slot: CpuSlot, runs: readonly ItemRun[]): void {
    const jobs = runs.map((run): HeldJob => {
      run.lost?.addEventListener('abort', () => this.#lose(run), { once: true });
      return { id: this.#nextId++, run, suffix: this.#owner.suffix(run) };
    });
    this.#held += jobs.length;
    slot.send(jobs);
  }

  #promoteOrStart(): CpuSlot {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare ?? this.#startSlot();
  }

  #startSlot(): CpuSlot {
    const { options, clock, start, startCarrier } = this.#owner;
    const events: CarrierEvents = {
      message: (message) => this.#hear(slot, message),
      output: (text) => this.#owner.tell({ kind: 'worker-output', text }),
      exit: (death) => this.#died(slot, death),
    };
    const slot: CpuSlot = new CpuSlot({
      carrier: startCarrier(start, events),
      clock,
      timeoutMs: options.perItemTimeoutS * 1000,
      overdue: (late, job) => this.#kill(late, job, 'timeout', this.#timedOut()),
    });
    return slot;
  }

  #hear(slot: CpuSlot, message: FromWorker): void {
    if (slot.mode === 'gone') return;
    if (!('kind' in message)) {
      this.#answered(slot, message);
      return;
    }
    switch (message.kind) {
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

  #answered(slot: CpuSlot, [id, performed, heldMb]: readonly [number, Performed, number]): void {
    const job = slot.finishFirst();
    if (!job || job.id !== id) throw new Error(`a worker answered ${id}, not ${job?.id}`);
    this.#held -= 1;
    slot.done += 1;
    this.#depth.learn(performed.durationMs);
    const { recycleAfterItems, recycleOverMb, warmSpare } = this.#owner.options;
    const reason =
      recycleAfterItems > 0 && slot.done >= recycleAfterItems
        ? 'items'
        : recycleOverMb > 0 && heldMb > recycleOverMb
          ? 'memory'
          : undefined;
    if (reason && slot.mode === 'ready') {
      slot.mode = 'retiring';
      this.#owner.tell({ kind: 'worker-replaced', reason, run: undefined });
    }
    if (slot.mode === 'retiring' && slot.held.length === 0) this.#drop(slot, 'close', []);
    if (warmSpare && !this.#spare && !this.#closed && this.inFlight >= this.#owner.options.workers)
      this.#spare = this.#startSlot();
    this.#answer(job.run, job.run.lost?.aborted ? undefined : performed);
  }

  #timedOut(): BareError {
    const message = `the item exceeded its ${this.#owner.options.perItemTimeoutS} s`;
    return { category: 'timeout', message, retryable: false, code: 'ITEM_TIMEOUT' };
  }

  /** Ends a worker for the sake of its running item; what it had not begun goes to the others. */
  #kill(slot: CpuSlot, job: HeldJob, reason: ReplaceReason, error: BareError | undefined): void {
    const durationMs = this.#owner.clock.monotonic() - job.run.startedAt;
    const [, ...unbegun] = slot.held.splice(0);
    this.#held -= 1;
    this.#takeBack(unbegun);
    slot.leave();
    this.#slots.delete(slot);
    this.#owner.tell({ kind: 'worker-replaced', reason, run: job.run });
    // The next item is on its way to the spare before the killed worker's end takes any time.
    this.#answer(job.run, error && { status: 'failure', durationMs, error });
    this.#drop(slot, 'kill', [job]);
  }

  #takeBack(jobs: readonly HeldJob[]): void {
    this.#held -= jobs.length;
    this.#waiting = [...jobs.map(({ run }) => run), ...this.#waiting];
  }

  #lose(run: ItemRun): void {
    for (const slot of this.#slots) {
      const [job] = slot.held;
      if (job?.run === run) this.#kill(slot, job, 'lost', undefined);
    }
  }

  #answer(run: ItemRun, performed: Performed | undefined): void {
    this.#owner.tell({ kind: 'answered', run, performed });
  }

  #giveUp(run: ItemRun): void {
    this.#held -= 1;
    this.#answer(run, undefined);
  }

  /** Lets go of a slot. What its last jobs wrote is removed when it surely writes no more. */
  #drop(slot: CpuSlot, how: 'close' | 'kill', jobs: readonly HeldJob[]): void {
    slot.leave();
    this.#slots.delete(slot);
    slot.carrier[how]();
    const ended = slot.carrier.ended.then(() => {
      this.#leaving.delete(ended);
      for (const { run, suffix } of jobs) if (run.hasOutputs) discardOutputs(run.item, suffix);
    });
    this.#leaving.add(ended);
  }

  /** A worker ended by itself: its running item is to blame, the others are not. */
  #died(slot: CpuSlot, death: Death): void {
    if (slot.mode === 'gone') return;
    if (slot === this.#spare) this.#spare = undefined;
    const [job] = slot.held;
    const reason = death.reason === 'out-of-memory' ? 'out-of-memory' : 'crash';
    if (slot.mode === 'starting') {
      this.#uselessStarts += 1;
      const jobs = slot.held.splice(0);
      this.#takeBack(jobs);
      this.#drop(slot, 'kill', []);
      if (this.#uselessStarts >= USELESS_STARTS) this.#unusable(death.message);
      else if (jobs.length > 0) this.flush();
      return;
    }
    if (!job) {
      this.#drop(slot, 'kill', []);
      this.#owner.tell({ kind: 'worker-replaced', reason, run: undefined });
      return;
    }
    this.#kill(slot, job, reason, {
      category: 'runtime',
      message: slot.lastWords ?? death.message,
      retryable: false,
      code: death.reason === 'out-of-memory' ? 'WORKER_OUT_OF_MEMORY' : 'WORKER_CRASHED',
    });
  }

  #unusable(message: string): void {
    if (this.#closed) return;
    const error = new AppError('STAGE_WORKER_UNUSABLE', `no worker could be started: ${message}`, {
      hint: 'the worker module must load by itself and export a function; see docs/guides/own-stage.md',
    });
    this.#owner.tell({ kind: 'workers-unusable', error });
    this.abort();
  }
}
