import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openStore, WorkQueue } from '../../queue/index.ts';
import { HeldClock } from '../../testing/index.ts';
import { watchQueue } from './queue-watch.ts';

test('permanent failures are not offered for a retry; unknown ones are', async () => {
  await using queue = new WorkQueue(await openStore(':memory:'));
  const ends = { NOT_FOUND: 'skipped', PAYWALLED: 'skipped', TIMEOUT: 'skipped', OWN_HANDLER: 'error' } as const;
  for (const code of Object.keys(ends)) await queue.enqueue(code, {});
  for (const job of await queue.lease('me', 4)) {
    const code = job.artifactId as keyof typeof ends;
    await queue.ack(job, ends[code], { code, message: '' });
  }
  const { by_error_code: reasons } = await watchQueue(queue, new HeldClock(0)).look();
  const offered = reasons.map(({ code, retryable }) => [code, retryable]);
  assert.deepEqual(Object.fromEntries(offered), {
    NOT_FOUND: false,
    PAYWALLED: false,
    TIMEOUT: true,
    OWN_HANDLER: true,
  });
});
