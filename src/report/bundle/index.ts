import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { packageRoot } from '../../base/index.ts';

/** The packages whose code becomes part of the page. Their licence wants to come along. */
const CARRIED = ['sigma', 'graphology', 'graphology-utils', 'events'];

/** The script of the report's page. */
export async function bundleReportPage(): Promise<string> {
  return await bundlePage(join(import.meta.dirname, '..', 'page', 'main.ts'));
}

/** A page's script, which is written as modules, as one text. Needs esbuild: in a clone, and when building. */
export async function bundlePage(entry: string): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    minify: true,
    banner: { js: await notices() },
  });
  return outputFiles[0]?.text ?? '';
}

async function notices(): Promise<string> {
  const texts = await Promise.all(
    CARRIED.map(async (name) => {
      const folder = join(packageRoot(), 'node_modules', name);
      const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
      if (file === undefined) throw new Error(`${name} has no licence that could be carried along`);
      return `${name}: ${(await readFile(join(folder, file), 'utf8')).replaceAll('*/', '* /').trim()}`;
    }),
  );
  return `/*!\n${texts.join('\n\n')}\n*/`;
}
