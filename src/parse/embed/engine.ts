/** What made a vector: vectors of two models cannot be compared. */
export interface ModelIdentity {
  readonly name: string;
  readonly revision: string;
  /** How the model was run: the same weights give other vectors in other precisions. */
  readonly precision: string;
}

/** Whether a text is searched for or searched with; some models want to be told. */
export type Role = 'passage' | 'query';

/** A revision that tells what was put before every passage: other words before it make other vectors. */
export function withPrefix(revision: string, prefixes: Readonly<Record<Role, string>>): string {
  return prefixes.passage === '' ? revision : `${revision} after ${JSON.stringify(prefixes.passage)}`.trimStart();
}

/** Turns texts into dense vectors. */
export interface DenseEngine extends AsyncDisposable {
  readonly model: ModelIdentity;
  readonly dimensions: number;
  /** What a user should know about how it runs here. */
  readonly notice?: string;
  /** How many texts it takes at once, and how many such calls it bears at a time. */
  readonly batchSize: number;
  readonly concurrency: number;
  /** One vector per text, in order; all of them or an error. */
  embed(texts: readonly string[], role: Role, signal?: AbortSignal): Promise<readonly Float32Array[]>;
}

/** The terms of a text that count, and how much. */
export interface SparseVector {
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

/** Turns texts into sparse vectors; the score of a passage for a query is their inner product. */
export interface SparseEngine extends AsyncDisposable {
  readonly model: ModelIdentity;
  embed(texts: readonly string[], role: Role, signal?: AbortSignal): Promise<readonly SparseVector[]>;
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
export interface QuantisedVector {
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
