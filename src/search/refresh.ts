import { existsSync, globSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { AppError, canonicalJson, FileLock, systemClock, wait } from '../base/index.ts';
import type { DenseModel, FileFormat } from '../parse/index.ts';
import {
  chunkOutput,
  denseModelOf,
  embeddedText,
  embedOutput,
  PASSAGE_ANALYSIS,
  readChunkPassages,
  readVectors,
} from '../parse/index.ts';
import type { IndexDense } from '../store/index.ts';
import { hasIndex, IndexRows } from '../store/index.ts';
import { segmentPath } from './segment/segment-file.ts';
import type { IndexedDocument } from './update-index.ts';
import { rebuildIndex, updateIndex } from './update-index.ts';
import type { IndexedPassage } from './passage.ts';
import { sectionOf } from './section.ts';

/** Where an index comes from and where it goes. */
export interface RefreshOptions {
  /** Where the stages keep their files. */
  readonly dataRoot: string;
  /** The folder of the corpus, whose `Index` folder holds the segments. */
  readonly folder: string;
  readonly format: FileFormat;
  /** The file of a document, as a reader should be sent to it. */
  readonly linkOf?: (documentId: string) => string | undefined;
  readonly signal?: AbortSignal;
  readonly report?: (event: IndexEvent) => void;
}

const LOCK_POLL_MS = 100;
/** Above so many bytes of float32 numbers the index keeps vectors as int8: it has to fit the memory of a scan. */
const MOST_FLOAT_BYTES = 2 ** 31;
const BYTES_OF = { float32: 4, float16: 2, int8: 1 } as const;

/**
 * Brings an index up to date with the files of the stages: takes in what has come or changed, marks what has gone, and does
 * nothing where nothing has. Another model means another index, which is built whole.
 */
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
  const before = changesSince(folder, documents);
  if (before && before.changed.length === 0 && before.gone.length === 0)
    return { passages: before.passages, changed: false };
  using lock = new FileLock(join(folder, 'Index', 'building.lock'), systemClock);
  using _held = await taken(lock, signal);
  // Whoever held the lock may have made the very index that is wanted.
  const {
    changed,
    gone,
    passages: kept,
  } = changesSince(folder, documents) ?? { changed: documents, gone: [], passages: undefined };
  if (changed.length === 0 && gone.length === 0 && kept !== undefined) return { passages: kept, changed: false };
  options.report?.({ kind: 'index-started', documents: changed.length, kept });
  using index = IndexRows.open(folder, PASSAGE_ANALYSIS);
  const models = new ModelsOfFiles();
  const dense = await wantedDense(documents, index.dense, models);
  const isSame = canonicalJson(dense) === canonicalJson(index.dense);
  const [some, update] = isSame && kept !== undefined ? [changed, true] : [documents, false];
  const made = indexedDocuments(some, { dense, models, options });
  if (update) await updateIndex(index, { documents: made, removed: gone }, signal);
  else await rebuildIndex(index, made, dense, signal);
  const { passages } = index.manifest;
  options.report?.({ kind: 'index-ended', passages, documents: documents.length });
  return { passages, changed: true };
}

interface FoundDocument {
  readonly id: string;
  readonly chunks: string;
  readonly vectors: string | undefined;
  readonly file: string | undefined;
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
      const file = linkOf?.(id);
      const stamp = [chunkStamp, vectorStamp].map((each) => (each ? `${each.size} ${each.mtimeMs}` : '')).join(', ');
      return [
        { id, chunks, vectors: vectorStamp ? vectors : undefined, file, stamp, vectorBytes: vectorStamp?.size ?? 0 },
      ];
    });
}

interface Changes {
  readonly changed: readonly FoundDocument[];
  readonly gone: readonly string[];
  readonly passages: number;
}

/** What is not as the index has it; undefined where there is none that this version can search, or it is not whole. */
function changesSince(folder: string, documents: readonly FoundDocument[]): Changes | undefined {
  if (!hasIndex(folder)) return undefined;
  try {
    using index = IndexRows.read(folder, PASSAGE_ANALYSIS);
    if (!index.segments().every(({ name }) => existsSync(segmentPath(index.folder, name)))) return undefined;
    const stamps = index.stamps();
    const changed = documents.filter(({ id, stamp }) => stamps.get(id) !== stamp);
    for (const { id } of documents) stamps.delete(id);
    return { changed, gone: [...stamps.keys()], passages: index.manifest.passages };
  } catch (error) {
    if (error instanceof AppError && error.code === 'INDEX_SCHEMA') return undefined;
    throw error;
  }
}

/** By which model the vectors of a file are, read once per file. */
class ModelsOfFiles {
  readonly #known = new Map<string, DenseModel | undefined>();
  readonly #damaged = new Set<string>();

  async of({ vectors }: FoundDocument): Promise<DenseModel | undefined> {
    if (vectors === undefined) return undefined;
    if (!this.#known.has(vectors)) this.#known.set(vectors, await this.#modelOf(vectors));
    return this.#known.get(vectors);
  }

  /** True for a file that could not be read. */
  isDamaged({ vectors }: FoundDocument): boolean {
    return vectors !== undefined && this.#damaged.has(vectors);
  }

  async #modelOf(vectors: string): Promise<DenseModel | undefined> {
    try {
      return await denseModelOf(vectors);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      this.#damaged.add(vectors);
      return undefined;
    }
  }
}

/** So many files are asked by which model they are: the settings of a run are those of all its files. */
const ASKED = 50;

/**
 * Vectors of two models cannot be compared: those of the model that made most files are searched. The model in use stays as
 * long as any file asked has it, so that one new document does not cost a look into all of them.
 */
