import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import { commitPart, partPath } from '../../base/index.ts';

/** A file in the making; it gets its name when committed, and is removed when disposed of before that. */
export interface PartFile extends AsyncDisposable {
  readonly file: FileHandle;
  commit(): Promise<void>;
}

export async function openPart(path: string): Promise<PartFile> {
  await mkdir(dirname(path), { recursive: true });
  const part = partPath(path);
  const file = await open(part, 'wx');
  let isOpen = true;
  return {
    file,
    async commit() {
      await file.sync();
      await file.close();
      isOpen = false;
      await commitPart(part, path);
    },
    async [Symbol.asyncDispose]() {
      if (!isOpen) return;
      isOpen = false;
      await file.close();
      await rm(part, { force: true });
    },
  };
}
