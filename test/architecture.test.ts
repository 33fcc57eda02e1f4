import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { test } from 'node:test';

/** Which folders of src/ each folder may import, and which packages. `node:` is free for all. */
const HOUSE: Readonly<Record<string, { readonly folders: readonly string[]; readonly packages: readonly string[] }>> = {
  base: { folders: [], packages: [] },
  hosts: { folders: ['base'], packages: ['pg'] },
  queue: { folders: ['base', 'hosts'], packages: ['pg'] },
  stage: { folders: ['base'], packages: [] },
  http: { folders: ['base', 'hosts'], packages: ['undici'] },
  works: { folders: ['base', 'http'], packages: ['zod'] },
  resolve: { folders: ['base', 'hosts', 'http', 'works'], packages: ['zod', 'parse5', 'saxes'] },
  download: { folders: ['base', 'hosts', 'http', 'works', 'resolve', 'queue'], packages: [] },
  parse: {
    folders: ['base', 'http', 'stage'],
    packages: [
      '@embedpdf/pdfium',
      'saxes',
      'parse5',
      'gpt-tokenizer',
      '@huggingface/tokenizers',
      'onnxruntime-node',
      'parquet-wasm',
      'apache-arrow',
    ],
  },
  search: { folders: ['base', 'parse'], packages: [] },
  graph: { folders: ['base', 'http', 'parse', 'stage', 'works'], packages: [] },
  report: {
    folders: ['base', 'stage', 'download', 'parse', 'graph', 'telemetry'],
    // sigma and graphology run in the page only.
    packages: ['esbuild', 'sigma', 'graphology'],
  },
  harvest: {
    folders: ['base', 'hosts', 'queue', 'http', 'works', 'resolve', 'download', 'parse', 'telemetry', 'config'],
    packages: [],
  },
  corpus: {
    folders: [
      'base',
      'queue',
      'stage',
      'works',
      'download',
      'parse',
      'search',
      'graph',
      'harvest',
      'telemetry',
      'config',
    ],
    packages: [],
  },
  serve: {
    // The pages share their parts and their style with the report.
    folders: ['base', 'queue', 'download', 'graph', 'report', 'corpus'],
    packages: ['zod'],
  },
  mcp: {
    folders: ['base', 'config', 'corpus', 'graph', 'parse', 'search'],
    packages: ['zod', '@modelcontextprotocol/server'],
  },
  telemetry: {
    folders: ['base', 'hosts', 'queue', 'stage', 'http', 'download'],
    packages: [
      '@opentelemetry/api',
      '@opentelemetry/sdk-metrics',
      '@opentelemetry/sdk-trace',
      '@opentelemetry/resources',
      '@opentelemetry/context-async-hooks',
      '@opentelemetry/exporter-prometheus',
      '@opentelemetry/exporter-metrics-otlp-http',
      '@opentelemetry/exporter-trace-otlp-http',
    ],
  },
  config: { folders: ['base'], packages: ['zod', 'yaml'] },
  testing: { folders: ['base', 'hosts', 'queue', 'stage', 'http', 'parse'], packages: [] },
  cli: {
    folders: [
      'base',
      'hosts',
      'queue',
      'stage',
      'http',
      'works',
      'resolve',
      'download',
      'parse',
      'search',
      'graph',
      'report',
      'harvest',
      'corpus',
      'serve',
      'mcp',
      'telemetry',
      'config',
    ],
    packages: ['commander'],
  },
};

/** Packages that are large or optional: the only files that may name them. */
const HEAVY: Readonly<Record<string, RegExp>> = {
  pg: /^(hosts|queue)\/postgres\//,
  esbuild: /^report\/bundle\/index\.ts$/,
  '@modelcontextprotocol/': /^mcp\/(server|serve-stdio)\.ts$/,
  sigma: /^report\/page\/graph\//,
  graphology: /^report\/page\/graph\//,
  '@embedpdf/pdfium': /^parse\/doctags\/engines\//,
  'onnxruntime-node': /^parse\/embed\/engines\//,
  'parquet-wasm': /^parse\/.*parquet/,
  'apache-arrow': /^parse\/.*parquet/,
  '@opentelemetry/': /^telemetry\/otel/,
};

const SOURCE = join(import.meta.dirname, '..', 'src');
const files = globSync('**/*.ts', { cwd: SOURCE }).map((file) => file.split(sep).join('/'));

function importsOf(file: string): string[] {
  // Examples in doc comments import as a stranger would.
  const text = readFileSync(join(SOURCE, file), 'utf8').replaceAll(/^ *\/\*\*.*?\*\//gms, '');
  return [
    ...text.matchAll(/^\s*(?:import|export)\s[^'"]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'|^import\s+'([^']+)'/gm),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

for (const file of files) {
  const folder = file.split('/')[0] ?? '';
  const isTest = file.endsWith('.test.ts');
  test(`${file} imports only what its folder may`, () => {
    const rule = HOUSE[folder];
    assert.ok(rule, `src/${folder} is not in the table of the house`);
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith('node:')) continue;
      if (!specifier.startsWith('.')) {
        if (isTest) continue;
        const name = specifier.startsWith('@')
          ? specifier.split('/').slice(0, 2).join('/')
          : (specifier.split('/')[0] ?? '');
        assert.ok(rule.packages.includes(name), `src/${folder} may not use the package ${name}`);
        const heavy = Object.entries(HEAVY).find(([prefix]) => specifier.startsWith(prefix));
        assert.ok(!heavy || heavy[1].test(file), `${name} belongs in one adapter (${String(heavy?.[1])})`);
        continue;
      }
      const target = relative(SOURCE, join(SOURCE, dirname(file), specifier))
        .split(sep)
        .join('/');
      const [other = ''] = target.split('/');
      if (other === folder) continue;
      if (target.startsWith('..')) {
        assert.ok(
          isTest || /^cli\/(load-simulation|commands\/demo|commands\/sim)\.ts$/.test(file),
          `${specifier} leaves src/`,
        );
        continue;
      }
      assert.ok(
        rule.folders.includes(other) || (isTest && other === 'testing'),
        `src/${folder} may not import src/${other}`,
      );
      assert.match(target, /^[^/]+(\/[a-z-]+)?\/index\.ts$/, `import a face of src/${other}, not ${target}`);
    }
  });

  test(`${file} keeps to the house rules`, () => {
    const text = readFileSync(join(SOURCE, file), 'utf8');
    if (folder !== 'config' && !isTest) assert.doesNotMatch(text, /process\.env/, 'only config/ reads the environment');
    assert.doesNotMatch(
      file,
      /(^|[/-])(utils?|helpers?|common|manager|impl|v2|legacy)([.-]|\/|$)/,
      'name it after what it is',
    );
  });
}
