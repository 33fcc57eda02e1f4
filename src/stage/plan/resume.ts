import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { readJsonl } from '../../base/index.ts';
import type { JudgeOptions, StoredFingerprint, Verdict } from '../commit/fingerprint.ts';
import { judge } from '../commit/fingerprint.ts';
import type { RunMark } from '../commit/run-mark.ts';
import type { StageOptions } from '../options.ts';
import type { ItemRecord, WorkItem } from '../types.ts';

/** Rows of a satisfied item that the manifest lacks. */
export interface MissingRows {
  /** The success row of a run that was killed before it wrote it. */
  readonly success: ItemRecord | undefined;
  readonly skip: boolean;
}

/** Decides which items need not be run, and which rows they lack. */
export class Resume {
  readonly #options: StageOptions;
  readonly #asking: JudgeOptions;
  readonly #mark: RunMark;
  readonly #manifest: string;
  /** Success rows and resume skips, by item and fingerprint. */
  #rows: Promise<Set<string>> | undefined;
  readonly #ended = new Set<string>();

  constructor(parts: {
    readonly options: StageOptions;
    readonly clock: Clock;
    readonly mark: RunMark;
    readonly manifest: string;
  }) {
    this.#options = parts.options;
    this.#mark = parts.mark;
    this.#manifest = parts.manifest;
    this.#asking = {
      verifyHash: parts.options.verifyHash,
      // The start of the run: marks are compared with it, and time only gets later.
      now: parts.clock.now(),
      replace: (path, text) => this.#replace(path, text),
    };
  }

  judge(item: WorkItem): Promise<Verdict> {
    return judgeWith(item, this.#options, this.#asking);
  }

  async missingRows(item: WorkItem, stored: StoredFingerprint): Promise<MissingRows> {
    const [skipKey, successKey] = [rowKey('skip', item, stored), rowKey('success', item, stored)];
    const lacks = await this.#lacksSuccess(successKey, stored);
    const rows = await (this.#rows ??= readRows(this.#manifest));
    const skip = !rows.has(skipKey);
    rows.add(skipKey);
    if (!lacks || !stored.record) return { success: undefined, skip };
    rows.add(successKey);
    return { success: { ...stored.record, extras: { ...stored.record.extras, recovered: true } }, skip };
  }

  async #lacksSuccess(key: string, stored: StoredFingerprint): Promise<boolean> {
    if (!stored.record || stored.run === undefined) return false;
    if ((await (this.#rows ??= readRows(this.#manifest))).has(key)) return false;
    if (this.#ended.has(stored.run)) return true;
    // A live run still has the row to write.
    if (this.#mark.isAlive(stored.run)) return false;
    this.#ended.add(stored.run);
    // It may have written the row after the manifest was read.
    const [before, now] = await Promise.all([this.#rows, readRows(this.#manifest)]);
    for (const each of now) before.add(each);
    return !before.has(key);
  }

  #replace(path: string, text: string): void {
    const part = path + this.#mark.suffix(0, 0);
    try {
      this.#mark.note(dirname(path));
      writeFileSync(part, text);
      renameSync(part, path);
    } catch {
      // Only time is lost, and a read-only archive can still be resumed from.
      rmSync(part, { force: true });
    }
  }
}

/** The resume predicate with the options applied. */
export async function judgeWith(item: WorkItem, options: StageOptions, asking: JudgeOptions): Promise<Verdict> {
  if (options.force) return { kind: 'run', reason: 'forced' };
  if (!options.resume) return { kind: 'run', reason: 'resume-off' };
  return judge(item, asking);
}

function rowKey(status: string, { itemId }: Pick<WorkItem, 'itemId'>, stored: StoredFingerprint): string {
  return `${status} ${stored.cfg_hash} ${stored.input_sha256.slice(0, 16)} ${itemId}`;
}

/** The keys of the rows of a manifest; none if there is no manifest. */
async function readRows(path: string): Promise<Set<string>> {
  const keys = new Set<string>();
  if (!existsSync(path)) return keys;
  for await (const line of readJsonl(path)) {
    const row = line.kind === 'good' ? (line.value as Readonly<Record<string, unknown>> | null) : null;
    const { status, reason, doc_id: itemId, input_hash: hash, cfg_hash: cfgHash } = row ?? {};
    if (status !== 'success' && !(status === 'skip' && reason === 'resume-satisfied')) continue;
    if (typeof itemId !== 'string' || typeof hash !== 'string' || typeof cfgHash !== 'string') continue;
    keys.add(rowKey(status, { itemId }, { input_sha256: hash.replace('sha256:', ''), cfg_hash: cfgHash }));
  }
  return keys;
}
