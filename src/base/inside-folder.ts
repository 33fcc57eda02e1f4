import { realpathSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';

/**
 * The real path of a regular file that a run folder names, or undefined if it is missing or lies outside the folder.
 * Run folders come from other people: absolute paths, `..` and symbolic links must not lead to other files of this machine.
 */
export function fileInside(folder: string, path: string): string | undefined {
  try {
    const file = realpathSync(resolve(folder, path));
    return file.startsWith(realpathSync(folder) + sep) && statSync(file).isFile() ? file : undefined;
  } catch (error) {
    // Besides missing files: a name too long, a loop of links, a NUL byte, a folder that may not be read.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
