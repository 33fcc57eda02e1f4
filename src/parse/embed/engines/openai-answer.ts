import { AppError } from '../../../base/index.ts';

/** What a server said to a batch: vectors by the place of their text; a place it left out is undefined. */
export type Answer = readonly (Float32Array | undefined)[];

/**
 * Reads an answer of the embeddings protocol. Places are taken from `index`, never from the order, where the server
 * gives it: a server that leaves a text out or mixes them up must not give a text its neighbour's vector.
 */
export function parseAnswer(body: unknown, expected: number): Answer {
  const data = isRecord(body) ? body['data'] : undefined;
  if (!Array.isArray(data)) throw malformed('has no list "data"');
  const vectors: (Float32Array | undefined)[] = Array.from({ length: expected });
  const numbered = data.every((item) => isRecord(item) && typeof item['index'] === 'number');
  if (!numbered && data.length !== expected) {
    throw malformed(`has ${data.length} vectors for ${expected} texts and does not say which`);
  }
  for (const [position, item] of data.entries()) {
    if (!isRecord(item)) throw malformed(`has no object at ${position}`);
    const place = numbered ? (item['index'] as number) : position;
    if (!Number.isInteger(place) || place < 0 || place >= expected)
      throw malformed(`names text ${place} of ${expected}`);
    if (vectors[place]) throw malformed(`names text ${place} twice`);
    vectors[place] = parseVector(item['embedding'], position);
  }
  return vectors;
}

function parseVector(value: unknown, position: number): Float32Array {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value, 'base64');
    if (bytes.length % 4 !== 0) throw malformed(`has ${bytes.length} bytes at ${position}, which are no floats`);
    return finite(new Float32Array(Uint8Array.from(bytes).buffer), position);
  }
  if (!Array.isArray(value)) throw malformed(`has no vector at ${position}`);
  const vector = new Float32Array(value.length);
  for (const [at, number] of value.entries()) vector[at] = typeof number === 'number' ? number : Number.NaN;
  return finite(vector, position);
}

function finite(vector: Float32Array, position: number): Float32Array {
  if (!vector.every(Number.isFinite)) throw malformed(`has a vector with something else than numbers at ${position}`);
  return vector;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(what: string): AppError {
  return new AppError('EMBED_ANSWER', `the embedding server's answer ${what}`, {
    hint: 'check that the URL is an OpenAI-compatible /v1 endpoint and that the model supports embeddings',
  });
}
