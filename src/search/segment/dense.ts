import { AppError } from '../../base/index.ts';
import { Best } from '../top.ts';
import type { ScanKernel, WasmMemory } from './kernel.ts';
import { BLOCK, createKernel, createMemory, ROW_MULTIPLE } from './kernel.ts';
import type { SegmentFile } from './segment-file.ts';

/** How vectors lie in a file: centroid, first row of each passage, scales (int8 only), rows. */
export interface DenseLayout {
  readonly passages: number;
  readonly rows: number;
  readonly dimensions: number;
  readonly dtype: 'float32' | 'int8';
}

/** Sizes in bytes of the parts of the file, in their order. */
export function denseSizes(layout: DenseLayout): {
  readonly rowBytes: number;
  readonly centroid: number;
  readonly starts: number;
  readonly scales: number;
  readonly total: number;
} {
  const width = Math.ceil(layout.dimensions / ROW_MULTIPLE) * ROW_MULTIPLE;
  const rowBytes = layout.dtype === 'int8' ? width : width * 4;
  const centroid = width * 4;
  const starts = aligned((layout.passages + 1) * 4);
  const scales = layout.dtype === 'int8' ? aligned(layout.rows * 4) : 0;
  return { rowBytes, centroid, starts, scales, total: centroid + starts + scales + layout.rows * rowBytes };
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}

const PAGE = 65_536;
const CONSTANT_BYTES = 64;

/** How two scores are brought to one scale: the lexical one from 0, the dense one from `floor`. */
export interface FusionScale {
  readonly lexicalFactor: number;
  readonly denseFactor: number;
  readonly floor: number;
}

/** The sum of both scores; a dense score below the floor counts as none. */
export function fusedScore({ lexicalFactor, denseFactor, floor }: FusionScale, lexical: number, dense: number): number {
  const above = dense - floor;
  return lexical * lexicalFactor + (above > 0 ? above * denseFactor : 0);
}

/** Vectors in memory that a query is compared with, all of them: an exact search. */
export class DenseIndex {
  readonly layout: DenseLayout;
  readonly #memory: WasmMemory;
  readonly #kernel: ScanKernel;
  /** Of rows; of passages, where those are others; and what words gave the passages in a hybrid search. */
  readonly #rows: Float32Array;
  readonly #scores: Float32Array;
  readonly lexical: Float32Array;
  readonly #starts: Uint32Array;
  readonly #centroid: Float32Array;
  readonly #sizes: ReturnType<typeof denseSizes>;
  readonly #file: number;
  /** Every passage has exactly one row, so that rows are passages. */
  readonly #plain: boolean;

