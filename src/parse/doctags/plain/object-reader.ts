/** Another object, by its number. */
export interface PdfReference {
  readonly object: number;
}

export type PdfDictionary = ReadonlyMap<string, PdfValue>;

/** What stands in a PDF: a string of its own is bytes; a name begins with a slash, any other word is a keyword or an operator. */
export type PdfValue = number | string | Buffer | readonly PdfValue[] | PdfDictionary | PdfReference;

/** Deeper than documents nest anything. */
const MAX_DEPTH = 24;

/** What a byte is: 0 part of a word, 1 whitespace, 2 a delimiter. */
const CLASSES = new Uint8Array(256);
for (const byte of [0, 9, 10, 12, 13, 32]) CLASSES[byte] = 1;
for (const byte of Buffer.from('()<>[]{}/%', 'latin1')) CLASSES[byte] = 2;

/** What a byte is worth as a digit of sixteen; 16 where it is none. */
const HEX = new Uint8Array(256).fill(16);
for (const digits of ['0123456789abcdef', '0123456789ABCDEF'])
  for (const [value, digit] of Buffer.from(digits).entries()) HEX[digit] = value;

const ESCAPES: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12 };

/** Reads objects one after the other from bytes that nobody vouches for: every byte once, and to a bounded depth. */
export class ObjectReader {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** The next object or keyword; undefined at the end, and where nothing can be made of what comes. */
  read(depth = 0): PdfValue | undefined {
    const bytes = this.#bytes;
    this.#skipSpace();
    if (this.at >= bytes.length || depth > MAX_DEPTH) {
      this.at = bytes.length;
      return undefined;
    }
    const byte = bytes[this.at] as number;
    // Digits, a sign, a point.
    if ((byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2e || byte === 0x2b) return this.#readNumber();
    switch (byte) {
      case 0x2f: // a slash
        return this.#readName();
      case 0x28: // (
        return this.#readString();
      case 0x3c: // <
        return bytes[this.at + 1] === 0x3c ? this.#readDictionary(depth) : this.#readHex();
      case 0x5b: // [
        this.at += 1;
        return this.#readUntil(']', depth);
      case 0x3e: // >
        this.at += bytes[this.at + 1] === 0x3e ? 2 : 1;
        return '>>';
      case 0x5d: // ]
        this.at += 1;
        return ']';
      default: {
        const from = this.at;
        this.#skipWord();
        // A brace or a bracket that closes nothing.
        if (this.at === from) this.at += 1;
        return bytes.toString('latin1', from, this.at);
      }
    }
  }

  /** Goes on behind the next `mark`; false when there is none. */
  skipPast(mark: string): boolean {
    const at = this.#bytes.indexOf(mark, this.at, 'latin1');
    this.at = at < 0 ? this.#bytes.length : at + mark.length;
    return at >= 0;
  }

  #skipSpace(): void {
    const bytes = this.#bytes;
    for (; this.at < bytes.length; this.at += 1) {
      const byte = bytes[this.at] as number;
      if (CLASSES[byte] === 1) continue;
      if (byte !== 0x25) return;
      // A comment goes to the end of its line.
      while (this.at < bytes.length && bytes[this.at] !== 10 && bytes[this.at] !== 13) this.at += 1;
    }
  }

  #skipWord(): void {
    const bytes = this.#bytes;
    while (this.at < bytes.length && CLASSES[bytes[this.at] as number] === 0) this.at += 1;
  }

  #readNumber(): number | string {
    const bytes = this.#bytes;
    const from = this.at;
    let whole = 0;
    let scale = 0;
    let at = from;
    const first = bytes[at];
    if (first === 0x2d || first === 0x2b) at += 1;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (byte >= 0x30 && byte <= 0x39) {
        whole = whole * 10 + byte - 0x30;
        scale *= 10;
      } else if (byte === 0x2e && scale === 0) scale = 1;
      else break;
    }
    this.at = at;
    if (at < bytes.length && CLASSES[bytes[at] as number] === 0) {
      // Not a number after all: `0-5` of careless writers, or a keyword.
      this.#skipWord();
      const word = bytes.toString('latin1', from, this.at);
      const value = Number.parseFloat(word);
      return Number.isNaN(value) ? word : value;
    }
    const value = scale > 1 ? whole / scale : whole;
    return first === 0x2d ? -value : value;
  }

  #readName(): string {
    const from = this.at;
    this.at += 1;
    this.#skipWord();
    const name = this.#bytes.toString('latin1', from, this.at);
    return name.includes('#')
      ? name.replaceAll(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      : name;
  }

  #readString(): Buffer {
    const bytes = this.#bytes;
    const from = this.at + 1;
    let open = 1;
    let isPlain = true;
    for (this.at = from; this.at < bytes.length; this.at += 1) {
      const byte = bytes[this.at];
      if (byte === 0x5c) {
        isPlain = false;
        this.at += 1;
      } else if (byte === 0x28) open += 1;
      else if (byte === 0x29 && --open === 0) break;
    }
    const inside = bytes.subarray(from, Math.min(this.at, bytes.length));
    this.at += 1;
    return isPlain ? inside : unescape(inside);
  }

  #readHex(): Buffer {
    const bytes = this.#bytes;
    const from = this.at + 1;
    const end = bytes.indexOf(0x3e, from);
    const stop = end < 0 ? bytes.length : end;
    const out = Buffer.alloc((stop - from + 1) >> 1);
    let digits = 0;
    for (let at = from; at < stop; at += 1) {
      const digit = HEX[bytes[at] as number] as number;
      // Whatever stands between digits is nothing; a last one without its fellow has a zero.
      if (digit > 15) continue;
      out[digits >> 1] = (out[digits >> 1] as number) | (digits % 2 === 0 ? digit << 4 : digit);
      digits += 1;
    }
    this.at = stop + 1;
    return out.subarray(0, (digits + 1) >> 1);
  }

  #readDictionary(depth: number): PdfDictionary | undefined {
    this.at += 2;
    const list = this.#readUntil('>>', depth);
    if (list === undefined) return undefined;
    const entries = new Map<string, PdfValue>();
    for (let index = 0; index + 1 < list.length; index += 2) {
      const [key, value] = [list[index], list[index + 1]];
      if (typeof key === 'string' && value !== undefined) entries.set(key, value);
    }
    return entries;
  }

  #readUntil(end: string, depth: number): PdfValue[] | undefined {
    const list: PdfValue[] = [];
    for (;;) {
      const value = this.read(depth + 1);
      if (value === undefined) return undefined;
      if (value === end) return list;
      const object = value === 'R' ? list.at(-2) : undefined;
      if (typeof object === 'number') list.splice(-2, 2, { object });
      else list.push(value);
    }
  }
}

function unescape(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte !== 0x5c) {
      out[length++] = byte;
      continue;
    }
    at += 1;
    const octal = /^[0-7]{1,3}/.exec(bytes.toString('latin1', at, at + 3))?.[0];
    if (octal !== undefined) {
      out[length++] = Number.parseInt(octal, 8);
      at += octal.length - 1;
      continue;
    }
    const next = bytes[at];
    // A line that is broken for its length alone goes on.
    if (next === 13 && bytes[at + 1] === 10) at += 1;
    if (next !== undefined && next !== 13 && next !== 10) out[length++] = ESCAPES[String.fromCharCode(next)] ?? next;
  }
  return out.subarray(0, length);
}

export function isDictionary(value: PdfValue | undefined): value is PdfDictionary {
  return value instanceof Map;
}

export function isReference(value: PdfValue | undefined): value is PdfReference {
  return typeof value === 'object' && 'object' in value;
}

export function isCount(value: PdfValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
