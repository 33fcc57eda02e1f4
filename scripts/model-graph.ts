import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// `npm run models` writes the graphs of the embedder into models/, one per precision, and those of the reader and of the
// tagger. Weights are named by their place in models/NAME.safetensors, whose matrices are int8 with a scale per row. A test
// checks that they match.
//
// A graph encodes one text. That needs no attention mask, and the int8 vector of a text depends on nothing else: dynamic
// quantisation takes its scale from the whole batch. onnxruntime's fused operators are named directly, so that nothing
// depends on what an optimiser recognises; it folds the conversion of the weights when it loads a graph.

/** ONNX's numbers for element types. */
const ELEMENT = { float32: 1, int8: 3, int64: 7, float16: 10 } as const;
type ElementType = keyof typeof ELEMENT;
type Attribute = number | readonly number[] | { readonly float: number };
/** The domain of onnxruntime's fused operators. */
const FUSED = 'com.microsoft';

const integer = (field: number, value: number): Buffer => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field: number, value: string | Uint8Array): Buffer => {
  const content = Buffer.from(value as string);
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
};
const float = (field: number, value: number): Buffer => {
  const content = Buffer.alloc(4);
  content.writeFloatLE(value);
  return Buffer.concat([varint((field << 3) | 5), content]);
};
/** A protobuf message in a field. */
const message = (field: number, ...parts: readonly Buffer[]): Buffer => bytes(field, Buffer.concat(parts));

function varint(value: number): Buffer {
  let rest = BigInt.asUintN(64, BigInt(value));
  const found: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    found.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Buffer.from(found);
}

/** Writes an ONNX model node by node; tensors are named by strings, an empty one leaves an optional input out. */
export class GraphWriter {
  readonly #parts: Buffer[] = [];
  #count = 0;

  input(name: string, type: ElementType, shape: readonly (number | string)[]): string {
    this.#parts.push(message(11, ...described(name, type, shape)));
    return name;
  }

  output(name: string, type: ElementType, shape: readonly (number | string)[]): void {
    this.#parts.push(message(12, ...described(name, type, shape)));
  }

  constant(type: ElementType, shape: readonly number[], { buffer, byteOffset, byteLength }: ArrayBufferView): string {
    const name = this.#name('c');
    const data = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
    this.#parts.push(message(5, ...tensor(name, type, shape), bytes(9, data)));
    return name;
  }

  /** A constant in another file. */
  external(name: string, type: ElementType, { location, offset, length, shape }: Place): string {
    const facts = Object.entries({ location, offset: String(offset), length: String(length) });
    const places = facts.map(([key, value]) => message(13, bytes(1, key), bytes(2, value)));
    this.#parts.push(message(5, ...tensor(name, type, shape), ...places, integer(14, 1)));
    return name;
  }

