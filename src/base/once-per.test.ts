import assert from 'node:assert/strict';
import { test } from 'node:test';

import { forEachOf, oncePer } from './once-per.ts';

test('a resource opened once per owner is opened again only for another owner or after a failure', async () => {
  const opened: string[] = [];
  const open = oncePer(async ({ name }: { readonly name: string }) => {
    opened.push(name);
    if (opened.length === 1) throw new Error('not yet');
    return opened.length;
  });
  const [one, other] = [{ name: 'one' }, { name: 'other' }];
  await assert.rejects(open(one), /not yet/);
  assert.deepEqual(await Promise.all([open(one), open(one), open(other)]), [2, 2, 3]);
  assert.deepEqual(opened, ['one', 'one', 'other']);
});

test('the first failure of parallel calls aborts the others, and is thrown after they have ended', async () => {
  const ended: string[] = [];
  const calls = forEachOf(['fails', 'waits', 'never'], 2, async (item, signal) => {
    if (item === 'fails') throw new Error('first');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    ended.push(item);
    throw new Error('second');
  });
  await assert.rejects(calls, { message: 'first' });
  assert.deepEqual(ended, ['waits']);
});
