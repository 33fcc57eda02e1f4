import assert from 'node:assert/strict';
import { test } from 'node:test';

import { tryPlan } from '../../test/support/try-plan.ts';
import type { Send } from '../http/index.ts';
import { HeldClock, loopbackClient, openLoopback } from '../testing/index.ts';

test('a page with many stalling links costs a work at most its time budget', async () => {
  const links = Array.from({ length: 20 }, (_, n) => `<a href="/stalls-${n}.pdf">PDF</a>`).join('');
  const asked: string[] = [];
  const send: Send = async (request) => {
    const { url } = request;
    asked.push(url.pathname);
    if (url.pathname !== '/landing') {
      request.budget?.spend(30_000);
      const trail = { url: url.href, chain: [] };
      return { kind: 'failed', reason: 'headers-timeout', message: 'no headers', retryable: true, trail };
    }
    const head = { url, status: 200, headers: { 'content-type': 'text/html' } };
    const sink = await request.sink?.(head, () => undefined);
    await sink?.write(Buffer.from(`<html><body>${links}`));
    const body = { body: Buffer.alloc(0), wireBytes: 1, bodyBytes: 1, chain: [], origin: 'network' } as const;
    return { kind: 'response', response: { ...head, ...body } };
  };
  const plan = { url: 'http://files.test/landing', expect: 'landing' } as const;
  const { attempt } = await tryPlan({ plan, send, budgetMs: 60_000, title: 'Reefs in summer' });
  assert.equal(attempt.reason, 'timeout');
  // Two stalls of thirty seconds use up the budget.
  assert.deepEqual(asked, ['/landing', '/stalls-0.pdf', '/stalls-1.pdf']);
});

test('a stalling page costs a work at most its time budget, including waits between attempts', async () => {
  for (const stalls of ['before its headers', 'in its body'] as const) {
    await using server = await openLoopback((_request, response) => {
      if (stalls === 'in its body') response.writeHead(200, { 'content-type': 'text/html' }).write('<html><body>');
    });
    const [clock, webClock] = [new HeldClock(0), new HeldClock(0)];
    await using client = loopbackClient(server, {
      clock,
      retry: { retries: 3 },
      circuit: { failures: 1, openMs: 20_000 },
    });
    let sending = 0;
    const send: Send = (request, signal) => {
      sending += 1;
      return client.send(request, signal).finally(() => (sending -= 1));
    };
    const trial = tryPlan({ plan: { expect: 'landing' }, send, clock, webClock, budgetMs: 60_000 });
    const { isOver } = watched(trial);
    // Time passes while a request stalls or a pause lasts. It must not pass while we open files: on a busy machine that
    // takes any number of event loop turns, with a host's timers pending.
    while (!isOver()) {
      if (webClock.pending > 0) await webClock.advance(500);
      else if (sending > 0) await clock.advance(500);
      else await new Promise(setImmediate);
    }
    assert.equal((await trial).attempt.reason, 'timeout', stalls);
    const tookMs = clock.monotonic() + webClock.monotonic();
    assert.ok(tookMs < 62_000, `${stalls}: ${tookMs} ms`);
  }
});

test('pauses before a broken transfer is resumed count against the time budget', async () => {
  const webClock = new HeldClock(0);
  const send: Send = ({ url }) => {
    const head = { url, status: 200, headers: {}, body: Buffer.alloc(0), wireBytes: 1, bodyBytes: 1, chain: [] };
    const trail = { url: url.href, chain: [], response: { ...head, origin: 'network' } as const };
    return Promise.resolve({ kind: 'failed', reason: 'reset', message: 'lost', retryable: true, trail });
  };
  const { isOver } = watched(tryPlan({ send, webClock, retries: 20, budgetMs: 10_000 }));
  while (!isOver()) {
    if (webClock.pending > 0) await webClock.advance(100);
    else await new Promise(setImmediate);
  }
  // Without the budget the doubled pauses would exceed fifteen seconds.
  assert.ok(webClock.monotonic() <= 10_000, `${webClock.monotonic()} ms`);
});

function watched(promise: Promise<unknown>): { readonly isOver: () => boolean } {
  let isOver = false;
  const over = (): void => void (isOver = true);
  void promise.then(over, over);
  return { isOver: () => isOver };
}
