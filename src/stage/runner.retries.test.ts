import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SUCCESS, ids, runBare } from '../../test/support/run-bare-stage.ts';
import { HeldClock } from '../testing/index.ts';
import { EventLog } from '../../test/fixtures/stage/workspace.ts';
import { stageExitCode, StageError } from './index.ts';
import type { ErrorCategory, ItemOutcome, StageWorker } from './index.ts';

test('delay = base * 2^(attempt-1), less up to a half at random, then all retries are exhausted and the item is marked failed', async () => {
  for (const [random, factor] of [
    [0, 0.5],
    [0.5, 0.75],
    [0.999999, 1],
  ] as const) {
    const clock = new HeldClock();
    const log = new EventLog();
    let attempts = 0;
    const outcome = await runBare(
      ['a'],
      () => {
        attempts += 1;
        throw new StageError('network', 'HTTP 503');
      },
      {
        options: { retries: 3, retryBackoffS: 1 },
        runtime: {
          clock,
          random: () => random,
          report: (event) => {
            log.report(event);
            if (event.kind === 'item-retry') void clock.advance(event.delayMs);
          },
        },
      },
    );
    assert.equal(attempts, 4);
    assert.deepEqual(
      log.of('item-retry').map(({ delayMs }) => Math.round(delayMs)),
      [1000 * factor, 2000 * factor, 4000 * factor].map((ms) => Math.round(ms)),
    );
    assert.deepEqual([outcome.failed, outcome.retried, outcome.scheduled], [1, 3, 1]);
  }
});

test('retryAfterMs of a server is respected', async () => {
  const clock = new HeldClock();
  const delays: number[] = [];
  const outcome = await runBare(
    ['a'],
    (_item, { attempt }) => {
      if (attempt > 1) return SUCCESS;
      throw new StageError('network', 'HTTP 429', { retryAfterMs: 90_000 });
    },
    {
      options: { retries: 1 },
      runtime: {
        clock,
        report: (event) => {
          if (event.kind !== 'item-retry') return;
          delays.push(event.delayMs);
          void clock.advance(event.delayMs);
        },
      },
    },
  );
  assert.deepEqual(delays, [90_000]);
  assert.equal(outcome.succeeded, 1);
});

test('only retryable errors are retried: network and transient, unless the error says otherwise', async () => {
  const expected: Record<ErrorCategory, number> = {
    input: 1,
    config: 1,
    runtime: 1,
    timeout: 1,
    network: 2,
    transient: 2,
    unknown: 1,
  };
  for (const [category, attempts] of Object.entries(expected)) {
    let seen = 0;
    await runBare(
      ['a'],
      () => {
        seen += 1;
        throw new StageError(category as ErrorCategory, 'no');
      },
      { options: { retries: 1, retryBackoffS: 0 } },
    );
    assert.equal(seen, attempts, category);
  }
  let seen = 0;
  await runBare(
    ['a'],
    () => {
      seen += 1;
      return { status: 'failure', error: { category: 'network', message: 'gone for good', retryable: false } };
    },
    { options: { retries: 1, retryBackoffS: 0 } },
  );
  assert.equal(seen, 1);
});

test('errors are classified by what was thrown: missing file, network, lock, anything else', async () => {
  const thrown: readonly (readonly [unknown, ErrorCategory])[] = [
    [Object.assign(new Error('no'), { code: 'ENOENT' }), 'input'],
    [Object.assign(new Error('no'), { code: 'CONFIG_INVALID' }), 'config'],
    [Object.assign(new Error('no'), { code: 'EIO' }), 'runtime'],
    [Object.assign(new Error('no'), { code: 'ECONNRESET' }), 'network'],
    [Object.assign(new Error('no'), { code: 'FILE_LOCKED' }), 'transient'],
    [new TypeError('no'), 'unknown'],
    ['a string', 'unknown'],
  ];
  for (const [what, category] of thrown) {
    const outcome = await runBare(['a'], () => {
      throw what;
    });
    assert.equal(outcome.errors[0]?.category, category, String(what));
    assert.equal(outcome.errors[0]?.itemId, 'a');
    assert.equal(outcome.errors[0]?.stage, 'test');
  }
});

test('an item that waits for its retry blocks no others', async () => {
  const clock = new HeldClock();
  const done: string[] = [];
  const outcome = await runBare(
    ids(50),
    (item, { attempt }) => {
      if (item.itemId === 'i0' && attempt === 1) throw new StageError('transient', 'locked');
      done.push(item.itemId);
      if (done.length === 49) void clock.advance(2_000);
      return SUCCESS;
    },
    { options: { workers: 1, retries: 1, retryBackoffS: 1 }, runtime: { clock } },
  );
  assert.equal(outcome.succeeded, 50);
  assert.deepEqual(done, [...ids(50).slice(1), 'i0']);
});

test('failed > error budget: cancelled is set, no new submissions, what is in flight completes', async () => {
  const inFlight = Promise.withResolvers<ItemOutcome>();
  const begun: string[] = [];
  const outcome = await runBare(
    ids(100),
    (item) => {
      begun.push(item.itemId);
      if (item.itemId === 'i0') return inFlight.promise;
      if (begun.length === 5) inFlight.resolve(SUCCESS);
      throw new StageError('runtime', 'no');
    },
    { options: { workers: 2, errorBudget: 3 } },
  );
  assert.deepEqual(
    [outcome.cancelled, outcome.failed, outcome.succeeded, begun.length],
    [true, 4, 1, 5],
    'the fourth failure is one too many',
  );
  assert.match(outcome.stopReason ?? '', /error budget/);
  assert.equal(stageExitCode(outcome), 1);
});

test('the error budget counts final failures only, and 0 means unlimited', async () => {
  const flaky: StageWorker = (_item, { attempt }) => {
    if (attempt < 3) throw new StageError('transient', 'again');
    return SUCCESS;
  };
  const outcome = await runBare(ids(10), flaky, { options: { errorBudget: 1, retries: 2, retryBackoffS: 0 } });
  assert.deepEqual([outcome.cancelled, outcome.succeeded, outcome.retried], [false, 10, 20]);
  const unlimited = await runBare(ids(50), () => {
    throw new Error('no');
  });
  assert.deepEqual([unlimited.cancelled, unlimited.failed], [false, 50]);
});
