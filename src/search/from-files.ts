import { AppError } from '../base/index.ts';
import { embeddedText, readChunkPassages, readVectors } from '../parse/index.ts';
import type { WordsOnlyReason } from './events.ts';
import type { IndexedPassage } from './passage.ts';
import { sectionOf } from './section.ts';

/** A document as the stages left it. */
export interface DocumentFiles {
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
export function isUnreadable(error: unknown): error is AppError {
  return error instanceof AppError && UNREADABLE.has(error.code);
}

async function denseById(path: string): Promise<ReadonlyMap<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>();
  for await (const { id, dense } of readVectors(path)) if (dense) vectors.set(id, dense);
  return vectors;
}
