export type { Block, Box, Cell, Jump, Link, Metadata, Page, ParsedDocument, Region, Table } from './document.ts';
export type {
  Converted,
  ConvertMode,
  ConvertOptions,
  ParsedFile,
  ParseFileOptions,
  PdfEngine,
  ParseFailure,
  PdfReader,
} from './doctags/convert.ts';
export { convert, documentId, parseFile, parseFailure } from './doctags/convert.ts';
export { locateTesseract } from './doctags/ocr/tesseract.ts';
export { ocrLanguages } from './doctags/ocr/tesseract.ts';
export { readBlockLines, writeBlockLines } from './doctags/formats/block-lines.ts';
export { writeDoclingJson } from './doctags/formats/docling-json.ts';
export { readDoctags } from './doctags/formats/doctags-reader.ts';
export { writeDoctags } from './doctags/formats/doctags.ts';
export { escapeHtml, writeHtmlPage } from './doctags/formats/html-page.ts';
export { writeMarkdown } from './doctags/formats/markdown.ts';
export type { PageImage } from './doctags/show.ts';
export { writeOverlay, showPage } from './doctags/show.ts';
export type { ParseFacts, Sidecar } from './doctags/formats/sidecar.ts';
export { parseSidecar } from './doctags/formats/sidecar.ts';
export type { DocumentPart } from './doctags/parts.ts';
export { writeParts } from './doctags/parts.ts';
export { parseMarkup } from './doctags/parse-markup.ts';
export type { FileKind } from './doctags/sniff.ts';
export { sniff } from './doctags/sniff.ts';
export { DOCTAGS_FOLDER, doctagsItems, doctagsPlan, doctagsWorker, documentFiles } from './doctags/stage.ts';
export type { DoctagsSettings } from './doctags/worker.ts';
export { NEEDS_OCR } from './doctags/worker.ts';
export type { DrawnPage, PagesAsked, PdfSummary } from './doctags/inspect.ts';
export { PdfInspector } from './doctags/inspector.ts';
export type { Chunk, ChunkOptions } from './chunk/chunk.ts';
export { CHUNK_SCHEMA, embeddedText } from './chunk/chunk.ts';
export { chunkDocument } from './chunk/chunker.ts';
export type { Flow, Group } from './chunk/flow.ts';
export { flowOf } from './chunk/flow.ts';
export type { Tokenizer } from './chunk/tokenizer.ts';
export { openTokenizer } from './chunk/tokenizer.ts';
export type { ChunkPassage } from './chunk/chunk.ts';
export { readChunkPassages, readChunks, validateChunks, writeChunks } from './chunk/chunk.ts';
export type { ChunkExtras } from './chunk/stage.ts';
export { chunkConfigHash, chunkItem, chunkOutput, chunkItems, chunkPlan, chunkWorker } from './chunk/stage.ts';
export type { ChunkSettings } from './chunk/worker.ts';
export type { AheadSettings } from './embed/ahead.ts';
export { aheadItems, aheadWorker } from './embed/ahead.ts';
export { VectorCache } from './embed/embed-texts.ts';
export { embeddedPrecision } from './embed/engine.ts';
export type { Embedded } from './embed/embed-texts.ts';
export { embedTexts } from './embed/embed-texts.ts';
export type { DenseEngine, ModelIdentity, Role, SparseEngine, SparseVector } from './embed/engine.ts';
export { quantiseVector } from './embed/engine.ts';
export type { Bm25Statistics } from './embed/engines/bm25.ts';
export { loadBm25, measureBm25, openBm25, saveBm25 } from './embed/engines/bm25.ts';
export type { DenseSettings, MaybeEngine } from './embed/engine.ts';
export { openDenseEngine, openDenseEngineIfInstalled } from './embed/engine.ts';
export type { EmbedEngines, EmbedExtras } from './embed/stage.ts';
export {
  embedConfigHash,
  embedItem,
  embedOutput,
  createEmbedWorker,
  embedPlan,
  openCorpusBm25,
  unreachableEngine,
} from './embed/stage.ts';
export type { ChunkVectors, DenseModel, VectorFileOptions, VectorType, VectorWriter } from './embed/vector-file.ts';
export { denseModelOf, openVectorWriter, readVectors, validateVectors, VECTOR_SCHEMA } from './embed/vector-file.ts';
export type { EmbedWorkerSettings } from './embed/worker.ts';
export { embedWorker } from './embed/worker.ts';
export type { FileFormat } from './files/open.ts';
export { openRowReader, openRowWriter } from './files/open.ts';
export type { ColumnType, Row, RowReader, RowWriter, TableSchema } from './files/open.ts';
export * from './terms/index.ts';
export { PASSAGE_ANALYSIS, passageTerms, questionTerms, withoutAmountWords } from './terms/analyse-in.ts';
