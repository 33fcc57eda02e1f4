import type { Clock } from '../../base/index.ts';
import type { SatisfiedVerdict } from '../commit/fingerprint.ts';
import type { Staged } from '../commit/group-commit.ts';
import { GroupCommit } from '../commit/group-commit.ts';
import type { HookCaller } from './hooks.ts';
import { InOrder } from './in-order.ts';
import type { ItemRun, Performed } from '../execute/item-run.ts';
import type { ItemRecord, ManifestSink } from './manifest-sink.ts';
import type { Meter } from './meter.ts';
import type { Resume } from '../plan/resume.ts';
import type { RunMark } from '../commit/run-mark.ts';
import { Settlement } from './settlement.ts';
import type { BareError } from '../stage-error.ts';
import type { Tell } from '../kernel-event.ts';
import { hashInputs } from '../commit/input-identity.ts';
import type { ItemOutcome, ItemSource, StageErrorInfo, WorkItem } from '../types.ts';

/** Outputs that may wait for the disk before no new item is begun. */
const UNCOMMITTED = 4_096;
/** Rows that may wait for the disk before no new item is begun. */
const UNWRITTEN = 20_000;

const NO_PATHS: readonly string[] = [];

/** What the endings of a run are told with. */
export interface EndingParts {
  readonly stageName: string;
  readonly schemaVersion: string;
  readonly durable: boolean;
  readonly clock: Clock;
  readonly hooks: HookCaller;
  readonly sink: ManifestSink;
  readonly mark: RunMark;
  readonly resume: Resume;
  readonly meter: Meter;
  readonly source: ItemSource | undefined;
  readonly tell: Tell;
}

/** How an item ended, waiting for its turn to be told. */
type Ended =
  | {
      readonly kind: 'success' | 'skip';
      readonly run: ItemRun;
      readonly record: ItemRecord;
      readonly performed: Performed;
    }
  | { readonly kind: 'failure'; readonly run: ItemRun; readonly record: ItemRecord; readonly error: StageErrorInfo }
  | { readonly kind: 'satisfied'; readonly run: ItemRun; readonly verdict: SatisfiedVerdict };

/** What happens to an item after its last attempt: outputs committed, then row, hook and settlement in order. */
export class Endings {
  readonly #parts: EndingParts;
  readonly #order: InOrder<Ended>;
  readonly #commit: GroupCommit;
  readonly #settlement: Settlement;
  /** Whether anybody wants to know of each item. */
  readonly #isHeard: boolean;

