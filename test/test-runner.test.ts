import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const RUNNER = join(import.meta.dirname, '..', 'scripts', 'test.ts');

/** Runs the test runner over one test file with this text; `fewest` replaces the minimum number of tests of a whole run. */
function runOn(
  text: string,
  files: readonly string[] = ['one.test'],
  fewest?: number,
): { readonly status: number | null; readonly output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-runner-'));
  try {
    mkdirSync(join(folder, 'test'));
    writeFileSync(join(folder, 'test', 'one.test.ts'), `import { test } from 'node:test';\n${text}`);
    const runner = fewest === undefined ? RUNNER : join(folder, 'runner.ts');
    const script = readFileSync(RUNNER, 'utf8').replace(
      /^const FEWEST_TESTS = [\d_]+;$/m,
      `const FEWEST_TESTS = ${fewest};`,
    );
    if (fewest !== undefined) writeFileSync(runner, script);
    const environment: NodeJS.ProcessEnv = { ...process.env, TESTED_BIN: 'none' };
    delete environment['NODE_TEST_CONTEXT'];
    const run = spawnSync(process.execPath, [runner, ...files, '--test-reporter=dot'], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
    });
    return { status: run.status, output: run.stdout + run.stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a file whose tests pass passes', () => {
  assert.equal(runOn(`test('one', () => undefined);`).status, 0);
});

test('a file that exits before its tests have run fails the run', () => {
  for (const text of [
    `process.exit(0); test('one', () => undefined);`,
    `test('one', () => undefined); test('two', () => process.exit(0));`,
  ]) {
    const { status, output } = runOn(text);
    assert.equal(status, 1, output);
    assert.match(output, /ran no test or ended before/);
  }
});

test('a file without a test fails the run', () => {
  const { status, output } = runOn('void test;');
  assert.equal(status, 1, output);
  assert.match(output, /ran no test or ended before/);
});

test('a whole run of too few tests fails', () => {
  const { status, output } = runOn(`test('one', () => undefined);`, []);
  assert.equal(status, 1, output);
  assert.match(output, /only 1 tests ran; expected at least/);
});

test('a test that fails once and passes alone fails the run, and the rerun is shown', () => {
  const text = `import { existsSync, writeFileSync } from 'node:fs';
    test('one', () => {
      if (existsSync('seen')) return;
      writeFileSync('seen', '');
      throw new Error('a race');
    });`;
  const { status, output } = runOn(text, [], 1);
  assert.equal(status, 1, output);
  assert.doesNotMatch(output, /tests ran; expected at least/, 'it fails for no other reason');
  assert.match(output, /failed:\n {2}one [\s\S]*passed alone, so there is a race or shared state/);
});
