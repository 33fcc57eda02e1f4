import { AppError } from '../../base/index.ts';
import type { Box, CharacterCounts, OcrPage, ParsedDocument } from '../document.ts';
import type { PageImage, PdfFile } from './engines/pdfium.ts';
import { openPdf } from './engines/pdfium.ts';
import { countWords } from './layout/output/word-count.ts';
import { writeDocument } from './layout/output/document-blocks.ts';
import { analyse } from './layout/layout.ts';
import { nameGlyphs } from './layout/text/symbol-font.ts';
import type { PageContent } from './layout/page/page-content.ts';
import { areaOf } from './layout/page/box.ts';
import { unreadable, withoutLayerType } from './layout/page/scan.ts';
import type { OcrEngine } from './ocr/tesseract.ts';
import { ScanReader } from './ocr/scan-reader.ts';
import { OCR_DPI } from './ocr/straighten.ts';

export interface PdfOptions {
  readonly maxPages?: number;
  /** What the engine's heap may grow to. */
  readonly maxMemoryBytes?: number;
  /** Looked at between pages; a call into the engine itself cannot be interrupted. */
  readonly signal?: AbortSignal;
  /** Passes over drafts that are left out, by name: what they are worth is measured so. */
  readonly without?: readonly string[];
  /**
   * Called before each page is read, with what it will take: a page that goes through OCR takes a hundred times as
   * long.
   */
  readonly onPage?: (how: 'text' | 'ocr') => void;
  /** Reads pages that need OCR, or all of them; without it they are only named in `needsOcr`. */
  readonly ocr?: { readonly engine: OcrEngine; readonly languages: string; readonly force?: boolean };
}

const MAX_PAGES = 5_000;

/** Reads a PDF into blocks. Run it in a process that can be killed: the engine cannot be stopped inside a page. */
export async function parsePdf(bytes: Uint8Array, options: PdfOptions = {}): Promise<ParsedDocument> {
  const { pages, outline, information, ocr } = await readPdf(bytes, options);
  const layout = analyse(pages, outline, information.title, options.without);
  const document = writeDocument(pages, layout, information);
  const counts = {
    characters: countCharacters(pages),
    words: countWords(pages, layout.drafts),
    ...(ocr.length > 0 && { ocr }),
  };
  return { ...document, metadata: { ...document.metadata, ...counts } };
}

function countCharacters(pages: readonly PageContent[]): CharacterCounts {
  const sum = (count: (page: PageContent) => number): number => pages.reduce((total, page) => total + count(page), 0);
  return {
    unmapped: sum((page) => page.unmapped),
    renamed: sum((page) => page.renamed),
    hidden: sum((page) => page.hidden),
  };
}

async function readPdf(bytes: Uint8Array, options: PdfOptions) {
  const maxPages = options.maxPages ?? MAX_PAGES;
  using file = await openPdf(bytes, options.maxMemoryBytes);
  if (file.pageCount > maxPages)
    throw new AppError('PDF_TOO_MANY_PAGES', `the PDF has ${file.pageCount} pages, more than ${maxPages}`, {
      hint: 'raise parse.max_pages or split the file',
    });
  const pages: PageContent[] = [];
  const ocr: OcrPage[] = [];
  const reader = options.ocr && new ScanReader(options.ocr.engine, options.ocr.languages);
  for (let number = 1; number <= file.pageCount; number += 1) {
    options.signal?.throwIfAborted();
    const page = file.readPage(number);
    if (!page) continue;
    options.onPage?.('text');
    const scan = reader && (await readScan(file, page, reader, options));
    pages.push(scan?.page ?? withoutLayerType(page));
    if (scan) ocr.push(scan.facts);
  }
  if (pages.length === 0)
    throw new AppError('PDF_BROKEN', 'the PDF has no readable page', { hint: 'download it again' });
  const information = {
    title: file.information('Title'),
    author: file.information('Author'),
    subject: file.information('Subject'),
    keywords: file.information('Keywords'),
    // Elsevier's and Wiley's names for it.
    doi: file.information('doi') || file.information('WPS-ARTICLEDOI'),
  };
  const outline = file.outline();
  options.signal?.throwIfAborted();
  return { pages: nameGlyphs(pages, file.shapes()), outline, information, ocr };
}

/** The page with the letters that OCR finds on it, where it needs that; undefined when it stays as it is. */
async function readScan(
  file: PdfFile,
  page: PageContent,
  reader: ScanReader,
  options: PdfOptions,
): Promise<{ readonly page: PageContent; readonly facts: OcrPage } | undefined> {
  const why = unreadable(page);
  if (why === undefined && !options.ocr?.force) {
    reader.learn(page);
    return undefined;
  }
  options.onPage?.('ocr');
  const read = await reader.read(file.render(page.number, { scale: OCR_DPI / 72 }), page);
  if (!read) return undefined;
  // Nothing but the scan itself is drawn on a scanned page.
  const drawings = page.drawings.filter(
    ({ kind, box }) => kind !== 'image' || (why !== 'scan' && !coversPage(box, page)),
  );
  return { page: { ...page, glyphs: read.glyphs, unmapped: 0, drawings }, facts: read.facts };
}

function coversPage(box: Box, { width, height }: PageContent): boolean {
  return areaOf(box) > 0.8 * width * height;
}

/** Draws one page, counted from 1; a scale of 1 is 72 dots per inch. */
export async function renderPage(bytes: Uint8Array, page: number, scale: number): Promise<PageImage> {
  using file = await openPdf(bytes);
  if (page < 1 || page > file.pageCount)
    throw new AppError('PDF_NO_SUCH_PAGE', `the PDF has ${file.pageCount} pages; there is no page ${page}`);
  return file.render(page, { scale });
}
