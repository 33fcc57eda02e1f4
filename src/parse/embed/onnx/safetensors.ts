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

/** Reads a safetensors file that is already in memory; tensors of other types than F16 and F32 are passed over. */
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
    const raw = bytes.buffer.slice(start, start + (to - from)) as ArrayBuffer;
    const data = entry.dtype === 'F16' ? new Float16Array(raw) : new Float32Array(raw);
    tensors.set(name, { shape: entry.shape, data });
  }
  return tensors;
}

function damaged(what: string): AppError {
  return new AppError('MODEL_DAMAGED', `the safetensors file is damaged: ${what}`, {
    hint: 'install the model again',
  });
}
