/** The model of a vector: vectors of different models cannot be compared. */
export interface ModelIdentity {
  readonly name: string;
  readonly revision: string;
  /** How the model was run: the same weights give other vectors in other precisions. */
  readonly precision: string;
}

/** Whether a text is a passage or a query; some models encode them differently. */
export type Role = 'passage' | 'query';

/** A revision that includes the passage prefix: other prefixes give other vectors. */
export function withPrefix(revision: string, prefixes: Readonly<Record<Role, string>>): string {
  return prefixes.passage === '' ? revision : `${revision} after ${JSON.stringify(prefixes.passage)}`.trimStart();
}

export interface DenseEngine extends AsyncDisposable {
  readonly model: ModelIdentity;
  readonly dimensions: number;
  /** What is slower here than it could be, and the command that changes that. */
  readonly notice?: { readonly message: string; readonly remedy: string };
  /** Texts per call, and concurrent calls. */
  readonly batchSize: number;
  readonly concurrency: number;
  /** One vector per text, in order. */
  embed(texts: readonly string[], role: Role, signal?: AbortSignal): Promise<readonly Float32Array[]>;
}

/** Encodes texts one at a time: a quantised model would make a vector depend on its batch. */
export async function encodeEach(
  texts: readonly string[],
  encode: (text: string) => Promise<Float32Array>,
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (const text of texts) {
    signal?.throwIfAborted();
    vectors.push(await encode(text));
  }
  return vectors;
}

/** Terms as numbers, each with its weight. */
export interface SparseVector {
  /** The terms, ascending. */
  readonly indices: Uint32Array;
  /** Their weights, in the same order. */
  readonly values: Float32Array;
}

/** What a sparse vector depends on besides its text; written into every vector file. */
export interface SparseModel {
  readonly name: string;
  /** The way in which terms are made of a text. */
  readonly analysis: string;
  /** Saturation of repeated terms. */
  readonly k1: number;
  /** Weight of a passage's length. */
  readonly b: number;
  /** Terms of an average passage. */
  readonly averageLength: number;
}

/** Turns a text into a sparse vector; a passage's score is the inner product, each term weighted by its rarity. */
export interface SparseEngine {
  /** What its vectors depend on. */
  readonly model: SparseModel;
  /** The vector of a passage or of a question. */
  embed(text: string, role: Role): SparseVector;
}

/** Scales a vector to length 1 in place; a vector of zeros stays as it is. */
export function normalise(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum > 0) {
    const factor = 1 / Math.sqrt(sum);
    for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] ?? 0) * factor;
  }
  return vector;
}

/** A vector in bytes: value ≈ data · scale. */
interface QuantisedVector {
  readonly data: Int8Array;
  readonly scale: number;
}

/** Symmetric int8 with one scale for the vector. */
export function quantiseVector(vector: Float32Array): QuantisedVector {
  let most = 0;
  for (const value of vector) most = Math.max(most, Math.abs(value));
  const scale = Math.fround(most / 127) || 1;
  const data = new Int8Array(vector.length);
  for (let at = 0; at < vector.length; at += 1) data[at] = Math.round((vector[at] ?? 0) / scale);
  return { data, scale };
}

export type Precision = 'int8' | 'fp32';

/** sha256 of models/embedder.safetensors. Other weights would give vectors that fit no index. */
export const WEIGHTS_SHA256 = 'c72e207e4b1f4ad26e0802e6a00e7e9ab5e6098e959922b17ea023301d103aa2';

export function embeddedModel(precision: Precision): ModelIdentity {
  return {
    name: 'docstokg-embedder',
    revision: WEIGHTS_SHA256.slice(0, 12),
    precision,
  };
}

/** How the embedded model was run to make such vectors; undefined when another model made them. */
export function embeddedPrecision({ name, revision, precision }: ModelIdentity): Precision | undefined {
  return (['int8', 'fp32'] as const).find((each) => {
    const own = embeddedModel(each);
    return own.name === name && own.revision === revision && own.precision === precision;
  });
}
