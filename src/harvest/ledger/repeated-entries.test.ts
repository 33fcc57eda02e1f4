import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Work } from '../../works/index.ts';
import { namedWork, NO_IDS, RecordStore } from '../../works/index.ts';
import { countingRepeats, repeatedEntries } from './repeated-entries.ts';

async function* listed(...ids: string[]): AsyncGenerator<Work> {
  for (const id of ids) yield namedWork(id, NO_IDS);
}

test('entries that name a work again are counted, and listing the same again counts none twice', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-repeats-'));
  const path = join(folder.path, 'manifest.sqlite3');
  new RecordStore(path)[Symbol.dispose]();
  assert.equal(repeatedEntries(path), 0);
  const pass = async (...ids: string[]): Promise<string[]> =>
    (await Array.fromAsync(countingRepeats(listed(...ids), path))).map(({ id }) => id);
  assert.deepEqual(await pass('a', 'b', 'a', 'c', 'a'), ['a', 'b', 'a', 'c', 'a'], 'all are passed on');
  assert.equal(repeatedEntries(path), 2);
  await pass('a', 'b', 'a', 'c', 'a');
  assert.equal(repeatedEntries(path), 2);
  await pass('a', 'c', 'c');
  assert.equal(repeatedEntries(path), 1, 'a list that was cleaned up has fewer');
});
