import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';

const PASS = new Set(['', 'identity']);
const KNOWN = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd']);

/** The codings to undo, in the order to undo them; undefined when one is unknown. */
export function parseCodings(header: string | undefined): readonly string[] | undefined {
  const names = (header ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !PASS.has(name));
  return names.every((name) => KNOWN.has(name)) ? names.toReversed() : undefined;
}

/** True for the first bytes of a gzip file. */
export function isGzip(chunk: Buffer): boolean {
  return chunk[0] === 0x1f && chunk[1] === 0x8b;
}

interface DecoderEvents {
  readonly data: (chunk: Buffer) => void;
  readonly end: () => void;
  readonly error: (error: Error) => void;
  readonly drain: () => void;
}

/** Undoes content codings as the body streams. */
export class BodyDecoder {
  readonly #codings: readonly string[];
  readonly #events: DecoderEvents;
  #first: Transform | undefined;
  #last: Transform | undefined;

  constructor(codings: readonly string[], events: DecoderEvents) {
    this.#codings = codings;
    this.#events = events;
  }

  /** False when the decoder has enough for now; `drain` says when it wants more. */
  write(chunk: Buffer): boolean {
    this.#first ??= this.#build(chunk);
    return this.#first.write(chunk);
  }

  end(): void {
    // An empty body has nothing to undo, whatever its header says.
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
