import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

// `npm run house` prints the rooms with their lines, their files and the rooms they import. It fails at an import that
// points up and at a circle of files. test/architecture.test.ts holds the same table.

interface Room {
  /** Rooms it may import. All of them are above it in this table, so there are no cycles. */
  readonly folders: readonly string[];
  /** Packages it may import; `node:` is always allowed. */
  readonly packages: readonly string[];
}

function room(folders = '', packages = ''): Room {
  const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');
  return { folders: words(folders), packages: words(packages) };
}

/** The rooms of src/, lowest first: rooms and packages they may import. */
export const HOUSE: Readonly<Record<string, Room>> = {
  base: room('', 'yaml'),
  config: room('base', 'zod esbuild'),
  hosts: room('base', 'pg'),
  queue: room('base hosts', 'pg'),
  stage: room('base'),
  http: room('base hosts', 'undici tough-cookie'),
  objects: room('base http'),
  journal: room('base queue'),
  works: room('base http', 'zod'),
  resolve: room('base hosts http works', 'zod parse5 saxes'),
  download: room('base hosts queue http works resolve', 'zod'),
  parse: room(
    'base stage http',
    '@embedpdf/pdfium saxes parse5 gpt-tokenizer @huggingface/tokenizers onnxruntime-node hyparquet hyparquet-writer stemmer',
  ),
  telemetry: room(
    'base hosts queue stage http download',
    '@opentelemetry/api @opentelemetry/sdk-metrics @opentelemetry/sdk-trace @opentelemetry/resources @opentelemetry/context-async-hooks @opentelemetry/exporter-prometheus @opentelemetry/exporter-metrics-otlp-http @opentelemetry/exporter-trace-otlp-http',
  ),
  testing: room('base hosts queue stage http objects journal parse'),
  model: room('base stage http'),
  tagger: room('base parse'),
  graph: room('base stage http works parse model tagger'),
  database: room('base journal works download parse graph'),
  search: room('base queue parse database'),
  reader: room('base parse model graph search'),
  library: room('base config stage journal works download parse telemetry graph database search reader', 'zod'),
  run: room(
    'base config hosts queue stage http objects journal works resolve download parse telemetry model graph database search reader library',
    'zod',
  ),
  corpus: room(
    'base config queue stage journal works download parse model tagger graph database search reader library run',
  ),
  ask: room('base stage works parse model graph database search reader library corpus', 'zod'),
  table: room('base stage works parse model graph database search reader library corpus ask', 'zod'),
  screen: room('base journal works database search library corpus', 'zod'),
  questions: room('base graph search library corpus ask table screen', 'zod'),
  // preact and htm run in the page only.
  serve: room(
    'base queue stage download parse telemetry graph library corpus ask table screen questions',
    'zod find-my-way esbuild preact htm uplot graphology graphology-communities-louvain graphology-layout-forceatlas2 sigma',
  ),
  mcp: room('base parse corpus ask table questions', 'zod @modelcontextprotocol/server'),
  cli: room(
    'base config hosts queue stage http objects works resolve download parse telemetry model graph search library run corpus ask table screen questions serve mcp',
    'commander',
  ),
  // What the package promises: each file is an entry of package.json.
  doors: room('base http parse queue resolve stage testing library corpus'),
};

/** Folders next to src/ whose lines are printed too. */
const BESIDE = ['sim', 'bench', 'scripts', 'training', 'docs'];

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

/** The files of src/, without tests. */
export function sourceFiles(): string[] {
  return globSync('**/*.ts', { cwd: SOURCE })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !file.endsWith('.test.ts'))
    .sort();
}

/** Files that import each other, types included: each group as one list (Tarjan's strongly connected components). */
export function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const found = new Map<string, { readonly index: number; low: number }>();
  const open: string[] = [];
  const visit = (file: string): { low: number } => {
    const own = { index: found.size, low: found.size };
    found.set(file, own);
    open.push(file);
    for (const other of imports.get(file) ?? []) {
      const known = found.get(other);
      if (!known) own.low = Math.min(own.low, visit(other).low);
      else if (open.includes(other)) own.low = Math.min(own.low, known.index);
    }
    if (own.low === own.index) {
      const circle = open.splice(open.indexOf(file));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return own;
  };
  for (const file of imports.keys()) if (!found.has(file)) visit(file);
  return circles;
}

/** The circles of files in src/. */
export function sourceCircles(): string[] {
  const files = new Set(sourceFiles());
  const targets = (file: string): string[] =>
    importsOf(file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => targetOf(file, specifier))
      .filter((target) => files.has(target));
  const circles = circlesOf(new Map([...files].map((file) => [file, targets(file)])));
  return circles.map((circle) => circle.join(' '));
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
  console.log('room          lines  files  imports');
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
    console.log(`${name.padEnd(10)}${number(lines)}${number(own.length).slice(1)}  ${arrows}`);
  }
  console.log(`${'src'.padEnd(10)}${number(total)}${number(files.length).slice(1)}\n`);
  for (const folder of BESIDE) {
    const pattern = folder === 'docs' ? `${folder}/**/*.md` : `${folder}/**/*.{ts,js,json}`;
    const own = globSync(pattern, { cwd: ROOT, exclude: (path) => /node_modules|package-lock|\.test\.ts$/.test(path) });
    console.log(`${folder.padEnd(10)}${number(countLines(own))}${number(own.length).slice(1)}`);
  }
  const circles = sourceCircles();
  console.log(`\n${upward.length} imports point up, ${circles.length} circles of files`);
  for (const line of [...upward, ...circles]) console.log(`  ${line}`);
  return upward.length === 0 && circles.length === 0;
}

if (import.meta.main && !printHouse()) process.exitCode = 1;
