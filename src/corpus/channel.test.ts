import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { Channel, eventStream } from './corpus-run.ts';

test('what is offered is taken in order, and a closed line ends after what waits in it', async () => {
  const line = new Channel<number>(10);
  for (const value of [1, 2, 3]) line.offer(value);
  line.close();
  line.offer(4);
  assert.deepEqual(await Array.fromAsync(line), [1, 2, 3]);
});

test('who takes from an empty line gets what is offered next, or its end', async () => {
  const line = new Channel<number>(1);
  const [first, second] = [line.next(), line.next()];
  line.offer(7);
  assert.deepEqual(await first, { done: false, value: 7 });
  line.close();
  assert.deepEqual(await second, { done: true, value: undefined });
});

test('there is room again when somebody has taken from a full line', async () => {
  const line = new Channel<number>(1);
  line.offer(1);
  let roomy = false;
  const waiting = line.room().then(() => (roomy = true));
  await setImmediate();
  assert.equal(roomy, false);
  await line.next();
  await waiting;
  assert.equal(roomy, true);
});

test('nobody waits for room in a line that nobody takes from any more, and what waited in it is forgotten', async () => {
  const line = new Channel<number>(1);
  line.offer(1);
  const waiting = line.room();
  await line.return();
  await waiting;
  line.offer(2);
  assert.deepEqual(await Array.fromAsync(line), []);
});

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
