import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { constants, lstatSync, openSync, readdirSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';

import { AtomicText, partPath, removeDeadParts, writeFileAtomic, writeOwnFile } from './files.ts';

test('an atomically written file is complete and leaves no other files', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-atomic-'));
  const path = join(folder.path, 'deep', 'file.json');
  await writeFileAtomic(path, 'one');
  await writeFileAtomic(path, 'two');
  assert.equal(readFileSync(path, 'utf8'), 'two');
  assert.deepEqual(readdirSync(join(folder.path, 'deep')), ['file.json']);
  await assert.rejects(writeFileAtomic(join(path, 'below a file'), 'x'));
});

test('a device or a pipe is written to, or refused, and never replaced by a file', async (context) => {
  if (process.platform === 'win32') {
    context.skip('Windows has no such files');
    return;
  }
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-pipe-'));
  const pipe = join(folder.path, 'pipe');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  // Open on both sides, so that nothing waits for a reader.
  const descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  await writeFileAtomic(pipe, 'text');
  assert.ok(lstatSync(pipe).isFIFO());
  const read = Buffer.alloc(10);
  assert.equal(read.toString('utf8', 0, readSync(descriptor, read)), 'text');
  using page = new AtomicText(pipe);
  page.write('page');
  await assert.rejects(page.commit(), { code: 'OUTPUT_NOT_A_FILE' });
  assert.ok(lstatSync(pipe).isFIFO());
  assert.deepEqual(readdirSync(folder.path), ['pipe']);
});

test('part files of a dead process are removed; part files of a running one are kept', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-parts-'));
  const module = join(import.meta.dirname, 'files.ts');
  const child = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { writeFileSync } from 'node:fs'; import { partPath } from ${JSON.stringify(module)};
       writeFileSync(partPath(process.argv[1]), 'half');`,
      join(folder.path, 'list.csv'),
    ],
    { encoding: 'utf8' },
  );
  assert.equal(child.status, 0, child.stderr);
  const own = partPath(join(folder.path, 'list.csv'));
  for (const path of [own, join(folder.path, 'list.csv'), join(folder.path, 'other.part')]) writeFileSync(path, 'x');
  assert.equal(readdirSync(folder.path).length, 4);
  removeDeadParts(folder.path, 'list.');
  assert.deepEqual(new Set(readdirSync(folder.path)), new Set([basename(own), 'list.csv', 'other.part']));
});

test('a file of another program under a name of ours is moved aside, and one of ours is replaced', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-own-'));
  const path = join(folder.path, 'run.json');
  await writeOwnFile(path, '{"a":1}');
  await writeOwnFile(path, '{"b":2}');
  assert.deepEqual(readdirSync(folder.path), ['run.json']);
  writeFileSync(path, 'minutes of a meeting');
  await writeOwnFile(path, '{"c":3}');
  assert.equal(readFileSync(path, 'utf8'), '{"c":3}');
  assert.equal(readFileSync(`${path}.damaged-1`, 'utf8'), 'minutes of a meeting');
});
