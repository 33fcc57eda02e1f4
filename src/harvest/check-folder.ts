import { existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { AppError } from '../base/index.ts';

/** Refuses a folder that cannot be made or written to, before anything is; leaves nothing behind. */
export function checkFolder(path: string): void {
  const place = nearest(resolve(path));
  const refuse = (message: string, hint: string, cause?: unknown): AppError =>
    new AppError('USAGE_OUT', `--out ${path}: ${message}`, { hint, cause });
  if (!statSync(place).isDirectory()) throw refuse(`${place} is a file, not a folder`, 'choose another folder');
  try {
    rmdirSync(mkdtempSync(join(place, '.docstokg-')));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw refuse(
      `nothing can be written in ${place}${code}`,
      'name a folder on a disk with space that you may write to',
      error,
    );
  }
}

/** The folder itself, or the nearest one above it that is there. */
function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}
