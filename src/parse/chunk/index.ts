export { CHUNK_SCHEMA, embeddedText } from './chunk.ts';
export type { Chunk, ChunkOptions } from './chunk.ts';
export { chunkDocument } from './chunker.ts';
export { flowOf } from './flow.ts';
export type { Flow, Group } from './flow.ts';
export { openTokenizer } from './tokenizer.ts';
export type { Tokenizer } from './tokenizer.ts';
