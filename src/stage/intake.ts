import type { Clock } from '../base/index.ts';
import type { Feed, Pulled } from './feed.ts';
import { ORDER_WINDOW } from './feed.ts';
import type { SatisfiedVerdict, Verdict } from './fingerprint.ts';
import type { ItemRun } from './item-run.ts';
import type { Resume } from './resume.ts';
import type { Schedule } from './schedule.ts';
import { createSchedule } from './schedule.ts';
import type { TurnBudget } from './turn-budget.ts';
import type { StageOptions } from './types.ts';

/** Looking at an item's files costs about as much as this many other steps. */
const STEPS_PER_LOOK = 8;
const UNSEEN: Verdict = { kind: 'run', reason: 'input-missing' };

/** Whom the intake tells what. */
export interface IntakeListener {
  /** Whether one more item may be taken in: the order of rows has room for it. */
  readonly hasRoom: () => boolean;
  /** Gives the item its place in the order of rows. */
  readonly number: (run: ItemRun) => void;
  readonly satisfied: (run: ItemRun, verdict: SatisfiedVerdict) => void;
  /** Taken from the plan, but too late to be begun. */
  readonly left: (run: ItemRun) => void;
  /** The plan broke: what it gave before is still done, nothing more comes. */
  readonly failed: (error: unknown) => void;
  /** Something that was waited for has come. */
  readonly changed: () => void;
}

/** Takes items out of the plan, asks whether they are already done, and keeps the others until a worker is free. */
export class Intake {
  readonly #feed: Feed;
  readonly #resume: Resume;
  readonly #clock: Clock;
  readonly #listener: IntakeListener;
  readonly #budget: TurnBudget;
  readonly #schedule: Schedule;
  readonly #capacity: number;
  readonly #looks: boolean;
  #now = 0;
  #waiting = false;
  #fed = false;
  #stopped = false;

  constructor(parts: {
    readonly feed: Feed;
    readonly resume: Resume;
    readonly clock: Clock;
    readonly options: StageOptions;
    readonly budget: TurnBudget;
    readonly listener: IntakeListener;
  }) {
    const { feed, options } = parts;
    this.#feed = feed;
    this.#resume = parts.resume;
    this.#clock = parts.clock;
    this.#listener = parts.listener;
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
    return this.#stopped ? !(this.#waiting && this.#feed.source) : this.#fed && !this.#waiting;
  }

  /** An item ordered by cost is numbered when it is begun, others when they come. */
  take(): ItemRun | undefined {
    const run = this.#schedule.take();
    if (run && run.sequence === -1) this.#listener.number(run);
    return run;
  }

  /** Takes in as much as there is room for, when at least half of what may wait is used up. */
  fill(): void {
    if (this.#schedule.size * 2 > this.#capacity) return;
    this.#now = this.#clock.monotonic();
    while (
      !this.#waiting &&
      !this.#fed &&
      !this.#stopped &&
      this.#schedule.size < this.#capacity &&
      this.#listener.hasRoom() &&
      this.#budget.spend(1)
    ) {
      let pulled: Pulled | Promise<Pulled>;
      try {
        pulled = this.#feed.pull(this.#capacity - this.#schedule.size);
      } catch (error) {
        this.#fed = true;
        this.#listener.failed(error);
        return;
      }
      if (pulled instanceof Promise) this.#await(pulled, (value) => this.#receive(value));
      else this.#receive(pulled);
    }
  }

  /** Takes no more in, and gives up what waits. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    for (let run = this.#schedule.take(); run; run = this.#schedule.take()) this.#listener.left(run);
    // A generator that is busy would only answer after its next item.
    const closing = this.#feed.close();
    if (this.#waiting) closing.catch(() => undefined);
    else closing.catch(this.#listener.failed);
  }

  #await<T>(promise: Promise<T>, then: (value: T) => void): void {
    this.#waiting = true;
    promise
      .then((value) => {
        this.#waiting = false;
        this.#now = this.#clock.monotonic();
        then(value);
      })
      .catch((error: unknown) => {
        this.#waiting = false;
        this.#fed = true;
        if (!this.#stopped) this.#listener.failed(error);
      })
      .finally(this.#listener.changed);
  }

  #receive(pulled: Pulled): void {
    if (pulled === 'end') this.#fed = true;
    else this.#admit(pulled, 0);
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
    if (this.#stopped) this.#listener.left(run);
    else if (verdict.kind !== 'run') {
      this.#listener.number(run);
      this.#listener.satisfied(run, verdict);
    } else {
      run.queuedAt = this.#now;
      if (this.#feed.isOrdered) this.#listener.number(run);
      this.#schedule.push(run);
    }
  }
}
