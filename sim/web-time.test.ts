import assert from 'node:assert/strict';
import { test } from 'node:test';

import { wait } from '../src/base/index.ts';
import type { HttpResult } from '../src/http/index.ts';
import { HeldClock } from '../src/testing/index.ts';
import { scaledClock, webTime } from './web-time.ts';

const request = (url: string) => ({ url: new URL(url) });

test('waits of a scaled clock take their share of real time, and the clock shows the full time', async () => {
  const real = new HeldClock();
  const fast = scaledClock(real, 0.05);
  const [began, readBegan] = [fast.monotonic(), fast.now()];
  let ended = false;
  const waiting = wait(fast, 20_000).then(() => (ended = true));
  await real.advance(999);
  assert.equal(ended, false);
  await real.advance(1);
  await waiting;
  assert.equal(Math.round(fast.monotonic() - began), 20_000);
  assert.equal(Math.round(fast.now() - readBegan), 20_000);
});

test('a client may come back when its share of real time has passed', async () => {
  const real = new HeldClock();
  const { clock, wrap } = webTime(0.05, real);
  await real.advance(5_000);
  const send = wrap(async ({ url }) => ({
    kind: 'later',
    at: clock.now() + 20_000,
    reason: 'rate-limited',
    message: '',
    trail: { url: url.href, chain: [] },
  }));
  const result = await send(request('http://a.org.sim.test/'));
  assert.ok(result.kind === 'later');
  assert.equal(Math.round(result.at - real.now()), 1_000);
});

test('pauses between requests cannot be shortened on the real web', async () => {
  const { wrap } = webTime(0.05, new HeldClock());
  const requested: string[] = [];
  const send = wrap(async ({ url }): Promise<HttpResult> => {
    requested.push(url.hostname);
    return { kind: 'failed', reason: 'reset', message: '', retryable: true, trail: { url: url.href, chain: [] } };
  });
  for (const host of ['a.org.sim.test', '127.0.0.1:8080', 'a.org', 'sim.test.a.org'])
    await send(request(`http://${host}/`));
  assert.deepEqual(requested, ['a.org.sim.test', '127.0.0.1']);
  const refused = await send(request('https://a.org/paper.pdf'));
  assert.ok(refused.kind === 'refused');
  assert.match(refused.message, /a\.org is not part of the simulated web/);
});
