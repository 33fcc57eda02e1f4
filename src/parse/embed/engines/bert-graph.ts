import { AppError } from '../../../base/index.ts';

/** One tensor of a safetensors file; `data` is a view into the file's bytes, aligned by a copy where it must be. */
interface StoredTensor {
  readonly shape: readonly number[];
  readonly data: Float16Array<ArrayBuffer> | Float32Array<ArrayBuffer>;
}

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** Reads a safetensors file that is already in memory; tensors of other types than F16 and F32 are skipped. */
export function parseSafetensors(bytes: Uint8Array): Map<string, StoredTensor> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerLength = bytes.length >= 8 ? Number(view.getBigUint64(0, true)) : Infinity;
  if (8 + headerLength > bytes.length) throw damaged('its header is cut off');
  const header = JSON.parse(Buffer.from(bytes.subarray(8, 8 + headerLength)).toString('utf8')) as Record<string, Entry>;
  const tensors = new Map<string, StoredTensor>();
  for (const [name, entry] of Object.entries(header)) {
    if (entry.dtype !== 'F16' && entry.dtype !== 'F32') continue;
    const [from, to] = entry.data_offsets;
    if (8 + headerLength + to > bytes.length) throw damaged(`tensor ${name} is cut off`);
    const start = bytes.byteOffset + 8 + headerLength + from;
    const width = entry.dtype === 'F16' ? 2 : 4;
    // Typed arrays must begin at a multiple of their width; where a tensor does not, it is copied.
    const aligned = start % width === 0;
    const buffer = (aligned ? bytes.buffer : bytes.buffer.slice(start, start + (to - from))) as ArrayBuffer;
    const place = aligned ? start : 0;
    const length = (to - from) / width;
    const data = width === 2 ? new Float16Array(buffer, place, length) : new Float32Array(buffer, place, length);
    tensors.set(name, { shape: entry.shape, data });
  }
  return tensors;
}

function damaged(what: string): AppError {
  return new AppError('MODEL_DAMAGED', `the safetensors file is damaged: ${what}`, {
    hint: 'install the model again',
  });
}

/** ONNX's own numbers for element types. */
const ELEMENT = { float32: 1, uint8: 2, int8: 3, int64: 7, float16: 10 } as const;
type ElementType = keyof typeof ELEMENT;

const ATTRIBUTE = { float: 1, integer: 2, integers: 7 } as const;
const IR_VERSION = 8;
const OPSET = 17;
/** The domain of onnxruntime's fused operators. */
const FUSED = 'com.microsoft';

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

/** Writes one protobuf message. Large byte fields are copied once, when the outermost message is finished. */
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

/** The shape of a BERT encoder, as its config.json names it. */
export interface BertShape {
  readonly hidden_size: number;
  readonly intermediate_size: number;
  readonly num_hidden_layers: number;
  readonly num_attention_heads: number;
  readonly layer_norm_eps: number;
  readonly max_position_embeddings: number;
}

type Precision = 'int8' | 'fp32';

/**
 * Writes a BERT sentence encoder with mean pooling as an ONNX model for one text at a time. One text needs no
 * attention mask, and its int8 vector depends on nothing but itself: dynamic quantisation takes its scale from the
 * whole batch, so in a batch every text would change its neighbours' vectors. The fused operators are written
 * directly, so that nothing depends on what an optimiser recognises.
 */
