/** ONNX's own numbers for element types. */
const ELEMENT = { float32: 1, uint8: 2, int8: 3, int64: 7, float16: 10 } as const;
type ElementType = keyof typeof ELEMENT;

const ATTRIBUTE = { float: 1, integer: 2, integers: 7 } as const;
const IR_VERSION = 8;
const OPSET = 17;
/** The domain of onnxruntime's fused operators. */
export const FUSED = 'com.microsoft';

type Attribute = number | readonly number[] | { readonly float: number };

/** Writes an ONNX model node by node; names of tensors are plain strings, an empty one leaves an optional input out. */
export class GraphWriter {
  readonly #graph = new Message();
  #count = 0;

  input(name: string, type: ElementType, shape: readonly (number | string)[]): string {
    this.#graph.message(11, valueInfo(name, type, shape));
    return name;
  }

  output(name: string, type: ElementType, shape: readonly (number | string)[]): void {
    this.#graph.message(12, valueInfo(name, type, shape));
  }

  /** A constant of the model, such as a weight. */
  constant(name: string, type: ElementType, shape: readonly number[], data: ArrayBufferView): string {
    const tensor = new Message();
    for (const size of shape) tensor.integer(1, size);
    tensor.integer(2, ELEMENT[type]).string(8, name);
    tensor.bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    this.#graph.message(5, tensor);
    return name;
  }

  /** Adds an operator and answers the name of its (first) output. */
  node(
    operator: string,
    inputs: readonly string[],
    options: {
      readonly domain?: string;
      readonly outputs?: readonly string[];
      readonly attributes?: Readonly<Record<string, Attribute>>;
    } = {},
  ): string {
    const node = new Message();
    const outputs = options.outputs ?? [`t${(this.#count += 1)}`];
    for (const name of inputs) node.string(1, name);
    for (const name of outputs) node.string(2, name);
    node.string(4, operator);
    for (const [name, value] of Object.entries(options.attributes ?? {})) node.message(5, attribute(name, value));
    if (options.domain) node.string(7, options.domain);
    this.#graph.message(1, node);
    return outputs[0] ?? '';
  }

  finish(name: string): Uint8Array {
    this.#graph.string(2, name);
    const model = new Message().integer(1, IR_VERSION).string(2, 'docstokg').message(7, this.#graph);
    model.message(8, new Message().string(1, '').integer(2, OPSET));
    model.message(8, new Message().string(1, FUSED).integer(2, 1));
    return model.finish();
  }
}

function attribute(name: string, value: Attribute): Message {
  const message = new Message().string(1, name);
  if (typeof value === 'number') return message.integer(3, value).integer(20, ATTRIBUTE.integer);
  if ('float' in value) return message.float(2, value.float).integer(20, ATTRIBUTE.float);
  for (const item of value) message.integer(8, item);
  return message.integer(20, ATTRIBUTE.integers);
}

function valueInfo(name: string, type: ElementType, shape: readonly (number | string)[]): Message {
  const dimensions = new Message();
  for (const size of shape) {
    const dimension = new Message();
    dimensions.message(1, typeof size === 'number' ? dimension.integer(1, size) : dimension.string(2, size));
  }
  const tensor = new Message().integer(1, ELEMENT[type]).message(2, dimensions);
  return new Message().string(1, name).message(2, new Message().message(1, tensor));
}

const VARINT = 0;
const BYTES = 2;
const FIXED32 = 5;

/**
 * Writes one protobuf message. Large byte fields are kept by reference and copied once, when the outermost message
 * is finished, so that a model of tens of megabytes is not copied at every level.
 */
class Message {
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
