import type { FileMark } from '../commit/input-identity.ts';
import { hashInputs, markInputs, marksProve, missingInput, sameMarks } from '../commit/input-identity.ts';
import type { Performed } from './item-run.ts';
import { classify, completeError, StageError } from '../stage-error.ts';
import { discardOutputs, inspectOutputs, stageOutputs } from '../commit/staging.ts';
import type { ItemOutcome, StageWorker, WorkerContext, WorkItem } from '../types.ts';

/** What an attempt needs to know; `suffix` is where its outputs stand until they are committed. */
export interface Attempt {
  readonly item: WorkItem;
  readonly hasOutputs: boolean;
  readonly suffix: string;
  /** Milliseconds since the attempt began. */
  elapsedMs(): number;
  done(performed: Performed): void;
}

/**
 * One attempt, from the inputs' marks to the checked outputs. It never throws, and calls `done` once: at once where
 * nothing has to be waited for, because a promise more would be a good part of the cost of a small item.
 */
export function perform(worker: StageWorker, attempt: Attempt, context: WorkerContext): void {
  const { item } = attempt;
  let staged = item;
  let marks: FileMark[] | undefined;
  let outcome: ItemOutcome | Promise<ItemOutcome>;
  try {
    if (attempt.hasOutputs) {
      if (!item.fingerprint) {
        marks = markInputs(item.inputs);
        if (!marks) throw missingInput(item.inputs);
      }
      staged = stageOutputs(item, attempt.suffix);
    }
    outcome = worker(staged, context);
  } catch (error) {
    fail(attempt, error);
    return;
  }
  if (outcome instanceof Promise) {
    outcome.then(
      (value) => conclude(attempt, staged, marks, value),
      (error: unknown) => fail(attempt, error),
    );
  } else conclude(attempt, staged, marks, outcome);
}

function conclude(
  attempt: Attempt,
  staged: WorkItem,
  marks: readonly FileMark[] | undefined,
  outcome: ItemOutcome,
): void {
  const { item, hasOutputs } = attempt;
  const measuredMs = attempt.elapsedMs();
  try {
    const { status, manifest, result } = checked(outcome);
    const durationMs = outcome.durationS === undefined ? measuredMs : outcome.durationS * 1000;
    if (status === 'success' && !hasOutputs && !manifest && !result) {
      attempt.done({ status, durationMs });
      return;
    }
    const said = { durationMs, ...(manifest && { manifest }), ...(result && { result }) };
    if (status !== 'success') {
      if (hasOutputs) discardOutputs(item, attempt.suffix);
      attempt.done(
        status === 'skip'
          ? { status, ...said, reason: outcome.reason ?? 'worker' }
          : { status, ...said, error: completeError(outcome.error) },
      );
      return;
    }
    if (!hasOutputs) {
      attempt.done({ status, ...said });
      return;
    }
    inspectOutputs(staged, item);
    if (item.fingerprint) {
      attempt.done({ status, ...said, inputs: { sha256: item.fingerprint.inputSha256, marks: undefined } });
      return;
    }
    const agree = (sha256: string): void => {
      // Equal marks before the work and after the hash: what was hashed is what the worker read.
      const after = markInputs(item.inputs);
      if (!sameMarks(marks, after)) {
        throw new StageError('transient', 'an input changed while it was being read', { code: 'INPUT_CHANGED' });
      }
      const proven = after && marksProve(after, Date.now()) ? after : undefined;
      attempt.done({ status, ...said, inputs: { sha256, marks: proven } });
    };
    const sha256 = hashInputs(item.inputs);
    if (typeof sha256 === 'string') agree(sha256);
    else sha256.then(agree).catch((error: unknown) => fail(attempt, error));
  } catch (error) {
    fail(attempt, error);
  }
}

function checked(outcome: ItemOutcome | undefined): ItemOutcome {
  const status = outcome?.status;
  if (outcome && (status === 'success' || status === 'skip' || status === 'failure')) return outcome;
  throw new StageError('runtime', 'the worker returned no outcome', { code: 'OUTCOME_INVALID' });
}

function fail(attempt: Attempt, error: unknown): void {
  const durationMs = attempt.elapsedMs();
  if (attempt.hasOutputs) discardOutputs(attempt.item, attempt.suffix);
  attempt.done({ status: 'failure', durationMs, error: classify(error) });
}
