/** A rectangle on a page, in points from the page's top-left corner. */
export interface Box {
  /** Points from the left edge of the page. */
  readonly left: number;
  /** Points from the top of the page. */
  readonly top: number;
  /** Points from the left edge of the page. */
  readonly right: number;
  /** Points from the top of the page. */
  readonly bottom: number;
}

/** Where a block is: one region per piece when a paragraph is broken over columns or pages. Pages count from 1. */
export interface Region {
  /** From 1. */
  readonly page: number;
  /** Where on the page. */
  readonly box: Box;
}

/** A page's size in points. */
export interface Page {
  /** From 1. */
  readonly number: number;
  /** In points. */
  readonly width: number;
  /** In points. */
  readonly height: number;
}

/** One cell of a table, standing at its upper left corner; positions covered by a span have no cell of their own. */
export interface Cell {
  /** The first row it covers, from 0. */
  readonly row: number;
  /** The first column it covers, from 0. */
  readonly column: number;
  /** How many rows it covers. */
  readonly rowSpan: number;
  /** How many columns it covers. */
  readonly columnSpan: number;
  /** What it says. */
  readonly text: string;
  readonly kind: 'data' | 'column-header' | 'row-header' | 'section-row';
}

/** A table as its cells. */
export interface Table {
  /** How many rows it has. */
  readonly rows: number;
  /** How many columns it has. */
  readonly columns: number;
  /** Its cells, row by row. */
  readonly cells: readonly Cell[];
}

/** A part of a text, by character offsets. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

export interface Link extends Stretch {
  readonly url: string;
}

/** A link to another page of the same file: callouts of references, figures, tables. */
export interface InternalLink extends Stretch {
  readonly page: number;
}

interface BlockBase {
  /** Stable inside the document: its place in reading order, counted from 0. */
  readonly order: number;
  /** The `order` of the block this one belongs to: a caption's table or picture, a nested list item's item. */
  readonly parent?: number;
  /** Empty for inputs without pages (HTML, JATS). */
  readonly regions: readonly Region[];
  readonly text: string;
  readonly links?: readonly Link[];
  readonly jumps?: readonly InternalLink[];
  /** Raised numbers, such as callouts and powers; only PDFs have them. */
  readonly raised?: readonly Stretch[];
}

/**
 * One unit of a document in reading order. Furniture (page_header, page_footer) is kept but is not part of the flow.
 */
export type Block =
  | (BlockBase & {
      readonly kind: 'title' | 'text' | 'caption' | 'footnote' | 'formula' | 'page_header' | 'page_footer';
    })
  | (BlockBase & { readonly kind: 'heading'; readonly level: number })
  | (BlockBase & {
      readonly kind: 'list_item';
      readonly ordered: boolean;
      readonly marker?: string;
      readonly depth: number;
    })
  | (BlockBase & { readonly kind: 'code'; readonly language?: string })
  | (BlockBase & { readonly kind: 'picture'; readonly category?: string })
  | (BlockBase & { readonly kind: 'table'; readonly table: Table })
  | (BlockBase & {
      readonly kind: 'reference';
      readonly doi?: string;
      readonly arxivId?: string;
      readonly label?: string;
    });

/** Characters of a PDF that are not simply what the file says they are. */
export interface CharacterCounts {
  /** Drawn, but of unknown meaning. */
  readonly unmapped: number;
  /** Named wrongly by the file; corrected by the glyph's name or shape, or by context. */
  readonly renamed: number;
  /** Invisible or drawn twice: left out. */
  readonly hidden: number;
}

/** A page on which words are missing from the text, and why. */
export interface ShortPage {
  readonly page: number;
  readonly found: number;
  readonly kept: number;
  /**
   * The page is an image; its fonts do not say what their glyphs are; words are on its pictures; or they are in no
   * block.
   */
  readonly reason: 'scan' | 'unmapped' | 'pictured' | 'lost';
}

/** The words of a PDF, and where they are. */
export interface WordCounts {
  /** On its pages. */
  readonly found: number;
  /** In blocks of text and tables, running heads included. */
  readonly kept: number;
  /** Printed on pictures: the text of picture blocks, which is no part of the running text. */
  readonly pictured: number;
  readonly short: readonly ShortPage[];
}

export interface OcrPage {
  readonly page: number;
  readonly engine: 'embedded' | 'tesseract';
  /** As tesseract names it. */
  readonly language: string;
  /** Quarter turns, clockwise, in which the page lay. */
  readonly turn: number;
  /** Degrees by which its lines fell to the right. */
  readonly skew: number;
  /** 0 to 1: mean of its lines, by letters. */
  readonly confidence: number;
  /** 0 to 1 for each line, in reading order. */
  readonly lines: readonly number[];
  /** Lines that are too uncertain to be text and were left out. */
  readonly dropped: number;
}

/** What a document says about its own publication, in its own words. */
export interface Imprint {
  readonly arxivId?: string;
  readonly pmid?: string;
  readonly pmcid?: string;
  /** ISO 8601, as exact as it is stated. */
  readonly date?: string;
  readonly venue?: string;
  readonly publisher?: string;
  readonly issn?: readonly string[];
  readonly volume?: string;
  readonly issue?: string;
  readonly pages?: string;
  readonly license?: string;
  readonly keywords?: readonly string[];
  /** DOIs where a paper's own would be: one of them may be its own, or all may be of cited works. */
  readonly otherDois?: readonly string[];
}

export interface Person {
  /** As in `authors`. */
  readonly name: string;
  readonly orcid?: string;
  readonly institutions: readonly string[];
}

/** What is known about a document besides its text, so that later stages can filter. */
export interface Metadata {
  /** The title, if it was found. */
  readonly title?: string;
  /** Their names in printed order. */
  readonly authors: readonly string[];
  /** Those of the authors of whom more than the name is stated. */
  readonly people?: readonly Person[];
  /** The abstract, if there is one. */
  readonly abstract?: string;
  /** The DOI that the paper states as its own. */
  readonly doi?: string;
  /** Venue, volume, pages, date and identifiers, as far as stated. */
  readonly imprint?: Imprint;
  /** The language of the text, as ISO 639-1. */
  readonly language?: string;
  /** Pages of the file, where it has pages. */
  readonly pageCount?: number;
  /** Pages that are images, or whose fonts do not say what most of their glyphs are: they need OCR. */
  readonly needsOcr: readonly number[];
  /** Characters of a PDF that are not simply what the file says they are. */
  readonly characters?: CharacterCounts;
  /** The words of a PDF, and where they are. */
  readonly words?: WordCounts;
  /** The pages that were read by OCR. */
  readonly ocr?: readonly OcrPage[];
  /** How well the file could be read. */
  readonly quality: {
    /** Share of glyphs without a usable Unicode value. */
    readonly unmappedGlyphs: number;
    /** The most frequent number of columns. */
    readonly columns: number;
    /** 0 to 1: how far the result can be trusted. */
    readonly confidence: number;
  };
}

/** A document as its structure. */
export interface ParsedDocument {
  /** Its pages; empty for documents without pages. */
  readonly pages: readonly Page[];
  /** Its blocks in reading order. */
  readonly blocks: readonly Block[];
  /** What the paper says about itself, and what could not be read. */
  readonly metadata: Metadata;
}
