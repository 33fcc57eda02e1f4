import type { Clock } from '../../base/index.ts';
import type { Feed, Pulled } from './feed.ts';
import { ORDER_WINDOW } from './feed.ts';
import type { Verdict } from '../commit/fingerprint.ts';
import type { ItemRun } from '../execute/item-run.ts';
import type { Tell } from '../kernel-event.ts';
import type { Resume } from './resume.ts';
import type { Schedule } from './schedule.ts';
import { createSchedule } from './schedule.ts';
import type { TurnBudget } from '../execute/turn-budget.ts';
import type { StageOptions } from '../types.ts';

/** Looking at an item's files costs about as much as this many other steps. */
const STEPS_PER_LOOK = 8;
const UNSEEN: Verdict = { kind: 'run', reason: 'input-missing' };

/** The places in the order of rows. */
export interface Places {
  /** Whether one more item may be given a place. */
  readonly hasPlace: boolean;
  number(run: ItemRun): void;
}

/**
 *   taking ──asks the plan, or hashes──▶ waiting ──answer──▶ taking
 *      └──────── the plan is through, or broke ──┴─────────▶ exhausted
 *   all of them ──stop──▶ stopped, where a plan that was asked is still waited for (stopped-waiting)
 */
type IntakeMode = 'taking' | 'waiting' | 'exhausted' | 'stopped' | 'stopped-waiting';

/** Takes items out of the plan, asks whether they are already done, and keeps the others until a worker is free. */
export class Intake {
  readonly #feed: Feed;
  readonly #resume: Resume;
  readonly #clock: Clock;
  readonly #places: Places;
  readonly #tell: Tell;
  readonly #budget: TurnBudget;
  readonly #schedule: Schedule;
  readonly #capacity: number;
  readonly #looks: boolean;
  #now = 0;
  #mode: IntakeMode = 'taking';

  constructor(parts: {
    readonly feed: Feed;
    readonly resume: Resume;
    readonly clock: Clock;
    readonly options: StageOptions;
    readonly budget: TurnBudget;
    readonly places: Places;
    readonly tell: Tell;
  }) {
    const { feed, options } = parts;
    this.#feed = feed;
    this.#resume = parts.resume;
    this.#clock = parts.clock;
    this.#places = parts.places;
    this.#tell = parts.tell;
    this.#budget = parts.budget;
    this.#schedule = createSchedule(feed.isOrdered ? 'fifo' : options.scheduling);
    // What is taken from a shared source and only waits here could have been another runner's.
    const ahead = feed.source ? options.workers : Math.max(64, 2 * options.workers);
    const own = feed.isOrdered ? ahead : ORDER_WINDOW;
    this.#capacity = options.maxQueue > 0 ? options.maxQueue : own;
    this.#looks = options.resume && !options.force;
  }

  get size(): number {
    return this.#schedule.size;
  }

  /** Nothing more will come. A source asked for items is waited for even after a stop: it may have handed some out. */
  get isOver(): boolean {
    if (this.#schedule.size > 0) return false;
    if (this.#mode === 'stopped-waiting') return this.#feed.source === undefined;
    return this.#mode === 'stopped' || this.#mode === 'exhausted';
  }

  /** An item ordered by cost is numbered when it is begun, others when they come. */
  take(): ItemRun | undefined {
    const run = this.#schedule.take();
    if (run && run.sequence === -1) this.#places.number(run);
    return run;
  }

  /** Takes in as much as there is room for, when at least half of what may wait is used up. */
  fill(): void {
    if (this.#schedule.size * 2 > this.#capacity) return;
    this.#now = this.#clock.monotonic();
    while (
      this.#mode === 'taking' &&
      this.#schedule.size < this.#capacity &&
      this.#places.hasPlace &&
      this.#budget.spend(1)
    ) {
      let pulled: Pulled | Promise<Pulled>;
      try {
        pulled = this.#feed.pull(this.#capacity - this.#schedule.size);
      } catch (error) {
        this.#mode = 'exhausted';
        this.#tell({ kind: 'plan-broke', error });
        return;
      }
      if (pulled instanceof Promise) this.#await(pulled, (value) => this.#receive(value));
      else this.#receive(pulled);
    }
  }

  /** Takes no more in, and gives up what waits. */
  stop(): void {
    if (this.#isStopped()) return;
    const wasWaiting = this.#mode === 'waiting';
    this.#mode = wasWaiting ? 'stopped-waiting' : 'stopped';
    for (let run = this.#schedule.take(); run; run = this.#schedule.take()) this.#tell({ kind: 'left', run });
    // A generator that is busy would only answer after its next item.
    const closing = this.#feed.close();
    closing.catch((error: unknown) => {
      if (!wasWaiting) this.#tell({ kind: 'plan-broke', error });
    });
  }

  #isStopped(): boolean {
    return this.#mode === 'stopped' || this.#mode === 'stopped-waiting';
  }

  #await<T>(promise: Promise<T>, then: (value: T) => void): void {
    this.#mode = this.#isStopped() ? 'stopped-waiting' : 'waiting';
    promise
      .then((value) => {
        this.#mode = this.#isStopped() ? 'stopped' : 'taking';
        this.#now = this.#clock.monotonic();
        then(value);
      })
      .catch((error: unknown) => {
        if (this.#isStopped()) {
          this.#mode = 'stopped';
          return;
        }
        this.#mode = 'exhausted';
        this.#tell({ kind: 'plan-broke', error });
      })
      .finally(() => this.#tell({ kind: 'changed' }));
  }

  #receive(pulled: Pulled): void {
    if (pulled !== 'end') this.#admit(pulled, 0);
    else if (!this.#isStopped()) this.#mode = 'exhausted';
  }

  /** Looks at the items one by one; a large input that has to be hashed is waited for, in order. */
  #admit(runs: readonly ItemRun[], from: number): void {
    for (let at = from; at < runs.length; at += 1) {
      const run = runs[at];
      if (!run) continue;
      const verdict = this.#judge(run);
      if (verdict instanceof Promise) {
        this.#await(verdict, (value) => {
          this.#accept(run, value);
          this.#admit(runs, at + 1);
        });
        return;
      }
      this.#accept(run, verdict);
    }
  }

  /** What cannot be looked at is run, and fails with its own error. */
  #judge(run: ItemRun): Verdict | Promise<Verdict> {
    // Without outputs there is nothing an earlier run could have left.
    if (!this.#looks || !run.hasOutputs) return UNSEEN;
    this.#budget.spend(STEPS_PER_LOOK);
    try {
      const verdict = this.#resume.judge(run.item);
      return verdict instanceof Promise ? verdict.catch(() => UNSEEN) : verdict;
    } catch {
      return UNSEEN;
    }
  }

  #accept(run: ItemRun, verdict: Verdict): void {
    if (this.#isStopped()) this.#tell({ kind: 'left', run });
    else if (verdict.kind !== 'run') {
      this.#places.number(run);
      this.#tell({ kind: 'satisfied', run, verdict });
    } else {
      run.queuedAt = this.#now;
      if (this.#feed.isOrdered) this.#places.number(run);
      this.#schedule.push(run);
    }
  }
}
