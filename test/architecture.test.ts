import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { test } from 'node:test';

import { circlesOf, HOUSE, importsOf, sourceCircles, SOURCE, targetOf } from '../scripts/house.ts';

/** Large or optional packages, and the only files that may import them. */
const HEAVY: Readonly<Record<string, RegExp>> = {
  pg: /^(hosts|queue)\/postgres\//,
  esbuild: /^(serve\/page-bundle|config\/generated\/index)\.ts$/,
  '@modelcontextprotocol/': /^mcp\/(server|tasks)\.ts$/,
  preact: /^serve\/page\//,
  htm: /^serve\/page\//,
  uplot: /^serve\/page\//,
  graphology: /^serve\/page\//,
  sigma: /^serve\/page\//,
  '@embedpdf/pdfium': /^parse\/doctags\/engines\//,
  'onnxruntime-node': /^parse\/embed\/engines\/runtime\.ts$/,
  hyparquet: /^parse\/.*parquet/,
  '@opentelemetry/': /^telemetry\/otel/,
};

const files = globSync('**/*.ts', { cwd: SOURCE }).map((file) => file.split(sep).join('/'));

for (const file of files) {
  const folder = file.split('/')[0] ?? '';
  const isTest = file.endsWith('.test.ts');
  test(`${file} imports only what its folder may`, () => {
    const rule = HOUSE[folder];
    assert.ok(rule, `src/${folder} is not in the table of rooms`);
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
      const target = targetOf(file, specifier);
      const [other = ''] = target.split('/');
      if (other === folder) continue;
      if (target.startsWith('..')) {
        assert.ok(
          isTest || /^cli\/(simulation|commands\/demo|commands\/sim)\.ts$/.test(file),
          `${specifier} leaves src/`,
        );
        continue;
      }
      assert.ok(
        rule.folders.includes(other) || (isTest && other === 'testing'),
        `src/${folder} may not import src/${other}`,
      );
      assert.match(target, /^[^/]+(\/[a-z-]+)?\/index\.ts$/, `import an index.ts of src/${other}, not ${target}`);
    }
  });

  if (isTest)
    test(`${file} is named after what it tests`, () => {
      // `corpus.test.ts`, or with its promise `corpus.find-works.test.ts`, is beside `corpus.ts` or the folder `corpus`.
      const subject = join(SOURCE, dirname(file), basename(file).split('.', 1)[0] ?? '');
      assert.ok(existsSync(`${subject}.ts`) || existsSync(subject), `there is no ${subject}.ts`);
    });

  test(`${file} follows the house rules`, () => {
    const text = readFileSync(join(SOURCE, file), 'utf8');
    if (folder !== 'config' && !isTest) assert.doesNotMatch(text, /process\.env/, 'only config/ reads the environment');
    assert.doesNotMatch(
      file,
      /(^|[/-])(utils?|helpers?|common|manager|impl|v2|legacy)([.-]|\/|$)/,
      'name it after what it is',
    );
  });
}

test('a room imports only rooms below it, so there are no import cycles', () => {
  const names = Object.keys(HOUSE);
  for (const [index, name] of names.entries())
    for (const other of HOUSE[name]?.folders ?? [])
      assert.ok(
        names.indexOf(other) < index && names.includes(other),
        `${name} may import ${other}, which is above it`,
      );
});

test('files do not import each other in circles, not even for types', () => {
  assert.deepEqual(sourceCircles(), []);
});

test('a circle of files is found, and files that only share an import are none', () => {
  const imports = { a: ['b', 'd'], b: ['c'], c: ['a', 'd'], d: ['e'], e: [] };
  assert.deepEqual(circlesOf(new Map(Object.entries(imports))), [['a', 'b', 'c']]);
});
