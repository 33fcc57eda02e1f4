import assert from 'node:assert/strict';
import { test } from 'node:test';

import { inGroups } from './in-groups.ts';

async function* numbers(from: number, to: number): AsyncGenerator<number> {
  for (let at = from; at < to; at += 1) yield at;
}

test('concurrent items are passed on in bounded groups, in order and complete', async () => {
  const groups = await Array.fromAsync(inGroups(numbers(0, 25), 10));
  assert.deepEqual(
    groups.map((group) => group.length),
    [10, 10, 5],
  );
  assert.deepEqual(groups.flat(), await Array.fromAsync(numbers(0, 25)));
  assert.deepEqual(await Array.fromAsync(inGroups(numbers(0, 0), 10)), []);
});

test('single items are passed on without waiting for more', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  async function* slow(): AsyncGenerator<number> {
    for (const [at, gate] of gates.entries()) {
      await gate.promise;
      yield at;
    }
  }
  const groups = inGroups(slow(), 10);
  for (const [at, gate] of gates.entries()) {
    const group = groups.next();
    gate.resolve();
    assert.deepEqual(await group, { done: false, value: [at] });
  }
  assert.equal((await groups.next()).done, true);
});

test('items before an error are passed on before the error', async () => {
  async function* faulty(): AsyncGenerator<number> {
    yield 1;
    yield 2;
    throw new Error('the listing broke off');
  }
  const groups = inGroups(faulty(), 10);
  assert.deepEqual((await groups.next()).value, [1, 2]);
  await assert.rejects(groups.next(), /broke off/);
});

test('the source is closed when its consumer stops', async () => {
  let closed = false;
  async function* endless(): AsyncGenerator<number> {
    try {
      for (let at = 0; ; at += 1) yield at;
    } finally {
      closed = true;
    }
  }
  for await (const group of inGroups(endless(), 4)) {
    assert.equal(group.length, 4);
    break;
  }
  assert.equal(closed, true);
});
