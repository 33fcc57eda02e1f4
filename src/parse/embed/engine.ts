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
