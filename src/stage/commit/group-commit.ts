import { existsSync, statfsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

import { renameFile, syncFolder } from '../../base/index.ts';
import { fingerprintPath, removeFingerprint, writeFingerprint } from './fingerprint.ts';
import type { ItemRun, Performed } from '../execute/item-run.ts';
import type { ItemRecord } from '../record/manifest-sink.ts';
import type { BareError } from '../stage-error.ts';
import { classify, isDiskFull } from '../stage-error.ts';
import { discardOutputs } from './staging.ts';

/** Names given before the loop gets a turn: each is some calls of the system that nothing else can run beside. */
const NAMES_PER_TURN = 64;

/** Syncs under way at once: the disk joins them, and libuv has four threads. */
const SYNCS_AT_ONCE = 4;

/** An attempt whose outputs stand beside their names, and the record that vouches for them. */
export interface Staged {
  readonly run: ItemRun;
  readonly performed: Performed;
  readonly record: ItemRecord;
  readonly suffix: string;
}

/** How the commit answers: without an error the outputs stand under their names, and stay there. */
export type Committed = (staged: Staged, error: BareError | undefined) => void;

/**
 * Gives outputs their names. Two things must be on the disk in turn: the bytes before the names, the names and
 * the fingerprint before the row. One sync serves both, for the bytes of one group and the names of an earlier one, and
 * while the disk is busy with it, the group before gets its names:
 *
 *   staged ─(sync)→ renamed, fingerprint written ─(a later sync)→ answered → row
 *
 * Without `durable` there are no syncs: a killed process still leaves nothing half done, a power cut may.
 */
export class GroupCommit {
  readonly #durable: boolean;
  readonly #runId: string;
  readonly #committed: Committed;
  #staged: Staged[] = [];
  #named: Staged[] = [];
  #working = false;

  constructor(options: { readonly durable: boolean; readonly runId: string; readonly committed: Committed }) {
    this.#durable = options.durable;
    this.#runId = options.runId;
    this.#committed = options.committed;
  }

  /** Items whose answer is still to come. */
  pending = 0;

  add(staged: Staged): void {
    this.pending += 1;
    if (!this.#durable) {
      this.#answer(staged, this.#giveNames(staged));
      return;
    }
    this.#staged.push(staged);
    if (!this.#working) void this.#work();
  }

  async #work(): Promise<void> {
    this.#working = true;
    // One turn of the loop lets everything that ends now share the sync.
    await new Promise(setImmediate);
    let onDisk: Staged[] = [];
    while (this.#staged.length > 0 || this.#named.length > 0 || onDisk.length > 0) {
      const staged = this.#staged;
      const named = this.#named;
      this.#staged = [];
      this.#named = [];
      const syncing = this.#sync(staged, named).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      await this.#giveAllNames(onDisk);
      const failure = await syncing;
      onDisk = failure ? [] : staged;
      if (!failure) for (const each of named) this.#answer(each, undefined);
      else {
        // After a failed sync nobody knows what the disk has: these bytes are lost and the items are done again.
        const lost: BareError = { ...classify(failure.error), category: 'transient', retryable: true };
        for (const each of [...staged, ...named]) this.#lose(each, isDiskFull(lost) ? withSpace(lost, each) : lost);
      }
    }
    this.#working = false;
  }

  async #giveAllNames(onDisk: readonly Staged[]): Promise<void> {
    for (const [at, each] of onDisk.entries()) {
      const error = this.#giveNames(each);
      if (error) this.#answer(each, error);
      else this.#named.push(each);
      if (at % NAMES_PER_TURN === NAMES_PER_TURN - 1) await new Promise(setImmediate);
    }
  }

  async #sync(staged: readonly Staged[], named: readonly Staged[]): Promise<void> {
    const files: string[] = [];
    const folders = new Set<string>();
    for (const { run, suffix } of staged) for (const path of Object.values(run.item.outputs)) files.push(path + suffix);
    for (const { run } of named) {
      files.push(fingerprintPath(run.item));
      for (const path of Object.values(run.item.outputs)) folders.add(dirname(path));
    }
    await syncAll(files, folders);
  }

  /** Old fingerprint away, outputs in, new fingerprint last: whatever instant a kill chooses, nothing false is trusted. */
  #giveNames(staged: Staged): BareError | undefined {
    const { run, performed, record, suffix } = staged;
    const { item } = run;
    try {
      const { inputs, outputs } = performed;
      if (!inputs || !outputs) throw new Error('an item with outputs was performed without looking at its files');
      if (existsSync(fingerprintPath(item))) removeFingerprint(item);
      for (const path of Object.values(item.outputs)) renameFile(path + suffix, path);
      writeFingerprint(item, { inputs, outputs }, { run: this.#runId, record });
      return undefined;
    } catch (error) {
      const bare = classify(error);
      this.#discard(staged);
      // What cannot be put in its place is no fault of the input.
      const runtime: BareError = bare.category === 'input' ? { ...bare, category: 'runtime' } : bare;
      return isDiskFull(runtime) ? withSpace(runtime, staged) : runtime;
    }
  }

  #lose(staged: Staged, error: BareError): void {
    this.#discard(staged);
    this.#answer(staged, error);
  }

  #discard({ run, suffix }: Staged): void {
    try {
      removeFingerprint(run.item);
      discardOutputs(run.item, suffix);
    } catch {
      // On a disk that refuses even this, the part file keeps the run's name and is swept by the next run.
    }
  }

  #answer(staged: Staged, error: BareError | undefined): void {
    this.pending -= 1;
    this.#committed(staged, error);
  }
}

/** Makes files, then folder entries, survive a power cut. */
export async function syncAll(files: readonly string[], folders: ReadonlySet<string>): Promise<void> {
  await inLanes(files, syncFile);
  await inLanes([...folders], syncFolder);
}

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.datasync();
}

async function inLanes(paths: readonly string[], work: (path: string) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let path = paths[next]; path !== undefined; path = paths[next]) {
      next += 1;
      await work(path);
    }
  };
  await Promise.all(Array.from({ length: Math.min(SYNCS_AT_ONCE, paths.length) }, lane));
}

/** Names the path and what is left of the disk. */
function withSpace(error: BareError, { run }: Staged): BareError {
  const path = Object.values(run.item.outputs)[0] ?? '';
  let free = '';
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    free = `, ${Math.round((bavail * bsize) / 1e6)} MB free`;
  } catch {
    // The folder itself is gone; the message stands without the figure.
  }
  return { ...error, category: 'runtime', retryable: false, message: `cannot write ${path}: ${error.message}${free}` };
}
