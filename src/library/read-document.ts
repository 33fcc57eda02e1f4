import { AppError, foldCase } from '../base/index.ts';
import type { Block, ParsedDocument } from '../parse/index.ts';
import { blocksPath, readBlockLines, readSidecar, sidecarPath, writeMarkdown } from '../parse/index.ts';
import { sectionOf } from '../search/index.ts';
import type { DocumentPlace } from './place-files.ts';
import { bringHere, isThere } from './place-files.ts';

/** Tables in papers are smaller; larger ones are cut. */
const MOST_ROWS = 2_000;
const MOST_COLUMNS = 200;

/** A heading of a document. */
interface OutlineEntry {
  readonly heading: string;
  /** 1 for a heading of the paper's first level. */
  readonly level: number;
  readonly page: number | null;
  /** The index of the heading among the blocks. */
  readonly block: number;
}

/** A parsed document; `textOf` and `figuresOf` read parts of it. */
export interface LibraryDocument {
  /** The document's name. */
  readonly id: string;
  readonly title: string | null;
  readonly authors: readonly string[] | undefined;
  readonly doi: string | null;
  /** The hash of the file it was parsed from. */
  readonly sha256: string | null;
  readonly abstract: string | null;
  readonly pages: ParsedDocument['pages'];
  readonly outline: readonly OutlineEntry[];
  readonly blocks: readonly Block[];
}

/** A block of a document as Markdown. */
export interface TextPiece {
  /** The index of the block in the document. */
  readonly block: number;
  readonly page: number | null;
  readonly kind: Block['kind'];
  readonly text: string;
}

/** The part of a document to read; by default all of it. */
export interface TextPart {
  /** A section (`methods`), or words of a heading. */
  readonly section?: string | undefined;
  /** `3`, `3-5`, `3-`. */
  readonly pages?: string | undefined;
}

export interface Figure {
  readonly kind: 'figure' | 'table';
  readonly block: number;
  readonly page: number | null;
  readonly caption: string;
  /** The cells of a table, row by row; null for a figure. */
  readonly rows: readonly (readonly string[])[] | null;
}

/** Rejects path separators and hidden files. */
export function isDocumentName(name: string): boolean {
  return /^[^/\\\0.][^/\\\0]{0,254}$/.test(name);
}

/** Whether there is a parsed document of this name. */
export function hasDocument(place: DocumentPlace, name: string): boolean {
  return isDocumentName(name) && isThere(place, blocksPath(place.dataRoot, name));
}

/** Brings a parsed document that is only in a store. */
export async function bringDocument(place: DocumentPlace, name: string): Promise<void> {
  await bringHere(place, blocksPath(place.dataRoot, name));
  await bringHere(place, sidecarPath(place.dataRoot, name));
}

/** Reads a parsed document by its name. */
export async function readDocument(place: DocumentPlace, name: string): Promise<LibraryDocument> {
  const { dataRoot } = place;
  if (!hasDocument(place, name))
    throw new AppError('CORPUS_NO_DOCUMENT', `no parsed document ${JSON.stringify(name.slice(0, 100))}`, {
      hint: 'the list of works shows which ones have a text',
    });
  await bringDocument(place, name);
  const { blocks, pages } = await readBlockLines(blocksPath(dataRoot, name));
  const {
    title,
    authors,
    doi = null,
    source_sha256: sha256 = null,
    abstract = null,
  } = readSidecar(sidecarPath(dataRoot, name));
  return {
    id: name,
    title: title ?? blocks.find(({ kind }) => kind === 'title')?.text ?? null,
    authors,
    doi,
    sha256,
    abstract,
    pages,
    outline: blocks.flatMap((block, at) =>
      block.kind === 'heading' ? [{ heading: block.text, level: block.level, page: pageOf(block), block: at }] : [],
    ),
    blocks,
  };
}

/** Part of a document as Markdown, block by block, without running heads and feet. */
export function textOf(document: LibraryDocument, part: TextPart = {}): TextPiece[] {
  const { blocks } = document;
  const wanted = blocksOf(document, part);
  const captions = captionsOf(blocks);
  const pieces = blocks.flatMap((block, at): TextPiece[] => {
    if (!wanted(block, at) || (block.kind === 'caption' && block.parent !== undefined)) return [];
    const own = [block, ...(captions.get(block.order) ?? [])];
    const metadata = { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } };
    const text = writeMarkdown({ pages: [], blocks: own, metadata }).trim();
    return text === '' ? [] : [{ block: at, page: pageOf(block), kind: block.kind, text }];
  });
  // The abstract often has no heading; use the one found by the parser.
  if (pieces.length === 0 && part.section?.trim().toLowerCase() === 'abstract' && document.abstract !== null)
    return [{ block: 0, page: null, kind: 'text', text: document.abstract }];
  return pieces;
}