export function writeBert(
  weights: ReadonlyMap<string, StoredTensor>,
  shape: BertShape,
  precision: Precision,
): Uint8Array {
  const graph = new GraphWriter();
  const hidden = shape.hidden_size;
  const values = (name: string): Float32Array<ArrayBuffer> => {
    const tensor = weights.get(name);
    if (!tensor)
      throw new AppError('MODEL_DAMAGED', `the weights contain no ${name}`, { hint: 'install the model again' });
    return tensor.data instanceof Float32Array ? tensor.data : new Float32Array(tensor.data);
  };
  const vector = (name: string): string => {
    const data = values(name);
    return graph.constant(name, 'float32', [data.length], data);
  };
  const epsilon = { epsilon: { float: shape.layer_norm_eps } };

  const multiply = (input: string, name: string, stored: Float32Array<ArrayBuffer>, rows: number): string => {
    const columns = stored.length / rows;
    if (precision === 'fp32') {
      const weight = transpose(stored, rows, new Float32Array(stored.length));
      return graph.node('MatMul', [input, graph.constant(name, 'float32', [rows, columns], weight)]);
    }
    const { data, scales } = quantise(stored, rows);
    return graph.node(
      'DynamicQuantizeMatMul',
      [
        input,
        graph.constant(name, 'int8', [rows, columns], data),
        graph.constant(`${name}.scale`, 'float32', [columns], scales),
      ],
      { domain: FUSED },
    );
  };

  const attend = (input: string, name: string): string => {
    // Rows are stored by output, so the three matrices one after the other are one matrix with all outputs.
    const stored = new Float32Array(3 * hidden * hidden);
    const bias = new Float32Array(3 * hidden);
    for (const [at, part] of ['query', 'key', 'value'].entries()) {
      stored.set(values(`${name}.${part}.weight`), at * hidden * hidden);
      bias.set(values(`${name}.${part}.bias`), at * hidden);
    }
    const biasName = graph.constant(`${name}.bias`, 'float32', [3 * hidden], bias);
    const attributes = { num_heads: shape.num_attention_heads };
    if (precision === 'fp32') {
      const weight = transpose(stored, hidden, new Float32Array(stored.length));
      const weightName = graph.constant(`${name}.weight`, 'float32', [hidden, 3 * hidden], weight);
      return graph.node('Attention', [input, weightName, biasName], { domain: FUSED, attributes });
    }
    const { data, scales } = quantise(stored, hidden);
    const quantised = [`${name}.input`, `${name}.input.scale`, `${name}.input.zero`] as const;
    graph.node('DynamicQuantizeLinear', [input], { outputs: quantised });
    const weightName = graph.constant(`${name}.weight`, 'int8', [hidden, 3 * hidden], data);
    const scaleName = graph.constant(`${name}.scale`, 'float32', [3 * hidden], scales);
    const zeroName = graph.constant(`${name}.zero`, 'int8', [3 * hidden], new Int8Array(3 * hidden));
    return graph.node(
      'QAttention',
      [quantised[0], weightName, biasName, quantised[1], scaleName, '', quantised[2], zeroName],
      { domain: FUSED, attributes },
    );
  };

  const dense = (input: string, name: string, rows: number): string =>
    multiply(input, `${name}.weight`, values(`${name}.weight`), rows);
  const addAndNormalise = (input: string, skip: string, norm: string, bias: string): string =>
    graph.node(
      'SkipLayerNormalization',
      [input, skip, vector(`${norm}.weight`), vector(`${norm}.bias`), vector(bias)],
      { domain: FUSED, attributes: epsilon },
    );

  let state = embedding(graph, weights, { shape, values, vector, epsilon });
  for (let layer = 0; layer < shape.num_hidden_layers; layer += 1) {
    const name = `encoder.layer.${layer}`;
    const attended = dense(attend(state, `${name}.attention.self`), `${name}.attention.output.dense`, hidden);
    const middle = addAndNormalise(
      attended,
      state,
      `${name}.attention.output.LayerNorm`,
      `${name}.attention.output.dense.bias`,
    );
    const widened = graph.node(
      'BiasGelu',
      [dense(middle, `${name}.intermediate.dense`, hidden), vector(`${name}.intermediate.dense.bias`)],
      { domain: FUSED },
    );
    const narrowed = dense(widened, `${name}.output.dense`, shape.intermediate_size);
    state = addAndNormalise(narrowed, middle, `${name}.output.LayerNorm`, `${name}.output.dense.bias`);
  }
  graph.node('ReduceMean', [state], { outputs: ['embedding'], attributes: { axes: [1], keepdims: 0 } });
  graph.output('embedding', 'float32', [1, hidden]);
  return graph.finish('bert');
}

