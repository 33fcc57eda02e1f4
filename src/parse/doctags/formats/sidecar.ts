import type { ParsedDocument } from '../../document.ts';

const SIDECAR_VERSION = 1;

/** How a document was parsed: what the manifest of the stage tells besides its base fields. */
export interface ParseFacts {
  readonly parse_engine: string;
  readonly model_name?: string;
  readonly served_models?: readonly string[];
  readonly vllm_version?: string;
}

/** The sidecar: what is known about a document besides its text, so that later stages can filter. */
export function writeSidecar(
  document: ParsedDocument,
  source: { readonly path: string; readonly sha256: string; readonly kind: string },
  facts: ParseFacts,
): string {
  const { metadata, blocks } = document;
  const count = (kind: string): number => blocks.filter((block) => block.kind === kind).length;
  return `${JSON.stringify(
    {
      version: SIDECAR_VERSION,
      source: source.path,
      source_sha256: source.sha256,
      source_kind: source.kind,
      ...facts,
      title: metadata.title,
      authors: metadata.authors,
      abstract: metadata.abstract,
      doi: metadata.doi,
      language: metadata.language,
      page_count: metadata.pageCount,
      needs_ocr: metadata.needsOcr,
      characters: metadata.characters,
      quality: {
        unmapped_glyphs: metadata.quality.unmappedGlyphs,
        columns: metadata.quality.columns,
        confidence: metadata.quality.confidence,
      },
      counts: {
        blocks: blocks.length,
        characters: blocks.reduce((sum, block) => sum + block.text.length, 0),
        headings: count('heading'),
        tables: count('table'),
        pictures: count('picture'),
        formulas: count('formula'),
        references: count('reference'),
      },
    },
    null,
    2,
  )}\n`;
}
