import { join } from 'node:path';

import { writeFileAtomic } from '../base/index.ts';

/** Absence of the report of its own branch; replaced when that lands. */
export async function writeReport(options: {
  readonly folder: string;
  readonly title?: string;
}): Promise<{ readonly path: string }> {
  const path = join(options.folder, 'report.html');
  await writeFileAtomic(path, `<!doctype html><title>${options.title ?? 'run'}</title>`);
  return { path };
}
