import { AppError } from '../base/index.ts';
import type { ChunkVectors } from '../parse/index.ts';
import { embeddedText, readChunks, readVectors } from '../parse/index.ts';
import type { IndexedPassage } from './passage.ts';

/** A document as the stages left it. */
export interface DocumentFiles {
  readonly chunks: string;
  /** Undefined where only words are to be searched. */
  readonly vectors: string | undefined;
  /** The document itself, as a reader should be sent to it. */
  readonly file: string | undefined;
}

/** Passages for an index out of the files of chunks and vectors, one document after the other. */
export async function* passagesFromFiles(
  documents: AsyncIterable<DocumentFiles> | Iterable<DocumentFiles>,
): AsyncGenerator<IndexedPassage> {
  for await (const { chunks, vectors, file } of documents) {
    const rows = vectors === undefined ? undefined : readVectors(vectors)[Symbol.asyncIterator]();
    for await (const chunk of readChunks(chunks)) {
      const row: ChunkVectors | undefined = (await rows?.next())?.value;
      if (rows && row?.id !== chunk.id) {
        throw new AppError('INDEX_INPUT', `${vectors} does not hold the vectors of ${chunks} (chunk ${chunk.id})`, {
          hint: 'run docparse embed again',
        });
      }
      yield {
        id: chunk.id,
        document: chunk.document,
        title: chunk.title,
        headings: chunk.headings,
        page: chunk.regions[0]?.page,
        text: chunk.text,
        file,
        searchText: embeddedText(chunk),
        vectors: row?.dense ? [row.dense] : [],
      };
    }
  }
}
