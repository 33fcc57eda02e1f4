import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assembleKernel } from '../../../scripts/wasm.ts';
import { createKernel, createMemory, KERNEL_BYTES } from './vectors.ts';

test('the shipped module matches its source', async () => {
  assert.equal(KERNEL_BYTES, await assembleKernel(), 'run npm run wasm after changing kernel.wat');
});

test('the kernel counts differing bits', () => {
  const memory = createMemory(1);
  const kernel = createKernel(memory);
  const [query, rows, out] = [0, 256, 1024] as const;
  new Uint8Array(memory.buffer, query, 16).fill(0);
  new Uint8Array(memory.buffer, rows, 32).fill(255, 0, 16).fill(1, 16, 32);
  kernel.scanCodes(query, rows, rows + 32, 16, out);
  assert.deepEqual([...new Uint16Array(memory.buffer, out, 2)], [128, 16]);
});