  constructor(parts: EndingParts) {
    const { durable, mark, sink, source, tell } = parts;
    this.#parts = parts;
    this.#isHeard = source !== undefined || parts.hooks.hearsItems;
    this.#order = new InOrder((ended) => this.#tell(ended));
    this.#commit = new GroupCommit({
      durable,
      runId: mark.id,
      committed: (staged, error) => this.#committed(staged, error),
    });
    this.#settlement = new Settlement({ sink, source, tell });
  }

  /** Whether one more item may be given a place in the order. */
  get hasPlace(): boolean {
    return this.#order.hasRoom;
  }

  /** Whether the disk keeps up. */
  get keepsUp(): boolean {
    return this.#commit.pending < UNCOMMITTED && this.#parts.sink.pending < UNWRITTEN;
  }

  get isIdle(): boolean {
    return this.#commit.pending === 0 && this.#order.pending === 0 && this.#settlement.idle;
  }

  /** Nothing runs any more: what is still to be written need not wait for company. */
  writeNow(): void {
    this.#settlement.writeNow();
  }

  number(run: ItemRun): void {
    run.sequence = this.#order.number();
  }

  satisfied(run: ItemRun, verdict: SatisfiedVerdict): void {
    this.#parts.meter.skipped += 1;
    this.#order.finish(run.sequence, { kind: 'satisfied', run, verdict });
    this.#parts.meter.tick();
  }

  succeeded(run: ItemRun, performed: Performed): void {
    const record = this.record(run, performed);
    if (run.hasOutputs) {
      const suffix = this.#parts.mark.suffix(run.sequence, run.attempt);
      this.#commit.add({ run, performed, record, suffix });
    } else this.#succeed(run, performed, record);
  }

  skipped(run: ItemRun, performed: Performed): void {
    this.#parts.meter.skipped += 1;
    this.#order.finish(run.sequence, { kind: 'skip', run, record: this.record(run, performed), performed });
    this.#parts.meter.tick();
  }

  /** A failure has the hash of what was read, too: who looks into it must know which file it was. */
  failed(run: ItemRun, performed: Performed, error: StageErrorInfo): void {
    const { meter, tell } = this.#parts;
    meter.fail(error);
    const finish = (sha256: string | undefined): void => {
      const inputs = sha256 === undefined ? undefined : { sha256, marks: undefined };
      const record = this.record(run, inputs ? { ...performed, inputs } : performed);
      this.#order.finish(run.sequence, { kind: 'failure', run, record, error });
      meter.tick();
    };
    const hash = inputHash(run.item);
    if (!(hash instanceof Promise)) finish(hash);
    else void hash.then(finish).finally(() => tell({ kind: 'changed' }));
  }

  /** Left for the next run, without a row. */
  leave(run: ItemRun): void {
    this.#parts.meter.unfinished += 1;
    if (run.sequence !== -1) this.#order.pass(run.sequence);
    this.#settlement.add(run.item, { kind: 'unfinished' });
  }

  /** What a row says about an attempt. */
  record(run: ItemRun, performed: Performed): ItemRecord {
    const { item } = run;
    const { stageName, schemaVersion, clock } = this.#parts;
    return {
      stage: stageName,
      itemId: item.itemId,
      inputPath: firstOf(item.inputs),
      outputPaths: run.hasOutputs ? Object.values(item.outputs) : NO_PATHS,
      durationS: performed.durationMs / 1000,
      schemaVersion,
      inputSha256: performed.inputs?.sha256 ?? item.fingerprint?.inputSha256,
      cfgHash: item.cfgHash,
      attempts: run.attempt,
      finishedAt: clock.now(),
      extras: performed.manifest,
    };
  }

  #committed({ run, performed, record }: Staged, error: BareError | undefined): void {
    if (error) this.#parts.tell({ kind: 'commit-failed', run, performed, error });
    else this.#succeed(run, performed, record);
    this.#parts.tell({ kind: 'changed' });
  }

  #succeed(run: ItemRun, performed: Performed, record: ItemRecord): void {
    const { meter, sink } = this.#parts;
    meter.succeeded += 1;
    if (!this.#isHeard && this.#order.passes(run.sequence)) {
      sink.logSuccess(record);
      this.#settlement.wake();
    } else this.#order.finish(run.sequence, { kind: 'success', run, record, performed });
    meter.tick();
  }

  #tell(ended: Ended): void {
    const { sink, hooks } = this.#parts;
    const { item } = ended.run;
    switch (ended.kind) {
      case 'success':
        sink.logSuccess(ended.record);
        break;
      case 'skip':
        sink.logSkip(ended.record, ended.performed.reason ?? 'worker');
        break;
      case 'failure':
        sink.logFailure(ended.record, ended.error);
        hooks.afterItem(item, ended.error);
        this.#settlement.add(item, { kind: 'failure', error: ended.error });
        return;
      case 'satisfied':
        this.#tellSatisfied(ended.run, ended.verdict);
        return;
    }
    if (!this.#isHeard) {
      this.#settlement.wake();
      return;
    }
    const outcome = outcomeOf(ended.performed, ended.kind);
    hooks.afterItem(item, outcome);
    this.#settlement.add(item, { kind: ended.kind, outcome });
  }

  #tellSatisfied(run: ItemRun, verdict: SatisfiedVerdict): void {
    this.#writeMissingRows(run, verdict);
    if (!this.#isHeard) return;
    const outcome: ItemOutcome = { status: 'skip', durationS: 0, reason: 'resume-satisfied' };
    this.#parts.hooks.afterItem(run.item, outcome);
    this.#settlement.add(run.item, { kind: 'skip', outcome });
  }

  /** The rows that a satisfied item lacks in the manifest. */
  #writeMissingRows(run: ItemRun, { stored }: SatisfiedVerdict): void {
    const { sink, resume } = this.#parts;
    const { success, skip } = resume.owed(run.item, stored);
    if (success) sink.logSuccess(success);
    if (skip) {
      const inputs = { sha256: stored.input_sha256, marks: undefined };
      const record = this.record(run, { status: 'skip', durationMs: 0, inputs });
      sink.logSkip({ ...record, attempts: 0 }, 'resume-satisfied');
    }
    if (success || skip) this.#settlement.wake();
  }
}

/** Undefined where an input cannot be read, which may be why it failed. */
function inputHash({ inputs, fingerprint }: WorkItem): string | undefined | Promise<string | undefined> {
  if (fingerprint) return fingerprint.inputSha256;
  if (Object.keys(inputs).length === 0) return undefined;
  try {
    const hash = hashInputs(inputs);
    return typeof hash === 'string' ? hash : hash.catch(() => undefined);
  } catch {
    return undefined;
  }
}

function firstOf(paths: Readonly<Record<string, string>>): string | undefined {
  for (const name in paths) return paths[name];
  return undefined;
}

function outcomeOf(performed: Performed, status: 'success' | 'skip'): ItemOutcome {
  return {
    status,
    ...(performed.reason !== undefined && { reason: performed.reason }),
    durationS: performed.durationMs / 1000,
    ...(performed.manifest && { manifest: performed.manifest }),
    ...(performed.result && { result: performed.result }),
  };
}
