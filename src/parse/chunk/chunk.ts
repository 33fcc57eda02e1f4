import type { Region } from '../document.ts';

/** The version of the chunk record; it is in every file of chunks. */
export const CHUNK_SCHEMA = 'docstokg/chunk/1';

/** A passage of a document, small enough for the model that will embed it. */
export interface Chunk {
  /** Stable: the same document, text and context give the same id. */
  readonly id: string;
  readonly document: string;
  /** Its place in the document, counted from 0. */
  readonly index: number;
  /** What a reader sees: `repeated` characters said before (overlap, table header), then the chunk's own text. */
  readonly text: string;
  readonly repeated: number;
  /** Document title and headings above the chunk that its text does not show itself; one per line. */
  readonly context: string;
  /** Tokens of context and text together, with those the model adds around every text. */
  readonly tokens: number;
  /** The chunk's own characters in the flow. The spans of a document's chunks tile the flow without gap. */
  readonly start: number;
  readonly end: number;
  readonly title: string;
  /** Headings from the outermost to the innermost that cover the chunk. */
  readonly headings: readonly string[];
  /** Kinds of block it holds, in order of appearance. */
  readonly kinds: readonly string[];
  /** `order` of the blocks it touches. */
  readonly blocks: readonly number[];
  /** Where those blocks are; empty for inputs without pages. */
  readonly regions: readonly Region[];
}

/** What is embedded, indexed and counted: the context, a line break, the text. */
export function embeddedText(chunk: { readonly context: string; readonly text: string }): string {
  return chunk.context === '' ? chunk.text : `${chunk.context}\n${chunk.text}`;
}

/** How chunks are cut. */
export interface ChunkOptions {
  /** No chunk has more tokens, context and the model's own tokens included. */
  readonly maxTokens: number;
  /** Chunks below this are merged with a peer where that fits. */
  readonly minTokens: number;
  /** So many tokens of the end of a chunk are said again at the start of the next in the same section. */
  readonly overlapTokens: number;
}
