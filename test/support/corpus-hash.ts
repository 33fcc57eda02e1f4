import { globSync } from 'node:fs';
import { join } from 'node:path';

import { sha256 } from '../../src/base/index.ts';
import { readVectors } from '../../src/parse/index.ts';

/** What a corpus is, whatever the order in which it was made: chunk ids and their vectors. */
export async function corpusHash(runFolder: string): Promise<{ readonly hash: string; readonly chunks: number }> {
  const lines: string[] = [];
  for (const file of globSync('Data/Embeddings/*.parquet', { cwd: runFolder })) {
    for await (const { id, dense, sparse } of readVectors(join(runFolder, file))) {
      const numbers = [dense, sparse?.indices, sparse?.values].map((values) =>
        values ? sha256(new Uint8Array(values.buffer, values.byteOffset, values.byteLength)) : '-',
      );
      lines.push([id, ...numbers].join(' '));
    }
  }
  return { hash: sha256(lines.sort().join('\n')), chunks: lines.length };
}
