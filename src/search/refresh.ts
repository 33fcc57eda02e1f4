import { globSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { AppError, canonicalJson, FileLock, sha256, systemClock, wait } from '../base/index.ts';
import type { DenseModel, FileFormat } from '../parse/index.ts';
import { chunkOutput, denseModelOf, embedOutput } from '../parse/index.ts';
import { buildIndex } from './build.ts';
import type { IndexEvent } from './events.ts';
import type { DocumentFiles } from './from-files.ts';
import { passagesFromFiles } from './from-files.ts';
import { readManifest } from './manifest.ts';
import type { IndexedPassage } from './passage.ts';

/** Where an index comes from and where it goes. */
export interface RefreshOptions {
  /** Where the stages keep their files. */
  readonly dataRoot: string;
  /** Where the index is kept. */
  readonly folder: string;
  readonly format: FileFormat;
  /** The file of a document, as a reader should be sent to it. */
  readonly linkOf?: (documentId: string) => string | undefined;
  readonly signal?: AbortSignal;
  readonly report?: (event: IndexEvent) => void;
}

const LOCK_POLL_MS = 100;
/** Above so many bytes of float32 numbers the index keeps vectors as int8: it has to fit the 4 GB of a scan. */
const MOST_FLOAT_BYTES = 2 ** 31;
const BYTES_OF = { float32: 4, float16: 2, int8: 1 } as const;

/**
 * Brings an index up to date with the files of the stages: builds it where there is none or where a file has come, gone
 * or changed since, and does nothing otherwise. The old index answers until the new one is complete.
 */
export async function refreshIndex(
  options: RefreshOptions,
): Promise<{ readonly passages: number; readonly changed: boolean }> {
  const { folder, signal } = options;
  const documents = documentsOf(options);
  const source = sha256(canonicalJson(documents));
  const before = await indexedIn(folder);
  if (before?.source === source) return { passages: before.passages, changed: false };
  if (documents.length === 0 && !before) {
    throw new AppError('INDEX_NOTHING', `there are no chunks (${options.format}) in ${options.dataRoot}`, {
      hint: 'run docstokg run or docparse all first',
    });
  }
  using lock = new FileLock(join(folder, 'building.lock'), systemClock);
  using _held = await taken(lock, signal);
  // Whoever held the lock may have built the very index that is wanted.
  const now = await indexedIn(folder);
  if (now?.source === source) return { passages: now.passages, changed: false };
  options.report?.({ kind: 'index-started', documents: documents.length, kept: now?.passages });
  const passages = await build(documents, source, options);
  options.report?.({ kind: 'index-ended', passages, documents: documents.length });
  return { passages, changed: true };
}

interface FoundDocument extends DocumentFiles {
  readonly id: string;
  /** Size and time of both files: others mean other passages. */
  readonly stamp: string;
  readonly vectorBytes: number;
}

/** Every document that the chunk stage has written, in the order of their names. */
function documentsOf({ dataRoot, format, linkOf }: RefreshOptions): FoundDocument[] {
  const folder = dirname(chunkOutput(dataRoot, 'any', format));
  return globSync(`*.${format}`, { cwd: folder })
    .sort()
    .flatMap((name): FoundDocument[] => {
      const id = basename(name, `.${format}`);
      const chunks = join(folder, name);
      const vectors = embedOutput(dataRoot, id, format);
      const [chunkStamp, vectorStamp] = [chunks, vectors].map((path) => statSync(path, { throwIfNoEntry: false }));
      if (!chunkStamp) return [];
      const stamp = [chunkStamp, vectorStamp].map((each) => (each ? `${each.size} ${each.mtimeMs}` : '')).join(', ');
      const file = linkOf?.(id);
      return [
        { id, chunks, vectors: vectorStamp ? vectors : undefined, file, stamp, vectorBytes: vectorStamp?.size ?? 0 },
      ];
    });
}

async function build(
  documents: readonly FoundDocument[],
  source: string,
  { folder, signal, report }: RefreshOptions,
): Promise<number> {
  const models: (DenseModel | undefined)[] = [];
  for (const { vectors } of documents) models.push(vectors === undefined ? undefined : await denseModelOf(vectors));
  const dense = mostUsed(models);
  const wordsOnly = (document: string, reason: 'no vectors' | 'old vectors' | 'another model'): void =>
    report?.({ kind: 'index-words-only', document, reason });
  let passages = 0;
  const all = async function* (): AsyncGenerator<IndexedPassage> {
    for (const [at, { id, chunks, vectors, file }] of documents.entries()) {
      signal?.throwIfAborted();
      const model = models[at];
      const fits = dense !== undefined && model !== undefined && nameOf(model) === nameOf(dense);
      if (dense && !fits) wordsOnly(id, model ? 'another model' : 'no vectors');
      const files = [{ chunks, vectors: fits ? vectors : undefined, file }];
      for await (const passage of passagesFromFiles(files, () => wordsOnly(id, 'old vectors'))) {
        passages += 1;
        yield passage;
      }
      report?.({ kind: 'index-progress', documents: at + 1, of: documents.length, passages });
    }
  };
  await buildIndex(folder, all(), {
    source,
    ...(dense && { dense: { model: dense.model, dimensions: dense.dimensions, dtype: dtypeFor(documents, dense) } }),
  });
  return passages;
}

function nameOf({ model, dimensions }: DenseModel): string {
  return canonicalJson({ ...model, dimensions });
}

/** Vectors of two models cannot be compared: those of the model that made most files are searched. */
function mostUsed(models: readonly (DenseModel | undefined)[]): DenseModel | undefined {
  const groups = Map.groupBy(
    models.filter((model) => model !== undefined),
    nameOf,
  );
  const [first] = [...groups.values()].sort((a, b) => b.length - a.length);
  return first?.[0];
}

function dtypeFor(documents: readonly FoundDocument[], { type }: DenseModel): 'float32' | 'int8' {
  const bytes = documents.reduce((sum, { vectorBytes }) => sum + vectorBytes, 0);
  return (bytes * BYTES_OF.float32) / BYTES_OF[type] > MOST_FLOAT_BYTES ? 'int8' : 'float32';
}

/** What the folder's index holds; an index that this version cannot search is as good as none. */
async function indexedIn(folder: string): Promise<{ passages: number; source: string | undefined } | undefined> {
  try {
    const { passages, source } = await readManifest(folder);
    return { passages, source };
  } catch (error) {
    if (error instanceof AppError && (error.code === 'INDEX_MISSING' || error.code === 'INDEX_SCHEMA'))
      return undefined;
    throw error;
  }
}

async function taken(lock: FileLock, signal: AbortSignal | undefined): Promise<Disposable> {
  for (;;) {
    const held = lock.tryTake();
    if (held) return held;
    await wait(systemClock, LOCK_POLL_MS, signal);
  }
}
