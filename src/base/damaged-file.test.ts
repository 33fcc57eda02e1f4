import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { openOwnDatabase } from './damaged-file.ts';

test('a file whose creation was interrupted is not taken for one of another program', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-own-'));
  const path = join(folder.path, 'cache.sqlite');
  const pragmas = 'pragma auto_vacuum = incremental';
  assert.throws(() => openOwnDatabase(path, 'Test', { pragmas: `${pragmas}; as if killed here` }), /syntax error/);
  using database = openOwnDatabase(path, 'Test', { pragmas });
  assert.equal(database.prepare('pragma auto_vacuum').get()?.['auto_vacuum'], 2);
});
