import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { systemClock } from '../../base/index.ts';
import { describeQueueStore } from '../../testing/index.ts';
import { SqliteStore } from './store.ts';

const folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-queue-'));
after(() => folder.remove());
let files = 0;

const newPath = (): string => join(folder.path, `queue-${(files += 1)}.sqlite`);

describeQueueStore('SQLite', () => SqliteStore.open({ path: newPath(), clock: systemClock }));
describeQueueStore('SQLite in memory', () => SqliteStore.open({ path: ':memory:', clock: systemClock }));

test('jobs enqueued one by one over several connections are counted in their current state', async () => {
  const path = newPath();
  await using one = await SqliteStore.open({ path, clock: systemClock });
  await using two = await SqliteStore.open({ path, clock: systemClock });
  for (let n = 0; n < 600; n += 1) {
    const store = n % 3 === 0 ? one : two;
    await store.enqueue([{ artifactId: `job ${n}`, artifactJson: '{}', resolverHint: n % 2 ? 'arxiv' : undefined }], 0);
  }
  const settled = { kind: 'finish', state: 'done' } as const;
  const exchange = { workerId: 'w', now: 1, leaseMs: 60_000 };
  const picks = [{ host: null, resolver: null, limit: 300 }];
  const { leased } = await one.exchange({ ...exchange, settlements: [], picks });
  const settlements = leased.slice(0, 299).map((lease) => ({ ...lease, settlement: settled }));
  await one.exchange({ ...exchange, settlements, picks: [] });
  const expected = { queued: 300, in_progress: 1, done: 299, skipped: 0, error: 0 };
  assert.deepEqual((await two.admin.stats(2)).states, expected);
  assert.deepEqual([(await two.outlook(2)).ready, (await two.outlook(2)).inProgress], [300, 1]);
  // The removed jobs are among the newest.
  assert.equal(await two.admin.prune({ states: ['done'] }, { dryRun: false }), 299);
  const { states, total, byResolver } = await one.admin.stats(3);
  assert.deepEqual([states, total], [{ ...expected, done: 0 }, 301]);
  assert.deepEqual(
    byResolver.map(({ resolver, state, jobs }) => [resolver, state, jobs]),
    [
      [null, 'in_progress', 1],
      ['arxiv', 'queued', 300],
    ],
  );
});
