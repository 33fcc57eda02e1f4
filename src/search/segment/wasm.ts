/** Writes a WebAssembly module byte by byte: just what the scan kernels need, so that no compiler is. */

export const I32 = 0x7f;
export const V128 = 0x7b;

/** Instructions, as their bytes. Loads and stores take a constant offset. */
export const op = {
  get: (local: number): number[] => [0x20, ...unsigned(local)],
  set: (local: number): number[] => [0x21, ...unsigned(local)],
  i32: (value: number): number[] => [0x41, ...signed(value)],
  i32Add: [0x6a],
  i32And: [0x71],
  i32IsZero: [0x45],
  i32LessThan: [0x49],
  f32Add: [0x92],
  f32Multiply: [0x94],
  f32FromI32: [0xb2],
  f32Load: (offset: number): number[] => [0x2a, 2, ...unsigned(offset)],
  i32Store16: (offset: number): number[] => [0x3b, 1, ...unsigned(offset)],
  f32Store: (offset: number): number[] => [0x38, 2, ...unsigned(offset)],
  /** Repeats while the condition that `body` leaves on the stack holds. */
  repeat: (body: readonly number[]): number[] => [0x03, 0x40, ...body, 0x0d, 0, 0x0b],
  vectorLoad: (offset: number): number[] => simd(0x00, 0, ...unsigned(offset)),
  /** Eight bytes, sign-extended to eight 16-bit integers. */
  vectorLoadBytes: (offset: number): number[] => simd(0x01, 0, ...unsigned(offset)),
  vectorZero: simd(0x0c, ...Array.from({ length: 16 }, () => 0)),
  vectorStore: (offset: number): number[] => simd(0x0b, 0, ...unsigned(offset)),
  /** 1 when any bit is set. */
  vectorAny: simd(0x53),
  vectorOr: simd(0x50),
  vectorXor: simd(0x51),
  i8x16CountBits: simd(0x62),
  i8x16Add: simd(0x6e),
  /** Neighbours added, each sum twice as wide. */
  i16x8AddPairs: simd(0x7d),
  i32x4AddPairs: simd(0x7f),
  f32x4Above: simd(0x44),
  f32x4Add: simd(0xe4),
  f32x4Subtract: simd(0xe5),
  f32x4Highest: simd(0xe9),
  f32x4Multiply: simd(0xe6),
  f32x4Lane: (lane: number): number[] => simd(0x1f, lane),
  i32x4Add: simd(0xae),
  i32x4Dot: simd(0xba),
  i32x4Lane: (lane: number): number[] => simd(0x1b, lane),
} as const;

function simd(code: number, ...immediates: number[]): number[] {
  return [0xfd, ...unsigned(code), ...immediates];
}

/** A function of integers; `locals` are the types of its further variables. */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: number;
  /** Whether it leaves an integer on the stack as its answer. */
  readonly answers?: boolean;
  readonly locals: readonly number[];
  readonly body: readonly number[];
}

/** "\0asm", version 1. */
const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** A module that works on memory imported as `env.memory`. */
function writeModule(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters, answers }) => [
    0x60,
    ...list(Array.from({ length: parameters }, () => [I32])),
    ...list(answers ? [[I32]] : []),
  ]);
  const memory = [...name('env'), ...name('memory'), 0x02, 0x00, 0x00];
  const bodies = functions.map(({ locals, body }) => {
    const code = [...list(locals.map((type) => [1, type])), ...body, 0x0b];
    return [...unsigned(code.length), ...code];
  });
  return Uint8Array.from([
    ...HEADER,
    ...section(1, list(types)),
    ...section(2, list([memory])),
    ...section(3, list(functions.map((_, at) => unsigned(at)))),
    ...section(7, list(functions.map((each, at) => [...name(each.name), 0x00, ...unsigned(at)]))),
    ...section(10, list(bodies)),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function list(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function name(text: string): number[] {
  return list([...Buffer.from(text, 'utf8')].map((byte) => [byte]));
}

function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  const low = value & 0x7f;
  const rest = value >> 7;
  const last = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
  return last ? [low] : [low | 0x80, ...signed(rest)];
}

/** Memory that WebAssembly and typed arrays share. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/** What is used of WebAssembly; the compiler's library has it only together with a browser's. */
const webAssembly = (
  globalThis as unknown as {
    WebAssembly: {
      Memory: new (size: { initial: number }) => WasmMemory;
      Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
      Instance: new (module: object, imports: { env: { memory: WasmMemory } }) => { exports: object };
    };
  }
).WebAssembly;

/** Memory of so many pages of 64 KiB. */
export function createMemory(pages: number): WasmMemory {
  return new webAssembly.Memory({ initial: pages });
}

/** Compiles functions for a memory; the answer has them by name. */
export function compile(functions: readonly WasmFunction[], memory: WasmMemory): object {
  return new webAssembly.Instance(new webAssembly.Module(writeModule(functions)), { env: { memory } }).exports;
}
