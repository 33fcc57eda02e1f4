import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { init } from '@embedpdf/pdfium';

type Call = (...values: number[]) => number;

// node bench/parse/bare.ts FILE…: reads every glyph with its box, origin, size and font, and does nothing with them.
const wasm = await readFile(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm')));
const engine = await init({ wasmBinary: new Uint8Array(wasm).buffer });
engine.PDFiumExt_Init();
const call = (engine.pdfium as unknown as { wasmExports: Record<string, Call> & { memory: { buffer: ArrayBuffer } } })
  .wasmExports;
const run = (name: string, ...values: number[]): number => call[name]?.(...values) ?? 0;
const scratch = run('malloc', 64);
let pages = 0;
for (const file of process.argv.slice(2)) {
  const bytes = readFileSync(file);
  const memory = run('malloc', bytes.byteLength);
  new Uint8Array(call.memory.buffer).set(bytes, memory);
  const document = run('FPDF_LoadMemDocument64', memory, bytes.byteLength, 0);
  const count = run('FPDF_GetPageCount', document);
  for (let index = 0; index < count; index += 1) {
    const page = run('FPDF_LoadPage', document, index);
    const text = run('FPDFText_LoadPage', page);
    const glyphs = run('FPDFText_CountChars', text);
    for (let at = 0; at < glyphs; at += 1) {
      run('FPDFText_GetUnicode', text, at);
      run('FPDFText_IsGenerated', text, at);
      run('FPDFText_HasUnicodeMapError', text, at);
      run('FPDFText_GetLooseCharBox', text, at, scratch);
      run('FPDFText_GetCharOrigin', text, at, scratch + 16, scratch + 24);
      run('FPDFText_GetFontSize', text, at);
      run('FPDFText_GetMatrix', text, at, scratch);
      run('FPDFFont_GetFlags', run('FPDFTextObj_GetFont', run('FPDFText_GetTextObject', text, at)));
    }
    run('FPDFText_ClosePage', text);
    run('FPDF_ClosePage', page);
    pages += 1;
  }
  run('FPDF_CloseDocument', document);
  run('free', memory);
}
console.log(String(pages));
