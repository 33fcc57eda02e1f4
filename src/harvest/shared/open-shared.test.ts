import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { sha256, systemClock } from '../../base/index.ts';
import { loadConfig } from '../../config/index.ts';
import type { Shared } from './shared-files.ts';
import { openShared } from './shared-files.ts';

const runtime = { clock: systemClock, log: () => undefined };

test('a store belongs to one run: a check by another would remove its files as orphans', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-owner-'));
  const open = async (name: string): Promise<Shared> => {
    const settings = { store: { url: join(temporary.path, 'store') }, download: { out: join(temporary.path, name) } };
    const flags = Object.entries(settings).flatMap(([section, keys]) =>
      Object.entries(keys).map(([key, value]) => ({ path: [section, key], value, origin: 'test' })),
    );
    return (await openShared(loadConfig({ flags, environment: {} }).config, runtime)) ?? assert.fail('no store');
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
