// Builds dist/: npm run build. `--unchecked` skips the type check; the output is the same.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';

import { commandTables } from '../src/cli/program.ts';
import { generatedFiles } from '../src/config/index.ts';
import { ENCODINGS } from '../src/parse/chunk/tokenizer.ts';
import { WASM_FILES, wasmFolder } from '../src/parse/embed/engines/runtime.ts';
import { bundlePage } from '../src/serve/page-bundle.ts';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');

rmSync(DIST, { recursive: true, force: true });
const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const unchecked = process.argv.includes('--unchecked') ? ['--noCheck'] : [];
execFileSync(process.execPath, [tsc, '-p', join(ROOT, 'tsconfig.build.json'), ...unchecked], { stdio: 'inherit' });
const { script, style, modules } = await bundlePage();
writeFileSync(join(DIST, 'src', 'serve', 'page.js'), script);
writeFileSync(join(DIST, 'src', 'serve', 'page.css'), style);
writeFileSync(join(DIST, 'src', 'serve', 'page.json'), JSON.stringify(modules));
const generated = { ...generatedFiles(), 'commands.json': JSON.stringify(await commandTables()) };
for (const [name, text] of Object.entries(generated)) writeFileSync(join(DIST, name), text);
const wasm = join(DIST, 'src', 'parse', 'embed', 'engines', 'onnxruntime-web');
mkdirSync(wasm);
for (const name of [WASM_FILES.module, WASM_FILES.binary]) copyFileSync(join(wasmFolder(), name), join(wasm, name));
// With onnxruntime-common in it.
await build({
  entryPoints: [join(wasmFolder(), WASM_FILES.entry)],
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  outfile: join(wasm, WASM_FILES.entry),
});
const encodings = join(DIST, 'src', 'parse', 'chunk', 'encodings');
for (const name of ENCODINGS)
  await build({
    stdin: { contents: `export { countTokens } from 'gpt-tokenizer/encoding/${name}_base';`, resolveDir: ROOT },
    bundle: true,
    minify: true,
    legalComments: 'none',
    format: 'esm',
    platform: 'node',
    outfile: join(encodings, `${name}.js`),
  });
await writeDoors();

/**
 * One CommonJS entry per door. It checks the Node version before it loads the door; an ES module could not,
 * because its imports are loaded first.
 */
async function writeDoors(): Promise<void> {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  };
  for (const entry of Object.values(exports)) {
    if (typeof entry === 'string') continue;
    if (!entry.default.startsWith('./dist/doors/'))
      throw new Error(`${entry.default} is not a package entry (package.json)`);
    const module = entry.types.replace(/\.d\.ts$/, '.js');
    const names = Object.keys((await import(pathToFileURL(join(ROOT, module)).href)) as object);
    const lines = [
      "'use strict';",
      "require('../../bin/needs-node.cjs')();",
      `const door = require('../${module.replace(/^\.\/dist\//, '')}');`,
      // One assignment per name, so that `import` detects the exports of the CommonJS module.
      ...names.map((name) => `exports.${name} = door.${name};`),
    ];
    const path = join(ROOT, entry.default);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, `${lines.join('\n')}\n`);
  }
}
