import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SUCCESS, ids, runBare } from '../../test/support/run-bare-stage.ts';
import { bareItem, Workspace } from '../../test/fixtures/stage/workspace.ts';
import { runStage, StageError } from './index.ts';
import type { WorkItem } from './index.ts';

test('a plan that throws ends the run with its error, after started items have finished', async () => {
  using workspace = new Workspace();
  function* broken(): Generator<WorkItem> {
    yield bareItem('a');
    throw new Error('the listing broke');
  }
  await assert.rejects(
    runStage({ stageName: 'test', items: broken() }, () => SUCCESS, workspace.options),
    /the listing broke/,
  );
  const items = (async function* () {
    yield bareItem('a');
    throw new Error('the stream broke');
  })();
  await assert.rejects(
    runStage({ stageName: 'test', items }, () => SUCCESS, workspace.options),
    /the stream broke/,
  );
  assert.deepEqual(
    workspace.rows().map(({ doc_id }) => doc_id),
    ['a', 'a'],
  );
});

test('a full disk stops the run immediately with the reason', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  let begun = 0;
  const outcome = await runBare(
    ids(100),
    () => {
      begun += 1;
      throw full;
    },
    { options: { workers: 1 } },
  );
  assert.deepEqual([outcome.cancelled, outcome.failed, begun], [true, 1, 1]);
  assert.match(outcome.stopReason ?? '', /no space left/);
});

test('a worker can stop the run if no other item can succeed', async () => {
  let begun = 0;
  const outcome = await runBare(
    ids(100),
    () => {
      begun += 1;
      throw new StageError('network', 'the server is gone', { retryable: false, stopsStage: true });
    },
    { options: { workers: 1 } },
  );
  assert.deepEqual([outcome.cancelled, outcome.failed, begun], [true, 1, 1]);
  assert.equal(outcome.stopReason, 'the server is gone');
});

test('an outer signal drains the stage and leaves the rest for the next run', async () => {
  const stop = new AbortController();
  const begun: string[] = [];
  const outcome = await runBare(
    ids(10),
    async (item) => {
      begun.push(item.itemId);
      stop.abort('enough');
      return SUCCESS;
    },
    { options: { workers: 1 }, runtime: { signal: stop.signal } },
  );
  assert.deepEqual([outcome.cancelled, outcome.succeeded, outcome.unfinished, begun.length], [true, 1, 9, 1]);
  assert.equal(outcome.stopReason, 'enough');
});
