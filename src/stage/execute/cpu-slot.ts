import type { Clock, Timer } from '../../base/index.ts';
import type { Carrier, Job } from './carrier.ts';
import type { ItemRun } from './item-run.ts';

/** A job a worker holds. */
export interface HeldJob {
  readonly id: number;
  readonly run: ItemRun;
  readonly suffix: string;
}

/**
 *   starting ──ready──▶ ready ──enough items or memory──▶ retiring
 *       └───────────────┴──── dead, killed or let go ──────────┴──▶ gone
 */
type SlotMode = 'starting' | 'ready' | 'retiring' | 'gone';

/** One cpu worker as its pool sees it: what it holds, since when the first of it runs, how long that may take. */
export class CpuSlot {
  readonly carrier: Carrier;
  /** In the order they were sent; the first is running. */
  readonly held: HeldJob[] = [];
  /** One that retires takes no more and is let go when empty. */
  mode: SlotMode = 'starting';
  done = 0;
  lastWords: string | undefined;
  #runningSince = 0;
  #timer: Timer | undefined;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #overdue: (slot: CpuSlot, job: HeldJob) => void;

  constructor(options: {
    readonly carrier: Carrier;
    readonly clock: Clock;
    readonly timeoutMs: number;
    readonly overdue: (slot: CpuSlot, job: HeldJob) => void;
  }) {
    this.carrier = options.carrier;
    this.#clock = options.clock;
    this.#timeoutMs = options.timeoutMs;
    this.#overdue = options.overdue;
  }

  send(jobs: readonly HeldJob[]): void {
    const wasIdle = this.held.length === 0;
    this.held.push(...jobs);
    if (wasIdle) this.#begin();
    this.carrier.send(jobs.map(({ id, run, suffix }): Job => [id, run.item, suffix, run.attempt]));
  }

  /** The first job was answered; the next one runs from now on. */
  finishFirst(): HeldJob | undefined {
    const job = this.held.shift();
    if (this.held.length > 0) this.#begin();
    return job;
  }

  leave(): void {
    this.mode = 'gone';
    this.#timer?.[Symbol.dispose]();
  }

  #begin(): void {
    const [job] = this.held;
    if (!job) return;
    this.#runningSince = this.#clock.monotonic();
    job.run.startedAt = this.#runningSince;
    if (this.#timeoutMs > 0) this.#timer ??= this.#clock.setTimer(this.#timeoutMs, () => this.#check());
  }

  /** One timer per worker, not per item: it looks whose time it is when it fires. */
  #check(): void {
    this.#timer = undefined;
    const [job] = this.held;
    if (this.mode === 'gone' || !job) return;
    const leftMs = this.#runningSince + this.#timeoutMs - this.#clock.monotonic();
    if (leftMs > 0) {
      this.#timer = this.#clock.setTimer(leftMs, () => this.#check());
      return;
    }
    // The answer may have arrived while this thread was busy: it is read before anybody is killed.
    setImmediate(() =>
      setImmediate(() => {
        if (this.mode === 'gone') return;
        if (this.held[0] === job) this.#overdue(this, job);
        else if (this.held.length > 0 && !this.#timer) this.#check();
      }),
    );
  }
}
