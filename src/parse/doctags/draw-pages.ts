import { openPdf } from './engines/pdfium.ts';
import { encodeSmallPng } from './layout/output/png.ts';

/** Which pages are to be drawn, counted from 1, and how wide. */
export interface PagesAsked {
  readonly pages: readonly number[];
  readonly widthPixels: number;
}

/** A page as a small PNG. */
export interface DrawnPage {
  readonly page: number;
  readonly png: Uint8Array;
}

/** Draws pages of a PDF in few colours. Run it in a process that can be killed: the engine cannot be stopped. */
export async function drawPages(bytes: Uint8Array, asked: PagesAsked): Promise<DrawnPage[]> {
  using file = await openPdf(bytes);
  return asked.pages
    .filter((page) => page >= 1 && page <= file.pageCount)
    .map((page) => ({ page, png: encodeSmallPng(file.renderToWidth(page, asked.widthPixels)) }));
}
