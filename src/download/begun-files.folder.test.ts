import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { openPartFolder } from './begun-files.ts';

test('part files of a killed process are removed; a running process keeps its own', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-parts-'));
  const module = join(import.meta.dirname, 'begun-files.ts');
  const program = `
    import { writeFileSync } from 'node:fs';
    import { openPartFolder } from ${JSON.stringify(module)};
    const own = openPartFolder(process.argv[1]);
    writeFileSync(own.path + '/half.part', 'half');
    process.stdout.write(own.path);
    setInterval(() => own.path, 60_000);
  `;
  const start = async (): Promise<{ readonly kill: () => Promise<void>; readonly path: string }> => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, folder.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    const [path] = (await once(child.stdout, 'data')) as [Buffer];
    const kill = async (): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
    };
    return { kill, path: path.toString() };
  };
  const dead = await start();
  await dead.kill();
  const living = await start();
  try {
    using own = openPartFolder(folder.path);
    assert.deepEqual(readdirSync(living.path), ['half.part']);
    const folders = readdirSync(folder.path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    assert.deepEqual(
      folders.map(({ name }) => join(folder.path, name)).sort(),
      [living.path, own.path].sort(),
      'the folder of the killed process is removed',
    );
  } finally {
    await living.kill();
  }
});

test('files and folders without a lock are removed; a clean exit leaves nothing', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-parts-'));
  mkdirSync(join(folder.path, 'old'));
  writeFileSync(join(folder.path, 'old', 'a.part'), 'a');
  writeFileSync(join(folder.path, 'b.part'), 'b');
  {
    using own = openPartFolder(folder.path);
    using second = openPartFolder(folder.path);
    writeFileSync(join(own.path, 'c.part'), 'c');
    writeFileSync(join(second.path, 'd.part'), 'd');
    assert.equal(readdirSync(own.path).length + readdirSync(second.path).length, 2);
  }
  assert.deepEqual(readdirSync(folder.path), []);
});
