import type { FileMark } from '../commit/input-identity.ts';
import { hashFile, hashInputs, markInputs, marksProve, missingInput, sameMarks } from '../commit/input-identity.ts';
import type { Performed } from './item-run.ts';
import { classify, completeError, StageError } from '../stage-error.ts';
import { discardOutputs, inspectOutputs, stageOutputs } from '../commit/staging.ts';
import type { ItemOutcome, StageWorker, WorkerContext, WorkItem } from '../types.ts';

/** What an attempt needs to know; `suffix` is where its outputs stand until they are committed. */
export interface Attempt {
  readonly item: WorkItem;
  readonly hasOutputs: boolean;
  readonly suffix: string;
  /** Folders of outputs that whoever makes the attempts has made so far. */
  readonly folders: Set<string>;
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
      staged = stageOutputs(item, attempt.suffix, attempt.folders);
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
    const agree = ([sha256 = '', ...outputs]: readonly string[]): void => {
      if (item.fingerprint) {
        attempt.done({ status, ...said, inputs: { sha256, marks: undefined }, outputs });
        return;
      }
      // Equal marks before the work and after the hash: what was hashed is what the worker read.
      const after = markInputs(item.inputs);
      if (!sameMarks(marks, after)) {
        throw new StageError('transient', 'an input changed while it was being read', { code: 'INPUT_CHANGED' });
      }
      const proven = after && marksProve(after, Date.now()) ? after : undefined;
      attempt.done({ status, ...said, inputs: { sha256, marks: proven }, outputs });
    };
    const hashes = [item.fingerprint?.inputSha256 ?? hashInputs(item.inputs)];
    for (const name in staged.outputs) hashes.push(hashFile(staged.outputs[name] ?? ''));
    if (areReady(hashes)) agree(hashes);
    else
      Promise.all(hashes.map((hash) => Promise.resolve(hash)))
        .then(agree)
        .catch((error: unknown) => fail(attempt, error));
  } catch (error) {
    fail(attempt, error);
  }
}

function areReady(hashes: readonly (string | Promise<string>)[]): hashes is readonly string[] {
  return hashes.every((hash) => typeof hash === 'string');
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
