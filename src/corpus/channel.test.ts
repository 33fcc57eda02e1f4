import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { Channel } from './channel.ts';

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
