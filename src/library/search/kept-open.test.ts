import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HeldClock } from '../../testing/index.ts';
import { keptOpen } from './kept-open.ts';

test('a changed resource is reopened, and the old one is closed after its last use', async () => {
  const clock = new HeldClock();
  const events: string[] = [];
  let made = 'one';
  await using kept = keptOpen({
    open: async () => {
      const name = made;
      events.push(`open ${name}`);
      return { name, [Symbol.asyncDispose]: async () => void events.push(`close ${name}`) };
    },
    stamp: () => made,
    lookMs: 1_000,
    clock,
  });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: inside, resolve: isInside } = Promise.withResolvers<void>();
  const slow = kept.use(async ({ name }) => {
    isInside();
    await held;
    return name;
  });
  await inside;
  made = 'two';
  assert.equal(await kept.use(({ name }) => name), 'one', 'it does not check every time');
  await clock.advance(1_001);
  assert.equal(await kept.use(({ name }) => name), 'two');
  assert.deepEqual(events, ['open one', 'open two']);
  release();
  assert.equal(await slow, 'one');
  assert.deepEqual(events, ['open one', 'open two', 'close one']);
  await kept[Symbol.asyncDispose]();
  assert.deepEqual(events.at(-1), 'close two');
});

test('a change made by opening causes no reopening, and a failed opening is retried', async () => {
  const clock = new HeldClock();
  let [opened, version] = [0, 0];
  await using kept = keptOpen({
    open: async () => {
      opened += 1;
      version += 1;
      if (opened === 1) throw new Error('not yet');
      return { [Symbol.asyncDispose]: async () => undefined };
    },
    stamp: () => String(version),
    lookMs: 1_000,
    clock,
    renews: true,
  });
  await assert.rejects(
    kept.use(() => 0),
    /not yet/,
  );
  await kept.use(() => 0);
  await clock.advance(1_001);
  await kept.use(() => 0);
  assert.equal(opened, 2);
});
