import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HeldClock } from '../../testing/index.ts';
import { keptOpen } from './kept-open.ts';

test('what is kept open is opened anew when it has changed, and the old one is closed when its last user is done', async () => {
  const clock = new HeldClock();
  const told: string[] = [];
  let made = 'one';
  await using kept = keptOpen({
    open: async () => {
      const name = made;
      told.push(`open ${name}`);
      return { name, [Symbol.asyncDispose]: async () => void told.push(`close ${name}`) };
    },
    stamp: () => made,
    lookMs: 1_000,
    clock,
  });
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: inside, resolve: isInside } = Promise.withResolvers<void>();
  const slow = kept.use(async ({ name }) => {
    isInside();
    await held;
    return name;
  });
  await inside;
  made = 'two';
  assert.equal(await kept.use(({ name }) => name), 'one', 'it does not look every time');
  await clock.advance(1_001);
  assert.equal(await kept.use(({ name }) => name), 'two');
  assert.deepEqual(told, ['open one', 'open two']);
  letGo();
  assert.equal(await slow, 'one');
  assert.deepEqual(told, ['open one', 'open two', 'close one']);
  await kept[Symbol.asyncDispose]();
  assert.deepEqual(told.at(-1), 'close two');
});

test('what opening itself has changed is not opened again, and a failure is tried again', async () => {
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
