import type { ItemRun, Performed } from './item-run.ts';
import type { FileMark } from './input-identity.ts';
import { hashInputs, markInputs, marksProve, missingInput, sameMarks } from './input-identity.ts';
import { classify, completeError, StageError } from './stage-error.ts';
import { discardOutputs, inspectOutputs, stageOutputs } from './staging.ts';
import type { ItemOutcome, StageWorker, WorkerContext, WorkItem } from './types.ts';

/** What an attempt needs to know of its item; `suffix` is where its outputs stand until they are committed. */
export type Performance = Pick<ItemRun, 'item' | 'hasOutputs'> & { readonly suffix: string };

/**
 * One attempt, from the inputs' marks to the checked outputs; it never throws. Answers at once where nothing has to
 * be waited for, which is most of the cost of a small item.
 */
export function perform(
  worker: StageWorker,
  performance: Performance,
  context: WorkerContext,
  monotonic: () => number,
): Performed | Promise<Performed> {
  const { item, hasOutputs, suffix } = performance;
  const startedAt = monotonic();
  let staged = item;
  let marks: FileMark[] | undefined;
  try {
    if (hasOutputs) {
      if (!item.fingerprint) {
        marks = markInputs(item.inputs);
        if (!marks) throw missingInput(item.inputs);
      }
      staged = stageOutputs(item, suffix);
    }
    const outcome = worker(staged, context);
    if (outcome instanceof Promise) {
      return outcome.then(
        (value) => conclude(performance, staged, value, { startedAt, marks, monotonic }),
        (error: unknown) => failed(performance, error, monotonic() - startedAt),
      );
    }
    return conclude(performance, staged, outcome, { startedAt, marks, monotonic });
  } catch (error) {
    return failed(performance, error, monotonic() - startedAt);
  }
}

interface Begun {
  readonly startedAt: number;
  readonly marks: readonly FileMark[] | undefined;
  readonly monotonic: () => number;
}

function conclude(
  performance: Performance,
  staged: WorkItem,
  outcome: ItemOutcome,
  begun: Begun,
): Performed | Promise<Performed> {
  const measured = begun.monotonic() - begun.startedAt;
  try {
    const status = outcome?.status;
    if (status !== 'success' && status !== 'skip' && status !== 'failure') {
      throw new StageError('runtime', 'the worker returned no outcome', { code: 'OUTCOME_INVALID' });
    }
    const durationMs = outcome.durationS === undefined ? measured : outcome.durationS * 1000;
    const said = {
      durationMs,
      ...(outcome.manifest && { manifest: outcome.manifest }),
      ...(outcome.result && { result: outcome.result }),
    };
    if (status === 'failure') {
      if (performance.hasOutputs) discardOutputs(performance.item, performance.suffix);
      return { status, ...said, error: completeError(outcome.error) };
    }
    if (status === 'skip') {
      if (performance.hasOutputs) discardOutputs(performance.item, performance.suffix);
      return { status, ...said, reason: outcome.reason ?? 'worker' };
    }
    if (!performance.hasOutputs) return { status, ...said };
    inspectOutputs(staged, performance.item);
    const { item } = performance;
    if (item.fingerprint)
      return { status, ...said, inputs: { sha256: item.fingerprint.inputSha256, marks: undefined } };
    const agreed = (sha256: string): Performed => {
      // Equal marks before the work and after the hash: what was hashed is what the worker read.
      const after = markInputs(item.inputs);
      if (!sameMarks(begun.marks, after)) {
        throw new StageError('transient', 'an input changed while it was being read', { code: 'INPUT_CHANGED' });
      }
      return { status, ...said, inputs: { sha256, marks: after && marksProve(after, Date.now()) ? after : undefined } };
    };
    const sha256 = hashInputs(item.inputs);
    if (typeof sha256 === 'string') return agreed(sha256);
    return sha256.then(agreed).catch((error: unknown) => failed(performance, error, durationMs));
  } catch (error) {
    return failed(performance, error, measured);
  }
}

function failed(performance: Performance, error: unknown, durationMs: number): Performed {
  if (performance.hasOutputs) discardOutputs(performance.item, performance.suffix);
  return { status: 'failure', durationMs, error: classify(error) };
}
