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

/** Writes tensors as a safetensors file. */
export function writeTensors(tensors: ReadonlyMap<string, Tensor>): Buffer {
  let at = 0;
  const header: Record<string, TensorPlace> = {};
  for (const [name, { dtype, shape, data }] of tensors) {
    header[name] = { dtype, shape, data_offsets: [at, at + data.byteLength] };
    at += data.byteLength;
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...[...tensors.values()].map(({ data }) => data)]);
}

/** The numbers of a tensor. */
export function numbersOf({ dtype, data }: Tensor): Float32Array {
  // A copy: a view of the file has the file's buffer, and need not begin at a multiple of the element's size.
  const own = new Uint8Array(data).buffer;
  if (dtype === 'F32') return new Float32Array(own);
  if (dtype === 'F16') return Float32Array.from(new Float16Array(own));
  return Float32Array.from(new Int8Array(own));
}

/** The name of the scales of an int8 tensor: one per row. */
const scaleName = (name: string): string => `${name}.scale`;

/** Every int8 tensor multiplied by the scales of its rows, in half precision; other tensors as they are. */
export function dequantised(tensors: ReadonlyMap<string, Tensor>): Map<string, Tensor> {
  const found = new Map<string, Tensor>();
  for (const [name, tensor] of tensors) {
    const scale = tensors.get(scaleName(name));
    if (name.endsWith('.scale')) continue;
    if (tensor.dtype !== 'I8' || !scale) {
      found.set(name, tensor);
      continue;
    }
    const [values, scales] = [numbersOf(tensor), numbersOf(scale)];
    const width = values.length / scales.length;
    const half = Float16Array.from(values, (value, at) => value * (scales[Math.floor(at / width)] ?? 0));
    found.set(name, { dtype: 'F16', shape: tensor.shape, data: new Uint8Array(half.buffer) });
  }
  return found;
}
