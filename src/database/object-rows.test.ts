import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { LogLine } from '../../test/support/corpus-logs.ts';
import { appendLine, dumpOf } from '../../test/support/corpus-logs.ts';
import { sha256 } from '../base/index.ts';
import { CorpusStore } from './corpus-store.ts';
import { isReferred, storedFiles } from './object-rows.ts';

test('the objects table has the last line of each path, and no path outside the shared folders', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const warnings: string[] = [];
  const line = (path: string, text: string): LogLine => ({
    log: 'objects.jsonl',
    text: `${JSON.stringify({ path, sha256: sha256(text), bytes: text.length, at: '2026-01-01T00:00:00.000Z' })}\n`,
  });
  appendLine(folder.path, { log: 'objects.jsonl', text: '{"corpus":"a"}\n' });
  for (const [path, text] of [
    ['PDF/a.pdf', 'a'],
    ['Data/x/b.json', 'b'],
    ['PDF/a.pdf', 'newer'],
    ['../c.pdf', 'c'],
  ] as const)
    appendLine(folder.path, line(path, text));
  using store = CorpusStore.create(folder.path, { warn: (message) => void warnings.push(message) });
  assert.deepEqual(store.ingest(), { lines: 5, badLines: 1 });
  assert.deepEqual(
    [...storedFiles(store, '')].map(({ path, bytes }) => [path, bytes]),
    [
      ['Data/x/b.json', 1],
      ['PDF/a.pdf', 5],
    ],
  );
  assert.match(warnings.join(), /objects\.jsonl: line 5 cannot be read/);
  assert.deepEqual([isReferred(store, sha256('newer')), isReferred(store, sha256('a'))], [true, false]);
  appendLine(folder.path, line('PDF/a.pdf', 'the newest'));
  store.ingest();
  const before = dumpOf(store);
  store.clear();
  store.ingestAll();
  assert.deepEqual(dumpOf(store), before, 'built again it is the same');
});
