import { join } from 'node:path';

import { bundlePage } from '../report/bundle/index.ts';

/** The script of the live page. */
export async function bundleServePage(): Promise<string> {
  return await bundlePage(join(import.meta.dirname, 'page', 'main.ts'));
}
