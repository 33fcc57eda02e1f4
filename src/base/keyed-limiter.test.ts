import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import { HeldClock } from '../testing/index.ts';
import { KeyedLimiter } from './keyed-limiter.ts';

const create = (defaultLimit = 2, limits: Record<string, number> = {}) => {
  const clock = new HeldClock();
  return { clock, limiter: new KeyedLimiter({ clock, defaultLimit, limits }) };
};
const tick = (): Promise<void> => new Promise(setImmediate);

test('keys have the default limit unless they have their own', () => {
  const { limiter } = create(2, { strict: 1 });
  assert.deepEqual([limiter.room('any'), limiter.room('strict')], [2, 1]);
  limiter.tryAcquire(['strict']);
  assert.equal(limiter.tryAcquire(['strict']), undefined);
  assert.ok(limiter.tryAcquire(['any']));
});

test('waiters of a key are served in order of arrival', async () => {
  const { limiter } = create(1);
  const order: number[] = [];
  const first = await limiter.acquire(['k']);
  const waiting = [1, 2, 3].map(async (n) => {
    using _slot = await limiter.acquire(['k']);
    order.push(n);
    await tick();
  });
  first[Symbol.dispose]();
  await Promise.all(waiting);
  assert.deepEqual(order, [1, 2, 3]);
});

test('thousands of waiters never exceed the limit and all get through', async () => {
  const { limiter } = create(7);
  let [inside, most, through] = [0, 0, 0];
  await Promise.all(
    Array.from({ length: 5_000 }, async (_, n) => {
      using _slot = await limiter.acquire([`key ${n % 3}`]);
      inside += 1;
      most = Math.max(most, inside);
      await tick();
      inside -= 1;
      through += 1;
    }),
  );
  assert.deepEqual([through, most, limiter.size], [5_000, 21, 0]);
});

test('a slot released twice counts once', async () => {
  const { limiter } = create(1);
  const slot = await limiter.acquire(['k']);
  slot[Symbol.dispose]();
  slot[Symbol.dispose]();
  assert.equal(limiter.room('k'), 1);
});

test('several keys are acquired together: nothing is held while one of them is full', async () => {
  const { limiter } = create(1);
  const busy = await limiter.acquire(['b']);
  const both = limiter.acquire(['a', 'b']);
  await tick();
  assert.equal(limiter.room('a'), 1);
  busy[Symbol.dispose]();
  const slot = await both;
  assert.deepEqual([limiter.room('a'), limiter.room('b')], [0, 0]);
  slot[Symbol.dispose]();
  assert.equal(limiter.size, 0);
});

test('a waiter for another key does not block the next waiter', async () => {
  const { limiter } = create(1, { shared: 2 });
  const blocked = await limiter.acquire(['blocked']);
  const one = await limiter.acquire(['shared']);
  const two = await limiter.acquire(['shared']);
  let reached = '';
  const first = limiter.acquire(['shared', 'blocked']).then((slot) => ((reached += 'first '), slot));
  const second = limiter.acquire(['shared']).then((slot) => ((reached += 'second '), slot));
  one[Symbol.dispose]();
  (await second)[Symbol.dispose]();
  assert.equal(reached, 'second ');
  blocked[Symbol.dispose]();
  (await first)[Symbol.dispose]();
  two[Symbol.dispose]();
  assert.equal(limiter.size, 0);
});

test('an aborted waiter leaves no trace, and the next is served', async () => {
  const { limiter } = create(1);
  const held = await limiter.acquire(['k']);
  const giveUp = new AbortController();
  const impatient = limiter.acquire(['k'], giveUp.signal);
  const patient = limiter.acquire(['k']);
  giveUp.abort(new Error('enough'));
  await assert.rejects(impatient, /enough/);
  held[Symbol.dispose]();
  (await patient)[Symbol.dispose]();
  await assert.rejects(limiter.acquire(['k'], giveUp.signal), /enough/);
  assert.equal(limiter.size, 0);
});

test('a changed limit takes effect on a key in use', async () => {
  const { limiter } = create(1);
  const first = await limiter.acquire(['k']);
  const second = limiter.acquire(['k']);
  limiter.setLimit('k', 2);
  (await second)[Symbol.dispose]();
  const third = await limiter.acquire(['k']);
  limiter.setLimit('k', 1);
  assert.equal(limiter.room('k'), 0);
  third[Symbol.dispose]();
  assert.equal(limiter.tryAcquire(['k']), undefined, 'the first one still holds the only slot');
  first[Symbol.dispose]();
  assert.ok(limiter.tryAcquire(['k']));
});

test('a held key admits no one before its time, and an earlier time does not shorten it', async () => {
  const { limiter, clock } = create(3);
  limiter.holdUntil('k', clock.now() + 5_000);
  limiter.holdUntil('k', clock.now() + 1_000);
  let entered = false;
  const waiting = limiter.acquire(['k']).then((slot) => ((entered = true), slot));
  await clock.advance(4_999);
  assert.deepEqual([entered, limiter.room('k'), limiter.tryAcquire(['k'])], [false, 0, undefined]);
  await clock.advance(1);
  assert.equal(entered, true);
  (await waiting)[Symbol.dispose]();
  assert.equal(limiter.size, 0);
});

test('a hold ends at a time: setting the clock back makes it longer, not shorter', async () => {
  const { limiter, clock } = create(1);
  limiter.holdUntil('k', clock.now() + 1_000);
  clock.jump(-500);
  await clock.advance(1_000);
  assert.equal(limiter.room('k'), 0);
  await clock.advance(500);
  assert.equal(limiter.room('k'), 1);
});

test('a key with the limit 0 admits no one until it is raised', async () => {
  const { limiter, clock } = create(1);
  limiter.setLimit('k', 0);
  await clock.advance(1e9);
  assert.equal(limiter.room('k'), 0);
  const waiting = limiter.acquire(['k']);
  limiter.setLimit('k', 1);
  (await waiting)[Symbol.dispose]();
});

test('unused keys are removed', async () => {
  const { limiter } = create(1);
  for (let n = 0; n < 1_000; n += 1) (await limiter.acquire([`host ${n}`]))[Symbol.dispose]();
  assert.equal(limiter.size, 0);
});

test('a waiter for the end of a hold keeps the process alive; a hold without waiters does not', () => {
  const url = new URL('./index.ts', import.meta.url).href;
  const program = (waiting: boolean): string => `
    import { KeyedLimiter, systemClock } from '${url}';
    const limiter = new KeyedLimiter({ clock: systemClock, defaultLimit: 1 });
    limiter.holdUntil('host', Date.now() + ${waiting ? 50 : 3_600_000});
    ${waiting ? "limiter.acquire(['host']).then(() => console.log('granted'));" : ''}`;
  const run = (waiting: boolean): string =>
    execFileSync(process.execPath, ['--input-type=module', '-e', program(waiting)], { encoding: 'utf8' });
  assert.equal(run(true), 'granted\n');
  assert.equal(run(false), '');
});
