import { readFileSync } from 'node:fs';

import { AppError } from '../../../base/index.ts';
import type { Box } from '../../document.ts';
import type { Ink } from '../layout/text/symbol-font.ts';
import { fontRuns, isUsedForSigns } from '../layout/text/symbol-font.ts';
import type { Font, OutlineEntry, PageContent, PageJump, PageLink } from '../layout/page/page-content.ts';
import type { FontDifferences, FontCharacters } from './pdfium-fonts.ts';
import { readDifferences } from './pdfium-fonts.ts';
import type { Matrix, Library, OpenSource } from './pdfium-library.ts';
import { pageMatrix, useLibrary, writtenBox } from './pdfium-library.ts';
import { readGlyphs } from './pdfium-glyphs.ts';
import { readObjects } from './pdfium-objects.ts';
import { knownShapes } from './sign-shapes.ts';

/** A page as an image, four bytes (red, green, blue, alpha) per pixel. */
export interface PageImage {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/** The bytes of a PDF, or the path of its file. */
export type PdfSource = Uint8Array | string;

// Bounds on what the engine may use and how much it reads from one page.
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;
const MAX_GLYPHS = 200_000;
const MAX_OBJECTS = 300_000;
const MAX_PIXELS = 50_000_000;

// FPDF_GetLastError
const PASSWORD = 4;
const SECURITY = 5;
const FOUR_CHANNELS = 4;
/** Annotations are drawn, and channels written as red, green, blue, alpha. */
const HOW = 0x01 | 0x10;

/** An open PDF. Calls into the engine cannot be interrupted: run it in a process that has a deadline. */
export class PdfFile implements Disposable {
  readonly pageCount: number;
  readonly tagged: boolean;
  readonly #library: Library;
  readonly #fonts = new Map<number, FontCharacters>();
  readonly #source: PdfSource;
  #differences: FontDifferences | undefined;
  readonly #open: OpenSource;
  #document: number;
  #isDisposed = false;

  constructor(library: Library, source: PdfSource) {
    this.#library = library;
    this.#source = source;
    this.#open = typeof source === 'string' ? library.openFile(source) : library.holdBytes(source);
    this.#document = 0;
    try {
      this.#document = this.#guard(() => this.#open.load());
    } catch (error) {
      this.#open.release();
      throw error;
    }
    if (this.#document === 0) {
      const reason = library.call.FPDF_GetLastError();
      this.#open.release();
      if (reason === PASSWORD || reason === SECURITY)
        throw new AppError('PDF_ENCRYPTED', 'the PDF is protected by a password', {
          hint: 'remove the password, then parse it again',
        });
      throw new AppError('PDF_BROKEN', 'the file cannot be read as a PDF', { hint: 'download it again' });
    }
    this.pageCount = this.#guard(() => library.call.FPDF_GetPageCount(this.#document));
    this.tagged = this.#guard(() => library.call.FPDFCatalog_IsTagged(this.#document)) === 1;
  }

  outline(): OutlineEntry[] {
    return this.#guard(() => readOutline(this.#library, this.#document));
  }

  /** An entry of the document information: Title, Author, Subject … */
  information(key: string): string {
    const { call } = this.#library;
    const name = this.#library.copyIn(new TextEncoder().encode(`${key}\0`));
    try {
      return this.#library.readString('utf-16le', (buffer, length) =>
        call.FPDF_GetMetaText(this.#document, name, buffer, length),
      );
    } finally {
      call.free(name);
    }
  }

  /** Reads one page, counted from 1. A page that the engine cannot load is empty. */
  readPage(number: number): PageContent | undefined {
    return this.#withPage(number, (page, width, height) => {
      const matrix = pageMatrix(this.#library, page, width, height);
      const objects = readObjects(this.#library, page, matrix, MAX_OBJECTS);
      const text = readGlyphs({
        library: this.#library,
        page,
        matrix,
        width,
        height,
        fonts: this.#fonts,
        differences: () => (this.#differences ??= readDifferences(this.#readSource())),
        drawings: objects.drawings,
        tagged: this.tagged,
        maxGlyphs: MAX_GLYPHS,
        formOf: objects.formOf,
        spanOf: objects.spanOf,
      });
      const runs = fontRuns(text.glyphs);
      for (const characters of this.#fonts.values()) {
        const use = runs.get(characters.font);
        if (use && isUsedForSigns(use)) characters.lookAtSigns(() => knownShapes(this.#library, this.#document));
      }
      return {
        number,
        width,
        height,
        ...text,
        rules: objects.rules.filter((rule) => isOnPage(rule.box, width, height)),
        drawings: objects.drawings.filter((drawing) => isOnPage(drawing.box, width, height)),
        ...readLinks(this.#library, this.#document, page, matrix),
        truncated: text.truncated || objects.truncated,
      };
    });
  }

  #readSource(): Uint8Array {
    return typeof this.#source === 'string' ? readFileSync(this.#source) : this.#source;
  }

  shapes(): Map<Font, ReadonlyMap<string, Ink>> {
    return new Map([...this.#fonts.values()].map((characters) => [characters.font, characters.shapes()]));
  }

  /** Draws one page, counted from 1, on white. A scale of 1 is 72 dots per inch. */
  render(number: number, to: { readonly scale: number } | { readonly widthPixels: number }): PageImage {
    const image = this.#withPage(number, (page, pageWidth, pageHeight) => {
      const scale = 'scale' in to ? to.scale : to.widthPixels / Math.max(1, pageWidth);
      const fit = Math.min(1, Math.sqrt(MAX_PIXELS / Math.max(1, pageWidth * pageHeight * scale * scale)));
      const width = Math.max(1, Math.round(pageWidth * scale * fit));
      const height = Math.max(1, Math.round(pageHeight * scale * fit));
      return this.#draw(page, width, height);
    });
    if (!image) throw new AppError('PDF_BROKEN', `page ${number} cannot be drawn`);
    return image;
  }

  #draw(page: number, width: number, height: number): PageImage {
    const { call } = this.#library;
    const pixels = call.malloc(width * height * 4);
    if (pixels === 0) throw new AppError('PDF_TOO_LARGE', 'the page image does not fit into memory');
    const bitmap = call.FPDFBitmap_CreateEx(width, height, FOUR_CHANNELS, pixels, width * 4);
    try {
      call.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xff_ff_ff_ff);
      call.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, HOW);
      return { width, height, rgba: new Uint8Array(call.memory.buffer, pixels, width * height * 4).slice() };
    } finally {
      call.FPDFBitmap_Destroy(bitmap);
      call.free(pixels);
    }
  }

