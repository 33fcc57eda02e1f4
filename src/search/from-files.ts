import { embeddedText, readChunkPassages, readVectors } from '../parse/index.ts';
import type { IndexedPassage } from './passage.ts';

/** A document as the stages left it. */
export interface DocumentFiles {
  readonly chunks: string;
  /** Undefined where only words are to be searched. */
  readonly vectors: string | undefined;
  /** The document itself, as a reader should be sent to it. */
  readonly file: string | undefined;
}

/**
 * Passages for an index out of the files of chunks and vectors, one document after the other. Where the vectors are not
 * those of the chunks, because a document was cut anew and not embedded yet, its passages come without and `stale` is
 * told.
 */
export async function* passagesFromFiles(
  documents: AsyncIterable<DocumentFiles> | Iterable<DocumentFiles>,
  stale?: (document: DocumentFiles) => void,
): AsyncGenerator<IndexedPassage> {
  for await (const document of documents) {
    const { chunks, vectors, file } = document;
    const dense = vectors === undefined ? undefined : await denseById(vectors);
    let told = false;
    for await (const chunk of readChunkPassages(chunks)) {
      const vector = dense?.get(chunk.id);
      if (dense && !vector && !told) {
        told = true;
        stale?.(document);
      }
      yield {
        id: chunk.id,
        document: chunk.document,
        title: chunk.title,
        headings: chunk.headings,
        page: chunk.page,
        text: chunk.text,
        file,
        searchText: embeddedText(chunk),
        vectors: vector ? [vector] : [],
      };
    }
  }
}

async function denseById(path: string): Promise<ReadonlyMap<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>();
  for await (const { id, dense } of readVectors(path)) if (dense) vectors.set(id, dense);
  return vectors;
}
