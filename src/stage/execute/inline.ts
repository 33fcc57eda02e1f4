import type { Clock } from '../../base/index.ts';
import { discardOutputs } from '../commit/outputs.ts';
import { WALL_PER_CPU } from '../options.ts';
import type { StageOptions, StageWorker } from '../types.ts';
import type { Executor, ItemRun, Performed } from './perform.ts';
import { perform } from './perform.ts';

interface InlineStage {
  readonly stageName: string;
  readonly options: StageOptions;
  readonly clock: Clock;
  readonly data: unknown;
  readonly suffix: (run: ItemRun) => string;
  /** Called for an attempt that ignored its abort. */
  readonly abandoned: (run: ItemRun) => void;
}

/** Runs io and gpu items in this thread. */
export class InlineExecutor implements Executor {
  readonly #worker: StageWorker;
  readonly #stage: InlineStage;
  readonly #aborted = new AbortController();

  constructor(worker: StageWorker, stage: InlineStage) {
    this.#worker = worker;
    this.#stage = stage;
  }

  async run(run: ItemRun): Promise<Performed | undefined> {
    const { stageName, options, clock, data } = this.#stage;
    const { item } = run;
    const suffix = this.#stage.suffix(run);
    // The CPU time of one item cannot be measured among others in the same process.
    const timeoutS = options.perItemTimeoutS || options.perItemCpuS * WALL_PER_CPU;
    const timeout = new AbortController();
    const signal = AbortSignal.any([timeout.signal, this.#aborted.signal, ...(run.lost ? [run.lost] : [])]);
    const late = Promise.withResolvers<'late'>();
    using timers = new DisposableStack();
    if (timeoutS > 0)
      timers.use(
        clock.setTimer(timeoutS * 1000, () => timeout.abort(new Error(`the item exceeded its ${timeoutS} s`))),
      );
    signal.addEventListener('abort', () => {
      if (!timers.disposed) timers.use(clock.setTimer(options.abortGraceS * 1000, () => late.resolve('late')));
    });
    const startedAt = clock.monotonic();
    const performing = perform(
      this.#worker,
      { item, suffix, now: () => clock.monotonic() },
      { stageName, attempt: run.attempt, signal, finalOutputs: item.outputs, grantCpu: () => undefined, data },
    );
    const performed = await Promise.race([performing, late.promise]);
    if (!signal.aborted && performed !== 'late') return performed;
    // The outputs of a stopped attempt are dropped, also if it ends late.
    void performing.then(() => discardOutputs(item, suffix));
    if (performed === 'late') this.#stage.abandoned(run);
    else discardOutputs(item, suffix);
    if (!timeout.signal.aborted) return undefined;
    const { message } = timeout.signal.reason as Error;
    const durationMs = clock.monotonic() - startedAt;
    return {
      status: 'failure',
      durationMs,
      error: { category: 'timeout', message, retryable: false, code: 'ITEM_TIMEOUT' },
    };
  }

  abort(): void {
    this.#aborted.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Attempts end by themselves or were abandoned.
  }
}
