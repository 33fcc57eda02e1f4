import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AppError } from '../../base/index.ts';
import { HeldClock } from '../../testing/index.ts';
import { repeatEvery } from './repeat.ts';

const DAY_MS = 86_400_000;

test('it is done at once and after each interval, also after a failure, until it is stopped', async () => {
  const clock = new HeldClock();
  const stop = new AbortController();
  const startedAt = clock.now();
  const done: number[] = [];
  const told: (string | undefined)[] = [];
  const ended = repeatEvery(
    30 * DAY_MS,
    async () => {
      done.push((clock.now() - startedAt) / DAY_MS);
      if (done.length === 2) throw new AppError('HTTP_AWAY', 'no answer');
    },
    { clock, signal: stop.signal, tell: (_, failure) => void told.push(failure) },
  );
  for (let day = 0; day < 61; day += 1) await clock.advance(DAY_MS);
  assert.deepEqual(done, [0, 30, 60]);
  assert.deepEqual(told, [undefined, 'HTTP_AWAY no answer', undefined]);
  stop.abort();
  await assert.rejects(ended, { name: 'AbortError' });
});

test('a wrong request and an unexpected error end it', async () => {
  for (const error of [new AppError('USAGE_RUN', 'no such run'), new TypeError('a bug')]) {
    const at = { clock: new HeldClock(), signal: new AbortController().signal, tell: () => assert.fail() };
    await assert.rejects(
      repeatEvery(DAY_MS, () => Promise.reject(error), at),
      error,
    );
  }
});
