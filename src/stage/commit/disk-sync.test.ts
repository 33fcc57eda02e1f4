import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { DiskSync } from './disk-sync.ts';

for (const [way, passMs] of [
  ['by a pass over the file system', 0],
  ['file by file', Infinity],
] as const) {
  for (const count of [3, 100]) {
    test(`${count} files with any name are synced ${way}, and one that is gone is an error`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'docstokg-sync-'));
      const inside = join(folder, '-f it\'s "odd"\n');
      mkdirSync(inside);
      const files = Array.from({ length: count }, (_, at) => join(inside, `- ${at} ü`));
      for (const file of files) writeFileSync(file, 'bytes');
      try {
        await new DiskSync(passMs).sync(files, new Set([inside]));
        rmSync(inside, { recursive: true });
        await assert.rejects(new DiskSync(passMs).sync(files, new Set([inside])));
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
}
