import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

// `npm run house` prints lines per room against the budget, and the rooms with the rooms they import.
// It fails above the total budget, at an import that points up, and at a circle. test/architecture.test.ts holds the same table.

interface Room {
  /** Rooms it may import. All of them are above it in this table, so there are no cycles. */
  readonly folders: readonly string[];
  /** Packages it may import; `node:` is always allowed. */
  readonly packages: readonly string[];
  /** Lines of TypeScript without tests. A room below its budget may lend to another; the total is fixed. */
  readonly budget: number;
}

/** The rooms of src/, lowest first. */
export const HOUSE: Readonly<Record<string, Room>> = {
  base: { folders: [], packages: [], budget: 1_200 },
  config: { folders: ['base'], packages: ['zod', 'yaml', 'esbuild'], budget: 1_000 },
  hosts: { folders: ['base'], packages: ['pg'], budget: 2_100 },
  queue: { folders: ['base', 'hosts'], packages: ['pg'], budget: 4_200 },
  stage: { folders: ['base'], packages: [], budget: 3_500 },
  http: { folders: ['base', 'hosts'], packages: ['undici', 'tough-cookie'], budget: 2_500 },
  objects: { folders: ['base', 'http'], packages: [], budget: 1_000 },
  works: { folders: ['base', 'http'], packages: ['zod'], budget: 3_400 },
  resolve: { folders: ['base', 'hosts', 'http', 'works'], packages: ['zod', 'parse5', 'saxes'], budget: 3_500 },
  download: { folders: ['base', 'hosts', 'http', 'works', 'resolve', 'queue'], packages: ['zod'], budget: 2_300 },
  parse: {
    folders: ['base', 'http', 'stage'],
    packages: [
      '@embedpdf/pdfium',
      'saxes',
      'parse5',
      'gpt-tokenizer',
      '@huggingface/tokenizers',
      'onnxruntime-node',
      '@lat.md/embed',
      'parquet-wasm',
      'apache-arrow',
      'stemmer',
    ],
    budget: 21_000,
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
    budget: 600,
  },
  testing: { folders: ['base', 'hosts', 'queue', 'stage', 'http', 'objects', 'parse'], packages: [], budget: 1_000 },
  model: { folders: ['base', 'http', 'stage'], packages: [], budget: 300 },
  graph: { folders: ['base', 'http', 'model', 'parse', 'stage', 'works'], packages: [], budget: 5_000 },
  store: { folders: ['base', 'works', 'download', 'parse', 'graph'], packages: [], budget: 1_500 },
  search: { folders: ['base', 'parse', 'store'], packages: [], budget: 2_000 },
  harvest: {
    folders: ['base', 'hosts', 'queue', 'http', 'works', 'resolve', 'download', 'parse', 'store', 'config', 'objects'],
    packages: [],
    budget: 2_300,
  },
  ask: {
    folders: ['base', 'config', 'stage', 'works', 'download', 'parse', 'telemetry', 'store', 'search', 'graph'],
    packages: ['zod'],
    budget: 2_000,
  },
  corpus: {
    folders: [
      'base',
      'queue',
      'stage',
      'works',
      'download',
      'parse',
      'store',
      'search',
      'graph',
      'harvest',
      'ask',
      'model',
      'telemetry',
      'config',
    ],
    packages: [],
    budget: 4_000,
  },
  answers: {
    folders: ['base', 'stage', 'works', 'store', 'graph', 'model', 'parse', 'search', 'corpus'],
    packages: ['yaml'],
    budget: 3_500,
  },
  screen: { folders: ['base', 'works', 'store', 'search', 'ask', 'corpus'], packages: [], budget: 2_500 },
  questions: {
    folders: ['base', 'ask', 'corpus', 'graph', 'search', 'answers', 'screen'],
    packages: ['zod'],
    budget: 900,
  },
  serve: {
    folders: [
      'base',
      'queue',
      'stage',
      'download',
      'parse',
      'graph',
      'telemetry',
      'ask',
      'corpus',
      'answers',
      'screen',
      'questions',
    ],
    // preact and htm run in the page only.
    packages: ['zod', 'find-my-way', 'esbuild', 'preact', 'htm'],
    budget: 5_600,
  },
  mcp: {
    folders: ['base', 'parse', 'corpus', 'answers', 'questions'],
    packages: ['zod', '@modelcontextprotocol/server'],
    budget: 500,
  },
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
      'harvest',
      'ask',
      'corpus',
      'answers',
      'screen',
      'objects',
      'model',
      'questions',
      'serve',
      'mcp',
      'telemetry',
      'config',
    ],
    packages: ['commander'],
    budget: 4_000,
  },
};

