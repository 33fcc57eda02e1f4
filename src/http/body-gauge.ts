import type { HttpLimits } from './limits.ts';

/** A short text may well shrink a hundredfold; the ratio says something only from here on. */
const RATIO_FROM_BYTES = 1024 * 1024;
/** Bodies of answers other than 2xx are read for their message and their look, not as documents. */
const MAX_ERROR_BYTES = 1024 * 1024;

/** Counts the bytes of a body, on the wire and unpacked, and says when they are too many. */
export class BodyGauge {
  readonly #maxRatio: number;
  readonly cap: number;
  wireBytes = 0;
  bodyBytes = 0;

  /** Without limits it allows nothing, as before the headers of an answer. */
  constructor(limits?: HttpLimits, kind: 'file' | 'memory' | 'error-page' = 'memory') {
    this.#maxRatio = limits?.maxRatio ?? 0;
    const caps = { file: limits?.maxBytes, memory: limits?.maxMemoryBytes, 'error-page': limits && MAX_ERROR_BYTES };
    this.cap = caps[kind] ?? 0;
  }

  /** More came from the wire; true while it is within the cap. */
  received(bytes: number): boolean {
    this.wireBytes += bytes;
    return this.wireBytes <= this.cap;
  }

  /** More was handed on; true while it is within the cap. */
  unpacked(bytes: number): boolean {
    this.bodyBytes += bytes;
    return this.bodyBytes <= this.cap;
  }

  /** How many times its size the body has unpacked to, once that is more than any honest text does. */
  get bombRatio(): number | undefined {
    const ratio = this.bodyBytes / Math.max(1, this.wireBytes);
    return this.bodyBytes > RATIO_FROM_BYTES && ratio > this.#maxRatio ? ratio : undefined;
  }
}
