import { join } from 'node:path';

/** The script of the live page, which is written as modules under page/, as one text. Needs esbuild: in a clone, and when building. */
export async function bundleServePage(): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page', 'main.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
  });
  return outputFiles[0]?.text ?? '';
}
