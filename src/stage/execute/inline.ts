import type { Clock, Timer } from '../../base/index.ts';
import type { Tell } from '../kernel-event.ts';
import type { Executor, ItemRun, Performed } from './item-run.ts';
import type { Attempt } from './perform.ts';
import { perform } from './perform.ts';
import { discardOutputs } from '../commit/staging.ts';
import { WALL_PER_CPU } from '../options.ts';
import type { StageOptions, StageWorker, WorkerContext, WorkItem } from '../types.ts';

/** What the inline executor needs of the run. */
export interface InlineOptions {
  readonly stageName: string;
  readonly options: StageOptions;
  readonly clock: Clock;
  readonly data: unknown;
  readonly suffix: (run: ItemRun) => string;
  readonly tell: Tell;
}

/** One attempt in this thread. Its signal is made when the worker first asks for it: many never do. */
class InlineAttempt implements Attempt, WorkerContext, Due {
  readonly run: ItemRun;
  readonly item: WorkItem;
  readonly hasOutputs: boolean;
  readonly suffix: string;
  readonly #startedAt: number;
  readonly #executor: InlineExecutor;
  #controller: AbortController | undefined;
  #reason: Error | undefined;
  lostListener: (() => void) | undefined;
  answered = false;
  dueAt = 0;
  earlier: Due | undefined = undefined;
  later: Due | undefined = undefined;

  constructor(run: ItemRun, executor: InlineExecutor, startedAt: number) {
    this.run = run;
    this.item = run.item;
    this.hasOutputs = run.hasOutputs;
    this.suffix = run.hasOutputs ? executor.owner.suffix(run) : '';
    this.#startedAt = startedAt;
    this.#executor = executor;
  }

  elapsedMs(): number {
    return this.#executor.owner.clock.monotonic() - this.#startedAt;
  }

  get folders(): Set<string> {
    return this.#executor.folders;
  }

  done(performed: Performed): void {
    this.#executor.finish(this, performed);
  }

  get stageName(): string {
    return this.#executor.owner.stageName;
  }

  get attempt(): number {
    return this.run.attempt;
  }

  get finalOutputs(): Readonly<Record<string, string>> {
    return this.item.outputs;
  }

  grantCpu(): void {
    // There is no limit to add to.
  }

  get data(): unknown {
    return this.#executor.owner.data;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get reason(): Error | undefined {
    return this.#reason;
  }

  abort(reason: Error): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** Runs io and gpu items in this thread, `workers` at a time. */
export class InlineExecutor implements Executor {
  readonly owner: InlineOptions;
  readonly folders = new Set<string>();
  readonly #worker: StageWorker;
  readonly #deadlines: Deadlines;
  readonly #grace: Deadlines;
  readonly #workers: number;
  inFlight = 0;

  constructor(worker: StageWorker, owner: InlineOptions) {
    const { options, clock } = owner;
    this.owner = owner;
    this.#worker = worker;
    this.#workers = options.workers;
    // The processor time of one item cannot be told from that of others in the same process.
    const timeoutS = options.perItemTimeoutS || options.perItemCpuS * WALL_PER_CPU;
    this.#deadlines = new Deadlines(clock, timeoutS > 0 ? timeoutS * 1000 : Infinity, (due) =>
      this.#stop(due as InlineAttempt, new TimedOut(timeoutS)),
    );
    this.#grace = new Deadlines(clock, options.abortGraceS * 1000, (due) => this.#abandon(due as InlineAttempt));
  }

  get room(): number {
    return this.#workers - this.inFlight;
  }

