import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { WorkItem } from '../../stage/index.ts';
import { describeLine } from '../../testing/index.ts';
import { MemoryLine } from './memory-line.ts';

const never = new AbortController().signal;
const item = (itemId: string): WorkItem => ({ itemId, inputs: {}, outputs: {}, cfgHash: 'cfg', costHint: 1 });

describeLine('memory', async () => {
  const line = new MemoryLine({ bound: 100 });
  return { runner: async () => line, [Symbol.asyncDispose]: async () => undefined };
});

test('an offer to a full line waits until an item is taken', async () => {
  const line = new MemoryLine({ bound: 2 });
  await line.offer([item('a'), item('b')], never);
  let isIn = false;
  const offering = line.offer([item('c')], never).then(() => (isIn = true));
  await line.offer([item('a')], never);
  assert.equal(isIn, false);
  await line.take(1, never);
  await offering;
  const taken = await line.take(5, never);
  assert.deepEqual(
    taken?.map((each) => each.item.itemId),
    ['b', 'c'],
  );
});

test('an offer that waits for room ends at its signal, and the item is not in the line', async () => {
  const line = new MemoryLine({ bound: 1 });
  await line.offer([item('a')], never);
  const stop = new AbortController();
  const offering = line.offer([item('b')], stop.signal);
  stop.abort();
  await offering;
  line.close();
  const [taken] = (await line.take(5, never)) ?? [];
  assert.equal(taken?.item.itemId, 'a');
});

test('an item counts as held until what follows it is done', async () => {
  const { promise: stored, resolve: store } = Promise.withResolvers<void>();
  const line = new MemoryLine({ bound: 1, ended: () => stored });
  await line.offer([item('a')], never);
  await line.take(1, never);
  line.close();
  const end = line.take(1, never);
  const settling = line.settle(item('a'), { kind: 'success', outcome: { status: 'success' } });
  let isOver = false;
  void end.then(() => (isOver = true));
  await Promise.resolve();
  assert.equal(isOver, false);
  store();
  await settling;
  assert.equal(await end, undefined);
});
