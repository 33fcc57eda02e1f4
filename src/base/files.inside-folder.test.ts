import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { fileInside, filesBelow } from './files.ts';

test('only regular files inside the folder are found, however the path is written', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-inside-'));
  const run = join(scratch.path, 'run');
  mkdirSync(join(run, 'PDF'), { recursive: true });
  mkdirSync(join(scratch.path, 'run-2'));
  const secret = join(scratch.path, 'run-2', 'secret.pdf');
  for (const path of [secret, join(run, 'PDF', 'a.pdf')]) writeFileSync(path, 'x');
  symlinkSync(secret, join(run, 'PDF', 'link.pdf'));
  symlinkSync(join(scratch.path, 'run-2'), join(run, 'out'));
  symlinkSync('a.pdf', join(run, 'PDF', 'same.pdf'));
  const inside = realpathSync(join(run, 'PDF', 'a.pdf'));
  for (const path of ['PDF/a.pdf', 'PDF/../PDF/a.pdf', join(run, 'PDF', 'a.pdf'), 'PDF/same.pdf'])
    assert.equal(fileInside(run, path), inside, path);
  const outside = [secret, '../run-2/secret.pdf', 'PDF/link.pdf', 'out/secret.pdf'];
  for (const path of [...outside, '', 'PDF', 'PDF/b.pdf', 'PDF/a.pdf/b', 'a\0b', 'n'.repeat(5_000)])
    assert.equal(fileInside(run, path), undefined, path);
  // A folder that is itself reached through a link is still the folder.
  symlinkSync(run, join(scratch.path, 'current'));
  assert.equal(fileInside(join(scratch.path, 'current'), 'PDF/a.pdf'), inside);
});

test('linked folders are followed once, even in cycles; hidden files are skipped', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-below-'));
  const at = (...names: string[]): string => join(scratch.path, ...names);
  mkdirSync(at('papers', 'deep'), { recursive: true });
  mkdirSync(at('elsewhere'));
  for (const path of [
    at('papers', 'b.pdf'),
    at('papers', 'deep', 'a.pdf'),
    at('papers', '.hidden.pdf'),
    at('elsewhere', 'c.pdf'),
  ])
    writeFileSync(path, 'x');
  symlinkSync(at('elsewhere'), at('papers', 'library'));
  symlinkSync(at('nowhere'), at('papers', 'broken.pdf'));
  // Two ways back at every level: walking both would never end.
  for (const name of ['up', 'again']) symlinkSync('..', at('papers', 'deep', name));
  const found = [at('papers', 'b.pdf'), at('papers', 'deep', 'a.pdf'), at('papers', 'library', 'c.pdf')];
  assert.deepEqual(filesBelow(at('papers')), found);
  assert.deepEqual(filesBelow(at('elsewhere', 'c.pdf')), [at('elsewhere', 'c.pdf')]);
});
