import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HeldClock } from '../../testing/index.ts';
import { turnsOf } from './context.ts';

test('of requests that need a core 64 wait for their turn, and more get 503 with a time to retry', async () => {
  const turns = turnsOf(new HeldClock(), { search: 1 });
  const never = new AbortController().signal;
  const running = await turns.take('search', never);
  const waiting = Array.from({ length: 64 }, () => turns.take('search', never));
  const late = turns.take('search', never);
  const soon = new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(Promise.race([late, soon]), { status: 503, code: 'TOO_BUSY', headers: { 'retry-after': '2' } });
  running[Symbol.dispose]();
  for (const turn of waiting) (await turn)[Symbol.dispose]();
  (await turns.take('search', never))[Symbol.dispose]();
});
