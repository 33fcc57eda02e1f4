import { AppError } from '../base/index.ts';

/** A tensor of a safetensors file: its element type, its shape and its bytes. */
export interface Tensor {
  readonly dtype: 'I8' | 'F16' | 'F32';
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

interface TensorPlace {
  readonly dtype: Tensor['dtype'];
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** Reads a safetensors file: eight bytes of length, a JSON header, then the tensors. */
export function readTensors(file: Uint8Array, path: string): ReadonlyMap<string, Tensor> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  try {
    const start = 8 + Number(bytes.readBigUInt64LE(0));
    const header = JSON.parse(bytes.toString('utf8', 8, start)) as Record<string, TensorPlace>;
    const places = Object.entries(header).filter(([name]) => name !== '__metadata__');
    return new Map(
      places.map(
        ([
          name,
          {
            dtype,
            shape,
            data_offsets: [from, to],
          },
        ]) => [name, { dtype, shape, data: bytes.subarray(start + from, start + to) }],
      ),
    );
  } catch (cause) {
    throw new AppError('MODEL_UNREADABLE', `${path} is not a safetensors file`, {
      hint: 'install docstokg again',
      cause,
    });
  }
}

/** The numbers of a tensor. */
export function numbersOf({ dtype, data }: Tensor): Float32Array {
  // A copy: a view of the file has the file's buffer, and need not begin at a multiple of the element's size.
  const own = new Uint8Array(data).buffer;
  if (dtype === 'F32') return new Float32Array(own);
  if (dtype === 'F16') return Float32Array.from(new Float16Array(own));
  return Float32Array.from(new Int8Array(own));
}
