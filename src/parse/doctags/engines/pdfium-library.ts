import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../../base/index.ts';
import type { Box } from '../../document.ts';

type Call = (...values: number[]) => number;

// TypeScript declares WebAssembly's types only in the DOM library, which is not used here.
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow: (pages: number) => number;
}

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** The engine's functions that this project calls, without the wrapper's cost per call. */
type Exports = Readonly<
  Record<
    Words<
      | 'malloc free FPDF_LoadMemDocument64 FPDF_LoadCustomDocument FPDF_GetLastError FPDF_CloseDocument'
      | 'FPDF_GetPageCount FPDF_LoadPage FPDF_ClosePage FPDF_GetPageWidthF FPDF_GetPageHeightF FPDF_PageToDevice'
      | 'FPDF_GetMetaText FPDF_RenderPageBitmap FPDFBitmap_CreateEx FPDFBitmap_FillRect FPDFBitmap_Destroy'
      | 'FPDFText_LoadPage FPDFText_ClosePage FPDFText_CountChars'
      | 'FPDFText_GetUnicode FPDFText_GetLooseCharBox FPDFText_GetCharBox FPDFText_GetCharOrigin FPDFText_GetFontSize'
      | 'FPDFText_GetMatrix FPDFText_IsGenerated FPDFText_IsHyphen FPDFText_HasUnicodeMapError FPDFText_GetTextObject'
      | 'FPDFTextObj_GetFont FPDFTextObj_GetTextRenderMode FPDFFont_GetBaseFontName FPDFFont_GetFlags'
      | 'FPDFFont_GetGlyphWidth FPDFFont_GetFontData FPDFFont_GetGlyphPath FPDFGlyphPath_CountGlyphSegments'
      | 'FPDFGlyphPath_GetGlyphPathSegment FPDFText_LoadStandardFont FPDFFont_Close FPDFPage_CountObjects'
      | 'FPDFPage_GetObject FPDFFormObj_CountObjects FPDFFormObj_GetObject FPDFPageObj_GetType FPDFPageObj_GetBounds'
      | 'FPDFPageObj_GetMatrix FPDFPageObj_GetFillColor FPDFPageObj_GetStrokeColor FPDFPageObj_GetStrokeWidth FPDFPageObj_GetClipPath FPDFClipPath_CountPaths'
      | 'FPDFClipPath_CountPathSegments FPDFClipPath_GetPathSegment'
      | 'FPDFPageObj_CountMarks FPDFPageObj_GetMark FPDFPageObjMark_GetName'
      | 'FPDFPageObjMark_GetParamValueType FPDFPath_CountSegments'
      | 'FPDFPath_GetPathSegment FPDFPath_GetDrawMode FPDFPathSegment_GetPoint FPDFPathSegment_GetType'
      | 'FPDFLink_Enumerate FPDFLink_GetAnnotRect FPDFLink_GetAction FPDFLink_GetDest FPDFAction_GetType'
      | 'FPDFAction_GetDest FPDFAction_GetURIPath FPDFBookmark_GetFirstChild FPDFBookmark_GetNextSibling'
      | 'FPDFBookmark_GetTitle FPDFBookmark_GetDest FPDFDest_GetDestPageIndex FPDFCatalog_IsTagged'
    >,
    Call
  >
> & { readonly memory: WasmMemory };

/** Registers a function that the engine can call by number. */
type AddFunction = (run: (...values: number[]) => number, signature: string) => number;

export interface OpenSource {
  /** The engine's pointer to the document; 0 if it cannot be read. */
  load(): number;
  release(): void;
}

const WASM_PAGE = 65_536;
/** The largest signed length in the engine. */
const MOST_BYTES = 2 ** 31 - 1;
const DECODERS = { 'utf-8': new TextDecoder('utf-8'), 'utf-16le': new TextDecoder('utf-16le') };
/** A larger heap is discarded after its document: WebAssembly memory never shrinks. */
const KEEP_BYTES = 192 * 1024 * 1024;

export class Library {
  readonly call: Exports;
  /** 64 bytes in the engine's heap where calls write their results. */
  readonly scratch: number;
  /** The engine's number of our function for reading files. */
  readonly #readBlock: number;
  #broken = false;
  #floats = new Float32Array(0);
  #doubles = new Float64Array(0);
  #integers = new Int32Array(0);

