import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Tensor } from './weights.ts';
import { dequantised, numbersOf, readTensors, writeTensors } from './weights.ts';

const bytesOf = (values: ArrayBufferView): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
const TENSORS = new Map<string, Tensor>([
  ['w.scale', { dtype: 'F32', shape: [2], data: bytesOf(Float32Array.of(0.5, 2)) }],
  ['b', { dtype: 'F16', shape: [2], data: bytesOf(Float16Array.of(1.5, -3)) }],
  ['w', { dtype: 'I8', shape: [2, 2], data: bytesOf(Int8Array.of(2, -4, 3, 127)) }],
]);

test('tensors are read as they were written, whatever their place in the file', () => {
  const read = readTensors(writeTensors(TENSORS), 'weights');
  for (const [name, { dtype, shape }] of TENSORS) {
    const tensor = read.get(name);
    assert.deepEqual([tensor?.dtype, tensor?.shape], [dtype, shape]);
  }
  assert.deepEqual([...numbersOf(read.get('b') as Tensor)], [1.5, -3]);
  assert.deepEqual([...numbersOf(read.get('w.scale') as Tensor)], [0.5, 2]);
});

test('int8 rows are multiplied by their scales, and the scales are left out', () => {
  const half = dequantised(readTensors(writeTensors(TENSORS), 'weights'));
  assert.deepEqual([...half.keys()].sort(), ['b', 'w']);
  assert.deepEqual([...numbersOf(half.get('w') as Tensor)], [1, -2, 6, 254]);
});

test('a file that is not safetensors is refused', () => {
  assert.throws(() => readTensors(Buffer.from('no tensors at all'), 'weights'), { code: 'MODEL_UNREADABLE' });
});
