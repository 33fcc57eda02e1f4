import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { zoteroVersions } from './provider.ts';

test('a library counts as read only once its works are queued; after a damaged state file it is read again', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'zotero-versions-'));
  const versions = zoteroVersions(folder.path);
  versions.read('users/12', 9);
  assert.equal(versions.of('users/12'), undefined);
  await versions.commit();
  assert.equal(zoteroVersions(folder.path).of('users/12'), 9);
  versions.read('groups/1', 3);
  await versions.commit();
  assert.deepEqual([versions.of('users/12'), versions.of('groups/1')], [9, 3]);
  writeFileSync(join(folder.path, 'state', 'zotero.json'), '{"users/12": ');
  assert.equal(versions.of('users/12'), undefined);
});