function embedding(
  graph: GraphWriter,
  weights: ReadonlyMap<string, StoredTensor>,
  options: {
    readonly shape: BertShape;
    readonly values: (name: string) => Float32Array<ArrayBuffer>;
    readonly vector: (name: string) => string;
    readonly epsilon: { readonly epsilon: { readonly float: number } };
  },
): string {
  const { shape, values } = options;
  const hidden = shape.hidden_size;
  const ids = graph.input('input_ids', 'int64', [1, 'tokens']);
  const places = graph.input('position_ids', 'int64', [1, 'tokens']);
  const table = weights.get('embeddings.word_embeddings.weight');
  if (!table)
    throw new AppError('MODEL_DAMAGED', 'the weights contain no word embeddings', { hint: 'install the model again' });
  // The word table is two thirds of the model and only looked up in: it stays in half precision.
  const half = table.data instanceof Float16Array;
  const words = graph.constant('words', half ? 'float16' : 'float32', table.shape, table.data);
  const found = graph.node('Gather', [words, ids]);
  const word = half ? graph.node('Cast', [found], { attributes: { to: 1 } }) : found;
  // With one text every token is of type 0, so its vector is added to the positions once and for all.
  const position = values('embeddings.position_embeddings.weight');
  const type = values('embeddings.token_type_embeddings.weight').subarray(0, hidden);
  const placed = position.map((value, at) => value + (type[at % hidden] ?? 0));
  const placesTable = graph.constant('positions', 'float32', [shape.max_position_embeddings, hidden], placed);
  const sum = graph.node('Add', [word, graph.node('Gather', [placesTable, places])]);
  const norm = 'embeddings.LayerNorm';
  return graph.node('LayerNormalization', [sum, options.vector(`${norm}.weight`), options.vector(`${norm}.bias`)], {
    attributes: { axis: -1, ...options.epsilon },
  });
}

const BLOCK = 32;

/**
 * Transposes PyTorch's [out, in] weights for a matrix product, block by block to stay in cache. `width` is the length
 * of a stored row.
 */
function transpose<T extends Float32Array<ArrayBuffer> | Int8Array<ArrayBuffer>>(
  stored: T,
  width: number,
  turned: T,
): T {
  const height = stored.length / width;
  for (let top = 0; top < height; top += BLOCK) {
    for (let left = 0; left < width; left += BLOCK) {
      const bottom = Math.min(top + BLOCK, height);
      const right = Math.min(left + BLOCK, width);
      for (let row = top; row < bottom; row += 1) {
        for (let column = left; column < right; column += 1) {
          turned[column * height + row] = stored[row * width + column] as number;
        }
      }
    }
  }
  return turned;
}

/** Symmetric int8 with one scale per output, which is a stored row; the answer is turned as the product wants it. */
function quantise(
  stored: Float32Array<ArrayBuffer>,
  width: number,
): { data: Int8Array<ArrayBuffer>; scales: Float32Array<ArrayBuffer> } {
  const height = stored.length / width;
  const scales = new Float32Array(height);
  const rounded = new Int8Array(stored.length);
  for (let row = 0; row < height; row += 1) {
    const from = row * width;
    let most = 0;
    for (let at = from; at < from + width; at += 1) {
      const size = Math.abs(stored[at] as number);
      if (size > most) most = size;
    }
    const scale = most > 0 ? most / 127 : 1;
    const factor = 1 / scale;
    scales[row] = scale;
    for (let at = from; at < from + width; at += 1) {
      const value = (stored[at] as number) * factor;
      // Faster than Math.round, and as near: conversion to int8 cuts towards zero.
      rounded[at] = value < 0 ? value - 0.5 : value + 0.5;
    }
  }
  return { data: transpose(rounded, width, new Int8Array(stored.length)), scales };
}
