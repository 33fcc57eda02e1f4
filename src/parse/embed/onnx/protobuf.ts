const VARINT = 0;
const BYTES = 2;
const FIXED32 = 5;

/**
 * Writes one protobuf message. Large byte fields are kept by reference and copied once, when the outermost message
 * is finished, so that a model of tens of megabytes is not copied at every level.
 */
export class Message {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  integer(field: number, value: number | bigint): this {
    return this.#push(varint((field << 3) | VARINT)).#push(varint(value));
  }

  float(field: number, value: number): this {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    return this.#push(varint((field << 3) | FIXED32)).#push(bytes);
  }

  bytes(field: number, value: Uint8Array): this {
    return this.#push(varint((field << 3) | BYTES)).#push(varint(value.length)).#push(value);
  }

  string(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value, 'utf8'));
  }

  message(field: number, inner: Message): this {
    this.#push(varint((field << 3) | BYTES)).#push(varint(inner.#length));
    for (const part of inner.#parts) this.#push(part);
    return this;
  }

  /** The message's bytes, in a buffer of their own. */
  finish(): Uint8Array {
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  #push(part: Uint8Array): this {
    this.#parts.push(part);
    this.#length += part.length;
    return this;
  }
}

function varint(value: number | bigint): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Uint8Array.from(bytes);
}
