import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';

import type { HttpLimits } from './limits.ts';

const PASS = new Set(['', 'identity']);
const KNOWN = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd']);

/** The content codings to decode, in order; undefined if one is unknown. */
export function parseCodings(header: string | undefined): readonly string[] | undefined {
  const names = (header ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !PASS.has(name));
  return names.every((name) => KNOWN.has(name)) ? names.toReversed() : undefined;
}

/**
 * Whether the parser has decoded the transfer coding. It knows only `chunked`, once; anything else leaves an unusable
 * body.
 */
export function isUndone(transferEncoding: string | undefined): boolean {
  return /^\s*(?:chunked|identity)\s*$/i.test(transferEncoding ?? 'chunked');
}

/** Whether the bytes start a gzip file. */
export function isGzip(chunk: Buffer): boolean {
  return chunk[0] === 0x1f && chunk[1] === 0x8b;
}

interface DecoderEvents {
  readonly data: (chunk: Buffer) => void;
  readonly end: () => void;
  readonly error: (error: Error) => void;
  readonly drain: () => void;
}

/** Decodes content codings as the body streams. */
export class BodyDecoder {
  readonly #codings: readonly string[];
  readonly #events: DecoderEvents;
  #first: Transform | undefined;
  #last: Transform | undefined;

  constructor(codings: readonly string[], events: DecoderEvents) {
    this.#codings = codings;
    this.#events = events;
  }

  /** False when the decoder's buffer is full; `drain` is called when it can take more. */
  write(chunk: Buffer): boolean {
    this.#first ??= this.#build(chunk);
    return this.#first.write(chunk);
  }

  end(): void {
    // An empty body has nothing to decode, whatever its header says.
    if (this.#first) this.#first.end();
    else this.#events.end();
  }

  pause(): void {
    this.#last?.pause();
  }

  resume(): void {
    this.#last?.resume();
  }

  destroy(): void {
    this.#first?.destroy();
    this.#last?.destroy();
  }

  #build(chunk: Buffer): Transform {
    const steps = this.#codings.map((coding, at) => decoderFor(coding, at === 0 ? chunk : undefined));
    for (const step of steps) step.on('error', this.#events.error);
    const last = steps.reduce((from, to) => from.pipe(to));
    last.on('data', this.#events.data);
    last.on('end', this.#events.end);
    const [first = last] = steps;
    first.on('drain', this.#events.drain);
    this.#last = last;
    return first;
  }
}

function decoderFor(coding: string, chunk: Buffer | undefined): Transform {
  if (coding === 'br') return createBrotliDecompress();
  if (coding === 'zstd') return createZstdDecompress();
  if (coding !== 'deflate') return createGunzip();
  // "deflate" means the zlib format, but some servers send the bare stream; the first byte tells them apart.
  return chunk !== undefined && ((chunk[0] ?? 0) & 0x0f) !== 8 ? createInflateRaw() : createInflate();
}

/** Short texts may compress a hundredfold; below this size the ratio means nothing. */
const RATIO_FROM_BYTES = 1024 * 1024;
/** Bodies of non-2xx responses are read for their message only. */
const MAX_ERROR_BYTES = 1024 * 1024;

/** Counts the bytes of a body, compressed and decoded, against the limits. */
export class BodyGauge {
  readonly #maxRatio: number;
  readonly cap: number;
  wireBytes = 0;
  bodyBytes = 0;

  /** Without limits it allows nothing, as before the response headers. */
  constructor(limits?: HttpLimits, kind: 'file' | 'memory' | 'error-page' = 'memory') {
    this.#maxRatio = limits?.maxRatio ?? 0;
    const caps = { file: limits?.maxBytes, memory: limits?.maxMemoryBytes, 'error-page': limits && MAX_ERROR_BYTES };
    this.cap = caps[kind] ?? 0;
  }

  /** Counts bytes received; true while within the limit. */
  received(bytes: number): boolean {
    this.wireBytes += bytes;
    return this.wireBytes <= this.cap;
  }

  /** Counts decoded bytes; true while within the limit. */
  unpacked(bytes: number): boolean {
    this.bodyBytes += bytes;
    return this.bodyBytes <= this.cap;
  }

  /** The expansion ratio, once it is higher than any legitimate text reaches. */
  get bombRatio(): number | undefined {
    const ratio = this.bodyBytes / Math.max(1, this.wireBytes);
    return this.bodyBytes > RATIO_FROM_BYTES && ratio > this.#maxRatio ? ratio : undefined;
  }
}
