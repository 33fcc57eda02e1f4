import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes read from the manifest at a time. */
const BLOCK_BYTES = 1 << 20;
const NEWLINE = 0x0a;

/**
 * Which items have a success row and which a resume-skip row, by item and fingerprint, as 52-bit numbers: a million
 * rows are some tens of megabytes, and the chance that two of them meet is one in ten thousand.
 */
export class KnownRows {
  readonly #path: string;
  readonly #keys = new Set<number>();
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads what was appended since the last time; a manifest that is not there is an empty one. */
  refresh(): void {
    let descriptor: number;
    try {
      descriptor = openSync(this.#path, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    try {
      const { size } = fstatSync(descriptor);
      let block = Buffer.allocUnsafe(BLOCK_BYTES);
      while (this.#offset < size) {
        const length = readSync(descriptor, block, 0, block.length, this.#offset);
        const end = block.subarray(0, length).lastIndexOf(NEWLINE);
        if (end === -1) {
          // A line longer than the block, or a tail that somebody is still writing.
          if (length < block.length) return;
          block = Buffer.allocUnsafe(block.length * 2);
          continue;
        }
        for (const line of block.toString('utf8', 0, end).split('\n')) this.#learn(line);
        this.#offset += end + 1;
      }
    } finally {
      closeSync(descriptor);
    }
  }

  has(status: 'success' | 'skip', itemId: string, inputSha256: string, cfgHash: string): boolean {
    return this.#keys.has(key(status, JSON.stringify(itemId), `sha256:${inputSha256}`, JSON.stringify(cfgHash)));
  }

  add(status: 'success' | 'skip', itemId: string, inputSha256: string, cfgHash: string): void {
    this.#keys.add(key(status, JSON.stringify(itemId), `sha256:${inputSha256}`, JSON.stringify(cfgHash)));
  }

  /**
   * Takes the four fields out of a row as it was written, without parsing it: the base fields come first and a quote
   * inside a string is escaped, so a field's name in quotes is found only where it is one.
   */
  #learn(line: string): void {
    const status = line.includes('"status":"success"') ? 'success' : line.includes('"status":"skip"') ? 'skip' : '';
    if (status === '' || (status === 'skip' && !line.includes('"reason":"resume-satisfied"'))) return;
    const itemId = field(line, '"doc_id":', ',"status"');
    const inputHash = field(line, '"input_hash":"', '"');
    const cfgHash = field(line, '"cfg_hash":', ',"');
    if (itemId && inputHash && cfgHash) this.#keys.add(key(status, itemId, inputHash, cfgHash));
  }
}

function field(line: string, name: string, end: string): string | undefined {
  const at = line.indexOf(name);
  if (at === -1) return undefined;
  const from = at + name.length;
  const to = line.indexOf(end, from);
  return to === -1 ? undefined : line.slice(from, to);
}

/** Two 32-bit multiplicative hashes side by side, cut to what a double holds exactly. */
function key(status: string, itemId: string, inputHash: string, cfgHash: string): number {
  const text = `${status}\n${itemId}\n${inputHash}\n${cfgHash}`;
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5bd1e995) + (low >>> 15);
  }
  high ^= high >>> 15;
  low ^= low >>> 13;
  return (high & 0xfffff) * 2 ** 32 + (low >>> 0);
}
