import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SUCCESS, ids, runBare } from '../../test/support/run-bare-stage.ts';
import { HeldClock } from '../testing/index.ts';
import { bareItem, EventLog, Workspace } from '../../test/fixtures/stage/workspace.ts';
import { runStage } from './index.ts';
import type { StageWorker, WorkItem } from './index.ts';

test('workers limits the parallelism', async () => {
  let running = 0;
  let most = 0;
  await runBare(
    ids(20),
    async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return SUCCESS;
    },
    { options: { workers: 3 } },
  );
  assert.equal(most, 3);
});

test('an io item over its timeout is aborted by signal and ends as a timeout; others are not affected', async () => {
  const clock = new HeldClock();
  const outcome = await runBare(
    ['slow', 'quick'],
    (item, { signal }) =>
      item.itemId === 'quick'
        ? SUCCESS
        : new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
            void clock.advance(5_000);
          }),
    { options: { perItemTimeoutS: 5, workers: 1 }, runtime: { clock } },
  );
  assert.deepEqual([outcome.failed, outcome.succeeded, outcome.abandoned], [1, 1, 0]);
  assert.deepEqual([outcome.errors[0]?.category, outcome.errors[0]?.retryable], ['timeout', false]);
});

test('an io item that ignores its abort is abandoned and reported, and its slot is free again', async () => {
  const clock = new HeldClock();
  const log = new EventLog();
  const outcome = await runBare(
    ['deaf', 'quick'],
    (item) => {
      if (item.itemId === 'quick') return SUCCESS;
      void clock.advance(7_000);
      return new Promise(() => undefined);
    },
    { options: { perItemTimeoutS: 5, abortGraceS: 2, workers: 1 }, runtime: { clock, report: log.report } },
  );
  assert.deepEqual([outcome.failed, outcome.succeeded, outcome.abandoned], [1, 1, 1]);
  assert.deepEqual(
    log.of('item-abandoned').map(({ itemId }) => itemId),
    ['deaf'],
  );
});

test('a timeout of 0 is off', async () => {
  const clock = new HeldClock();
  const outcome = await runBare(
    ['a'],
    async () => {
      await clock.advance(10_000_000);
      return SUCCESS;
    },
    { options: { perItemTimeoutS: 0 }, runtime: { clock } },
  );
  assert.equal(outcome.succeeded, 1);
});

test('max_queue limits how far a plan is read ahead of the workers', async () => {
  using workspace = new Workspace();
  let pulled = 0;
  let begun = 0;
  let ahead = 0;
  async function* endless(): AsyncGenerator<WorkItem> {
    for (const id of ids(500)) {
      pulled += 1;
      ahead = Math.max(ahead, pulled - begun);
      yield bareItem(id);
    }
  }
  const worker: StageWorker = async () => {
    begun += 1;
    await new Promise(setImmediate);
    return SUCCESS;
  };
  const outcome = await runStage({ stageName: 'test', items: endless() }, worker, {
    ...workspace.options,
    workers: 2,
    maxQueue: 4,
  });
  assert.equal(outcome.succeeded, 500);
  assert.ok(ahead <= 4 + 1, `${ahead} were taken ahead`);
});

test('an async iterable of unknown length is read as workers become free, bounded even without max_queue', async () => {
  using workspace = new Workspace();
  let pulled = 0;
  let ended = 0;
  let ahead = 0;
  async function* plan(): AsyncGenerator<WorkItem> {
    for (const id of ids(500)) {
      pulled += 1;
      ahead = Math.max(ahead, pulled - ended);
      yield bareItem(id);
    }
  }
  const outcome = await runStage(
    { stageName: 'test', items: plan() },
    async () => {
      // Long enough for the plan to be read as far ahead as it may be.
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      ended += 1;
      return SUCCESS;
    },
    { ...workspace.options, workers: 4 },
  );
  assert.equal(outcome.succeeded, 500);
  assert.ok(ahead <= 100, `${ahead} were taken ahead`);
});
