import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Limits } from '../sim/server/limits.ts';
import { Services } from '../src/resolve/index.ts';
import { HeldClock, loopbackClient, openLoopback, Wire } from '../src/testing/index.ts';

const REQUESTS = 30;
/** arXiv's published limit: one request every three seconds, over one connection. */
const ARXIV = { name: 'arxiv', perSecond: 1 / 3, burst: 1, concurrency: 1 };

/**
 * Runs our client against the simulator's limits on one shared clock, so that only the client's rate matters. Returns the
 * number of refused requests, and the share of the limit that was used.
 */
async function judged(factor: number): Promise<{ readonly refused: number; readonly share: number }> {
  const clock = new HeldClock();
  const wire = new Wire(clock);
  const limits = new Limits(0);
  let refused = 0;
  await using server = await openLoopback(async (_request, response) => {
    const verdict = limits.arrive(ARXIV, clock.monotonic());
    // A response takes time, during which no other request may arrive.
    await new Promise(setImmediate);
    if (verdict.kind === 'refused') refused += 1;
    else limits.leave(ARXIV);
    response.end();
  });
  const ours = new Services({}).pools().find(({ name }) => name === 'arxiv') ?? assert.fail('there is no arXiv');
  await using client = loopbackClient(server, {
    clock,
    report: wire.report,
    pools: [{ ...ours, hosts: ['arxiv.test'], perSecond: ours.perSecond * factor }],
    margin: 0.04,
    longestLineMs: 3_600_000,
  });
  const asked = Array.from({ length: REQUESTS }, (_, at) => client.send({ url: new URL(`http://arxiv.test/${at}`) }));
  const { result, ms } = await wire.settle(Promise.all(asked));
  assert.ok(result.every(({ kind }) => kind === 'response'));
  return { refused, share: ((REQUESTS - 1) * 1000) / ARXIV.perSecond / ms };
}

test('requests to arXiv approach its rate limit and never exceed it', async () => {
  const { refused, share } = await judged(1);
  assert.equal(refused, 0);
  assert.ok(share >= 0.9, `${share} of the limit`);
});

test('a client that exceeds the arXiv rate by half is caught', async () => {
  const { refused, share } = await judged(1.5);
  assert.ok(share > 1);
  assert.ok(refused > 5, `${refused} refused`);
});
