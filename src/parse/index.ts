export type {
  Block,
  Box,
  Cell,
  InternalLink,
  Metadata,
  Page,
  ParsedDocument,
  Region,
  Stretch,
  Table,
} from './document.ts';
export type { ParsedFile, ParseFileOptions, PdfEngine } from './doctags/convert.ts';
export { documentId, parseFile } from './doctags/convert.ts';
export { locateTesseract, ocrLanguages } from './doctags/ocr/tesseract.ts';
export { readBlockLines, writeBlockLines } from './doctags/formats/block-lines.ts';
export { writeDoctags } from './doctags/formats/doctags.ts';
export { escapeHtml, writeHtmlPage } from './doctags/formats/html-page.ts';
export { writeMarkdown } from './doctags/formats/markdown.ts';
export type { Sidecar } from './doctags/formats/sidecar.ts';
export { readSidecar } from './doctags/formats/sidecar.ts';
export { writeParts } from './doctags/parts.ts';
export { parseMarkup } from './doctags/parse-markup.ts';
export type { FileKind } from './doctags/markup/decode.ts';
export { sniff } from './doctags/markup/decode.ts';
export {
  blocksPath,
  DOCTAGS_FOLDER,
  doctagsItems,
  doctagsPlan,
  doctagsWorker,
  documentFiles,
  parsedDocuments,
  sidecarPath,
} from './doctags/stage.ts';
export type { DoctagsSettings } from './doctags/worker.ts';
export { NEEDS_OCR } from './doctags/worker.ts';
export { PdfInspector } from './doctags/inspector.ts';
export type { PageText } from './doctags/page-text.ts';
export type { Chunk } from './chunk/chunk.ts';
export { embeddedText, pageAt, readChunkPassages, readChunks, validateChunks } from './chunk/chunk.ts';
export { chunkDocument } from './chunk/chunker.ts';
export type { Tokenizer } from './chunk/tokenizer.ts';
export { openTokenizer } from './chunk/tokenizer.ts';
export { chunkItem, chunkOutput, chunkItems, chunkPlan, chunkWorker } from './chunk/stage.ts';
export type { ChunkSettings } from './chunk/stage.ts';
export { VectorCache, embedTexts } from './embed/embed-texts.ts';
export type { DenseEngine, ModelIdentity, SparseEngine, SparseVector } from './embed/engine.ts';
export type { DenseSettings, MaybeEngine } from './embed/open-engine.ts';
export { bm25 } from './embed/engines/bm25.ts';
export type { PartsModel } from './embed/engines/parts-model.ts';
export { openPartsModel } from './embed/engines/parts-model.ts';
export { openTokenModel } from './embed/engines/token-model.ts';
export { embeddedPrecision } from './embed/engine.ts';
export { openDenseEngine, openDenseEngineIfInstalled } from './embed/open-engine.ts';
export type { EmbedEngines } from './embed/stage.ts';
export {
  embedItem,
  embedOutput,
  createEmbedWorker,
  chunkedDocuments,
  embedItems,
  embedPlan,
  unreachableEngine,
} from './embed/stage.ts';
export type { DenseModel } from './embed/vector-file.ts';
export { denseModelOf, readVectors, validateVectors } from './embed/vector-file.ts';
export type { EmbedWorkerSettings } from './embed/worker.ts';
export { embedWorker } from './embed/worker.ts';
export type { FileFormat } from './files/open.ts';
export { openRowReader, openRowWriter } from './files/open.ts';
export {
  indexedLanguages,
  isEnglish,
  PASSAGE_ANALYSIS,
  passageTerms,
  questionTerms,
  sentenceTerms,
  stemmedLanguage,
  withoutAmountWords,
} from './terms/analyse-in.ts';
export * from './terms/index.ts';
export { expanded } from './doctags/layout/text/phrases.ts';
export { isHowToCite, isKeywords } from './doctags/layout/role/section-names.ts';
export { sectionOfHeading } from './section-of-heading.ts';
export type { HeadedSection } from './section-of-heading.ts';
export { readForeignParquet } from './files/foreign-parquet.ts';
export type { RowBatch } from './files/foreign-parquet.ts';