  #withPage<T>(number: number, use: (page: number, width: number, height: number) => T): T | undefined {
    const { call } = this.#library;
    return this.#guard(() => {
      const page = call.FPDF_LoadPage(this.#document, number - 1);
      if (page === 0) return undefined;
      try {
        return use(page, call.FPDF_GetPageWidthF(page), call.FPDF_GetPageHeightF(page));
      } finally {
        call.FPDF_ClosePage(page);
      }
    });
  }

  /** A trap in the engine (out of memory, a bug) leaves it unusable: report it, and start a new one next time. */
  #guard<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof AppError) throw error;
      this.#library.markBroken();
      this.#document = 0;
      throw new AppError('PDF_ENGINE_FAILED', 'the PDF engine failed on this file', {
        hint: 'the file is damaged or needs more memory than allowed',
        cause: error,
      });
    }
  }

  [Symbol.dispose](): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    if (this.#document !== 0) this.#library.call.FPDF_CloseDocument(this.#document);
    this.#document = 0;
    this.#open.release();
  }
}

function isOnPage(box: Box, width: number, height: number): boolean {
  return box.right >= 0 && box.left <= width && box.bottom >= 0 && box.top <= height;
}

/** Opens a PDF; throws PDF_ENCRYPTED or PDF_BROKEN. */
export async function openPdf(source: PdfSource, maxMemoryBytes = MAX_MEMORY_BYTES): Promise<PdfFile> {
  return new PdfFile(await useLibrary(maxMemoryBytes), source);
}

const MAX_LINKS = 5_000;
const MAX_OUTLINE = 5_000;
const MAX_DEPTH = 32;

// PDFACTION_GOTO
const GOTO = 1;

function readLinks(
  library: Library,
  document: number,
  page: number,
  matrix: Matrix,
): { readonly links: PageLink[]; readonly jumps: PageJump[] } {
  const { call, scratch } = library;
  const links: PageLink[] = [];
  const jumps: PageJump[] = [];
  library.integers[(scratch + 48) >> 2] = 0;
  for (let count = 0; count < MAX_LINKS; count += 1) {
    // The engine stores its position between calls in the first of the two words.
    if (call.FPDFLink_Enumerate(page, scratch + 48, scratch + 52) !== 1) break;
    const link = library.integers[(scratch + 52) >> 2] ?? 0;
    const action = call.FPDFLink_GetAction(link);
    const url =
      action === 0
        ? ''
        : library.readString('utf-8', (buffer, length) => call.FPDFAction_GetURIPath(document, action, buffer, length));
    const target = url === '' ? targetPage(library, document, link, action) : 0;
    if ((target === 0 && !/^https?:\/\/|^mailto:/i.test(url)) || call.FPDFLink_GetAnnotRect(link, scratch) !== 1)
      continue;
    const box = writtenBox(library, matrix);
    if (target > 0) jumps.push({ page: target, box });
    else links.push({ url, box });
  }
  return { links, jumps };
}

/** The page that a link leads to, from 1; 0 if it is not in this file. */
function targetPage(library: Library, document: number, link: number, action: number): number {
  const { call } = library;
  const own = call.FPDFLink_GetDest(document, link);
  const acted = own === 0 && action !== 0 && call.FPDFAction_GetType(action) === GOTO;
  const destination = acted ? call.FPDFAction_GetDest(document, action) : own;
  return destination === 0 ? 0 : call.FPDFDest_GetDestPageIndex(document, destination) + 1;
}

/** The outline in reading order, each entry with its depth; cycles are cut. */
function readOutline(library: Library, document: number): OutlineEntry[] {
  const { call } = library;
  const entries: OutlineEntry[] = [];
  const seen = new Set<number>();
  const walk = (parent: number, level: number): void => {
    let bookmark = call.FPDFBookmark_GetFirstChild(document, parent);
    while (bookmark !== 0 && !seen.has(bookmark) && entries.length < MAX_OUTLINE) {
      seen.add(bookmark);
      const current = bookmark;
      const title = library.readString('utf-16le', (buffer, length) =>
        call.FPDFBookmark_GetTitle(current, buffer, length),
      );
      const destination = call.FPDFBookmark_GetDest(document, current);
      const page = destination === 0 ? -1 : call.FPDFDest_GetDestPageIndex(document, destination);
      entries.push({ title: title.replace(/\s+/gu, ' ').trim(), level, page: page + 1 });
      if (level < MAX_DEPTH) walk(current, level + 1);
      bookmark = call.FPDFBookmark_GetNextSibling(document, current);
    }
  };
  walk(0, 1);
  return entries;
}
