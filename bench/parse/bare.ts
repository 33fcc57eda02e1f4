import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { init } from '@embedpdf/pdfium';

type Call = (...values: number[]) => number;
type Name =
  | 'malloc'
  | 'free'
  | 'FPDF_LoadMemDocument64'
  | 'FPDF_GetPageCount'
  | 'FPDF_LoadPage'
  | 'FPDF_ClosePage'
  | 'FPDF_CloseDocument'
  | 'FPDFText_LoadPage'
  | 'FPDFText_ClosePage'
  | 'FPDFText_CountChars'
  | 'FPDFText_GetUnicode'
  | 'FPDFText_GetLooseCharBox'
  | 'FPDFText_GetTextObject'
  | 'FPDFText_GetFontSize'
  | 'FPDFText_GetMatrix'
  | 'FPDFTextObj_GetFont'
  | 'FPDFFont_GetFlags';

// node bench/parse/bare.ts FILE…: reads every glyph's code and box once, and size, matrix and font once per run of text,
// and does nothing with them: the least that anybody who wants glyphs must ask of the engine.
const wasm = await readFile(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm')));
const engine = await init({ wasmBinary: new Uint8Array(wasm).buffer });
engine.PDFiumExt_Init();
const call = (engine.pdfium as unknown as { wasmExports: Record<Name, Call> & { memory: { buffer: ArrayBuffer } } })
  .wasmExports;
const scratch = call.malloc(64);
let pages = 0;
for (const file of process.argv.slice(2)) {
  const bytes = readFileSync(file);
  const memory = call.malloc(bytes.byteLength);
  new Uint8Array(call.memory.buffer).set(bytes, memory);
  const document = call.FPDF_LoadMemDocument64(memory, bytes.byteLength, 0);
  const count = call.FPDF_GetPageCount(document);
  for (let index = 0; index < count; index += 1) {
    const page = call.FPDF_LoadPage(document, index);
    const text = call.FPDFText_LoadPage(page);
    const glyphs = call.FPDFText_CountChars(text);
    let last = -1;
    for (let at = 0; at < glyphs; at += 1) {
      call.FPDFText_GetUnicode(text, at);
      call.FPDFText_GetLooseCharBox(text, at, scratch);
      const object = call.FPDFText_GetTextObject(text, at);
      if (object === last || object === 0) continue;
      last = object;
      call.FPDFText_GetFontSize(text, at);
      call.FPDFText_GetMatrix(text, at, scratch);
      call.FPDFFont_GetFlags(call.FPDFTextObj_GetFont(object));
    }
    call.FPDFText_ClosePage(text);
    call.FPDF_ClosePage(page);
    pages += 1;
  }
  call.FPDF_CloseDocument(document);
  call.free(memory);
}
console.log(String(pages));
