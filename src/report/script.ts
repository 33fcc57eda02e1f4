import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The script of the page as one text: made when the package was built, and on the fly in a clone. */
export async function pageScript(): Promise<string> {
  if (!import.meta.url.endsWith('.ts')) return await readFile(join(import.meta.dirname, 'page.js'), 'utf8');
  const { bundleReportPage } = await import('./bundle/index.ts');
  return await bundleReportPage();
}
