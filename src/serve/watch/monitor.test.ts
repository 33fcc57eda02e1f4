import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HeldClock } from '../../testing/index.ts';
import { openMonitor } from './monitor.ts';

const NOTHING = { run: null, work: null, document: null, title: null, host: null, reason: null };
const EVENT = { at: '', kind: 'work', level: 'info', text: '', ...NOTHING } as const;
const open = () => openMonitor({ runs: [], queue: undefined, clock: new HeldClock(), log: () => undefined });

test('a stream resumes after the last event received; ids of another process are ignored', async () => {
  await using monitor = open();
  await using other = open();
  /** The next message of a stream, by its id, or by its first line if it has none. */
  const next = async (stream: AsyncGenerator<string>): Promise<string> => {
    const { value } = await stream.next();
    return /^(?:id: )?(.*)$/m.exec(String(value))?.[1] ?? '';
  };
  const { signal } = new AbortController();
  const stream = monitor.stream(null, undefined, signal);
  assert.equal(await next(stream), 'retry: 2000');
  monitor.addEvents([EVENT, EVENT]);
  const [first, second] = [await next(stream), await next(stream)];
  assert.match(second, /^\w+-2$/);
  assert.equal(await next(stream), 'event: hosts');
  assert.equal(monitor.streams, 1);
  await stream[Symbol.asyncDispose]();
  assert.equal(monitor.streams, 0);
  const again = monitor.stream(null, first, signal);
  assert.deepEqual([await next(again), await next(again)], ['retry: 2000', second]);
  other.addEvents([EVENT]);
  for (const id of [undefined, '', '1', 'x-1', first]) {
    const foreign = other.stream(null, id, signal);
    assert.deepEqual([await next(foreign), await next(foreign)], ['retry: 2000', 'event: hosts'], id);
  }
});
