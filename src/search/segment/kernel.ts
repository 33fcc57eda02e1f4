import type { WasmFunction, WasmMemory } from './wasm.ts';
import { compile, I32, op, V128 } from './wasm.ts';

/** A row holds a multiple of so many numbers; shorter vectors are filled up with zeros. */
export const ROW_MULTIPLE = 32;

/** Inner products of a query with rows that lie one after the other in memory. All places are byte offsets. */
export interface ScanKernel {
  /** float32 rows. */
  scanFloats(query: number, rows: number, rowsEnd: number, rowBytes: number, out: number): void;
  /** int8 rows with a scale each; the query is given as 16-bit integers, which saves widening it for every row. */
  scanBytes(query: number, rows: number, rowsEnd: number, rowBytes: number, out: number, scales: number): void;
  /** The highest of each of four columns of numbers, written to `out`; from `at` to `end` there are whole blocks. */
  highest(at: number, end: number, out: number): void;
  /**
   * Goes on block by block until one has a fused score above the bound, and answers where that block ends, or `end`. A
   * block is BLOCK numbers; `factors` holds lexical factor, floor of the dense score, dense factor and bound, four times each.
   */
  nextAbove(lexical: number, end: number, dense: number, factors: number): number;
  /** In how many bits each of the codes differs from the query's; written to `out` as 16-bit integers. */
  scanCodes(query: number, codes: number, codesEnd: number, codeBytes: number, out: number): void;
}

/** A code holds a multiple of so many bytes. */
export const CODE_MULTIPLE = 16;

/** Numbers that `nextAbove` looks at together. */
export const BLOCK = 8;

/** Compiles the kernels for a memory. */
export function createKernel(memory: WasmMemory): ScanKernel {
  return compile([scanFloats(), scanBytes(), highest(), nextAbove(), scanCodes()], memory) as ScanKernel;
}

const QUERY = 0;
const ROW = 1;
const ROWS_END = 2;
const ROW_BYTES = 3;
const OUT = 4;

/** Four sums at a time hide the latency of the additions. */
const LANES = [0, 1, 2, 3] as const;

function scanFloats(): WasmFunction {
  const at = 5;
  const end = 6;
  const sum = (lane: number): number => 7 + lane;
  const step = LANES.flatMap((lane) => [
    ...op.get(sum(lane)),
    ...op.get(ROW),
    ...op.vectorLoad(16 * lane),
    ...op.get(at),
    ...op.vectorLoad(16 * lane),
    ...op.f32x4Multiply,
    ...op.f32x4Add,
    ...op.set(sum(lane)),
  ]);
  const inner = op.repeat([
    ...step,
    ...advance(at, 64),
    ...advance(ROW, 64),
    ...op.get(ROW),
    ...op.get(end),
    ...op.i32LessThan,
  ]);
  const total = [
    ...op.get(sum(0)),
    ...op.get(sum(1)),
    ...op.f32x4Add,
    ...op.get(sum(2)),
    ...op.get(sum(3)),
    ...op.f32x4Add,
    ...op.f32x4Add,
    ...op.set(sum(0)),
    ...LANES.flatMap((lane) => [...op.get(sum(0)), ...op.f32x4Lane(lane), ...(lane > 0 ? op.f32Add : [])]),
  ];
  return {
    name: 'scanFloats',
    parameters: 5,
    locals: [I32, I32, V128, V128, V128, V128],
    body: eachRow({ at, end, sums: LANES.map(sum), inner, result: [...op.get(OUT), ...total, ...op.f32Store(0)] }),
  };
}

function scanBytes(): WasmFunction {
  const scales = 5;
  const at = 6;
  const end = 7;
  const sum = (lane: number): number => 8 + lane;
  const step = LANES.flatMap((lane) => [
    ...op.get(sum(lane)),
    ...op.get(ROW),
    ...op.vectorLoadBytes(8 * lane),
    ...op.get(at),
    ...op.vectorLoad(16 * lane),
    ...op.i32x4Dot,
    ...op.i32x4Add,
    ...op.set(sum(lane)),
  ]);
  const inner = op.repeat([
    ...step,
    ...advance(at, 64),
    ...advance(ROW, 32),
    ...op.get(ROW),
    ...op.get(end),
    ...op.i32LessThan,
  ]);
  const total = [
    ...op.get(sum(0)),
    ...op.get(sum(1)),
    ...op.i32x4Add,
    ...op.get(sum(2)),
    ...op.get(sum(3)),
    ...op.i32x4Add,
    ...op.i32x4Add,
    ...op.set(sum(0)),
    ...LANES.flatMap((lane) => [...op.get(sum(0)), ...op.i32x4Lane(lane), ...(lane > 0 ? op.i32Add : [])]),
    ...op.f32FromI32,
    ...op.get(scales),
    ...op.f32Load(0),
    ...op.f32Multiply,
  ];
  const result = [...op.get(OUT), ...total, ...op.f32Store(0), ...advance(scales, 4)];
  return {
    name: 'scanBytes',
    parameters: 6,
    locals: [I32, I32, V128, V128, V128, V128],
    body: eachRow({ at, end, sums: LANES.map(sum), inner, result }),
  };
}

