import assert from 'node:assert/strict';
import { test } from 'node:test';

import { eventStream } from './event-stream.ts';

test('events are in order, and the work starts when the first one is requested', async () => {
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

test('a consumer that stops reading aborts the work and waits for it to end', async () => {
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

test('an error is thrown after the events before it, also if the consumer has stopped', async () => {
  const fails = eventStream<string>(async (tell) => {
    tell('begun');
    throw new Error('broken');
  });
  const received: string[] = [];
  await assert.rejects(async () => {
    for await (const event of fails) received.push(event);
  }, /broken/);
  assert.deepEqual(received, ['begun']);
  const left = eventStream<string>(async (tell, signal) => {
    tell('begun');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    throw new Error('broken at the end');
  });
  await assert.rejects(async () => {
    for await (const _ of left) break;
  }, /broken at the end/);
});

test('an abort signal is passed on to the work, which can still send events', async () => {
  const stop = new AbortController();
  const events = eventStream<string>(async (tell, signal) => {
    tell('begun');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    tell(`stopped: ${String(signal.reason)}`);
  }, stop.signal);
  const received: string[] = [];
  for await (const event of events) {
    received.push(event);
    stop.abort('SIGINT');
  }
  assert.deepEqual(received, ['begun', 'stopped: SIGINT']);
});
