import assert from 'node:assert/strict';
import { test } from 'node:test';

import { eventStream } from './event-stream.ts';

test('events come in order, and the work begins with the first one that is asked for', async () => {
  let begun = false;
  const events = eventStream<number>(async (tell) => {
    begun = true;
    tell(1);
    await Promise.resolve();
    tell(2);
  });
  assert.equal(begun, false);
  assert.deepEqual(await Array.fromAsync(events), [1, 2]);
});

test('who stops listening stops the work and waits for its end', async () => {
  let ended = false;
  const events = eventStream<string>(async (tell, signal) => {
    tell('begun');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    ended = true;
  });
  for await (const event of events) {
    assert.equal(event, 'begun');
    break;
  }
  assert.equal(ended, true);
});

test('a failure is thrown behind what was told before it, and also to who stops listening', async () => {
  const fails = eventStream<string>(async (tell) => {
    tell('begun');
    throw new Error('broken');
  });
  const seen: string[] = [];
  await assert.rejects(async () => {
    for await (const event of fails) seen.push(event);
  }, /broken/);
  assert.deepEqual(seen, ['begun']);
  const left = eventStream<string>(async (tell, signal) => {
    tell('begun');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    throw new Error('broken at the end');
  });
  await assert.rejects(async () => {
    for await (const _ of left) break;
  }, /broken at the end/);
});

test('an aborted signal reaches the work, which ends in its own way', async () => {
  const stop = new AbortController();
  const events = eventStream<string>(async (tell, signal) => {
    tell('begun');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    tell(`stopped: ${String(signal.reason)}`);
  }, stop.signal);
  const seen: string[] = [];
  for await (const event of events) {
    seen.push(event);
    stop.abort('SIGINT');
  }
  assert.deepEqual(seen, ['begun', 'stopped: SIGINT']);
});