  submit(run: ItemRun): void {
    const now = this.owner.clock.monotonic();
    run.startedAt = now;
    const attempt = new InlineAttempt(run, this, now);
    this.inFlight += 1;
    this.#deadlines.add(attempt, now);
    if (run.lost) {
      attempt.lostListener = () => this.#stop(attempt, new Error('the item belongs to another runner now'));
      run.lost.addEventListener('abort', attempt.lostListener, { once: true });
    }
    perform(this.#worker, attempt, attempt);
  }

  flush(): void {
    // Nothing is held back here.
  }

  abort(): void {
    for (const due of this.#deadlines.list()) this.#stop(due as InlineAttempt, new Error('the run was aborted'));
  }

  finish(attempt: InlineAttempt, performed: Performed): void {
    if (attempt.reason) {
      this.#grace.remove(attempt);
      // What a stopped attempt wrote is nobody's, also when it comes late.
      if (attempt.hasOutputs) discardOutputs(attempt.item, attempt.suffix);
      if (!attempt.answered) this.#answer(attempt, stopped(attempt, performed.durationMs));
      return;
    }
    this.#deadlines.remove(attempt);
    this.#answer(attempt, performed);
  }

  #answer(attempt: InlineAttempt, performed: Performed | undefined): void {
    attempt.answered = true;
    this.inFlight -= 1;
    if (attempt.lostListener) attempt.run.lost?.removeEventListener('abort', attempt.lostListener);
    this.owner.tell({ kind: 'answered', run: attempt.run, performed });
  }

  /** Asked to stop, given a moment, then left behind. */
  #stop(attempt: InlineAttempt, reason: Error): void {
    if (attempt.reason || attempt.answered) return;
    this.#deadlines.remove(attempt);
    this.#grace.add(attempt, this.owner.clock.monotonic());
    attempt.abort(reason);
  }

  #abandon(attempt: InlineAttempt): void {
    this.owner.tell({ kind: 'abandoned', run: attempt.run });
    this.#answer(attempt, stopped(attempt, attempt.elapsedMs()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#deadlines[Symbol.dispose]();
    this.#grace[Symbol.dispose]();
  }
}

/** Something that must end in time; a link of the list of all that run. */
interface Due {
  dueAt: number;
  earlier: Due | undefined;
  later: Due | undefined;
}

/**
 * Deadlines of equal length: they fall due in the order they were set, so one timer and a linked list serve any
 * number of items, at a tenth of the cost of a timer each. An infinite length makes it a list of what runs.
 */
class Deadlines implements Disposable {
  readonly #clock: Clock;
  readonly #afterMs: number;
  readonly #due: (due: Due) => void;
  #first: Due | undefined;
  #last: Due | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, afterMs: number, due: (due: Due) => void) {
    this.#clock = clock;
    this.#afterMs = afterMs;
    this.#due = due;
  }

  add(due: Due, now: number): void {
    due.dueAt = now + this.#afterMs;
    due.earlier = this.#last;
    due.later = undefined;
    if (this.#last) this.#last.later = due;
    else this.#first = due;
    this.#last = due;
    if (this.#afterMs !== Infinity) this.#timer ??= this.#clock.setTimer(this.#afterMs, () => this.#fire());
  }

  remove(due: Due): void {
    if (due.earlier) due.earlier.later = due.later;
    else if (this.#first === due) this.#first = due.later;
    else return;
    if (due.later) due.later.earlier = due.earlier;
    else this.#last = due.earlier;
    due.earlier = undefined;
    due.later = undefined;
  }

  /** All that run, the oldest first. */
  list(): Due[] {
    const all: Due[] = [];
    for (let due = this.#first; due; due = due.later) all.push(due);
    return all;
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let due = this.#first; due && due.dueAt <= now; due = this.#first) {
      this.remove(due);
      this.#due(due);
    }
    // Armed for whoever is first now: most items are long done when their time would have come.
    if (this.#first) this.#timer = this.#clock.setTimer(this.#first.dueAt - now, () => this.#fire());
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}

class TimedOut extends Error {
  override readonly name = 'TimeoutError';

  constructor(seconds: number) {
    super(`the item exceeded its ${seconds} s`);
  }
}

/** A stopped attempt is a timeout, or no outcome at all. */
function stopped(attempt: InlineAttempt, durationMs: number): Performed | undefined {
  if (!(attempt.reason instanceof TimedOut)) return undefined;
  const error = {
    category: 'timeout',
    message: attempt.reason.message,
    retryable: false,
    code: 'ITEM_TIMEOUT',
  } as const;
  return { status: 'failure', durationMs, error };
}
