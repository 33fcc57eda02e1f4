// import … from 'docstokg/parse': from a file to its structure, its chunks and their vectors.
export {
  bm25,
  chunkOutput,
  parseFile,
  readBlockLines,
  readChunks,
  writeDoctags,
  writeMarkdown,
} from '../parse/index.ts';
export type {
  Block,
  Box,
  Cell,
  Chunk,
  Metadata,
  Page,
  ParsedDocument,
  ParsedFile,
  ParseFileOptions,
  PdfEngine,
  Region,
  SparseEngine,
  SparseVector,
  Table,
} from '../parse/index.ts';
