import { AppError } from '../../base/index.ts';
import type { ParsedDocument } from '../document.ts';
import type { PageImage } from './engines/pdfium.ts';
import { openPdf } from './engines/pdfium.ts';
import { writeDocument } from './layout/document-blocks.ts';
import { analyse } from './layout/layout.ts';
import type { PageContent } from './layout/page-content.ts';

/** Bounds on the work that one PDF may cause. */
export interface PdfOptions {
  readonly maxPages?: number;
  /** What the engine's heap may grow to. */
  readonly maxMemoryBytes?: number;
  /** Looked at between pages; a call into the engine itself cannot be interrupted. */
  readonly signal?: AbortSignal;
}

const MAX_PAGES = 5_000;

/** Reads a PDF into blocks. Run it in a process that can be killed: the engine cannot be stopped inside a page. */
export async function parsePdf(bytes: Uint8Array, options: PdfOptions = {}): Promise<ParsedDocument> {
  const maxPages = options.maxPages ?? MAX_PAGES;
  using file = await openPdf(
    bytes,
    options.maxMemoryBytes === undefined ? {} : { maxMemoryBytes: options.maxMemoryBytes },
  );
  if (file.pageCount > maxPages)
    throw new AppError('PDF_TOO_MANY_PAGES', `the PDF has ${file.pageCount} pages, more than ${maxPages}`, {
      hint: 'raise the limit on pages or split the file',
    });
  const pages: PageContent[] = [];
  for (let number = 1; number <= file.pageCount; number += 1) {
    options.signal?.throwIfAborted();
    const page = file.readPage(number);
    if (page) pages.push(page);
  }
  if (pages.length === 0)
    throw new AppError('PDF_BROKEN', 'the PDF has no page that can be read', { hint: 'download it again' });
  const information = { title: file.information('Title'), author: file.information('Author') };
  const outline = file.outline();
  options.signal?.throwIfAborted();
  return writeDocument(pages, analyse(pages, outline, information.title), information);
}

/** Draws one page, counted from 1; a scale of 1 is 72 dots per inch. */
export async function renderPage(bytes: Uint8Array, page: number, scale: number): Promise<PageImage> {
  using file = await openPdf(bytes);
  if (page < 1 || page > file.pageCount)
    throw new AppError('PDF_NO_SUCH_PAGE', `the PDF has ${file.pageCount} pages, so no page ${page}`);
  return file.render(page, scale);
}
