import { AppError } from '../../../base/index.ts';

/** One tensor of a safetensors file; `data` is a view into the file's bytes, aligned by a copy where it must be. */
export interface StoredTensor {
  readonly shape: readonly number[];
  readonly data: Float16Array<ArrayBuffer> | Float32Array<ArrayBuffer>;
}

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** Reads a safetensors file that is already in memory; tensors of other types than F16 and F32 are skipped. */
export function parseSafetensors(bytes: Uint8Array): Map<string, StoredTensor> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerLength = bytes.length >= 8 ? Number(view.getBigUint64(0, true)) : Infinity;
  if (8 + headerLength > bytes.length) throw damaged('its header is cut off');
  const header = JSON.parse(Buffer.from(bytes.subarray(8, 8 + headerLength)).toString('utf8')) as Record<string, Entry>;
  const tensors = new Map<string, StoredTensor>();
  for (const [name, entry] of Object.entries(header)) {
    if (entry.dtype !== 'F16' && entry.dtype !== 'F32') continue;
    const [from, to] = entry.data_offsets;
    if (8 + headerLength + to > bytes.length) throw damaged(`tensor ${name} is cut off`);
    const start = bytes.byteOffset + 8 + headerLength + from;
    const width = entry.dtype === 'F16' ? 2 : 4;
    // Typed arrays must begin at a multiple of their width; where a tensor does not, it is copied.
    const aligned = start % width === 0;
    const buffer = (aligned ? bytes.buffer : bytes.buffer.slice(start, start + (to - from))) as ArrayBuffer;
    const place = aligned ? start : 0;
    const length = (to - from) / width;
    const data = width === 2 ? new Float16Array(buffer, place, length) : new Float32Array(buffer, place, length);
    tensors.set(name, { shape: entry.shape, data });
  }
  return tensors;
}

function damaged(what: string): AppError {
  return new AppError('MODEL_DAMAGED', `the safetensors file is damaged: ${what}`, {
    hint: 'install the model again',
  });
}
