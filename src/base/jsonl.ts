import {
  closeSync,
  fdatasync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

import { Batcher } from './batcher.ts';
import type { Clock } from './clock.ts';
import { describeDiskError, AppError } from './errors.ts';
import { FileLock } from './file-lock.ts';

const NEWLINE = 0x0a;
const TAIL_BLOCK_BYTES = 64 * 1024;
const syncData = promisify(fdatasync);

/** A bad line is not JSON, or too long. */
export type JsonLine =
  | { readonly kind: 'good'; readonly line: number; readonly value: unknown }
  | { readonly kind: 'bad'; readonly line: number; readonly reason: string };

interface TextLine {
  /** Undefined if the line is too long. */
  readonly text: string | undefined;
  readonly terminated: boolean;
}

/** Splits bytes into lines; one over `maxLineBytes` is never held as a whole. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>, maxLineBytes: number): AsyncGenerator<TextLine> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  const take = (terminated: boolean): TextLine => {
    const [first] = pieces;
    // Most lines are inside one chunk and need no copy.
    const whole = pieces.length === 1 && first ? first : Buffer.concat(pieces);
    const text = bytes > maxLineBytes ? undefined : whole.toString('utf8');
    pieces = [];
    bytes = 0;
    return { text, terminated };
  };
  for await (const { buffer, byteOffset, length } of chunks) {
    const chunk = Buffer.from(buffer, byteOffset, length);
    for (let from = 0, at = 0; at !== -1; from = at + 1) {
      at = chunk.indexOf(NEWLINE, from);
      const piece = chunk.subarray(from, at === -1 ? length : at);
      bytes += piece.length;
      if (bytes > maxLineBytes) pieces = [];
      else if (piece.length > 0) pieces.push(piece);
      if (at !== -1) yield take(true);
    }
  }
  if (bytes > 0) yield take(false);
}

/** `tornTail`: whether a last line without a line break is data (keep) or the remains of a crash (drop). */
export async function* parseJsonl(
  chunks: AsyncIterable<Uint8Array>,
  options: { readonly maxLineBytes?: number; readonly tornTail: 'drop' | 'keep' },
): AsyncGenerator<JsonLine> {
  const maxLineBytes = options.maxLineBytes ?? 10_000_000;
  let line = 0;
  for await (const { text, terminated } of splitLines(chunks, maxLineBytes)) {
    line += 1;
    if (!terminated && options.tornTail === 'drop') return;
    if (text === undefined) {
      yield { kind: 'bad', line, reason: `line is longer than ${maxLineBytes} bytes` };
      continue;
    }
    const trimmed = (line === 1 ? text.replace(/^\uFEFF/, '') : text).trim();
    if (trimmed === '') continue;
    try {
      yield { kind: 'good', line, value: JSON.parse(trimmed) as unknown };
    } catch (error) {
      yield { kind: 'bad', line, reason: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** Reads a JSONL file written by JsonlWriter: a torn tail is dropped, a damaged line reported. */
export async function* readJsonl(path: string): AsyncGenerator<JsonLine> {
  await using file = await open(path, 'r');
  yield* parseJsonl(file.createReadStream({ autoClose: false, highWaterMark: 1 << 18 }) as AsyncIterable<Uint8Array>, {
    tornTail: 'drop',
  });
}

/**
 * Appends whole JSON lines, also from several processes: a line torn by a crash is cut off under the lock before the
 * next append. With `durable`, an append resolves after fdatasync; concurrent appends share one.
 */
export class JsonlWriter implements AsyncDisposable {
  readonly #path: string;
  readonly #lock: FileLock;
  #descriptor: number;
  readonly #durable: boolean;
  readonly #batches = new Batcher<string>((lines) => this.#write(lines.join('')));

  private constructor(path: string, lock: FileLock, durable: boolean) {
    this.#path = path;
    this.#lock = lock;
    this.#durable = durable;
    this.#descriptor = openSync(path, 'a+');
  }

  static async open(
    path: string,
    options: { readonly clock: Clock; readonly durable?: boolean },
  ): Promise<JsonlWriter> {
    mkdirSync(dirname(path), { recursive: true });
    const lock = new FileLock(`${path}.lock`, options.clock);
    try {
      const writer = new JsonlWriter(path, lock, options.durable ?? false);
      await lock.hold(() => cutTornLine(path, writer.#descriptor));
      return writer;
    } catch (error) {
      lock[Symbol.dispose]();
      throw describeDiskError(error, path);
    }
  }

  /** Resolves when the record is in the file (and on the disk, if the writer is durable). */
  append(record: unknown): Promise<void> {
    const text = JSON.stringify(record);
    if (text === undefined) throw new AppError('JSONL_NOT_JSON', 'the record cannot be serialised as JSON');
    return this.appendLines(`${text}\n`);
  }

  /** Like `append`, for lines that are already JSON, each with its line break. */
  appendLines(text: string): Promise<void> {
    return this.#batches.add(text);
  }

  async #write(text: string): Promise<void> {
    try {
      await this.#lock.hold(() => {
        this.#reopenIfReplaced();
        cutTornLine(this.#path, this.#descriptor);
        writeFileSync(this.#descriptor, text);
      });
      // Outside the lock and off the thread, so that others can append meanwhile; complete lines are never cut off.
      if (this.#durable) await syncData(this.#descriptor);
    } catch (error) {
      throw describeDiskError(error, this.#path);
    }
  }

  /** The file may have been removed, or written again by another process: lines must not go to one without a name. */
  #reopenIfReplaced(): void {
    const [named, opened] = [statSync(this.#path, { throwIfNoEntry: false }), fstatSync(this.#descriptor)];
    if (named?.ino === opened.ino && named.dev === opened.dev) return;
    closeSync(this.#descriptor);
    this.#descriptor = openSync(this.#path, 'a+');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#batches.flush();
    closeSync(this.#descriptor);
    this.#lock[Symbol.dispose]();
  }
}

/** Cuts off a last line without a line break: it was never acknowledged. */
export function cutTornLine(path: string, descriptor: number): void {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  if (size === 0 || (readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] === NEWLINE)) return;
  const block = Buffer.alloc(Math.min(size, TAIL_BLOCK_BYTES));
  let end = size;
  while (end > 0) {
    const from = Math.max(0, end - block.length);
    const read = readSync(descriptor, block, 0, end - from, from);
    const at = block.subarray(0, read).lastIndexOf(NEWLINE);
    end = at === -1 ? from : from + at + 1;
    if (at !== -1) break;
  }
  // By path: Windows cannot truncate through an append-only descriptor.
  truncateSync(path, end);
}
