import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import createWabt from 'wabt';

// Compiles kernel.wat for vectors.ts, so that the program runs without a compiler; a test checks that they match.
const FOLDER = join(import.meta.dirname, '..', 'src', 'search', 'segment');

/** The compiled module of the scan kernel. */
export async function assembleKernel(): Promise<string> {
  const wabt = await createWabt();
  const module = wabt.parseWat('kernel.wat', readFileSync(join(FOLDER, 'kernel.wat'), 'utf8'), { simd: true });
  try {
    module.validate();
    return Buffer.from(module.toBinary({}).buffer).toString('base64');
  } finally {
    module.destroy();
  }
}

if (import.meta.main) {
  const lines = (await assembleKernel()).match(/.{1,100}/g) ?? [];
  console.log(`const KERNEL_BYTES =\n${lines.map((line) => `  '${line}'`).join(' +\n')};`);
}
