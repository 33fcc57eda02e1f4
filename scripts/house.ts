import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

// `npm run house` prints lines per room against the budget, and the rooms with the rooms they import.
// It fails above the total budget, at an import that points up, and at a circle. test/architecture.test.ts holds the same table.

interface Room {
  /** Rooms it may import. All of them are above it in this table, so there are no cycles. */
  readonly folders: readonly string[];
  /** Packages it may import; `node:` is always allowed. */
  readonly packages: readonly string[];
  /** Lines of TypeScript, CSS and WebAssembly text without tests. A room below its budget may lend to another; the total is fixed. */
  readonly budget: number;
}

function room(budget: number, folders = '', packages = ''): Room {
  const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');
  return { budget, folders: words(folders), packages: words(packages) };
}

/** The rooms of src/, lowest first: budget, rooms and packages they may import. */
export const HOUSE: Readonly<Record<string, Room>> = {
  base: room(1_200),
  config: room(1_000, 'base', 'zod yaml esbuild'),
  hosts: room(2_100, 'base', 'pg'),
  queue: room(4_200, 'base hosts', 'pg'),
  stage: room(3_500, 'base'),
  http: room(2_500, 'base hosts', 'undici tough-cookie'),
  objects: room(1_000, 'base http'),
  works: room(3_400, 'base http', 'zod'),
  resolve: room(3_500, 'base hosts http works', 'zod parse5 saxes'),
  download: room(2_300, 'base hosts queue http works resolve', 'zod'),
  parse: room(
    21_000,
    'base stage http',
    '@embedpdf/pdfium saxes parse5 gpt-tokenizer @huggingface/tokenizers onnxruntime-node @lat.md/embed hyparquet hyparquet-writer stemmer',
  ),
  telemetry: room(
    600,
    'base hosts queue stage http download',
    '@opentelemetry/api @opentelemetry/sdk-metrics @opentelemetry/sdk-trace @opentelemetry/resources @opentelemetry/context-async-hooks @opentelemetry/exporter-prometheus @opentelemetry/exporter-metrics-otlp-http @opentelemetry/exporter-trace-otlp-http',
  ),
  testing: room(1_000, 'base hosts queue stage http objects parse'),
  model: room(300, 'base stage http'),
  graph: room(5_000, 'base stage http works parse model'),
  store: room(1_500, 'base works download parse graph'),
  search: room(2_000, 'base parse store'),
  harvest: room(3_000, 'base config hosts queue http objects works resolve download parse store'),
  ask: room(2_000, 'base config stage works download parse telemetry graph store search', 'zod'),
  corpus: room(4_500, 'base config queue stage works download parse telemetry model graph store search harvest ask'),
  answers: room(3_500, 'base stage works parse model graph store search ask corpus', 'zod yaml'),
  screen: room(2_500, 'base works store search ask corpus', 'zod'),
  questions: room(900, 'base graph search ask corpus answers screen', 'zod'),
  // preact and htm run in the page only.
  serve: room(
    5_600,
    'base queue stage download parse telemetry graph ask corpus answers screen questions',
    'zod find-my-way esbuild preact htm',
  ),
  mcp: room(500, 'base parse corpus answers questions', 'zod @modelcontextprotocol/server'),
  cli: room(
    4_000,
    'base config hosts queue stage http objects works resolve download parse telemetry model graph search harvest ask corpus answers screen questions serve mcp',
    'commander',
  ),
};

/** Maximum number of lines in the folders next to src/. */
const BESIDE: Readonly<Record<string, number>> = { sim: 12_500, bench: 4_500, scripts: 3_000, docs: 5_000 };

const ROOT = join(import.meta.dirname, '..');
export const SOURCE = join(ROOT, 'src');

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
  const files = globSync('**/*.{ts,css,wat}', { cwd: SOURCE })
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
  if (total > sum) console.log(`src has ${total} lines, ${total - sum} more than its budget`);
  return upward.length === 0 && total <= sum;
}

if (import.meta.main && !printHouse()) process.exitCode = 1;