async function wantedDense(
  documents: readonly FoundDocument[],
  current: IndexDense | null,
  models: ModelsOfFiles,
): Promise<IndexDense | null> {
  const embedded = documents.filter(({ vectors }) => vectors !== undefined);
  const step = current ? Math.max(1, Math.floor(embedded.length / ASKED)) : 1;
  const found: DenseModel[] = [];
  for (let at = 0; at < embedded.length; at += step) {
    const model = await models.of(embedded[at] as FoundDocument);
    if (model) found.push(model);
  }
  const groups = Map.groupBy(found, nameOf);
  const [most] = [...groups.values()].sort((a, b) => b.length - a.length);
  const [chosen] = most ?? [];
  if (!chosen) return null;
  if (current && nameOf(chosen) === canonicalJson({ ...current.model, dimensions: current.dimensions })) return current;
  return { model: chosen.model, dimensions: chosen.dimensions, dtype: dtypeFor(documents, chosen) };
}

async function* indexedDocuments(
  documents: readonly FoundDocument[],
  how: { readonly dense: IndexDense | null; readonly models: ModelsOfFiles; readonly options: RefreshOptions },
): AsyncGenerator<IndexedDocument> {
  const { dense, models } = how;
  const { report, signal } = how.options;
  const name = dense && canonicalJson({ ...dense.model, dimensions: dense.dimensions });
  let passages = 0;
  for (const [at, document] of documents.entries()) {
    signal?.throwIfAborted();
    const { id, stamp } = document;
    const model = await models.of(document);
    const fits = name !== null && model !== undefined && nameOf(model) === name;
    const wordsOnly = (reason: WordsOnlyReason): void => report?.({ kind: 'index-words-only', document: id, reason });
    if (dense && !fits)
      wordsOnly(models.isDamaged(document) ? 'damaged vectors' : model ? 'another model' : 'no vectors');
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

function nameOf({ model, dimensions }: DenseModel): string {
  return canonicalJson({ ...model, dimensions });
}

function dtypeFor(documents: readonly FoundDocument[], { type }: DenseModel): 'float32' | 'int8' {
  const bytes = documents.reduce((sum, { vectorBytes }) => sum + vectorBytes, 0);
  return (bytes * BYTES_OF.float32) / BYTES_OF[type] > MOST_FLOAT_BYTES ? 'int8' : 'float32';
}

async function taken(lock: FileLock, signal: AbortSignal | undefined): Promise<Disposable> {
  for (;;) {
    const held = lock.tryTake();
    if (held) return held;
    await wait(systemClock, LOCK_POLL_MS, signal);
  }
}

/** A document as the stages left it. */
interface DocumentFiles {
  readonly chunks: string;
  /** Undefined where only words are to be searched. */
  readonly vectors: string | undefined;
  /** The document itself, as a reader should be sent to it. */
  readonly file: string | undefined;
}

/**
 * A document's passages for an index out of its files of chunks and vectors. Where the vectors are not those of the chunks,
 * because it was cut again and not embedded yet, or cannot be read, its passages come without and that is reported.
 */
export async function* passagesOfDocument(
  files: DocumentFiles,
  wordsOnly?: (reason: WordsOnlyReason) => void,
): AsyncGenerator<IndexedPassage> {
  const { chunks, vectors, file } = files;
  const dense =
    vectors === undefined
      ? undefined
      : await denseById(vectors).catch((error: unknown) => {
          if (!isUnreadable(error)) throw error;
          wordsOnly?.('damaged vectors');
          return undefined;
        });
  let told = false;
  for await (const chunk of readChunkPassages(chunks)) {
    const vector = dense?.get(chunk.id);
    if (dense && !vector && !told) {
      told = true;
      wordsOnly?.('old vectors');
    }
    const { id, document, title, headings, page, text, kinds, regions } = chunk;
    yield {
      id,
      document,
      title,
      headings,
      section: sectionOf(chunk),
      page,
      boxes: regions,
      hasTable: kinds.includes('table'),
      hasFigure: kinds.includes('picture'),
      text,
      file,
      searchText: embeddedText(chunk),
      vectors: vector ? [vector] : [],
    };
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['FILE_UNREADABLE', 'CHUNK_SCHEMA', 'VECTOR_SCHEMA']);

/** True for a file that is not what a stage has written: damaged, or of another kind. */
function isUnreadable(error: unknown): error is AppError {
  return error instanceof AppError && UNREADABLE.has(error.code);
}

async function denseById(path: string): Promise<ReadonlyMap<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>();
  for await (const { id, dense } of readVectors(path)) if (dense) vectors.set(id, dense);
  return vectors;
}

/** Why a document is found by its words alone. */
type WordsOnlyReason = 'no vectors' | 'old vectors' | 'another model' | 'damaged vectors';

/** Events of building an index. */
export type IndexEvent =
  /** Passages are new or others than those indexed, so an index is being built; `kept` is how many the old one has. */
  | { readonly kind: 'index-started'; readonly documents: number; readonly kept: number | undefined }
  /** A document has been taken in. */
  | {
      readonly kind: 'index-progress';
      readonly documents: number;
      readonly of: number;
      readonly passages: number;
    }
  /** A document will be found by its words alone: it has no vectors, others than its chunks, or those of another model. */
  | {
      readonly kind: 'index-words-only';
      readonly document: string;
      readonly reason: WordsOnlyReason;
    }
  /** A document whose chunks cannot be read: what the index had of it stays, and the next run makes the file again. */
  | { readonly kind: 'index-unreadable'; readonly document: string; readonly message: string }
  /** The index is complete and in force. */
  | { readonly kind: 'index-ended'; readonly passages: number; readonly documents: number };
