import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { sha256, systemClock } from '../../base/index.ts';
import { loadConfig } from '../../config/index.ts';
import { CorpusStore } from '../../database/index.ts';
import { checkStore } from './check-store.ts';
import type { CorpusStorage } from './storage.ts';
import { openStored } from './storage.ts';
import type { StoredFiles } from './corpus-files.ts';

const runtime = { clock: systemClock, log: () => undefined };

test('a store belongs to one run: a check by another would remove its files as orphans', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-owner-'));
  const open = async (name: string): Promise<CorpusStorage<StoredFiles>> => {
    const settings = { store: { url: join(temporary.path, 'store') }, download: { out: join(temporary.path, name) } };
    const flags = Object.entries(settings).flatMap(([section, keys]) =>
      Object.entries(keys).map(([key, value]) => ({ path: [section, key], value, origin: 'test' })),
    );
    return await openStored(loadConfig({ flags, environment: {} }).config, runtime);
  };
  mkdirSync(join(temporary.path, 'one', 'PDF'), { recursive: true });
  writeFileSync(join(temporary.path, 'one', 'PDF', 'a.pdf'), 'a');
  {
    await using one = await open('one');
    await one.files.save(['PDF/a.pdf']);
  }
  // A kill may have cut off the first line of a log.
  mkdirSync(join(temporary.path, 'another'));
  writeFileSync(join(temporary.path, 'another', 'objects.jsonl'), '{"corp');
  await assert.rejects(open('another'), { code: 'OBJECT_STORE_OTHER', message: /another corpus/ });
  // The same run resumes, also in a later process.
  await using again = await open('one');
  assert.equal(await again.files.objects.head(sha256('a')), 1);
});

test('an objects log that was cut off is not believed: a repair removes no object', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-objects-log-'));
  const out = join(temporary.path, 'run');
  const values = [
    { path: ['store', 'url'], value: join(temporary.path, 'store'), origin: 'test' },
    { path: ['download', 'out'], value: out, origin: 'test' },
    { path: ['parse', 'data_root'], value: join(out, 'Data'), origin: 'test' },
  ];
  const { config } = loadConfig({ flags: values, environment: {} });
  mkdirSync(join(out, 'PDF'), { recursive: true });
  for (const name of ['a', 'b']) writeFileSync(join(out, 'PDF', `${name}.pdf`), name);
  {
    await using storage = await openStored(config, runtime);
    await storage.files.save(['PDF/a.pdf']);
    await storage.files.save(['PDF/b.pdf']);
    using store = CorpusStore.create(out);
    store.ingest();
  }
  const log = join(out, 'objects.jsonl');
  const before = readFileSync(log, 'utf8');
  writeFileSync(log, `${before.split('\n').slice(0, 2).join('\n')}\n`);
  await using storage = await openStored(config, runtime, false);
  assert.equal(readFileSync(log, 'utf8'), before);
  const { orphans, removed } = await checkStore(storage.files, { verify: false, repair: true, graceMs: 0 });
  assert.deepEqual([orphans, removed], [[], 0]);
});
