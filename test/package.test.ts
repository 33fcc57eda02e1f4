import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { LIBRARY_EXAMPLES, runProgram } from './support/examples.ts';
import { replayDockerfile } from './support/replay-dockerfile.ts';
import { writeSnippets } from './support/snippets.ts';

interface PackageJson {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const ROOT = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as PackageJson;
const subpaths = Object.keys(manifest.exports)
  .filter((path) => path !== './package.json')
  .map((path) => `docstokg${path.slice(1)}`);

/** A project that has only the packed package and its declared dependencies. */
let consumer = '';

function run(program: string, parameters: readonly string[], cwd = consumer): string {
  const { status, stdout, stderr } = spawnSync(program, parameters, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    env: { ...process.env, NO_COLOR: '1' },
  });
  assert.equal(status, 0, `${program} ${parameters.join(' ')}\n${stdout}\n${stderr}`);
  return stdout;
}

before(() => {
  consumer = mkdtempSync(join(tmpdir(), 'docstokg-consumer-'));
  const modules = join(consumer, 'node_modules');
  mkdirSync(modules);
  // As `npm pack` does; types are checked by `npm run typecheck`.
  assert.deepEqual(
    [manifest.scripts['prepack'], manifest.scripts['build']],
    ['npm run build', 'node scripts/build.ts'],
  );
  run(process.execPath, [join('scripts', 'build.ts'), '--unchecked'], ROOT);
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', consumer], ROOT);
  run('tar', ['-xzf', `docstokg-${manifest.version}.tgz`]);
  symlinkSync(join(consumer, 'package'), join(modules, 'docstokg'), 'junction');
  // The frameworks of examples are in their users' projects.
  const frameworks = Object.fromEntries(
    ['ai', '@langchain/core', '@duckdb/node-api', '@electric-sql/pglite', '@electric-sql/pglite-pgvector'].map(
      (name) => [name, ''],
    ),
  );
  const needed = { ...manifest.dependencies, ...manifest.optionalDependencies, ...frameworks };
  // Next to the package, as an installer does, so that undeclared packages are not found.
  for (const name of Object.keys(needed)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name), 'junction');
  }
  writeFileSync(join(consumer, 'package.json'), '{ "type": "module" }');
});
after(() => rmSync(consumer, { recursive: true, force: true }));

test('the package has no install script', () => {
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
    assert.equal(manifest.scripts[name], undefined, name);
});

test('the packed package contains programs and no tests, sources or data', () => {
  const files = run('tar', ['-tzf', `docstokg-${manifest.version}.tgz`])
    .trim()
    .split('\n');
  assert.deepEqual(
    files.filter(
      (file) =>
        !/^package\/(bin|dist|models|sql|docs\/[\w/-]+\.md|package\.json|[A-Z]+\.md|llms\.txt|CITATION\.cff|LICENSE|NOTICE)/.test(
          file,
        ),
    ),
    [],
  );
  assert.deepEqual(
    files.filter((file) => /\.test\.|[^d]\.ts$/.test(file)),
    [],
  );
});

