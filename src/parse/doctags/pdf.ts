import { AppError } from '../../base/index.ts';
import type { ParsedDocument } from '../document.ts';
import { openPdf } from './engines/pdfium.ts';
import type { PageContent } from './layout/page-content.ts';
import { writeDocument } from './layout/document-blocks.ts';
import { analyse } from './layout/layout.ts';

/** Bounds on the work that one PDF may cause. */
export interface PdfOptions {
  readonly maxPages?: number;
  /** Checked between pages; a call into the engine itself cannot be interrupted. */
  readonly signal?: AbortSignal;
}

const MAX_PAGES = 5_000;

/** Reads a PDF into blocks. */
export async function parsePdf(bytes: Uint8Array, options: PdfOptions = {}): Promise<ParsedDocument> {
  const maxPages = options.maxPages ?? MAX_PAGES;
  using file = await openPdf(bytes);
  if (file.pageCount > maxPages)
    throw new AppError('PDF_TOO_MANY_PAGES', `the PDF has ${file.pageCount} pages, more than ${maxPages}`, {
      hint: 'raise the limit on pages or split the file',
    });
  if (file.pageCount === 0) throw new AppError('PDF_BROKEN', 'the PDF has no pages');
  const pages: PageContent[] = [];
  for (let number = 1; number <= file.pageCount; number += 1) {
    options.signal?.throwIfAborted();
    const page = file.readPage(number);
    if (page) pages.push(page);
  }
  const information = { title: file.information('Title'), author: file.information('Author') };
  return writeDocument(pages, analyse(pages, file.outline(), information.title), information);
}
