import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import type { Clock } from '../../base/index.ts';
import type { JudgeOptions, StoredFingerprint, Verdict } from '../commit/fingerprint.ts';
import { judge } from '../commit/fingerprint.ts';
import type { KnownRows } from './known-rows.ts';
import type { ItemRecord } from '../record/manifest-sink.ts';
import type { RunMark } from '../commit/run-mark.ts';
import type { StageOptions, WorkItem } from '../types.ts';

/** Rows that a satisfied item still lacks. */
export interface OwedRows {
  /** The success row that a killed run did not come to write. */
  readonly success: ItemRecord | undefined;
  readonly skip: boolean;
}

/** Decides which items need not be run, and which rows they still lack. */
export class Resume {
  readonly #options: StageOptions;
  readonly #asking: JudgeOptions;
  readonly #mark: RunMark;
  readonly #known: KnownRows;
  readonly #ended = new Set<string>();
  #loaded = false;

  constructor(parts: {
    readonly options: StageOptions;
    readonly clock: Clock;
    readonly mark: RunMark;
    readonly known: KnownRows;
  }) {
    this.#options = parts.options;
    this.#mark = parts.mark;
    this.#known = parts.known;
    this.#asking = {
      verifyHash: parts.options.verifyHash,
      // The start of the run: marks are compared with it, and it only gets later.
      now: parts.clock.now(),
      replace: (path, text) => this.#replace(path, text),
    };
  }

  judge(item: WorkItem): Verdict | Promise<Verdict> {
    return decide(item, this.#options, this.#asking);
  }

  owed(item: WorkItem, stored: StoredFingerprint): OwedRows {
    if (!this.#loaded) {
      this.#loaded = true;
      this.#known.refresh();
    }
    const skip = !this.#known.has('skip', item.itemId, stored.input_sha256, stored.cfg_hash);
    const success = this.#lacksSuccess(item, stored) ? stored.record : undefined;
    if (skip) this.#known.add('skip', item.itemId, stored.input_sha256, stored.cfg_hash);
    if (success) this.#known.add('success', item.itemId, stored.input_sha256, stored.cfg_hash);
    return { success: success && { ...success, extras: { ...success.extras, recovered: true } }, skip };
  }

  #lacksSuccess(item: WorkItem, stored: StoredFingerprint): boolean {
    const has = (): boolean => this.#known.has('success', item.itemId, stored.input_sha256, stored.cfg_hash);
    if (!stored.record || stored.run === undefined || has()) return false;
    if (!this.#ended.has(stored.run)) {
      // A live run has the row in hand, waiting for its turn.
      if (this.#mark.isAlive(stored.run)) return false;
      this.#ended.add(stored.run);
      // It may have written the row since the manifest was read.
      this.#known.refresh();
    }
    return !has();
  }

  #replace(path: string, text: string): void {
    const part = path + this.#mark.suffix(0, 0);
    try {
      this.#mark.note(dirname(path));
      writeFileSync(part, text);
      renameSync(part, path);
    } catch {
      // Only a saving was lost, and a read-only archive can still be resumed from.
      rmSync(part, { force: true });
    }
  }
}

/** The resume predicate with the options applied. */
export function decide(item: WorkItem, options: StageOptions, asking: JudgeOptions): Verdict | Promise<Verdict> {
  if (options.force) return { kind: 'run', reason: 'forced' };
  if (!options.resume) return { kind: 'run', reason: 'resume-off' };
  return judge(item, asking);
}
