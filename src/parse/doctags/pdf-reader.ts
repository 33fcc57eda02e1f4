import { AppError } from '../../base/index.ts';
import type { ParsedDocument } from '../document.ts';

/** What this side needs of the PDF reader; the file behind it loads a wasm engine and is loaded only for a PDF. */
export interface PdfReader {
  parsePdf(bytes: Uint8Array, options?: Readonly<Record<string, unknown>>): Promise<ParsedDocument>;
  /** A page as PNG; `scale` 1 is 72 dots per inch. Pages count from 1. */
  renderPage(bytes: Uint8Array, page: number, scale: number): Promise<Uint8Array>;
}

/** Loads the PDF reader. */
export async function loadPdfReader(): Promise<PdfReader> {
  // The name is put together here so that this file also builds and runs where the PDF reader is not installed.
  const file = new URL(import.meta.url.endsWith('.ts') ? './pdf.ts' : './pdf.js', import.meta.url).href;
  try {
    return (await import(file)) as PdfReader;
  } catch (error) {
    throw new AppError('PARSE_NO_PDF_ENGINE', 'the PDF reader cannot be loaded', {
      hint: 'reinstall docstokg with its dependencies',
      cause: error,
    });
  }
}
