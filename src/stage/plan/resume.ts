import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { readJsonl } from '../../base/index.ts';
import type { JudgeOptions, StoredFingerprint, Verdict } from '../commit/fingerprint.ts';
import { judge } from '../commit/fingerprint.ts';
import type { RunMark } from '../commit/run-mark.ts';
import type { StageOptions } from '../options.ts';
import type { ItemRecord, WorkItem } from '../types.ts';

export interface Resume {
  readonly judge: (item: WorkItem) => Promise<Verdict>;
  /** Rows of a satisfied item that the manifest lacks; `success` if its run was killed before it wrote the row. */
  missingRows(
    item: WorkItem,
    stored: StoredFingerprint,
  ): Promise<{ readonly success: ItemRecord | undefined; readonly skip: boolean }>;
}

export function createResume(parts: {
  readonly options: StageOptions;
  readonly clock: Clock;
  readonly mark: RunMark;
  readonly manifest: string;
}): Resume {
  const { options, clock, mark, manifest } = parts;
  let reading: Promise<Set<string>> | undefined;
  /** Success rows and resume skips, by item and fingerprint. */
  const knownRows = (): Promise<Set<string>> => (reading ??= readRows(manifest));
  const ended = new Set<string>();
  const asking: JudgeOptions = {
    verifyHash: options.verifyHash,
    // The start of the run: marks are compared with it, and time only gets later.
    now: clock.now(),
    replace(path, text) {
      const part = path + mark.suffix(0, 0);
      try {
        mark.note(dirname(path));
        writeFileSync(part, text);
        renameSync(part, path);
      } catch {
        // Only time is lost, and a read-only archive can still be resumed from.
        rmSync(part, { force: true });
      }
    },
  };

  const lacksSuccess = async (key: string, { record, run }: StoredFingerprint): Promise<boolean> => {
    if (!record || run === undefined) return false;
    const rows = await knownRows();
    if (rows.has(key)) return false;
    if (ended.has(run)) return true;
    // A live run still has the row to write.
    if (mark.isAlive(run)) return false;
    ended.add(run);
    // It may have written the row after the manifest was read.
    for (const each of await readRows(manifest)) rows.add(each);
    return !rows.has(key);
  };

  return {
    judge: (item: WorkItem): Promise<Verdict> => judgeWith(item, options, asking),

    async missingRows(item: WorkItem, stored: StoredFingerprint) {
      const [skipKey, successKey] = [rowKey('skip', item, stored), rowKey('success', item, stored)];
      const lacks = await lacksSuccess(successKey, stored);
      const rows = await knownRows();
      const skip = !rows.has(skipKey);
      rows.add(skipKey);
      if (!lacks || !stored.record) return { success: undefined, skip };
      rows.add(successKey);
      return { success: { ...stored.record, extras: { ...stored.record.extras, recovered: true } }, skip };
    },
  };
}

export async function judgeWith(item: WorkItem, options: StageOptions, asking: JudgeOptions): Promise<Verdict> {
  if (options.force) return { kind: 'run', reason: 'forced' };
  if (!options.resume) return { kind: 'run', reason: 'resume-off' };
  return judge(item, asking);
}

function rowKey(status: string, { itemId }: Pick<WorkItem, 'itemId'>, stored: StoredFingerprint): string {
  return `${status} ${stored.cfg_hash} ${stored.input_sha256.slice(0, 16)} ${itemId}`;
}

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
