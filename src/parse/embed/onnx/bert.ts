import { AppError } from '../../../base/index.ts';
import { FUSED, GraphWriter } from './graph.ts';
import type { StoredTensor } from './safetensors.ts';

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
 * PyTorch keeps weights as [out, in]; a matrix product wants [in, out]. `width` is the length of a stored row. Block by
 * block, so that both sides stay in the processor's cache.
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
