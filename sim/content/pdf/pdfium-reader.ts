import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { init } from '@embedpdf/pdfium';
import type { WrappedPdfiumModule } from '@embedpdf/pdfium';
import type { Box } from '../../../src/parse/index.ts';

/** A file opened in PDFium, the first of the two readers that every layout must open in. */
export interface PdfiumReader extends Disposable {
  readonly pageCount: number;
  meta(key: string): string;
  text(page: number): string;
  /** The text inside a box given in points from the page's top-left corner. */
  textIn(page: number, box: Box): string;
}

let engine: Promise<WrappedPdfiumModule> | undefined;

async function startEngine(): Promise<WrappedPdfiumModule> {
  const wasm = createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm');
  const bytes = readFileSync(wasm);
  const started = await init({ wasmBinary: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) });
  started.PDFiumExt_Init();
  return started;
}

/** Opens a PDF; a number is PDFium's error code (3 not a PDF or broken, 4 password). */
export async function openInPdfium(pdf: Uint8Array, password = ''): Promise<PdfiumReader | number> {
  const lib = await (engine ??= startEngine());
  const { wasmExports } = lib.pdfium;
  const place = wasmExports.malloc(pdf.length);
  // The heap is looked up after malloc, which may have moved it; its type is left out of the package's declarations.
  (lib.pdfium as unknown as { readonly HEAPU8: Uint8Array }).HEAPU8.set(pdf, place);
  const document = lib.FPDF_LoadMemDocument(place, pdf.length, password);
  if (document === 0) {
    wasmExports.free(place);
    return lib.FPDF_GetLastError();
  }
  // Pages stay loaded until the end: analysing one costs far more than asking it a second question.
  const loaded = new Map<number, { readonly page: number; readonly text: number; readonly height: number }>();
  const withPage = <T>(number: number, use: (handle: number, height: number) => T): T => {
    let entry = loaded.get(number);
    if (!entry) {
      const page = lib.FPDF_LoadPage(document, number - 1);
      entry = { page, text: lib.FPDFText_LoadPage(page), height: lib.FPDF_GetPageHeightF(page) };
      loaded.set(number, entry);
    }
    return use(entry.text, entry.height);
  };
  const read = (units: number, fill: (buffer: number) => void): string => {
    const buffer = wasmExports.malloc(units * 2 + 2);
    fill(buffer);
    const text = lib.pdfium.UTF16ToString(buffer);
    wasmExports.free(buffer);
    return text;
  };
  return {
    pageCount: lib.FPDF_GetPageCount(document),
    meta(key) {
      const bytes = lib.FPDF_GetMetaText(document, key, 0, 0);
      return read(bytes / 2, (buffer) => lib.FPDF_GetMetaText(document, key, buffer, bytes));
    },
    text: (page) =>
      withPage(page, (handle) => {
        const count = lib.FPDFText_CountChars(handle);
        return count <= 0 ? '' : read(count, (buffer) => lib.FPDFText_GetText(handle, 0, count, buffer));
      }),
    textIn: (page, box) =>
      withPage(page, (handle, height) => {
        const [top, bottom] = [height - box.top, height - box.bottom];
        const count = lib.FPDFText_GetBoundedText(handle, box.left, top, box.right, bottom, 0, 0);
        return read(count, (buffer) =>
          lib.FPDFText_GetBoundedText(handle, box.left, top, box.right, bottom, buffer, count),
        ).slice(0, count);
      }),
    [Symbol.dispose]() {
      for (const { page, text } of loaded.values()) {
        lib.FPDFText_ClosePage(text);
        lib.FPDF_ClosePage(page);
      }
      lib.FPDF_CloseDocument(document);
      wasmExports.free(place);
    },
  };
}
