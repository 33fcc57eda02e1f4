import { realpathSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';

/**
 * The real path of a regular file named in a run folder, or undefined if it is missing or outside the folder. Run
 * folders may come from other people: absolute paths, `..` and symbolic links must not reach other files.
 */
export function fileInside(folder: string, path: string): string | undefined {
  try {
    const file = realpathSync(resolve(folder, path));
    return file.startsWith(realpathSync(folder) + sep) && statSync(file).isFile() ? file : undefined;
  } catch (error) {
    // Besides missing files: too long a name, a symlink loop, a NUL byte, no permission.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