  /** Adds an operator; returns the name of its first output. */
  node(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    { domain = '', outputs = [this.#name('t')] }: { readonly domain?: string; readonly outputs?: string[] } = {},
  ): string {
    this.#parts.push(
      message(
        1,
        ...inputs.map((name) => bytes(1, name)),
        ...outputs.map((name) => bytes(2, name)),
        bytes(4, operator),
        ...Object.entries(attributes).map(([name, value]) => message(5, bytes(1, name), ...attribute(value))),
        ...(domain === '' ? [] : [bytes(7, domain)]),
      ),
    );
    return outputs[0] ?? '';
  }

  finish(name: string): Buffer {
    const operators = (domain: string, version: number): Buffer => message(8, bytes(1, domain), integer(2, version));
    const graph = message(7, ...this.#parts, bytes(2, name));
    return Buffer.concat([integer(1, 8), bytes(2, 'docstokg'), graph, operators('', 17), operators(FUSED, 1)]);
  }

  #name(prefix: string): string {
    this.#count += 1;
    return `${prefix}${this.#count}`;
  }
}

interface Place {
  readonly location: string;
  readonly offset: number;
  readonly length: number;
  readonly shape: readonly number[];
}

function tensor(name: string, type: ElementType, shape: readonly number[]): Buffer[] {
  return [...shape.map((size) => integer(1, size)), integer(2, ELEMENT[type]), bytes(8, name)];
}

function attribute(value: Attribute): Buffer[] {
  if (typeof value === 'number') return [integer(3, value), integer(20, 2)];
  if ('float' in value) return [float(2, value.float), integer(20, 1)];
  return [...value.map((item) => integer(8, item)), integer(20, 7)];
}

function described(name: string, type: ElementType, shape: readonly (number | string)[]): Buffer[] {
  const sizes = shape.map((size) => message(1, typeof size === 'number' ? integer(1, size) : bytes(2, size)));
  return [bytes(1, name), message(2, message(1, integer(1, ELEMENT[type]), message(2, ...sizes)))];
}

type Precision = 'int8' | 'fp32';

/** The size of all-MiniLM-L6-v2, which the three models were trained from. */
const [LAYERS, HEADS, DIMENSIONS] = [6, 12, 384];

interface StoredTensor {
  readonly dtype: 'I8' | 'F16' | 'F32';
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** Writes the embedded model. */
export function writeModelGraph(precision: Precision): Buffer {
  return writeBertGraph(['embedder.safetensors'], precision);
}

/** Writes the trained reader: a number for each token, from the head in its file. Its words are those of the embedder. */
export function writeReaderGraph(): Buffer {
  return writeBertGraph(['reader.safetensors', 'embedder.safetensors'], 'int8', { tokens: ['answers', 'answer'] });
}

/** Writes the tagger: numbers for each token and for the sentence, from the heads in its file of weights. */
export function writeTaggerGraph(): Buffer {
  return writeBertGraph(['tagger.safetensors'], 'int8', { tokens: ['tags', 'tags'], sentence: ['sentence', 'intent'] });
}

/** A linear layer: the output of the graph that it makes, and its name in the file of weights. */
type Head = readonly [output: string, weights: string];

interface Heads {
  /** What is said of each token. */
  readonly tokens: Head;
  /** What is said of the whole; a model with it also reads the shapes of tokens. */
  readonly sentence?: Head;
}

/** The tensors of a file of weights in models/, by name. */
function tensorsOf(location: string): [string, StoredTensor & Place][] {
  const file = readFileSync(join(import.meta.dirname, '..', 'models', location));
  const start = 8 + Number(file.readBigUInt64LE(0));
  const tensors = JSON.parse(file.toString('utf8', 8, start)) as Record<string, StoredTensor>;
  return Object.entries(tensors).map(
    ([
      name,
      {
        dtype,
        shape,
        data_offsets: [from, to],
      },
    ]) => [name, { dtype, shape, data_offsets: [from, to], location, offset: start + from, length: to - from }],
  );
}

/** Writes a BERT: a sentence encoder with mean pooling, or a model with heads. The first file that has a tensor counts. */
function writeBertGraph(locations: readonly string[], precision: Precision, heads?: Heads): Buffer {
  const tensors = new Map(locations.toReversed().flatMap(tensorsOf));
  const graph = new GraphWriter();
  const epsilon = { epsilon: { float: 1e-12 } };
  const manyHeads = { num_heads: HEADS };
  const fused = { domain: FUSED };

  const place = (name: string): StoredTensor & Place => {
    const found = tensors.get(name);
    if (!found) throw new Error(`${locations.join(' and ')}: no tensor ${name}`);
    return found;
  };
  const typeOf = (name: string): ElementType =>
    ({ I8: 'int8', F16: 'float16', F32: 'float32' } as const)[place(name).dtype];
  const stored = (name: string): string => graph.external(name, typeOf(name), place(name));
  /** The scales of an int8 tensor, one per row. */
  const storedScale = (name: string, ...columns: number[]): string => {
    const { shape: rows, ...rest } = place(`${name}.scale`);
    return graph.external(`${name}.scale`, 'float32', { ...rest, shape: [...rows, ...columns] });
  };
  const asFloat = (name: string): string => graph.node('Cast', [name], { to: ELEMENT.float32 });
  const vector = (name: string): string => asFloat(stored(name));
  const turned = (name: string): string => graph.node('Transpose', [name], { perm: [1, 0] });
  const joined = (names: readonly string[]): string => graph.node('Concat', names.map(stored), { axis: 0 });
  /** The int8 weights and their scales, one per output. */
  const quantised = (weights: string, names: readonly string[]): readonly [string, string] => {
    const [scale = '', ...others] = names.map((name) => storedScale(name));
    return [turned(weights), others.length === 0 ? scale : graph.node('Concat', [scale, ...others], { axis: 0 })];
  };
  /** The weights in full precision. */
  const full = (names: readonly string[]): string => {
    const scaled = names.map((name) => graph.node('Mul', [vector(name), storedScale(name, 1)]));
    return turned(scaled.length === 1 ? (scaled[0] ?? '') : graph.node('Concat', scaled, { axis: 0 }));
  };
  const multiply = (input: string, name: string): string =>
    precision === 'fp32'
      ? graph.node('MatMul', [input, full([name])])
      : graph.node('DynamicQuantizeMatMul', [input, ...quantised(stored(name), [name])], {}, fused);

  const attend = (input: string, layer: string): string => {
    // Rows are stored by output, so the three matrices one after the other are one matrix with all outputs.
    const names = ['query', 'key', 'value'].map((part) => `${layer}.attention.self.${part}`);
    const weightNames = names.map((name) => `${name}.weight`);
    const weights = precision === 'fp32' ? full(weightNames) : joined(weightNames);
    const bias = asFloat(joined(names.map((name) => `${name}.bias`)));
    if (precision === 'fp32') return graph.node('Attention', [input, weights, bias], manyHeads, fused);
    const outputs = ['input', 'scale', 'zero'].map((part) => `${layer}.${part}`);
    graph.node('DynamicQuantizeLinear', [input], {}, { outputs });
    const [rounded, scale] = quantised(weights, weightNames);
    const [values = '', valueScale = '', valueZero = ''] = outputs;
    const zero = graph.constant('int8', [3 * DIMENSIONS], new Int8Array(3 * DIMENSIONS));
    const inputs = [values, rounded, bias, valueScale, scale, '', valueZero, zero];
    return graph.node('QAttention', inputs, manyHeads, fused);
  };
  const addAndNormalise = (input: string, skip: string, norm: string, bias: string): string =>
    graph.node(
      'SkipLayerNormalization',
      [input, skip, vector(`${norm}.weight`), vector(`${norm}.bias`), vector(bias)],
      epsilon,
      fused,
    );

  const ids = graph.input('input_ids', 'int64', [1, 'tokens']);
  const positions = graph.input('position_ids', 'int64', [1, 'tokens']);
  // The word table is half of the model and only looked up in: rows are converted after the lookup.
  const table = 'embeddings.word_embeddings.weight';
  const looked = asFloat(graph.node('Gather', [stored(table), ids]));
  const word = graph.node('Mul', [looked, graph.node('Gather', [storedScale(table, 1), ids])]);
  // With one text every token is of type 0, so its vector is part of every position.
  const first = graph.constant('int64', [], new BigInt64Array(1));
  const places = 'embeddings.position_embeddings.weight';
  const withFirst = (type: string): string => graph.node('Add', [vector(places), type]);
  const types = vector('embeddings.token_type_embeddings.weight');
  const added = heads?.sentence
    ? // The types of a tagger's tokens are their shapes.
      graph.node('Add', [
        graph.node('Gather', [types, graph.input('shape_ids', 'int64', [1, 'tokens'])]),
        graph.node('Gather', [vector(places), positions]),
      ])
    : graph.node('Gather', [withFirst(graph.node('Gather', [types, first])), positions]);
  const sum = graph.node('Add', [word, added]);
  const norm = 'embeddings.LayerNorm';
  let state = graph.node('LayerNormalization', [sum, vector(`${norm}.weight`), vector(`${norm}.bias`)], {
    axis: -1,
    ...epsilon,
  });
  for (let at = 0; at < LAYERS; at += 1) {
    const layer = `encoder.layer.${at}`;
    const attended = multiply(attend(state, layer), `${layer}.attention.output.dense.weight`);
    const [output, inner] = [`${layer}.attention.output`, `${layer}.intermediate.dense`];
    const middle = addAndNormalise(attended, state, `${output}.LayerNorm`, `${output}.dense.bias`);
    const wide = graph.node('BiasGelu', [multiply(middle, `${inner}.weight`), vector(`${inner}.bias`)], {}, fused);
    const narrow = multiply(wide, `${layer}.output.dense.weight`);
    state = addAndNormalise(narrow, middle, `${layer}.output.LayerNorm`, `${layer}.output.dense.bias`);
  }
  if (heads) {
    const sayHead = (input: string, [output, head]: Head, ...sizes: readonly (number | string)[]): void => {
      const product = graph.node('MatMul', [input, turned(stored(`${head}.weight`))]);
      graph.node('Add', [product, stored(`${head}.bias`)], {}, { outputs: [output] });
      graph.output(output, 'float32', [...sizes, place(`${head}.weight`).shape[0] ?? 0]);
    };
    sayHead(state, heads.tokens, 1, 'tokens');
    if (heads.sentence) sayHead(graph.node('Gather', [state, first], { axis: 1 }), heads.sentence, 1);
    return graph.finish(heads.sentence ? 'tagger' : 'reader');
  }
  graph.node('ReduceMean', [state], { axes: [1], keepdims: 0 }, { outputs: ['embedding'] });
  graph.output('embedding', 'float32', [1, DIMENSIONS]);
  return graph.finish('bert');
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, '..', 'models');
  mkdirSync(folder, { recursive: true });
  for (const precision of ['int8', 'fp32'] as const)
    writeFileSync(join(folder, `embedder-${precision}.onnx`), writeModelGraph(precision));
  writeFileSync(join(folder, 'reader.onnx'), writeReaderGraph());
  writeFileSync(join(folder, 'tagger.onnx'), writeTaggerGraph());
}
