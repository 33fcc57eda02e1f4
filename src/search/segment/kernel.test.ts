import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assembleKernel } from '../../../scripts/wasm.ts';
import { KERNEL_BYTES } from './kernel-bytes.ts';
import { createKernel, createMemory } from './kernel.ts';

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

  floats.set([1, 9, 3, 4, 5, 6, 7, -8], rows / 4);
  kernel.highest(rows, rows + 32, out);
  assert.deepEqual([...floats.subarray(out / 4, out / 4 + 4)], [5, 9, 7, 4]);

  new Uint8Array(memory.buffer, query, 16).fill(0);
  new Uint8Array(memory.buffer, rows, 32).fill(255, 0, 16).fill(1, 16, 32);
  kernel.scanCodes(query, rows, rows + 32, 16, out);
  assert.deepEqual([...new Uint16Array(memory.buffer, out, 2)], [128, 16]);

  const [lexical, dense, factors] = [4096, 8192, 512] as const;
  floats.fill(0.1, lexical / 4, lexical / 4 + 32).fill(0.5, dense / 4, dense / 4 + 32);
  for (const [at, value] of [2, 0.4, 10, 1.5].entries())
    floats.fill(value, factors / 4 + 4 * at, factors / 4 + 4 * at + 4);
  assert.equal(kernel.nextAbove(lexical, lexical + 128, dense, factors), lexical + 128, '0.2 + 1 is nowhere above 1.5');
  floats[dense / 4 + 13] = 0.6;
  assert.equal(
    kernel.nextAbove(lexical, lexical + 128, dense, factors),
    lexical + 64,
    'the block of place 13 ends at 16',
  );
});