/** Maximum number of lines in `src`; lowered as rooms reach their budgets. */
const MOST_LINES = 91_400;
/** Maximum number of lines in the folders next to src/. */
const BESIDE: Readonly<Record<string, number>> = { sim: 12_500, bench: 4_500, scripts: 3_000, docs: 5_000 };

const ROOT = join(import.meta.dirname, '..');
export const SOURCE = join(ROOT, 'src');

/** The import specifiers of a source file. */
export function importsOf(file: string): string[] {
  // Skip imports in doc comment examples.
  const text = readFileSync(join(SOURCE, file), 'utf8').replaceAll(/^ *\/\*\*.*?\*\//gms, '');
  return [
    ...text.matchAll(/^\s*(?:import|export)\s[^'"]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'|^import\s+'([^']+)'/gm),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** The path under src/ that a relative import refers to. */
export function targetOf(file: string, specifier: string): string {
  return relative(SOURCE, join(SOURCE, dirname(file), specifier))
    .split(sep)
    .join('/');
}

const countLines = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1, 0);

function printHouse(): boolean {
  const files = globSync('**/*.ts', { cwd: SOURCE })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !file.endsWith('.test.ts'));
  const names = Object.keys(HOUSE);
  const number = (value: number): string => value.toLocaleString('en').padStart(8);
  const upward: string[] = [];
  let total = 0;
  console.log('room          lines   budget  files  imports');
  for (const [index, name] of names.entries()) {
    const own = files.filter((file) => file.startsWith(`${name}/`));
    if (own.length === 0) continue;
    const lines = countLines(own.map((file) => `src/${file}`));
    total += lines;
    const imported = new Set<string>();
    for (const file of own)
      for (const specifier of importsOf(file).filter((each) => each.startsWith('.'))) {
        const [room = ''] = targetOf(file, specifier).split('/');
        if (room === name || !(room in HOUSE)) continue;
        imported.add(room);
        if (names.indexOf(room) > index) upward.push(`${file} imports ${room}, which is above ${name}`);
      }
    const arrows = names.filter((each) => imported.has(each)).join(' ');
    console.log(
      `${name.padEnd(10)}${number(lines)} ${number(HOUSE[name]?.budget ?? 0)}${number(own.length).slice(1)}  ${arrows}`,
    );
  }
  const sum = Object.values(HOUSE).reduce((all, { budget }) => all + budget, 0);
  console.log(`${'src'.padEnd(10)}${number(total)} ${number(sum)}${number(files.length).slice(1)}\n`);
  for (const [folder, budget] of Object.entries(BESIDE)) {
    const pattern = folder === 'docs' ? `${folder}/**/*.md` : `${folder}/**/*.{ts,js,json}`;
    const own = globSync(pattern, { cwd: ROOT, exclude: (path) => /node_modules|package-lock|\.test\.ts$/.test(path) });
    console.log(`${folder.padEnd(10)}${number(countLines(own))} ${number(budget)}${number(own.length).slice(1)}`);
  }
  console.log(`\n${upward.length} imports point up`);
  for (const line of upward) console.log(`  ${line}`);
  if (total > MOST_LINES) console.log(`src has ${total} lines, ${total - MOST_LINES} more than it may`);
  return upward.length === 0 && total <= MOST_LINES;
}

if (import.meta.main && !printHouse()) process.exitCode = 1;
