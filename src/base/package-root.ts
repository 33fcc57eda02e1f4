import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The package's folder with `sql/` and `package.json`, from source and from `dist/`. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