  /** Reads the vectors of a segment straight into the kernel's memory. */
  constructor(file: SegmentFile, layout: DenseLayout) {
    this.#sizes = denseSizes(layout);
    const { total, centroid } = this.#sizes;
    if (file.bytesOf('dense') !== total) {
      throw new AppError('INDEX_DAMAGED', `${file.path} does not hold ${layout.rows} vectors`, {
        hint: 'remove the Index folder: it is made again',
      });
    }
    this.layout = layout;
    // The query comes first, then constants of a fusion, three arrays of scores, and the file.
    const rowsAt = aligned(centroid) + CONSTANT_BYTES;
    const scoresAt = rowsAt + aligned(layout.rows * 4);
    const lexicalAt = scoresAt + aligned(layout.passages * 4);
    this.#file = lexicalAt + aligned(layout.passages * 4);
    const pages = Math.ceil((this.#file + total) / PAGE);
    if (pages > PAGE) {
      throw new AppError('INDEX_TOO_LARGE', `${layout.rows} vectors do not fit the 4 GB a search can hold`, {
        hint: 'build the index with int8 vectors, or search parts of the collection',
      });
    }
    this.#memory = createMemory(pages);
    this.#kernel = createKernel(this.#memory);
    const { buffer } = this.#memory;
    file.into('dense', new Uint8Array(buffer, this.#file, total));
    this.#rows = new Float32Array(buffer, rowsAt, layout.rows);
    this.lexical = new Float32Array(buffer, lexicalAt, layout.passages);
    this.#centroid = new Float32Array(buffer, this.#file, centroid / 4);
    this.#starts = new Uint32Array(buffer, this.#file + centroid, layout.passages + 1);
    this.#plain = isPlain(this.#starts);
    this.#scores = this.#plain ? this.#rows : new Float32Array(buffer, scoresAt, layout.passages);
  }

  /**
   * The score of every passage: that of its best row. A passage without vectors scores what an unrelated one would. The
   * next scan may overwrite the scores.
   */
  score(query: Float32Array, unrelated: number): Float32Array {
    const rows = this.scan(query);
    const scores = this.#scores;
    if (this.#plain) return scores;
    for (let passage = 0; passage < scores.length; passage += 1) {
      let best = -Infinity;
      for (let row = this.#starts[passage] ?? 0; row < (this.#starts[passage + 1] ?? 0); row += 1) {
        best = Math.max(best, rows[row] ?? best);
      }
      scores[passage] = best === -Infinity ? unrelated : best;
    }
    return scores;
  }

  /** Takes places out of the running, in the scores that the last scan left. */
  hide(places: Uint32Array): void {
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at] as number;
      this.lexical[place] = 0;
      this.#scores[place] = -Infinity;
    }
  }

  /** The mean of all rows. */
  get centroid(): Float32Array {
    return this.#centroid;
  }

  /** The bare scan: inner products of all rows, in memory that the next scan overwrites. */
  scan(query: Float32Array): Float32Array {
    if (this.layout.rows > 0) this.#scanRows(this.#load(query), 0, this.layout.rows, this.#rows.byteOffset);
    return this.#rows;
  }

  /** The score of one passage for another query; those of all passages stay as they are. `prepare` the query first. */
  rescore(place: number, prepared: number, unrelated: number): number {
    const out = new Float32Array(this.#memory.buffer, this.#constants(), 1);
    let best = -Infinity;
    for (let row = this.#starts[place] as number; row < (this.#starts[place + 1] as number); row += 1) {
      this.#scanRows(prepared, row, row + 1, out.byteOffset);
      best = Math.max(best, out[0] as number);
    }
    return best === -Infinity ? unrelated : best;
  }

  /** Puts a query where `rescore` finds it; answers what that wants to be told. */
  prepare(query: Float32Array): number {
    return this.#load(query);
  }

  /**
   * The places with the best sums of both scores, the lexical ones lying in `lexical` and the dense ones where `score`
   * left them, each brought to the scale it is told. Blocks without a place good enough are passed over by the kernel.
   */
  bestFused(scale: FusionScale, count: number): { readonly place: number; readonly score: number }[] {
    const { length } = this.lexical;
    const factors = new Float32Array(this.#memory.buffer, this.#constants(), 16);
    factors.fill(scale.lexicalFactor, 0, 4).fill(scale.floor, 4, 8).fill(scale.denseFactor, 8, 12).fill(0, 12);
    const best = new Best(Math.min(count, length), 0);
    const lexicalAt = this.lexical.byteOffset;
    const toDense = this.#scores.byteOffset - lexicalAt;
    const blocks = length - (length % BLOCK);
    const end = lexicalAt + 4 * blocks;
    let bound = 0;
    for (let at = 0; at < length;) {
      let from = at;
      if (at < blocks) {
        const start = lexicalAt + 4 * at;
        at = (this.#kernel.nextAbove(start, end, start + toDense, factors.byteOffset) - lexicalAt) / 4;
        from = at - BLOCK;
      } else at = length;
      // Of the block that has something, and of what fills no block, every place is looked at.
      for (let place = from; place < at; place += 1) {
        const score = fusedScore(scale, this.lexical[place] as number, this.#scores[place] as number);
        if (score > bound) bound = best.offer(place, score);
      }
      factors.fill(bound, 12);
    }
    return Array.from(best.places(), (place) => ({
      place,
      score: fusedScore(scale, this.lexical[place] as number, this.#scores[place] as number),
    }));
  }

  /** The highest of the lexical and of the dense scores; at least 0 and `floor`. */
  highest(floor: number): { readonly lexical: number; readonly dense: number } {
    return { lexical: this.#highest(this.lexical, 0), dense: this.#highest(this.#scores, floor) };
  }

  #highest(scores: Float32Array, least: number): number {
    const whole = scores.length - (scores.length % 4);
    const out = new Float32Array(this.#memory.buffer, this.#constants(), 4);
    if (whole > 0) this.#kernel.highest(scores.byteOffset, scores.byteOffset + 4 * whole, out.byteOffset);
    return Math.max(least, ...(whole > 0 ? out : []), ...scores.subarray(whole));
  }

  #constants(): number {
    return this.#rows.byteOffset - CONSTANT_BYTES;
  }

  /** Puts a query where the kernel finds it; answers what its integers have to be multiplied with. */
  #load(query: Float32Array): number {
    const { rowBytes } = this.#sizes;
    const { buffer } = this.#memory;
    if (this.layout.dtype === 'float32') {
      new Float32Array(buffer, 0, rowBytes / 4).fill(0).set(query);
      return 1;
    }
    const scale = largest(query) / 127 || 1;
    const integers = new Int16Array(buffer, 0, rowBytes).fill(0);
    for (let at = 0; at < query.length; at += 1) integers[at] = Math.round((query[at] ?? 0) / scale);
    return scale;
  }

  #scanRows(scale: number, from: number, to: number, out: number): void {
    const { rowBytes, centroid, starts, scales } = this.#sizes;
    const rows = this.#file + centroid + starts + scales;
    const [first, end] = [rows + from * rowBytes, rows + to * rowBytes];
    if (this.layout.dtype === 'float32') return this.#kernel.scanFloats(0, first, end, rowBytes, out);
    this.#kernel.scanBytes(0, first, end, rowBytes, out, this.#file + centroid + starts + 4 * from);
    const scores = new Float32Array(this.#memory.buffer, out, to - from);
    for (let at = 0; at < scores.length; at += 1) scores[at] = (scores[at] as number) * scale;
  }

  /** A passage's vectors. */
  vectors(passage: number): Float32Array[] {
    const from = this.#starts[passage] ?? 0;
    const to = this.#starts[passage + 1] ?? from;
    return Array.from({ length: to - from }, (_, at) => this.#row(from + at));
  }

  #row(row: number): Float32Array {
    const { rowBytes, centroid, starts, scales } = this.#sizes;
    const at = this.#file + centroid + starts + scales + row * rowBytes;
    const { buffer } = this.#memory;
    if (this.layout.dtype === 'float32') return new Float32Array(buffer, at, this.layout.dimensions);
    const [scale = 1] = new Float32Array(buffer, this.#file + centroid + starts + row * 4, 1);
    return Float32Array.from(new Int8Array(buffer, at, this.layout.dimensions), (value) => value * scale);
  }
}

function isPlain(starts: Uint32Array): boolean {
  for (let passage = 0; passage < starts.length; passage += 1) if (starts[passage] !== passage) return false;
  return true;
}

/** Inner product; the shorter length counts. */
export function dot(a: Float32Array, b: Float32Array): number {
  const length = Math.min(a.length, b.length);
  let sum = 0;
  for (let at = 0; at < length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

function largest(vector: Float32Array): number {
  let most = 0;
  for (const value of vector) most = Math.max(most, Math.abs(value));
  return most;
}
