import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { Channel, eventStream } from '../corpus-run.ts';

test('values are received in order, and a closed channel ends after its queued values', async () => {
  const channel = new Channel<number>(10);
  for (const value of [1, 2, 3]) channel.offer(value);
  channel.close();
  channel.offer(4);
  assert.deepEqual(await Array.fromAsync(channel), [1, 2, 3]);
});

test('a receiver on an empty channel gets the next value, or its end', async () => {
  const channel = new Channel<number>(1);
  const [first, second] = [channel.next(), channel.next()];
  channel.offer(7);
  assert.deepEqual(await first, { done: false, value: 7 });
  channel.close();
  assert.deepEqual(await second, { done: true, value: undefined });
});

test('a full channel has room again after a value is taken', async () => {
  const channel = new Channel<number>(1);
  channel.offer(1);
  let hasRoom = false;
  const waiting = channel.room().then(() => (hasRoom = true));
  await setImmediate();
  assert.equal(hasRoom, false);
  await channel.next();
  await waiting;
  assert.equal(hasRoom, true);
});

test('a channel without a consumer drops its queued values and never blocks a sender', async () => {
  const channel = new Channel<number>(1);
  channel.offer(1);
  const waiting = channel.room();
  await channel.return();
  await waiting;
  channel.offer(2);
  assert.deepEqual(await Array.fromAsync(channel), []);
});

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
