import { existsSync } from 'node:fs';
import { relative, sep } from 'node:path';

import { AppError } from '../base/index.ts';
import type { Shared } from '../harvest/index.ts';
import type { ItemOutcome, RowsByItem, StageErrorInfo, StageHooks, WorkItem } from '../stage/index.ts';
import { fingerprintPath } from '../stage/index.ts';

/** Items whose outputs are put into the store at once. */
const TOGETHER = 4;

/**
 * Puts what a stage makes into the store while the stage runs; in a fleet the rows of the stage are written with it. What
 * could not be stored is thrown by `flush`, and stored by the next run, which finds it made and not stored.
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

  /** The hooks with one more that stores what an item has made. */
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

/** What an item has made, with the fingerprint that lets another machine trust it, relative to the folder of the corpus. */
function outputPaths(item: WorkItem, folder: string): string[] {
  return [...Object.values(item.outputs), fingerprintPath(item)]
    .filter((path) => existsSync(path))
    .map((path) => sharedPath(path, folder));
}

/** The path of a file in the folder of a corpus, as the log has it. */
function sharedPath(path: string, folder: string): string {
  const inside = relative(folder, path).split(sep).join('/');
  if (!inside.startsWith('..')) return inside;
  throw new AppError('USAGE_STORE', `${path} is not in ${folder}, whose files are stored`, {
    hint: 'the data root of a corpus that is stored is its folder Data: give --data-root FOLDER/Data',
  });
}
