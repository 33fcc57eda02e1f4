import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Tensor } from './weights.ts';
import { numbersOf, readTensors } from './weights.ts';

/** A safetensors file of two tensors whose places are not multiples of their element's size. */
function weightsFile(): Buffer {
  const header = Buffer.from(
    JSON.stringify({
      __metadata__: { made: 'by hand' },
      w: { dtype: 'I8', shape: [3], data_offsets: [0, 3] },
      b: { dtype: 'F16', shape: [2], data_offsets: [3, 7] },
      'w.scale': { dtype: 'F32', shape: [1], data_offsets: [7, 11] },
    }),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const parts = [Int8Array.of(2, -4, 127), Float16Array.of(1.5, -3), Float32Array.of(0.5)];
  return Buffer.concat([length, header, ...parts.map(({ buffer }) => Buffer.from(buffer))]);
}

test('tensors are read whatever their place in the file', () => {
  const read = readTensors(weightsFile(), 'weights');
  assert.deepEqual([...read.keys()], ['w', 'b', 'w.scale']);
  const numbers = (name: string): number[] => [...numbersOf(read.get(name) as Tensor)];
  assert.deepEqual([numbers('w'), numbers('b'), numbers('w.scale')], [[2, -4, 127], [1.5, -3], [0.5]]);
  assert.deepEqual(read.get('b')?.shape, [2]);
});

test('a file that is not safetensors is refused', () => {
  assert.throws(() => readTensors(Buffer.from('no tensors at all'), 'weights'), { code: 'MODEL_UNREADABLE' });
});
