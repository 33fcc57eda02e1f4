import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { packageRoot, sha256 } from '../base/index.ts';
import type { PageParts } from './page-parts.ts';

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

/** The page's script and style. Needs esbuild: in a clone, and when building. */
export async function bundlePage(): Promise<PageParts> {
  const { build } = await import('esbuild');
  const bundle = async (entry: string, more: object): Promise<readonly (readonly [name: string, text: string])[]> => {
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, 'page', entry)],
      bundle: true,
      write: false,
      target: 'es2023',
      charset: 'utf8',
      legalComments: 'none',
      minify: true,
      ...more,
    });
    return outputFiles.map(({ path, text }) => [basename(path), text]);
  };
  const licences = await notices();
  const name = `licences.${sha256(licences).slice(0, 12)}.txt`;
  const [script] = await bundle('main.ts', { format: 'iife', banner: { js: licences } });
  const [style] = await bundle('style.css', {});
  const modules = await bundle('main.ts', {
    format: 'esm',
    splitting: true,
    outdir: 'assets',
    entryNames: 'app.[hash]',
    chunkNames: 'part.[hash]',
    // The licences are longer than the code of some modules; they have a file of their own beside them.
    banner: { js: `/* Licences: ${name} */` },
  });
  return {
    script: script?.[1] ?? '',
    style: style?.[1] ?? '',
    modules: { ...Object.fromEntries(modules), [name]: licences },
  };
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