/** The figures and tables of a document, with their captions and places. */
export function figuresOf({ blocks }: LibraryDocument, kind?: Figure['kind']): Figure[] {
  const captions = captionsOf(blocks);
  return blocks.flatMap((block, at): Figure[] => {
    if (block.kind !== 'picture' && block.kind !== 'table') return [];
    const is = block.kind === 'picture' ? 'figure' : 'table';
    if (kind !== undefined && kind !== is) return [];
    const caption = (captions.get(block.order) ?? []).map(({ text }) => text).join(' ');
    const rows = block.kind === 'table' ? tableRows(block.table) : null;
    return [{ kind: is, block: at, page: pageOf(block), caption, rows }];
  });
}

/** The captions of figures and tables, by the order of the block they describe. */
export function captionsOf(blocks: readonly Block[]): ReadonlyMap<number, readonly Block[]> {
  return Map.groupBy(
    blocks.filter((block) => block.kind === 'caption' && block.parent !== undefined),
    (block) => block.parent ?? -1,
  );
}

/** The cells of a table by row and column; its size is bounded by the existing cells, not by its declared size. */
export function tableRows(table: Extract<Block, { kind: 'table' }>['table'], mostRows = MOST_ROWS): string[][] {
  const cells = table.cells.filter(({ row, column }) => row < mostRows && column < MOST_COLUMNS);
  const size = (sizes: readonly number[]): number => sizes.reduce((most, each) => Math.max(most, each + 1), 0);
  const columns = size(cells.map(({ column }) => column));
  const rows = Array.from({ length: size(cells.map(({ row }) => row)) }, () =>
    Array.from({ length: columns }, () => ''),
  );
  for (const { row, column, text } of cells) {
    const line = rows[row];
    if (line) line[column] = text;
  }
  return rows;
}

function pageOf(block: Block): number | null {
  return block.regions[0]?.page ?? null;
}

function blocksOf(document: LibraryDocument, { section, pages }: TextPart): (block: Block, at: number) => boolean {
  const onPage = pages === undefined ? undefined : parsePages(pages);
  const inSection = section === undefined ? undefined : sectionBlocks(document, section);
  return (block, at) =>
    (onPage === undefined || block.regions.some(({ page }) => page >= onPage[0] && page <= onPage[1])) &&
    (inSection === undefined || inSection.has(at));
}

/** The blocks under every matching heading, up to the next heading of the same or a higher level. */
function sectionBlocks({ blocks, outline }: LibraryDocument, section: string): Set<number> {
  const wanted = foldCase(section).trim();
  const found = new Set<number>();
  const isPart = (heading: string): boolean => {
    const part: string = sectionOf({ headings: [heading], kinds: [], text: '', index: 0 });
    return part === wanted || `${part}s` === wanted || part === `${wanted}s`;
  };
  const words = wanted.split(/\s+/).filter((word) => word !== '');
  const byPart = outline.filter(({ heading }) => isPart(heading));
  const meant =
    byPart.length > 0
      ? byPart
      : outline.filter(({ heading }) => words.every((word) => foldCase(heading).includes(word)));
  for (const { block, level } of meant) {
    const end = outline.find((other) => other.block > block && other.level <= level)?.block ?? blocks.length;
    for (let at = block; at < end; at += 1) found.add(at);
  }
  return found;
}

function parsePages(text: string): readonly [number, number] {
  const [, from, dash, to] = /^\s{0,8}(\d{1,6})\s{0,8}(-|–)?\s{0,8}(\d{1,6})?\s{0,8}$/.exec(text) ?? [];
  if (from === undefined)
    throw new AppError('USAGE_PAGES', `"${text.slice(0, 100)}" is not a page range`, { hint: 'use 3, 3-5 or 3-' });
  return [Number(from), to === undefined ? (dash === undefined ? Number(from) : Infinity) : Number(to)];
}
