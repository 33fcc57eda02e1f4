import { globSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { AppError, canonicalJson, FileLock, systemClock } from '../base/index.ts';
import type { DenseModel, FileFormat } from '../parse/index.ts';
import {
  chunkOutput,
  denseModelOf,
  embeddedText,
  embedOutput,
  readChunkPassages,
  readVectors,
} from '../parse/index.ts';
import type { IndexDense } from './segment/write-segment.ts';
import { hasIndex, IndexRows } from './index-rows.ts';
import type { IndexedDocument } from './segment/write-segment.ts';
import type { IndexedPassage } from './passage.ts';
import { sectionOf } from './section.ts';

export interface RefreshOptions {
  readonly dataRoot: string;
  /** The folder of the corpus, whose `Index` folder holds the segments. */
  readonly folder: string;
  readonly format: FileFormat;
  readonly linkOf?: (documentId: string) => string | undefined;
  /** Reads every byte of the index, not only of files whose size or time has changed. */
  readonly thorough?: boolean;
  readonly signal?: AbortSignal;
  readonly report?: (event: IndexEvent) => void;
}

/** Adds new and changed documents and removes deleted ones; another model requires a new index. */
export async function refreshIndex(
  options: RefreshOptions,
): Promise<{ readonly passages: number; readonly changed: boolean }> {
  const { folder, signal } = options;
  const documents = documentsOf(options);
  if (documents.length === 0 && !hasIndex(folder)) {
    throw new AppError('INDEX_NOTHING', `no chunks (${options.format}) in ${options.dataRoot}`, {
      hint: 'create them with docstokg run or docparse parse',
    });
  }
  const before = await changesSince(folder, documents, options.thorough);
  if (before && before.changed.length === 0 && before.gone.length === 0)
    return { passages: before.passages, changed: false };
  using lock = new FileLock(join(folder, 'Index', 'building.lock'), systemClock);
  using _taken = await lock.take({ signal });
  // Another process that held the lock may already have built this index.
  const {
    changed,
    gone,
    passages: kept,
  } = (await changesSince(folder, documents, options.thorough)) ?? {
    changed: documents,
    gone: [],
    passages: undefined,
  };
  if (changed.length === 0 && gone.length === 0 && kept !== undefined) return { passages: kept, changed: false };
  using index = IndexRows.open(folder);
  const dense = await wantedDense(documents);
  const isUpdate = kept !== undefined && canonicalJson(dense) === canonicalJson(index.dense);
  const wanted = new Set(isUpdate ? [...changed.map(({ id }) => id), ...index.documentsToMerge()] : []);
  const some = isUpdate ? documents.filter(({ id }) => wanted.has(id)) : documents;
  options.report?.({ kind: 'index-started', documents: some.length, kept });
  const made = indexedDocuments(some, dense, options);
  if (isUpdate) await index.update({ documents: made, removed: gone }, signal);
  else await index.rebuild(made, dense, signal);
  const { passages } = index.manifest;
  options.report?.({ kind: 'index-ended', passages, documents: documents.length });
  return { passages, changed: true };
}

/** A document to index. */
export interface FoundDocument {
  readonly id: string;
  /** The file with its passages. */
  readonly chunks: string;
  /** The file with its vectors; undefined without any. */
  readonly vectors: string | undefined;
  /** Its paper, a path or a link. */
  readonly file: string | undefined;
  /** Changes with the passages and vectors. */
  readonly stamp: string;
  /** Brings the files from a store. */
  readonly bring?: () => Promise<unknown>;
}

/** The documents with chunks on this disk, sorted by name. */
function documentsOf({ dataRoot, format, linkOf }: RefreshOptions): FoundDocument[] {
  const folder = dirname(chunkOutput(dataRoot, 'any', format));
  return globSync(`*.${format}`, { cwd: folder })
    .sort()
    .flatMap((name) => {
      const id = basename(name, `.${format}`);
      const chunks = join(folder, name);
      const vectors = embedOutput(dataRoot, id, format);
      const [chunkStamp, vectorStamp] = [chunks, vectors].map((path) => statSync(path, { throwIfNoEntry: false }));
      if (!chunkStamp) return [];
      const file = linkOf?.(id);
      // Changes with the passages.
      const stamp = [chunkStamp, vectorStamp].map((each) => (each ? `${each.size} ${each.mtimeMs}` : '')).join(', ');
      return [{ id, chunks, vectors: vectorStamp ? vectors : undefined, file, stamp }];
    });
}

/** Undefined if there is no complete index that this version can search. */
async function changesSince(folder: string, documents: readonly FoundDocument[], thorough?: boolean) {
  if (!hasIndex(folder)) return undefined;
  try {
    using index = IndexRows.read(folder);
    if (!(await index.isSound(thorough))) return undefined;
    const stamps = index.stamps();
    const changed = documents.filter(({ id, stamp }) => stamps.get(id) !== stamp);
    for (const { id } of documents) stamps.delete(id);
    return { changed, gone: [...stamps.keys()], passages: index.manifest.passages };
  } catch (error) {
    if (error instanceof AppError && error.code === 'INDEX_SCHEMA') return undefined;
    throw error;
  }
}

async function modelOf({ vectors, bring }: FoundDocument): Promise<DenseModel | 'damaged' | undefined> {
  if (vectors === undefined) return undefined;
  await bring?.();
  return await denseModelOf(vectors).catch((error: unknown) => {
    if (!isUnreadable(error)) throw error;
    return 'damaged' as const;
  });
}

/** Number of files whose model is read: all files of a run have the same settings. */
const ASKED = 50;

/** The model to search with: vectors of different models cannot be compared, and those of the most frequent model are searched. */
export async function wantedDense(documents: readonly FoundDocument[]): Promise<IndexDense | null> {
  const embedded = documents.filter(({ vectors }) => vectors !== undefined);
  const step = Math.max(1, Math.floor(embedded.length / ASKED));
  const models = await Array.fromAsync(embedded.filter((_, at) => at % step === 0).map(modelOf));
  const found = models.flatMap((model) => (model === undefined || model === 'damaged' ? [] : [model]));
  const [most] = [...Map.groupBy(found, nameOf).values()].sort((a, b) => b.length - a.length);
  const [chosen] = most ?? [];
  return chosen ? { model: chosen.model, dimensions: chosen.dimensions } : null;
}

/** Reads documents one after the other; vectors of other models are left out, and what cannot be read is reported. */
export async function* indexedDocuments(
  documents: readonly FoundDocument[],
  dense: IndexDense | null,
  { report, signal }: Pick<RefreshOptions, 'report' | 'signal'>,
): AsyncGenerator<IndexedDocument> {
  const name = dense && nameOf(dense);
  let passages = 0;
  for (const [at, document] of documents.entries()) {
    signal?.throwIfAborted();
    const { id, stamp } = document;
    await document.bring?.();
    const model = await modelOf(document);
    const isDamaged = model === 'damaged';
    const fits = name !== null && model !== undefined && !isDamaged && nameOf(model) === name;
    const wordsOnly = (reason: WordsOnlyReason): void => report?.({ kind: 'index-words-only', document: id, reason });
    if (dense && !fits) wordsOnly(isDamaged ? 'damaged vectors' : model ? 'another model' : 'no vectors');
    try {
      const { chunks, vectors, file } = document;
      const own = await Array.fromAsync(
        passagesOfDocument({ chunks, vectors: fits ? vectors : undefined, file }, wordsOnly),
      );
      passages += own.length;
      yield { id, stamp, passages: own };
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      report?.({ kind: 'index-unreadable', document: id, message: error.message });
    }
    report?.({ kind: 'index-progress', documents: at + 1, of: documents.length, passages });
  }
}

function nameOf({ model, dimensions }: IndexDense): string {
  return canonicalJson({ ...model, dimensions });
}

/** Unreadable or outdated vectors are left out and reported. */
export async function* passagesOfDocument(
  { chunks, vectors, file }: Pick<FoundDocument, 'chunks' | 'vectors' | 'file'>,
  wordsOnly?: (reason: WordsOnlyReason) => void,
): AsyncGenerator<IndexedPassage> {
  const dense =
    vectors === undefined
      ? undefined
      : await denseById(vectors).catch((error: unknown) => {
          if (!isUnreadable(error)) throw error;
          wordsOnly?.('damaged vectors');
          return undefined;
        });
  let hasWarned = false;
  for await (const chunk of readChunkPassages(chunks)) {
    const vector = dense?.get(chunk.id);
    if (dense && !vector && !hasWarned) {
      hasWarned = true;
      wordsOnly?.('old vectors');
    }
    const { id, document, title, headings, page, text, kinds, regions, pageStarts } = chunk;
    yield {
      id,
      document,
      title,
      headings,
      section: sectionOf(chunk),
      page,
      boxes: regions,
      ...(pageStarts.length > 2 && { pageStarts }),
      hasTable: kinds.includes('table'),
      hasFigure: kinds.includes('picture'),
      text,
      file,
      searchText: embeddedText(chunk),
      vector,
    };
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['FILE_UNREADABLE', 'CHUNK_SCHEMA', 'VECTOR_SCHEMA']);

function isUnreadable(error: unknown): error is AppError {
  return error instanceof AppError && UNREADABLE.has(error.code);
}

async function denseById(path: string): Promise<ReadonlyMap<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>();
  for await (const { id, dense } of readVectors(path)) if (dense) vectors.set(id, dense);
  return vectors;
}

type WordsOnlyReason = 'no vectors' | 'old vectors' | 'another model' | 'damaged vectors';

export type IndexEvent =
  /** Passages are new or changed, so the index is being updated; `kept` is how many the old one has. */
  | { readonly kind: 'index-started'; readonly documents: number; readonly kept: number | undefined }
  | {
      readonly kind: 'index-progress';
      readonly documents: number;
      readonly of: number;
      readonly passages: number;
    }
  /** A document can be found only by its words: its vectors are missing, outdated, or of another model. */
  | {
      readonly kind: 'index-words-only';
      readonly document: string;
      readonly reason: WordsOnlyReason;
    }
  /** A document whose chunks are unreadable: its old passages stay, and the next run writes the file again. */
  | { readonly kind: 'index-unreadable'; readonly document: string; readonly message: string }
  | { readonly kind: 'index-ended'; readonly passages: number; readonly documents: number };
