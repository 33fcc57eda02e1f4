import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { systemClock } from '../../base/index.ts';
import { loadConfig, settingsLayer } from '../../config/index.ts';
import type { HandlerContext, HandlerJob } from '../../queue/index.ts';
import { RESOLVERS } from '../../resolve/index.ts';
import { openStorage } from '../storage/storage.ts';
import { openQueue } from '../queue/open-queue.ts';
import { assembleDownload } from './open-download.ts';

test('a worker that has lost its lease writes no row, on one machine too', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-lost-lease-'));
  const settings = {
    http: { contact: 'someone@docstokg.dev' },
    // Works end at once: there is nowhere to look for them.
    download: { out: folder.path, disable: RESOLVERS.map(({ name }) => name) },
    queue: { backend: 'sqlite', path: join(folder.path, 'queue.sqlite') },
  };
  const { config } = loadConfig({ flags: settingsLayer(settings, 'test'), environment: {} });
  const runtime = { clock: systemClock, log: () => undefined };
  await using queue = await openQueue(config, runtime);
  await using storage = await openStorage(config, runtime);
  await using download = await assembleDownload(config, runtime, { queue, storage, report: () => undefined });
  for (const name of ['held', 'lost']) await queue.enqueue(name, { id: name, title: null });
  const context = {
    signal: new AbortController().signal,
    workerId: 'w',
    log: () => undefined,
  } as unknown as HandlerContext;
  const run = async (name: string): Promise<void> => {
    const [leased] = await queue.lease('w', 1);
    assert.ok(leased);
    assert.equal(leased.artifactId, name);
    if (name === 'lost') await queue.store.admin.cancel(leased.id, systemClock.now());
    const job = { ...leased, payload: JSON.parse(leased.artifactJson) as unknown } as unknown as HandlerJob;
    await download.run.handler(job, context);
  };
  await run('held');
  await assert.rejects(run('lost'), { code: 'LEASE_LOST' });
  const rows = readFileSync(join(folder.path, 'manifest.jsonl'), 'utf8').trim().split('\n');
  assert.deepEqual(
    rows.map((row) => (JSON.parse(row) as { work: string }).work),
    ['held'],
  );
});
