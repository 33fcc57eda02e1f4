import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { command } from './e2e/command.ts';

const ROOT = join(import.meta.dirname, '..');
const MAX_LINES = 50;

/** How each program in examples/ is run (in a folder of its own, by its absolute path), and what must come of it. */
const EXAMPLES: Readonly<Record<string, (file: string, folder: string) => void>> = {
  'own-handler.ts': (file, folder) => {
    const lines = join(ROOT, 'examples', 'artifacts.jsonl');
    assert.equal(
      command('docstokg', ['queue', 'import', lines], { cwd: folder }).stdout,
      '24 added, 0 known already, 0 bad\n',
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
  'own-stage.ts': (file, folder) => {
    const [texts, counts] = [join(folder, 'texts'), join(folder, 'counts')];
    mkdirSync(texts);
    writeFileSync(join(texts, 'one.txt'), 'to be or not to be');
    writeFileSync(join(texts, 'two.txt'), 'the rest is silence');
    assert.deepEqual(runProgram(file, [texts, counts]).trim().split('\n').sort(), [
      'one.txt success',
      'two.txt success',
    ]);
    assert.deepEqual(JSON.parse(readFileSync(join(counts, 'one.txt.json'), 'utf8')), { to: 2, be: 2, or: 1, not: 1 });
    assert.match(runProgram(file, [texts, counts]), /one\.txt skip/, 'the second run has nothing left to do');
  },
  'queue-in-code.ts': (file, folder) => {
    const first = runProgram(file, [join(folder, 'queue.sqlite')]);
    assert.match(first, /^year:1953, attempt 1\n/, 'the highest priority runs first');
    assert.match(first, /4 done, 0 failed; the queue holds 4 done in all\n$/);
    assert.match(
      runProgram(file, [join(folder, 'queue.sqlite')]),
      /^0 done, 0 failed; the queue holds 4 done in all\n$/,
    );
  },
};

function runProgram(file: string, parameters: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=docstokg-source', file, ...parameters],
    {
      encoding: 'utf8',
    },
  );
  assert.equal(status, 0, stderr);
  return stdout;
}

const files = globSync('*.ts', { cwd: join(ROOT, 'examples') }).sort();

test('every example has a line in the table of this test', () => {
  assert.deepEqual(files, Object.keys(EXAMPLES).sort());
});

for (const [name, run] of Object.entries(EXAMPLES)) {
  test(`examples/${name} is short and does what it says`, async () => {
    const file = join(ROOT, 'examples', name);
    assert.ok(readFileSync(file, 'utf8').trimEnd().split('\n').length <= MAX_LINES, `more than ${MAX_LINES} lines`);
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-example-'));
    run(file, folder.path);
  });
}
