import type { Clock } from '../base/index.ts';
import type { Due } from './deadlines.ts';
import { Deadlines } from './deadlines.ts';
import type { Answer, Executor, ItemRun, Performed } from './item-run.ts';
import { perform } from './perform.ts';
import { discardOutputs } from './staging.ts';
import type { StageOptions, StageWorker, WorkerContext } from './types.ts';

/** What the inline executor needs of the run. */
export interface InlineOptions {
  readonly stageName: string;
  readonly options: StageOptions;
  readonly clock: Clock;
  readonly data: unknown;
  readonly suffix: (run: ItemRun) => string;
  readonly answer: Answer;
  readonly abandoned: (run: ItemRun) => void;
}

/** One attempt in this thread. Its signal is made when the worker first asks for it: many never do. */
class InlineAttempt implements WorkerContext, Due {
  readonly run: ItemRun;
  readonly suffix: string;
  readonly #owner: InlineOptions;
  #controller: AbortController | undefined;
  #reason: Error | undefined;
  lostListener: (() => void) | undefined;
  answered = false;
  dueAt = 0;
  earlier: Due | undefined = undefined;
  later: Due | undefined = undefined;

  constructor(run: ItemRun, suffix: string, owner: InlineOptions) {
    this.run = run;
    this.suffix = suffix;
    this.#owner = owner;
  }

  get stageName(): string {
    return this.#owner.stageName;
  }

  get attempt(): number {
    return this.run.attempt;
  }

  get finalOutputs(): Readonly<Record<string, string>> {
    return this.run.item.outputs;
  }

  get data(): unknown {
    return this.#owner.data;
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
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** Runs io and gpu items in this thread, `workers` at a time. */
export class InlineExecutor implements Executor {
  readonly #owner: InlineOptions;
  readonly #worker: StageWorker;
  readonly #deadlines: Deadlines | undefined;
  readonly #grace: Deadlines;
  readonly #monotonic: () => number;
  readonly #running = new Set<InlineAttempt>();
  readonly #workers: number;
  inFlight = 0;

  constructor(worker: StageWorker, owner: InlineOptions) {
    const { options, clock } = owner;
    this.#owner = owner;
    this.#worker = worker;
    this.#workers = options.workers;
    this.#monotonic = () => clock.monotonic();
    this.#grace = new Deadlines(clock, options.abortGraceS * 1000, (due) => this.#abandon(due as InlineAttempt));
    if (options.perItemTimeoutS > 0)
      this.#deadlines = new Deadlines(clock, options.perItemTimeoutS * 1000, (due) =>
        this.#timeOut(due as InlineAttempt),
      );
  }

  get room(): number {
    return this.#workers - this.inFlight;
  }

  submit(run: ItemRun): void {
    const attempt = new InlineAttempt(run, this.#owner.suffix(run), this.#owner);
    const now = this.#owner.clock.monotonic();
    run.startedAt = now;
    this.inFlight += 1;
    this.#running.add(attempt);
    this.#deadlines?.add(attempt, now);
    if (run.lost) {
      const { lost } = run;
      attempt.lostListener = () => this.#stop(attempt, new Error('the item belongs to another runner now'));
      lost.addEventListener('abort', attempt.lostListener, { once: true });
    }
    const { item, hasOutputs } = run;
    const performed = perform(this.#worker, { item, hasOutputs, suffix: attempt.suffix }, attempt, this.#monotonic);
    if (performed instanceof Promise) void performed.then((value) => this.#finish(attempt, value));
    else this.#finish(attempt, performed);
  }

  flush(): void {
    // Nothing is held back here.
  }

  abort(): void {
    for (const attempt of this.#running) this.#stop(attempt, new Error('the run was aborted'));
  }

  #finish(attempt: InlineAttempt, performed: Performed): void {
    this.#deadlines?.remove(attempt);
    if (attempt.reason) {
      this.#grace.remove(attempt);
      this.#discard(attempt);
    }
    this.#release(attempt);
    if (!attempt.answered) this.#answer(attempt, attempt.reason ? stopped(attempt, performed) : performed);
  }

  #release(attempt: InlineAttempt): void {
    if (!this.#running.delete(attempt)) return;
    this.inFlight -= 1;
    if (attempt.lostListener) attempt.run.lost?.removeEventListener('abort', attempt.lostListener);
  }

  #answer(attempt: InlineAttempt, performed: Performed | undefined): void {
    attempt.answered = true;
    this.#owner.answer(attempt.run, performed);
  }

  /** Time is over: asked to stop, given a moment, then left behind. */
  #timeOut(attempt: InlineAttempt): void {
    this.#stop(attempt, new TimedOut(this.#owner.options.perItemTimeoutS));
  }

  #stop(attempt: InlineAttempt, reason: Error): void {
    if (attempt.reason) return;
    this.#deadlines?.remove(attempt);
    attempt.abort(reason);
    this.#grace.add(attempt, this.#owner.clock.monotonic());
  }

  #abandon(attempt: InlineAttempt): void {
    this.#release(attempt);
    this.#owner.abandoned(attempt.run);
    this.#answer(attempt, stopped(attempt, undefined));
  }

  /** What a stopped attempt wrote is nobody's, also when it comes late. */
  #discard(attempt: InlineAttempt): void {
    if (attempt.run.hasOutputs) discardOutputs(attempt.run.item, attempt.suffix);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#deadlines?.[Symbol.dispose]();
    this.#grace[Symbol.dispose]();
  }
}

class TimedOut extends Error {
  override readonly name = 'TimeoutError';

  constructor(seconds: number) {
    super(`the item exceeded its ${seconds} s`);
  }
}

/** A stopped attempt is a timeout, or no outcome at all; one that failed by itself before the stop keeps its failure. */
function stopped(attempt: InlineAttempt, performed: Performed | undefined): Performed | undefined {
  if (!(attempt.reason instanceof TimedOut)) return undefined;
  return {
    status: 'failure',
    durationMs: performed?.durationMs ?? attempt.dueAt - attempt.run.startedAt,
    error: { category: 'timeout', message: attempt.reason.message, retryable: false, code: 'ITEM_TIMEOUT' },
  };
}
