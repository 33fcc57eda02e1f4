import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';

import type { Plugin } from 'esbuild';
import { build } from 'esbuild';

import { generatedFiles } from '../src/config/index.ts';
import { ENCODINGS } from '../src/parse/chunk/tokenizer.ts';
import { wasmFolder } from '../src/parse/embed/engines/runtime.ts';
import { bundlePage } from '../src/serve/page-bundle.ts';

const ROOT = join(import.meta.dirname, '..');
const DAY_MS = 86_400_000;
const MAIN = 'src/cli/main.ts';
/** Programs of the tests that are started often. */
const OF_TESTS = ['test/e2e/holding-runner.ts', 'test/e2e/queue-runner.ts', 'test/fixtures/screening-reviewer.ts'];
/** Packages with files beside their code (WebAssembly, native libraries, tables), and those that are tested as missing. */
const NOT_BUNDLED = [
  '@duckdb/node-api',
  '@embedpdf/pdfium',
  '@huggingface/tokenizers',
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/exporter-',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-',
  'esbuild',
  'fontkit',
  'gpt-tokenizer',
  'onnxruntime-node',
  'onnxruntime-web',
  'pdfkit',
  'pg',
  'tough-cookie',
  'undici',
];

/**
 * The program in few files, in a folder laid out like the installed package; returns its `bin`. It starts in a third of
 * the time, and the tests start it hundreds of times. The folder is named after its content.
 */
export async function bundledProgram(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [MAIN, ...workers(), ...OF_TESTS].map((entry) => join(ROOT, entry)),
    outbase: ROOT,
    outdir: join(ROOT, 'dist'),
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: NOT_BUNDLED.map((name) => `${name}*`),
    // CommonJS packages require Node's modules.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';\nvar require = requireFrom(import.meta.url);",
    },
    plugins: [ownLocations],
  });
  const { script, style, modules } = await bundlePage();
  const files = new Map<string, string | Uint8Array>([
    ...outputFiles.map(({ path, contents }) => [relative(ROOT, path), contents] as const),
    ...Object.entries(generatedFiles()).map(([name, text]) => [join('dist', name), text] as const),
    [join('dist', 'src', 'serve', 'page.js'), script],
    [join('dist', 'src', 'serve', 'page.css'), style],
    [join('dist', 'src', 'serve', 'page.json'), JSON.stringify(modules)],
    ['package.json', readFileSync(join(ROOT, 'package.json'))],
  ]);
  const hash = createHash('sha256');
  for (const [name, content] of files) hash.update(name).update(content);
  const cache = join(ROOT, 'node_modules', '.cache', 'tests');
  const folder = join(cache, hash.digest('hex').slice(0, 16));
  if (!existsSync(folder)) {
    removeOld(cache);
    const part = `${folder}.${process.pid}`;
    for (const [name, content] of files) {
      mkdirSync(dirname(join(part, name)), { recursive: true });
      writeFileSync(join(part, name), content);
    }
    cpSync(join(ROOT, 'bin'), join(part, 'bin'), { recursive: true });
    const engines = join(part, 'dist', 'src', 'parse', 'embed', 'engines');
    mkdirSync(engines, { recursive: true });
    symlinkSync(wasmFolder(), join(engines, 'onnxruntime-web'), 'junction');
    const encodings = join(part, 'dist', 'src', 'parse', 'chunk', 'encodings');
    mkdirSync(encodings, { recursive: true });
    for (const name of ENCODINGS)
      writeFileSync(
        join(encodings, `${name}.js`),
        `export { countTokens } from 'gpt-tokenizer/encoding/${name}_base';\n`,
      );
    for (const name of ['sql', 'models']) symlinkSync(join(ROOT, name), join(part, name), 'junction');
    rmSync(folder, { recursive: true, force: true });
    renameSync(part, folder);
  }
  return join(folder, 'bin');
}

/** Removes bundles of yesterday's sources; a run that still uses one of today's is not disturbed. */
function removeOld(cache: string): void {
  mkdirSync(cache, { recursive: true });
  for (const { name } of readdirSync(cache, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
    if (statSync(join(cache, name)).mtimeMs < Date.now() - DAY_MS) rmSync(join(cache, name), { recursive: true });
}

/** Modules that others start by their path: a worker is named beside `import.meta`. */
function workers(): string[] {
  return globSync('src/**/*.ts', { cwd: ROOT })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !/\.test\.ts$|^src\/serve\/page\//.test(file))
    .flatMap((file) =>
      readFileSync(join(ROOT, file), 'utf8')
        .split('\n')
        .filter((line) => line.includes('import.meta.'))
        .flatMap((line) => [...line.matchAll(/['`]((?:\.{1,2}\/)?[\w-]+)(?:\.ts'|\$\{extname)/g)])
        .map(([, name = '']) => posix.join(dirname(file), `${name}.ts`)),
    )
    .filter((file) => existsSync(join(ROOT, file)));
}

/** `import.meta` of a source file says where its compiled file would be, not where the chunk is. */
const ownLocations: Plugin = {
  name: 'own-locations',
  setup(builder) {
    builder.onResolve({ filter: /^own-location$/ }, () => ({ path: 'own-location', namespace: 'own-location' }));
    builder.onLoad({ filter: /./, namespace: 'own-location' }, () => ({
      resolveDir: ROOT,
      contents: `import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
export function locationOf(path) {
  const url = new URL(\`../\${path}\`, import.meta.url).href;
  const filename = fileURLToPath(url);
  return { url, filename, dirname: dirname(filename) };
}`,
    }));
    builder.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const source = relative(ROOT, path).split(sep).join('/');
      const text = readFileSync(path, 'utf8');
      const meta = /import\.meta\.(url|dirname|filename)\b/g;
      if (!/^(src|sim)\//.test(source) || source === MAIN || !meta.test(text)) return undefined;
      const compiled = JSON.stringify(source.replace(/\.ts$/, '.js'));
      return {
        loader: 'ts',
        contents: `import { locationOf } from 'own-location';\nconst ownLocation = locationOf(${compiled});\n${text.replace(meta, 'ownLocation.$1')}`,
      };
    });
  },
};