  constructor(call: Exports, maxBytes: number, addFunction: AddFunction) {
    this.call = call;
    this.#readBlock = addFunction(
      (file, position, pointer, size) => this.#read(file, position >>> 0, pointer, size),
      'iiiii',
    );
    const grow = call.memory.grow.bind(call.memory);
    call.memory.grow = (pages: number): number => {
      // The engine then abandons the document; nothing else can stop a decompression bomb in it.
      if (call.memory.buffer.byteLength + pages * WASM_PAGE > maxBytes)
        throw new RangeError('the PDF engine wants more memory than it may have');
      return grow(pages);
    };
    this.scratch = call.malloc(64);
  }

  /** The heap as 32-bit floats; created again only after the heap has moved, which detaches the old view. */
  get floats(): Float32Array {
    if (this.#floats.length === 0) this.#floats = new Float32Array(this.call.memory.buffer);
    return this.#floats;
  }

  get doubles(): Float64Array {
    if (this.#doubles.length === 0) this.#doubles = new Float64Array(this.call.memory.buffer);
    return this.#doubles;
  }

  get integers(): Int32Array {
    if (this.#integers.length === 0) this.#integers = new Int32Array(this.call.memory.buffer);
    return this.#integers;
  }

  get usable(): boolean {
    return !this.#broken && this.call.memory.buffer.byteLength <= KEEP_BYTES;
  }

  /** Copies bytes of a file into the heap; 0 reports a failure to the engine. */
  #read(file: number, position: number, pointer: number, size: number): number {
    const heap = new Uint8Array(this.call.memory.buffer, pointer, size);
    try {
      for (let done = 0; done < size;) {
        const read = readSync(file, heap, done, size - done, position + done);
        if (read === 0) return 0;
        done += read;
      }
      return 1;
    } catch {
      return 0;
    }
  }

  /** After a trap the engine's heap cannot be trusted. */
  markBroken(): void {
    this.#broken = true;
  }

  copyIn(bytes: Uint8Array): number {
    const pointer = this.call.malloc(Math.max(1, bytes.byteLength));
    if (pointer === 0) throw new AppError('PDF_TOO_LARGE', 'the file does not fit into the memory of the PDF engine');
    new Uint8Array(this.call.memory.buffer).set(bytes, pointer);
    return pointer;
  }

  /** A file that the engine reads on demand: a page of a large file needs only some kilobytes. */
  openFile(path: string): OpenSource {
    const { call, scratch } = this;
    const file = openSync(path, 'r');
    const { size } = fstatSync(file);
    return {
      load: () => {
        if (size > MOST_BYTES)
          throw new AppError('PDF_TOO_LARGE', 'the file is larger than the PDF engine can address');
        // FPDF_FILEACCESS: the length, the read function, and its argument. The engine copies it.
        const at = scratch >> 2;
        this.integers.set([size, this.#readBlock, file], at);
        return call.FPDF_LoadCustomDocument(scratch, 0);
      },
      release: () => closeSync(file),
    };
  }

  holdBytes(bytes: Uint8Array): OpenSource {
    const pointer = this.copyIn(bytes);
    return {
      load: () => this.call.FPDF_LoadMemDocument64(pointer, bytes.byteLength, 0),
      // A broken heap is discarded as a whole.
      release: () => void (this.#broken || this.call.free(pointer)),
    };
  }

  /** Reads a string by the engine's two-step protocol: ask for the length in bytes, then for the bytes. */
  readString(encoding: keyof typeof DECODERS, fill: (buffer: number, length: number) => number): string {
    const length = fill(0, 0);
    if (length <= 1 || length > 1_000_000) return '';
    const buffer = this.call.malloc(length);
    try {
      fill(buffer, length);
      const text = DECODERS[encoding].decode(new Uint8Array(this.call.memory.buffer, buffer, length));
      const end = text.indexOf('\0');
      return end < 0 ? text : text.slice(0, end);
    } finally {
      this.call.free(buffer);
    }
  }
}

let shared: Promise<Library> | undefined;

export async function useLibrary(maxBytes: number): Promise<Library> {
  const current = shared && (await shared);
  if (current?.usable) return current;
  shared = startLibrary(maxBytes);
  return shared;
}

async function startLibrary(maxBytes: number): Promise<Library> {
  const { init } = await import('@embedpdf/pdfium');
  const wasm = readFileSync(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm')));
  const engine = await init({ wasmBinary: new Uint8Array(wasm).buffer });
  engine.PDFiumExt_Init();
  const { wasmExports, addFunction } = engine.pdfium as unknown as { wasmExports: Exports; addFunction: AddFunction };
  return new Library(wasmExports, maxBytes, addFunction);
}

/** An affine map: x' = a·x + c·y + e, y' = b·x + d·y + f. */
export interface Matrix {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly e: number;
  readonly f: number;
}

/** First `inner`, then `outer`. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  return {
    a: outer.a * inner.a + outer.c * inner.b,
    b: outer.b * inner.a + outer.d * inner.b,
    c: outer.a * inner.c + outer.c * inner.d,
    d: outer.b * inner.c + outer.d * inner.d,
    e: outer.a * inner.e + outer.c * inner.f + outer.e,
    f: outer.b * inner.e + outer.d * inner.f + outer.f,
  };
}

/** The bounding box of a mapped rectangle, given by two opposite corners. */
function mapBox(m: Matrix, x0: number, y0: number, x1: number, y1: number): Box {
  const ax = m.a * x0 + m.c * y0 + m.e;
  const ay = m.b * x0 + m.d * y0 + m.f;
  const bx = m.a * x1 + m.c * y1 + m.e;
  const by = m.b * x1 + m.d * y1 + m.f;
  // The other two corners matter only for rotations other than quarter turns.
  if ((m.b === 0 && m.c === 0) || (m.a === 0 && m.d === 0))
    return { left: Math.min(ax, bx), top: Math.min(ay, by), right: Math.max(ax, bx), bottom: Math.max(ay, by) };
  const cx = m.a * x0 + m.c * y1 + m.e;
  const cy = m.b * x0 + m.d * y1 + m.f;
  const dx = m.a * x1 + m.c * y0 + m.e;
  const dy = m.b * x1 + m.d * y0 + m.f;
  return {
    left: Math.min(ax, bx, cx, dx),
    top: Math.min(ay, by, cy, dy),
    right: Math.max(ax, bx, cx, dx),
    bottom: Math.max(ay, by, cy, dy),
  };
}

/** The matrix that a call has written to the scratch buffer. */
export function writtenMatrix({ floats, scratch }: Library): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = floats.subarray(scratch >> 2, (scratch >> 2) + 6);
  return { a, b, c, d, e, f };
}

/** The rectangle that a call has written to the scratch buffer, mapped. */
export function writtenBox({ floats, scratch }: Library, map: Matrix): Box {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = floats.subarray(scratch >> 2, (scratch >> 2) + 4);
  return mapBox(map, x0, y0, x1, y1);
}

/** The point that a call has written to the scratch buffer, mapped. */
export function writtenPoint({ floats, scratch }: Library, map: Matrix): readonly [x: number, y: number] {
  const [x = 0, y = 0] = floats.subarray(scratch >> 2, (scratch >> 2) + 2);
  return [map.a * x + map.c * y + map.e, map.b * x + map.d * y + map.f];
}

/** Like `mapBox` for many rectangles, four numbers each: left, top, right and bottom. */
export function mapBoxes(m: Matrix, corners: Float32Array): Float64Array {
  const boxes = new Float64Array(corners.length);
  for (let at = 0; at < corners.length; at += 4) {
    const [x0, y0] = [corners[at] as number, corners[at + 1] as number];
    const box = mapBox(m, x0, y0, corners[at + 2] as number, corners[at + 3] as number);
    boxes[at] = box.left;
    boxes[at + 1] = box.top;
    boxes[at + 2] = box.right;
    boxes[at + 3] = box.bottom;
  }
  return boxes;
}

/** From the file's page space (crop box, rotation) to points from the shown page's top-left corner. */
export function pageMatrix(library: Library, page: number, width: number, height: number): Matrix {
  const { call, scratch } = library;
  // The engine returns whole device units: a large device preserves precision.
  const scale = 64;
  const far = 1000;
  const [across, down] = [Math.round(width * scale), Math.round(height * scale)];
  const at = (x: number, y: number): readonly [number, number] => {
    call.FPDF_PageToDevice(page, 0, 0, across, down, 0, x, y, scratch, scratch + 4);
    const { integers } = library;
    return [(integers[scratch >> 2] ?? 0) / scale, (integers[(scratch >> 2) + 1] ?? 0) / scale];
  };
  const [e, f] = at(0, 0);
  const [ax, ay] = at(far, 0);
  const [cx, cy] = at(0, far);
  const unit = (value: number): number => (Math.abs(value) < 1e-3 ? 0 : value);
  return {
    a: unit((ax - e) / far),
    b: unit((ay - f) / far),
    c: unit((cx - e) / far),
    d: unit((cy - f) / far),
    e,
    f,
  };
}
