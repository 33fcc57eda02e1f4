import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const EXAMPLE = fileURLToPath(new URL('../examples/own-stage.ts', import.meta.url));

test('the example stage fits in fifty lines, does its work, and has nothing to do the second time', () => {
  assert.ok(readFileSync(EXAMPLE, 'utf8').split('\n').length <= 50);
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-example-'));
  try {
    const out = join(folder, 'counts');
    writeFileSync(join(folder, 'a.txt'), 'To be or not to be');
    writeFileSync(join(folder, 'b.txt'), '42');
    writeFileSync(join(folder, 'c.txt'), 'word');
    const run = () =>
      spawnSync(process.execPath, ['--conditions=docstokg-source', EXAMPLE, folder, out], { encoding: 'utf8' });
    const first = run();
    assert.equal(first.stdout, 'a.txt success\nc.txt success\nb.txt input\n', first.stderr);
    assert.equal(first.status, 1);
    assert.match(first.stderr, /2 succeeded, 0 skipped, 1 failed/);
    assert.match(first.stderr, /1 × input: there is not a word in it/);
    assert.deepEqual(JSON.parse(readFileSync(join(out, 'a.txt.json'), 'utf8')), { to: 2, be: 2, or: 1, not: 1 });
    rmSync(join(folder, 'b.txt'));
    const second = run();
    assert.equal(second.stdout, 'a.txt skip\nc.txt skip\n', second.stderr);
    assert.equal(second.status, 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
