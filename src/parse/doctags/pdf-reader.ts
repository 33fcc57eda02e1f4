import { AppError } from '../../base/index.ts';
import type { ParsedDocument } from '../document.ts';
import type { PageImage } from './engines/pdfium.ts';
import { encodePng } from './layout/output/png.ts';

/** What this side needs of the PDF reader; the file behind it loads a wasm engine and is loaded only for a PDF. */
export interface PdfReader {
  parsePdf(bytes: Uint8Array, options?: Readonly<Record<string, unknown>>): Promise<ParsedDocument>;
  /** A page as PNG; `scale` 1 is 72 dots per inch. Pages count from 1. */
  renderPage(bytes: Uint8Array, page: number, scale: number): Promise<Uint8Array>;
  /** The same as pixels. */
  rasterPage(bytes: Uint8Array, page: number, scale: number): Promise<PageImage>;
}

/** Loads the PDF reader. */
export async function loadPdfReader(): Promise<PdfReader> {
  try {
    const { parsePdf, renderPage } = await import('./pdf.ts');
    return {
      parsePdf,
      renderPage: async (bytes, page, scale) => encodePng(await renderPage(bytes, page, scale)),
      rasterPage: renderPage,
    };
  } catch (error) {
    throw new AppError('PARSE_NO_PDF_ENGINE', 'the PDF reader cannot be loaded', {
      hint: 'reinstall docstokg with its dependencies',
      cause: error,
    });
  }
}
