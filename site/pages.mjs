// Copies the pages of the repository and their pictures into pages/, where VitePress reads them.
import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const PAGES = join(import.meta.dirname, 'pages');

rmSync(PAGES, { recursive: true, force: true });
for (const file of globSync(['*.md', 'docs/**/*.{md,png,svg}', 'bench/*.md', 'examples/*.md', 'models/*.md'], {
  cwd: ROOT,
})) {
  mkdirSync(dirname(join(PAGES, file)), { recursive: true });
  cpSync(join(ROOT, file), join(PAGES, file));
}
