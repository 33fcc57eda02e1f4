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