function scanCodes(): WasmFunction {
  const at = 5;
  const end = 6;
  const sum = 7;
  const inner = op.repeat([
    ...op.get(sum),
    ...op.get(ROW),
    ...op.vectorLoad(0),
    ...op.get(at),
    ...op.vectorLoad(0),
    ...op.vectorXor,
    ...op.i8x16CountBits,
    ...op.i8x16Add,
    ...op.set(sum),
    ...advance(at, CODE_MULTIPLE),
    ...advance(ROW, CODE_MULTIPLE),
    ...op.get(ROW),
    ...op.get(end),
    ...op.i32LessThan,
  ]);
  const total = [
    ...op.get(sum),
    ...op.i16x8AddPairs,
    ...op.i32x4AddPairs,
    ...op.set(sum),
    ...LANES.flatMap((lane) => [...op.get(sum), ...op.i32x4Lane(lane), ...(lane > 0 ? op.i32Add : [])]),
  ];
  return {
    name: 'scanCodes',
    parameters: 5,
    locals: [I32, I32, V128],
    body: eachRow({
      at,
      end,
      sums: [sum],
      inner,
      result: [...op.get(OUT), ...total, ...op.i32Store16(0)],
      outBytes: 2,
    }),
  };
}

/** The loop over rows, common to the kernels; `inner` moves ROW on to the next row. */
function eachRow(parts: {
  readonly at: number;
  readonly end: number;
  readonly sums: readonly number[];
  readonly inner: readonly number[];
  readonly result: readonly number[];
  readonly outBytes?: number;
}): number[] {
  return op.repeat([
    ...op.get(QUERY),
    ...op.set(parts.at),
    ...op.get(ROW),
    ...op.get(ROW_BYTES),
    ...op.i32Add,
    ...op.set(parts.end),
    ...parts.sums.flatMap((sum) => [...op.vectorZero, ...op.set(sum)]),
    ...parts.inner,
    ...parts.result,
    ...advance(OUT, parts.outBytes ?? 4),
    ...op.get(ROW),
    ...op.get(ROWS_END),
    ...op.i32LessThan,
  ]);
}

function advance(local: number, by: number): number[] {
  return [...op.get(local), ...op.i32(by), ...op.i32Add, ...op.set(local)];
}

function highest(): WasmFunction {
  const [at, end, out, most] = [0, 1, 2, 3] as const;
  const step = [
    ...op.get(most),
    ...op.get(at),
    ...op.vectorLoad(0),
    ...op.f32x4Highest,
    ...op.set(most),
    ...advance(at, 16),
    ...op.get(at),
    ...op.get(end),
    ...op.i32LessThan,
  ];
  const body = [
    ...op.get(at),
    ...op.vectorLoad(0),
    ...op.set(most),
    ...op.repeat(step),
    ...op.get(out),
    ...op.get(most),
    ...op.vectorStore(0),
  ];
  return { name: 'highest', parameters: 3, locals: [V128], body };
}

function nextAbove(): WasmFunction {
  const [lexical, end, dense, factors, found] = [0, 1, 2, 3, 4] as const;
  const [lexicalFactor, floor, denseFactor, bound] = [5, 6, 7, 8] as const;
  const constants = [lexicalFactor, floor, denseFactor, bound].flatMap((local, at) => [
    ...op.get(factors),
    ...op.vectorLoad(16 * at),
    ...op.set(local),
  ]);
  const isAbove = (offset: number): number[] => [
    ...op.get(lexical),
    ...op.vectorLoad(offset),
    ...op.get(lexicalFactor),
    ...op.f32x4Multiply,
    ...op.get(dense),
    ...op.vectorLoad(offset),
    ...op.get(floor),
    ...op.f32x4Subtract,
    ...op.vectorZero,
    ...op.f32x4Highest,
    ...op.get(denseFactor),
    ...op.f32x4Multiply,
    ...op.f32x4Add,
    ...op.get(bound),
    ...op.f32x4Above,
  ];
  const step = [
    ...isAbove(0),
    ...isAbove(16),
    ...op.vectorOr,
    ...op.vectorAny,
    ...op.set(found),
    ...advance(lexical, 4 * BLOCK),
    ...advance(dense, 4 * BLOCK),
    ...op.get(found),
    ...op.i32IsZero,
    ...op.get(lexical),
    ...op.get(end),
    ...op.i32LessThan,
    ...op.i32And,
  ];
  return {
    name: 'nextAbove',
    parameters: 4,
    answers: true,
    locals: [I32, V128, V128, V128, V128],
    body: [...constants, ...op.repeat(step), ...op.get(lexical)],
  };
}
