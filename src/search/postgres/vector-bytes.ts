/** The header of an array: dimensions, whether it has nulls, the type of its elements, how many there are, the first one. */
const HEADER_BYTES = 20;
/** The length of an element. */
const LENGTH_BYTES = 4;
/** How many numbers a vector has, and two bytes that are not used. */
const VECTOR_HEADER_BYTES = 4;
const NULL = -1;

/**
 * An array of vectors as PostgreSQL receives one in binary, `type` being the number of the server's type `vector`. Written
 * as text, the numbers would take more time than everything else of a passage.
 */
export function encodeVectors(vectors: readonly (Float32Array | undefined)[], type: number): Buffer {
  const sizes = vectors.map((vector) => (vector ? VECTOR_HEADER_BYTES + vector.byteLength : 0));
  const bytes = Buffer.alloc(sizes.reduce((sum, size) => sum + LENGTH_BYTES + size, HEADER_BYTES));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const hasNulls = vectors.some((vector) => vector === undefined);
  [1, hasNulls ? 1 : 0, type, vectors.length, 1].forEach((value, at) => view.setInt32(4 * at, value));
  let at = HEADER_BYTES;
  for (const [nth, vector] of vectors.entries()) {
    view.setInt32(at, vector ? (sizes[nth] ?? 0) : NULL);
    at += LENGTH_BYTES;
    if (!vector) continue;
    view.setInt16(at, vector.length);
    at += VECTOR_HEADER_BYTES;
    for (let each = 0; each < vector.length; each += 1, at += 4) view.setFloat32(at, vector[each] ?? 0);
  }
  return bytes;
}
