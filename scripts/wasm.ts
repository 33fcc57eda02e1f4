import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import createWabt from 'wabt';

// Compiles kernel.wat to kernel-bytes.ts, so that the program runs without a compiler; a test checks that they match.
const FOLDER = join(import.meta.dirname, '..', 'src', 'search', 'segment');

/** The compiled module of the scan kernels. */
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
  const text = lines.map((line) => `  '${line}'`).join(' +\n');
  writeFileSync(
    join(FOLDER, 'kernel-bytes.ts'),
    `/** The scan kernels as a WebAssembly module; made of kernel.wat by \`npm run wasm\`. */\nexport const KERNEL_BYTES =\n${text};\n`,
  );
}
