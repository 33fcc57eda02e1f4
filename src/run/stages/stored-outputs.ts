import { existsSync } from 'node:fs';
import { relative, sep } from 'node:path';

import { AppError, KeyedLimiter, systemClock } from '../../base/index.ts';
import type { ItemEnd, ItemOutcome, ManifestSink, WorkItem } from '../../stage/index.ts';
import { fingerprintPath, RowsByItem } from '../../stage/index.ts';
import type { StageLog } from '../../journal/index.ts';
import type { CorpusStorage } from '../storage/storage.ts';
import type { CorpusFiles } from '../storage/corpus-files.ts';

/** Items whose outputs are stored concurrently. */
const TOGETHER = 4;

/** Whether an item has outputs, made now or earlier, for the next stage. */
export function hasOutputs(end: ItemEnd): boolean {
  return end.kind === 'success' || (end.kind === 'skip' && end.outcome.reason === 'resume-satisfied');
}

/** Stores the outputs of an item unless the store has them. */
export async function storeOutputs(files: CorpusFiles, item: WorkItem, end: ItemEnd): Promise<void> {
  const paths = hasOutputs(end) ? outputPaths(item, files.folder) : [];
  if (end.kind === 'success' || !areKept(paths, files)) await files.save(paths);
}

function areKept(paths: readonly string[], files: CorpusFiles): boolean {
  return paths.every((path) => files.of(path) !== undefined);
}

export interface StoredOutputs {
  /** Receives the rows of the stage in a fleet; undefined if the stage writes them into its own log. */
  readonly rows: ManifestSink | undefined;
  add(item: WorkItem, ended: ItemOutcome): void;
  /** Resolves when everything is stored, or throws the first error: the next run stores what is missing. */
  flush(): Promise<void>;
}

/** Stores the outputs of a stage that runs over everything on disk, and in a fleet its rows. */
export function storedOutputs({ files, journal }: CorpusStorage, log: StageLog): StoredOutputs {
  const slots = new KeyedLimiter({ clock: systemClock, defaultLimit: TOGETHER });
  const active = new Set<Promise<void>>();
  const rows = journal.isShared ? new RowsByItem() : undefined;
  let failure: { readonly error: unknown } | undefined;

  const save = async (paths: readonly string[], lines: readonly string[] = []): Promise<void> => {
    await files.save(paths, lines.length > 0 ? { lines: [{ log, lines }] } : {});
  };

  const isNew = (item: WorkItem, ended: ItemOutcome): boolean => {
    if (ended.status === 'success') return true;
    return ended.reason === 'resume-satisfied' && !areKept(outputPaths(item, files.folder), files);
  };

  const store = async (item: WorkItem): Promise<void> => {
    using _slot = await slots.acquire(['store']);
    if (!failure) await save(outputPaths(item, files.folder), rows?.take(item.itemId));
  };

  return {
    rows,
    add(item, ended) {
      if (!isNew(item, ended)) return;
      const storing = store(item)
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => active.delete(storing));
      active.add(storing);
    },
    async flush() {
      await Promise.all(active);
      await save([], rows?.takeAll());
      if (failure) throw failure.error;
    },
  };
}

/** With the fingerprint, which lets other machines trust the outputs; relative to the corpus folder. */
export function outputPaths(item: WorkItem, folder: string): string[] {
  return [...Object.values(item.outputs), fingerprintPath(item)]
    .filter((path) => existsSync(path))
    .map((path) => sharedPath(path, folder));
}

function sharedPath(path: string, folder: string): string {
  const inside = portable(path, folder);
  if (!inside.startsWith('..')) return inside;
  throw new AppError('USAGE_STORE', `${path} is not in ${folder}, whose files are stored`, {
    hint: 'the data root of a corpus that is stored is its folder Data: give --data-root FOLDER/Data',
  });
}

/** A relative path with slashes on every system. */
export function portable(path: string, folder: string): string {
  return relative(folder, path).split(sep).join('/');
}

const PATH_FIELDS = ['input_path', 'output_path', 'output_paths'] as const;

/** A row of a stage with paths relative to the corpus folder; those of papers elsewhere stay as they are. */
export function portableRow(text: string, folder: string): string {
  const row = JSON.parse(text) as Record<string, unknown>;
  const change = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== 'string') return value;
    const inside = portable(value, folder);
    return inside.startsWith('..') ? value : inside;
  };
  for (const name of PATH_FIELDS) if (name in row) row[name] = change(row[name]);
  return JSON.stringify(row);
}
