import type { Region } from '../document.ts';

/** The version of the chunk record, written to every file of chunks. */
export const CHUNK_SCHEMA = 'docstokg/chunk/1';

/** A passage of a document that fits the embedding model. */
export interface Chunk {
  /** Stable: the same document, text and context give the same id. */
  readonly id: string;
  readonly document: string;
  /** Its index in the document, from 0. */
  readonly index: number;
  /** The shown text: first `repeated` characters from elsewhere (overlap, table header), then the chunk's own text. */
  readonly text: string;
  readonly repeated: number;
  /** Document title and headings above the chunk that are not in its text; one per line. */
  readonly context: string;
  /** Tokens of context and text, including the model's special tokens. */
  readonly tokens: number;
  /** The range of the chunk's own text in the flow. The ranges of a document's chunks cover the flow without gaps. */
  readonly start: number;
  readonly end: number;
  readonly title: string;
  /** Headings from the outermost to the innermost that cover the chunk. */
  readonly headings: readonly string[];
  /** Kinds of block it holds, in order of appearance. */
  readonly kinds: readonly string[];
  /** `order` of the blocks it overlaps. */
  readonly blocks: readonly number[];
  /** The regions of those blocks; empty for inputs without pages. */
  readonly regions: readonly Region[];
}

/** What is embedded, indexed and counted: the context, a line break, the text. */
export function embeddedText(chunk: { readonly context: string; readonly text: string }): string {
  return chunk.context === '' ? chunk.text : `${chunk.context}\n${chunk.text}`;
}

/** How chunks are cut. */
export interface ChunkOptions {
  /** Most tokens per chunk, including context and special tokens. */
  readonly maxTokens: number;
  /** Smaller chunks are merged with a peer if the result fits. */
  readonly minTokens: number;
  /** Tokens from the end of a chunk that are repeated at the start of the next one in the same section. */
  readonly overlapTokens: number;
}
