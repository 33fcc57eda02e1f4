import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ServerClock } from './fleet.ts';

test('a server time is never considered past too early, whichever direction of a response was slow', () => {
  const clock = new ServerClock();
  const AHEAD = 10_000;
  // Delays on the way there, on the way back, and both: sent at `sentAt`, read from the server's clock at `saidAt`.
  const answers = [
    { sentAt: 0, saidAt: 180, receivedAt: 181 },
    { sentAt: 200, saidAt: 201, receivedAt: 390 },
    { sentAt: 400, saidAt: 450, receivedAt: 500 },
  ];
  for (const { sentAt, saidAt, receivedAt } of answers) {
    clock.sample(saidAt + AHEAD, sentAt, receivedAt);
    const early = 1_000 - clock.untilMs(1_000 + AHEAD, 0);
    assert.ok(early <= 0, `${early} ms too early`);
  }
  assert.equal(clock.untilMs(1_000 + AHEAD, 0), 1_001);
});
