import { existsSync } from 'node:fs';
import { relative, sep } from 'node:path';

import { AppError } from '../base/index.ts';
import type { Shared } from '../harvest/index.ts';
import type { ItemOutcome, RowsByItem, StageErrorInfo, StageHooks, WorkItem } from '../stage/index.ts';
import { fingerprintPath } from '../stage/index.ts';

/** Items whose outputs are stored concurrently. */
const TOGETHER = 4;

/**
 * Stores the outputs of a stage while it runs; in a fleet together with the stage's rows. Errors are thrown by `flush`;
 * the next run stores what is missing.
 */
export class StoredOutputs {
  readonly #shared: Shared;
  readonly #fleet: { readonly log: string; readonly rows: RowsByItem } | undefined;
  readonly #waiting: WorkItem[] = [];
  readonly #active = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(shared: Shared, fleet?: { readonly log: string; readonly rows: RowsByItem }) {
    this.#shared = shared;
    this.#fleet = fleet;
  }

  /** The hooks, extended to store the outputs of each item. */
  seeing(hooks: StageHooks): StageHooks {
    return {
      ...hooks,
      afterItem: (item, ended, context) => {
        hooks.afterItem?.(item, ended, context);
        if (!this.#isNew(item, ended)) return;
        this.#waiting.push(item);
        if (this.#active.size < TOGETHER) this.#begin();
      },
    };
  }

  /** Resolves when everything is stored. */
  async flush(): Promise<void> {
    while (this.#active.size > 0) await Promise.race(this.#active);
    await this.#append(this.#fleet?.rows.takeAll() ?? [], []);
    if (this.#failure) throw this.#failure.error;
  }

  #isNew(item: WorkItem, ended: ItemOutcome | StageErrorInfo): boolean {
    if (!('status' in ended)) return false;
    if (ended.status === 'success') return true;
    const { files } = this.#shared;
    return (
      ended.reason === 'resume-satisfied' &&
      outputPaths(item, files.folder).some((path) => files.of(path) === undefined)
    );
  }

  #begin(): void {
    const working = this.#work().finally(() => this.#active.delete(working));
    this.#active.add(working);
  }

  async #work(): Promise<void> {
    for (let item = this.#waiting.shift(); item && !this.#failure; item = this.#waiting.shift()) {
      try {
        const { files } = this.#shared;
        const paths = outputPaths(item, files.folder);
        if (this.#fleet) await this.#append(this.#fleet.rows.take(item.itemId), paths);
        else await files.save(paths);
      } catch (error) {
        this.#failure ??= { error };
      }
    }
  }

  async #append(rows: readonly string[], paths: readonly string[]): Promise<void> {
    const { files, logs } = this.#shared;
    if (!this.#fleet || !logs || (rows.length === 0 && paths.length === 0)) return;
    const lines = await files.put(paths);
    await logs.append([
      { log: this.#fleet.log, lines: rows },
      { log: 'objects', lines: lines.map((line) => JSON.stringify(line)) },
    ]);
    files.noted(lines);
  }
}

/**
 * The outputs of an item with their fingerprint, which lets other machines trust them, relative to the corpus folder.
 */
function outputPaths(item: WorkItem, folder: string): string[] {
  return [...Object.values(item.outputs), fingerprintPath(item)]
    .filter((path) => existsSync(path))
    .map((path) => sharedPath(path, folder));
}

/** The path of a file in a corpus folder, as written in the log. */
function sharedPath(path: string, folder: string): string {
  const inside = relative(folder, path).split(sep).join('/');
  if (!inside.startsWith('..')) return inside;
  throw new AppError('USAGE_STORE', `${path} is not in ${folder}, whose files are stored`, {
    hint: 'the data root of a corpus that is stored is its folder Data: give --data-root FOLDER/Data',
  });
}
