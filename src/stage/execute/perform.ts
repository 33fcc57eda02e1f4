import type { Clock } from '../../base/index.ts';
import { sha256File } from '../../base/index.ts';
import type { AgreedInputs } from '../commit/fingerprint.ts';
import { hashInputs, markInputs, marksProve, missingInput, sameMarks } from '../commit/fingerprint.ts';
import { checkOutputs, discardOutputs, stageOutputs } from '../commit/outputs.ts';
import type { StageOptions } from '../options.ts';
import { WALL_PER_CPU } from '../options.ts';
import { classify, completeError, StageError } from '../stage-error.ts';
import type { ItemOutcome, StageWorker, WorkerContext, WorkItem } from '../types.ts';
import type { Performed } from './performed.ts';

export interface ItemRun {
  readonly item: WorkItem;
  readonly lost: AbortSignal | undefined;
  readonly hasOutputs: boolean;
  /** Position in the order of rows and hooks; -1 until it has one. */
  sequence: number;
  attempt: number;
  queuedAt: number;
  startedAt: number;
}

export function createRun(item: WorkItem, lost?: AbortSignal): ItemRun {
  return {
    item,
    lost,
    hasOutputs: Object.keys(item.outputs).length > 0,
    sequence: -1,
    attempt: 1,
    queuedAt: 0,
    startedAt: 0,
  };
}

/** Runs attempts. The runner starts at most `workers` at a time. */
export interface Executor extends AsyncDisposable {
  /** Never rejects; undefined if the attempt was stopped without an outcome. */
  run(run: ItemRun): Promise<Performed | undefined>;
  abort(): void;
}

/** Never rejects. */
export async function perform(
  worker: StageWorker,
  attempt: { readonly item: WorkItem; readonly suffix: string; readonly now: () => number },
  context: WorkerContext,
): Promise<Performed> {
  const { item, suffix, now } = attempt;
  const startedAt = now();
  const hasOutputs = Object.keys(item.outputs).length > 0;
  try {
    const marks = hasOutputs && !item.fingerprint ? markInputs(item.inputs) : [];
    if (!marks) throw missingInput(item.inputs);
    const staged = hasOutputs ? stageOutputs(item, suffix) : item;
    const outcome = checked(await worker(staged, context));
    const { status, manifest, result } = outcome;
    const durationMs = outcome.durationS === undefined ? now() - startedAt : outcome.durationS * 1000;
    const performed: Performed = { status, durationMs, ...(manifest && { manifest }), ...(result && { result }) };
    if (status !== 'success') {
      if (hasOutputs) discardOutputs(item, suffix);
      return status === 'skip'
        ? { ...performed, reason: outcome.reason ?? 'worker' }
        : { ...performed, error: completeError(outcome.error) };
    }
    if (!hasOutputs) return performed;
    checkOutputs(staged, item);
    const outputs = await Promise.all(Object.values(staged.outputs).map((path) => sha256File(path)));
    return { ...performed, inputs: await agreedInputs(item, marks), outputs };
  } catch (error) {
    const durationMs = now() - startedAt;
    if (hasOutputs) discardOutputs(item, suffix);
    return { status: 'failure', durationMs, error: classify(error) };
  }
}

/** Equal marks before the work and after hashing prove that the worker read what was hashed. */
async function agreedInputs(item: WorkItem, marks: Parameters<typeof sameMarks>[0]): Promise<AgreedInputs> {
  if (item.fingerprint) return { sha256: item.fingerprint.inputSha256, marks: undefined };
  const sha256 = await hashInputs(item.inputs);
  const after = markInputs(item.inputs);
  if (!after || !sameMarks(marks, after))
    throw new StageError('transient', 'an input changed while it was being read', { code: 'INPUT_CHANGED' });
  return { sha256, marks: marksProve(after, Date.now()) ? after : undefined };
}

function checked(outcome: ItemOutcome | undefined): ItemOutcome {
  if (outcome && ['success', 'skip', 'failure'].includes(outcome.status)) return outcome;
  throw new StageError('runtime', 'the worker returned no outcome', { code: 'OUTCOME_INVALID' });
}

interface InlineStage {
  readonly stageName: string;
  readonly options: StageOptions;
  readonly clock: Clock;
  readonly data: unknown;
  readonly suffix: (run: ItemRun) => string;
  /** Called for an attempt that ignored its abort. */
  readonly abandoned: (run: ItemRun) => void;
}

export function inlineExecutor(worker: StageWorker, stage: InlineStage): Executor {
  const { stageName, options, clock, data } = stage;
  const aborted = new AbortController();
  return {
    async run(run) {
      const { item, attempt, lost } = run;
      const suffix = stage.suffix(run);
      // The CPU time of one item cannot be measured among others in the same process.
      const timeoutS = options.perItemTimeoutS || options.perItemCpuS * WALL_PER_CPU;
      const timeout = new AbortController();
      const signal = AbortSignal.any([timeout.signal, aborted.signal, ...(lost ? [lost] : [])]);
      const late = Promise.withResolvers<'late'>();
      using timers = new DisposableStack();
      const message = `it took longer than the time limit of ${timeoutS} s`;
      if (timeoutS > 0) timers.use(clock.setTimer(timeoutS * 1000, () => timeout.abort(new Error(message))));
      signal.addEventListener('abort', () => {
        if (!timers.disposed) timers.use(clock.setTimer(options.abortGraceS * 1000, () => late.resolve('late')));
      });
      const startedAt = clock.monotonic();
      const performing = perform(
        worker,
        { item, suffix, now: () => clock.monotonic() },
        { stageName, attempt, signal, finalOutputs: item.outputs, grantCpu: () => undefined, data },
      );
      const performed = await Promise.race([performing, late.promise]);
      if (!signal.aborted && performed !== 'late') return performed;
      // The outputs of a stopped attempt are dropped, also if it ends late.
      void performing.then(() => discardOutputs(item, suffix));
      if (performed === 'late') stage.abandoned(run);
      else discardOutputs(item, suffix);
      if (!timeout.signal.aborted) return undefined;
      const error = { category: 'timeout', message, retryable: false, code: 'ITEM_TIMEOUT' } as const;
      return { status: 'failure', durationMs: clock.monotonic() - startedAt, error };
    },
    abort: () => aborted.abort(),
    // Attempts end by themselves or were abandoned.
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