test('examples/ops/Dockerfile, replayed in an empty folder, installs a working program', (context) => {
  if (process.platform === 'win32') {
    context.skip('NOT TESTED: the steps need a POSIX shell');
    return;
  }
  const { root, ran, start } = replayDockerfile(join(ROOT, 'examples', 'ops', 'Dockerfile'), {
    context: consumer,
    modules: join(ROOT, 'node_modules'),
    manifest,
  });
  try {
    assert.ok(ran.at(-1)?.startsWith(manifest.version), 'the last step prints the version');
    const { status, stdout, stderr } = start(['--help']);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /docstokg queue run \[options\]/);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test('every subpath of the packed package can be imported', () => {
  const program = subpaths
    .map((name) => `if (Object.keys(await import('${name}')).length === 0) throw new Error('${name} is empty');`)
    .join('\n');
  writeFileSync(join(consumer, 'import.js'), program);
  run(process.execPath, ['import.js']);
});

test('the types of every subpath resolve', () => {
  const lines = subpaths.map((name, at) => `import * as part${at} from '${name}';\nvoid part${at};`);
  // Without types everything would be `any`, and the expected error would be missing.
  const wrong = `import type { JobState } from 'docstokg/queue';
// @ts-expect-error no such state
const state: JobState = 'nonsense';
void state;`;
  writeFileSync(join(consumer, 'types.ts'), [...lines, wrong].join('\n'));
  const snippets = writeSnippets(join(consumer, 'snippets'));
  // As in a fresh project: only the types of Node and of the package.
  symlinkSync(
    join(ROOT, 'node_modules', '@types', 'node'),
    join(consumer, 'node_modules', '@types', 'node'),
    'junction',
  );
  const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'esnext', '--types', 'node'];
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  run(process.execPath, [tsc, ...flags, 'types.ts', ...snippets]);
});

test('the types need no optional package', () => {
  const optional = [...Object.keys(manifest.optionalDependencies), ...Object.keys(manifest.peerDependencies)];
  const named = globSync('dist/**/*.d.ts', { cwd: join(consumer, 'package') }).flatMap((file) =>
    [...readFileSync(join(consumer, 'package', file), 'utf8').matchAll(/(?:from|import\() ?['"]([^'"]+)['"]/g)]
      .filter(([, name = '']) => optional.some((each) => name === each || name.startsWith(`${each}/`)))
      .map(([, name]) => `${file}: ${name}`),
  );
  assert.deepEqual(named, []);
});

test('an old Node gets a one-sentence error, also on import', (context) => {
  const old = '/usr/bin/node';
  const [major = 0, minor = 0] =
    spawnSync(old, ['--version'], { encoding: 'utf8' }).stdout?.slice(1).split('.').map(Number) ?? [];
  if (major < 18 || major > 24 || (major === 24 && minor >= 12)) {
    context.skip(`NOT TESTED: there is no Node between 18 and 24.12 at ${old}`);
    return;
  }
  const message = /docstokg needs Node 24\.12 or newer, and this is Node \d+\.\d+\.\d+/;
  const [first = ''] = subpaths;
  writeFileSync(join(consumer, 'old.mjs'), `import '${first}';`);
  const { status, stderr } = spawnSync(old, ['old.mjs'], { cwd: consumer, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /ERR_UNKNOWN_BUILTIN_MODULE|\n\s+at /);
  // Every subpath has this error.
  writeFileSync(
    join(consumer, 'old.mjs'),
    `for (const name of ${JSON.stringify(subpaths)}) console.log(await import(name).then(() => name, (error) => error.stack));`,
  );
  const { stdout } = spawnSync(old, ['old.mjs'], { cwd: consumer, encoding: 'utf8' });
  const lines = stdout.trim().split('\n');
  assert.equal(lines.length, subpaths.length, stdout);
  for (const line of lines) assert.match(line, message);
});

for (const [name, example] of Object.entries(LIBRARY_EXAMPLES)) {
  test(`examples/${name} runs with the packed package`, () => {
    const folder = join(consumer, name.replace(/\.ts$/, ''));
    mkdirSync(folder);
    const file = join(consumer, name);
    writeFileSync(file, readFileSync(join(ROOT, 'examples', name)));
    example(runProgram(file), folder);
  });
}

/** The unpacked data of a report. */
function answersOf(report: string): string {
  return [...report.matchAll(/<script type="text\/plain" data-path="[^"]*">([\w+/=]*)<\/script>/g)]
    .map(([, data = '']) => gunzipSync(Buffer.from(data, 'base64')).toString('utf8'))
    .join('\n');
}

test('the commands of the packed package run, including their worker processes and threads', () => {
  const bin = (name: string): string => join(consumer, 'package', manifest.bin[name] ?? '');
  for (const name of Object.keys(manifest.bin))
    assert.match(run(process.execPath, [bin(name), '--help']), new RegExp(`Usage: ${name}`));
  mkdirSync(join(consumer, 'papers'));
  const page = `<html><head><title>On packing</title></head><body><article><h1>On packing</h1><h2>Results</h2>
    <p>${'A package that was packed should do what it did before it was packed. '.repeat(20)}</p></article></body></html>`;
  writeFileSync(join(consumer, 'papers', 'packing.html'), page);
  run(process.execPath, [bin('docparse'), 'parse', '--input', 'papers', '--data-root', 'Data', '--format', 'jsonl']);
  assert.match(
    readFileSync(join(consumer, 'Data', 'ChunkedDocTagFiles', 'packing.jsonl'), 'utf8'),
    /should do what it did/,
  );
  run(process.execPath, [bin('docstokg'), 'export', '.', '--format', 'report']);
  const report = readFileSync(join(consumer, 'report.html'), 'utf8');
  const [, script = ''] = report.split('<script>');
  assert.ok(script.length > 20_000, "the page's script was built and packed");
  assert.match(answersOf(report), /should do what it did/);
});
