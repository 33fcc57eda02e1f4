import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { packageRoot } from '../base/index.ts';

/** Packages whose code becomes part of the page, together with their licences. */
export const BUNDLED = [
  'preact',
  'htm',
  'sigma',
  'graphology',
  'graphology-communities-louvain',
  'graphology-layout-forceatlas2',
  'uplot',
];

/** The script and the style of the page, each as one text. Needs esbuild: in a clone, and when building. */
export async function bundlePage(): Promise<{ readonly script: string; readonly style: string }> {
  const { build } = await import('esbuild');
  const bundle = async (entry: string, banner: string): Promise<string> => {
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, 'page', entry)],
      bundle: true,
      write: false,
      format: 'iife',
      target: 'es2023',
      charset: 'utf8',
      legalComments: 'none',
      minify: true,
      banner: { js: banner },
    });
    return outputFiles[0]?.text ?? '';
  };
  return { script: await bundle('main.ts', await notices()), style: await bundle('style.css', '') };
}

async function notices(): Promise<string> {
  const texts = await Promise.all(
    BUNDLED.map(async (name) => {
      const folder = join(packageRoot(), 'node_modules', name);
      const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
      if (file === undefined) throw new Error(`${name} has no licence file`);
      const text = await readFile(join(folder, file), 'utf8');
      // Without indentation and blank lines, which are a tenth of the Apache licence.
      const lines = text.replaceAll('*/', '* /').split('\n');
      return `${name}: ${lines.flatMap((line) => line.trim() || []).join('\n')}`;
    }),
  );
  return `/*!\n${texts.join('\n\n')}\n*/`;
}
