import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

import { commitPart, partPath } from '../../base/index.ts';

const BUFFERED_CHARACTERS = 1 << 20;

/** Writes pieces of text as they come; the file has its name when all of it is there. */
export async function writeText(path: string, pieces: Iterable<string>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = partPath(path);
  {
    await using file = await open(part, 'wx');
    let buffer = '';
    for (const piece of pieces) {
      buffer += piece;
      if (buffer.length < BUFFERED_CHARACTERS) continue;
      await file.writeFile(buffer);
      buffer = '';
    }
    await file.writeFile(buffer);
    await file.sync();
  }
  await commitPart(part, path);
}
