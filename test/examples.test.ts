import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { command } from './e2e/command.ts';
import { LIBRARY_EXAMPLES } from './support/examples.ts';

const ROOT = join(import.meta.dirname, '..');
const MAX_LINES = 50;

/** Programs in examples/ that a command runs; package.test.ts runs the programs that use the library. */
const COMMAND_EXAMPLES: Readonly<Record<string, (file: string, folder: string) => void>> = {
  'own-handler.ts': (file, folder) => {
    const lines = join(ROOT, 'examples', 'artifacts.jsonl');
    assert.equal(
      command('docstokg', ['queue', 'import', lines], { cwd: folder }).stdout,
      '24 added, 0 already known, 0 bad\n',
    );
    const drain = ['queue', 'run', '--drain', '--json', '--handler', file];
    const run = command('docstokg', drain, { cwd: folder });
    assert.equal(run.status, 0, run.stderr);
    const { done, skipped, error, requeued, reason } = JSON.parse(run.stdout) as Record<string, unknown>;
    assert.deepEqual([done, skipped, error, requeued, reason], [22, 2, 0, 2, 'drained']);
    const missing = ['queue', 'enqueue', 'missing', '{"url":"https://press.example.com/missing.pdf","title":"x"}'];
    assert.equal(command('docstokg', missing, { cwd: folder }).status, 0);
    const failed = command('docstokg', drain, { cwd: folder });
    assert.deepEqual([failed.status, (JSON.parse(failed.stdout) as { error: number }).error], [1, 1]);
  },
};

test('every example is run by a test, here or with the packed package', () => {
  const files = globSync('*.ts', { cwd: join(ROOT, 'examples') }).sort();
  assert.deepEqual(files, [...Object.keys(COMMAND_EXAMPLES), ...Object.keys(LIBRARY_EXAMPLES)].sort());
});

test('every example fits on a screen', () => {
  for (const file of globSync(join(ROOT, 'examples', '*.ts')))
    assert.ok(
      readFileSync(file, 'utf8').trimEnd().split('\n').length <= MAX_LINES,
      `${file}: more than ${MAX_LINES} lines`,
    );
});

for (const [name, run] of Object.entries(COMMAND_EXAMPLES)) {
  test(`examples/${name} works as described`, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-example-'));
    run(join(ROOT, 'examples', name), folder.path);
  });
}
