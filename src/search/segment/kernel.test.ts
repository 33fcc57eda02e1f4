import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assembleKernel } from '../../../scripts/wasm.ts';
import { createKernel, createMemory, KERNEL_BYTES } from './kernel.ts';

test('the module that is shipped is what its text says', async () => {
  assert.equal(KERNEL_BYTES, await assembleKernel(), 'run npm run wasm after a change of kernel.wat');
});

test('each kernel computes what it says', () => {
  const memory = createMemory(1);
  const kernel = createKernel(memory);
  const floats = new Float32Array(memory.buffer);
  const [query, rows, out] = [0, 256, 1024] as const;
  for (let at = 0; at < 32; at += 1) {
    floats[query / 4 + at] = at;
    floats[rows / 4 + at] = 1;
    floats[rows / 4 + 32 + at] = at % 2;
  }
  kernel.scanFloats(query, rows, rows + 256, 128, out);
  assert.deepEqual([...floats.subarray(out / 4, out / 4 + 2)], [496, 256]);

  new Int16Array(memory.buffer, query, 32).fill(3);
  new Int8Array(memory.buffer, rows, 64).fill(-2, 0, 32).fill(5, 32, 64);
  floats.set([0.5, 2], 2048 / 4);
  kernel.scanBytes(query, rows, rows + 64, 32, out, 2048);
  assert.deepEqual([...floats.subarray(out / 4, out / 4 + 2)], [-96, 960]);

  new Uint8Array(memory.buffer, query, 16).fill(0);
  new Uint8Array(memory.buffer, rows, 32).fill(255, 0, 16).fill(1, 16, 32);
  kernel.scanCodes(query, rows, rows + 32, 16, out);
  assert.deepEqual([...new Uint16Array(memory.buffer, out, 2)], [128, 16]);
});
