import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SUCCESS, runBare } from '../../test/support/run-bare-stage.ts';
import { EventLog } from '../../test/fixtures/stage/workspace.ts';
import type { ItemOutcome } from './index.ts';

test('hooks must not throw: exceptions are logged as warnings', async () => {
  const log = new EventLog();
  const boom = (): never => {
    throw new Error('boom');
  };
  const hooks = { beforeStage: boom, beforeItem: boom, afterItem: boom, afterStage: boom };
  const outcome = await runBare(['a', 'b'], () => SUCCESS, { hooks, runtime: { report: log.report } });
  assert.equal(outcome.succeeded, 2);
  assert.equal(outcome.failed, 0);
  assert.deepEqual(
    log
      .of('hook-failed')
      .map(({ hook, itemId, message }) => `${hook} ${itemId ?? ''} ${message}`)
      .sort(),
    [
      'afterItem a boom',
      'afterItem b boom',
      'afterStage  boom',
      'beforeItem a boom',
      'beforeItem b boom',
      'beforeStage  boom',
    ],
  );
});

test('after-item hooks execute in order for all completions, whatever order they complete in', async () => {
  const started = new Map<string, (outcome: ItemOutcome) => void>();
  const allStarted = Promise.withResolvers<void>();
  const order: string[] = [];
  const run = runBare(
    ['a', 'b', 'c', 'd'],
    (item) =>
      new Promise((resolve) => {
        started.set(item.itemId, resolve);
        if (started.size === 4) allStarted.resolve();
      }),
    { hooks: { afterItem: (item) => void order.push(item.itemId) } },
  );
  await allStarted.promise;
  for (const id of ['d', 'b', 'a', 'c']) started.get(id)?.(SUCCESS);
  await run;
  assert.deepEqual(order, ['a', 'b', 'c', 'd']);
});

test('hooks are called before the first item and after the last, with the outcome', async () => {
  const calls: string[] = [];
  await runBare(['a'], () => SUCCESS, {
    hooks: {
      beforeStage: ({ stageName }) => void calls.push(`before ${stageName}`),
      beforeItem: (item) => void calls.push(`begin ${item.itemId}`),
      afterItem: (item, end) => void calls.push(`end ${item.itemId} ${'status' in end ? end.status : end.category}`),
      afterStage: (outcome) => void calls.push(`after ${outcome.succeeded}`),
    },
  });
  assert.deepEqual(calls, ['before test', 'begin a', 'end a success', 'after 1']);
});
