import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ServerClock } from './fleet.ts';

test('a server time never counts as past too early, whichever direction was slow', () => {
  const clock = new ServerClock();
  const AHEAD = 10_000;
  // Delays on the way there, on the way back, and both: sent at `sentAt`, read from the server's clock at `readAt`.
  const replies = [
    { sentAt: 0, readAt: 180, receivedAt: 181 },
    { sentAt: 200, readAt: 201, receivedAt: 390 },
    { sentAt: 400, readAt: 450, receivedAt: 500 },
  ];
  for (const { sentAt, readAt, receivedAt } of replies) {
    clock.sample(readAt + AHEAD, sentAt, receivedAt);
    const early = 1_000 - clock.untilMs(1_000 + AHEAD, 0);
    assert.ok(early <= 0, `${early} ms too early`);
  }
  assert.equal(clock.untilMs(1_000 + AHEAD, 0), 1_001);
});
