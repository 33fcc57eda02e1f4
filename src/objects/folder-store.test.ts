import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { S3_SETTINGS } from '../../test/support/object-settings.ts';
import { systemClock } from '../base/index.ts';
import { describeObjectStore } from '../testing/index.ts';
import { openObjects } from './index.ts';
import { FolderStore, keyOf } from './folder-store.ts';

describeObjectStore('a folder', async () => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-objects-'));
  const store = openObjects(
    { ...S3_SETTINGS, url: join(folder.path, 'store'), endpoint: '' },
    { clock: systemClock, state: folder.path },
  );
  return {
    store,
    spoil: async ({ sha256: hash }, bytes) => writeFileSync(join(folder.path, 'store', keyOf(hash)), bytes),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
});

test('of many that claim a folder at once, one becomes its owner', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-claim-'));
  const store = new FolderStore(folder.path, systemClock);
  await Promise.all(Array.from({ length: 8 }, (_, at) => store.claim(`fleet ${at}`)));
  const owner = await store.owner();
  assert.match(owner ?? '', /^fleet \d$/);
  await store.claim('another');
  assert.equal(await store.owner(), owner);
  assert.deepEqual(readdirSync(folder.path), ['owner']);
});
