import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Batcher } from '../base/index.ts';
import { commitFiles } from './kept-files.ts';

test('many files finished together all get their names, complete, each in its folder', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-commits-'));
  for (const name of ['parts', 'PDF', 'XML']) mkdirSync(join(folder.path, name));
  const commits = new Batcher(commitFiles);
  const names = Array.from({ length: 60 }, (_, at) => join(at % 3 === 0 ? 'XML' : 'PDF', `${at}`));
  await Promise.all(
    names.map((name, at) => {
      const part = join(folder.path, 'parts', `${at}.part`);
      writeFileSync(part, `body ${at}`);
      return commits.add({ part: part, path: join(folder.path, name) });
    }),
  );
  for (const [at, name] of names.entries()) assert.equal(readFileSync(join(folder.path, name), 'utf8'), `body ${at}`);
  assert.deepEqual(readdirSync(join(folder.path, 'parts')), []);
  assert.equal(readdirSync(join(folder.path, 'XML')).length, 20);
});

test('a file that cannot be saved fails alone, and later ones continue', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-commits-'));
  const commits = new Batcher(commitFiles);
  const part = (name: string): string => {
    writeFileSync(join(folder.path, name), name);
    return join(folder.path, name);
  };
  const results = await Promise.allSettled([
    commits.add({ part: part('a.part'), path: join(folder.path, 'a') }),
    commits.add({ part: join(folder.path, 'never-written.part'), path: join(folder.path, 'b') }),
    commits.add({ part: part('c.part'), path: join(folder.path, 'no-such-folder', 'c') }),
    commits.add({ part: part('d.part'), path: join(folder.path, 'd') }),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  );
  await commits.add({ part: part('e.part'), path: join(folder.path, 'e') });
  assert.deepEqual(readdirSync(folder.path).sort(), ['a', 'c.part', 'd', 'e']);
});
