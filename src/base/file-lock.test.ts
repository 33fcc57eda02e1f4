import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { systemClock } from './clock.ts';
import { FileLock } from './file-lock.ts';

test('a lock is exclusive, reported if held, and free after its holder was killed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-lock-'));
  const path = join(folder.path, 'file.lock');
  using one = new FileLock(path, systemClock);
  using two = new FileLock(path, systemClock);
  await one.hold(() =>
    assert.rejects(
      two.hold(() => undefined, { timeoutMs: 0 }),
      { code: 'FILE_LOCKED' },
    ),
  );
  const script = `
    import { FileLock, systemClock } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)};
    await new FileLock(process.argv[1], systemClock).hold(() => process.kill(process.pid, 'SIGKILL'));
  `;
  assert.equal(spawnSync(process.execPath, ['--input-type=module', '-e', script, path]).signal, 'SIGKILL');
  assert.equal(await one.hold(() => 'mine', { timeoutMs: 0 }), 'mine');
});
