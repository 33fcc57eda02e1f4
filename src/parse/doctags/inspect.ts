import { errorInfo } from '../../base/index.ts';
import type { PdfFile } from './engines/pdfium.ts';
import { openPdf } from './engines/pdfium.ts';
import { encodeSmallPng } from './layout/output/png.ts';

/** A quick look into a PDF: enough to know whether it is one, and of which paper. */
export interface PdfSummary {
  readonly pages: number | null;
  readonly isEncrypted: boolean;
  readonly isReadable: boolean;
  /** The text of the first pages as it is in the file, without layout; empty for scans. */
  readonly text: string;
  /** A closer look may find text that this one has not. */
  readonly isQuick: boolean;
}

/** How much is read: `quick` the first page, by the engine's own words where all of them are seen; `close` three pages, glyph by glyph as the stages do. */
export type Look = 'quick' | 'close';

/** A title page, an abstract and whatever was put in front of them. */
const PAGES_READ = 3;

/** Looks at the first pages of a PDF. Run it in a process that can be killed: the engine cannot be stopped. */
export async function inspectPdf(path: string, look: Look): Promise<PdfSummary> {
  try {
    using file = await openPdf(path);
    const { pageCount: pages } = file;
    const texts: string[] = [file.information('Title')];
    const first = look === 'quick' ? (file.words(1) ?? glyphsOf(file, 1)) : undefined;
    if (first !== undefined)
      return { pages, isEncrypted: false, isReadable: true, text: [...texts, first].join('\n'), isQuick: true };
    let readable = 0;
    for (let number = 1; number <= Math.min(PAGES_READ, pages); number += 1) {
      const text = glyphsOf(file, number);
      if (text === undefined) continue;
      readable += 1;
      texts.push(text);
    }
    return { pages, isEncrypted: false, isReadable: readable > 0, text: texts.join('\n'), isQuick: false };
  } catch (error) {
    const { code } = errorInfo(error);
    if (code !== 'PDF_ENCRYPTED' && !code.startsWith('PDF_')) throw error;
    return { pages: null, isEncrypted: code === 'PDF_ENCRYPTED', isReadable: false, text: '', isQuick: false };
  }
}

function glyphsOf(file: PdfFile, number: number): string | undefined {
  return file
    .readPage(number)
    ?.glyphs.map(({ text }) => text)
    .join('');
}

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
