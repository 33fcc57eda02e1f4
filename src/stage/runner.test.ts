import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { SUCCESS, ids, runBare } from '../../test/support/run-bare-stage.ts';
import { bareItem, Workspace } from '../../test/fixtures/stage/workspace.ts';
import { runStage, stageExitCode } from './index.ts';
import type { ItemOutcome, StageWorker, WorkItem } from './index.ts';

const upper = { module: new URL('../../test/fixtures/stage/upper.ts', import.meta.url) };

for (const policy of ['io', 'gpu', 'cpu'] as const) {
  test(`success, skip and failure are all counted with policy ${policy}`, async () => {
    using workspace = new Workspace();
    workspace.write('b', 'skip this');
    workspace.write('c', 'fail this');
    const outcome = await runStage(
      { stageName: 'test', items: ['a', 'b', 'c', 'd'].map((id) => workspace.item(id)) },
      upper,
      { ...workspace.options, policy, workers: 1 },
    );
    assert.deepEqual(
      [outcome.scheduled, outcome.succeeded, outcome.skipped, outcome.failed, outcome.cancelled],
      [4, 2, 1, 1, false],
    );
    assert.deepEqual(
      workspace.rows().map(({ doc_id, status }) => `${doc_id} ${status}`),
      ['a success', 'b skip', 'c failure', 'd success'],
    );
    assert.equal(stageExitCode(outcome), 1);
  });
}

test('an output folder removed between two runs of a process is created again', async () => {
  using workspace = new Workspace();
  const worker: StageWorker = ({ outputs }) => {
    writeFileSync(outputs['out'] ?? '', 'x');
    return SUCCESS;
  };
  const out = join(workspace.root, 'made', 'out.txt');
  for (const id of ['a', 'b']) {
    const item = { ...bareItem(id), outputs: { out } };
    const outcome = await runStage({ stageName: id, items: [item] }, worker, { ...workspace.options, policy: 'io' });
    assert.equal(outcome.succeeded, 1);
    rmSync(join(workspace.root, 'made'), { recursive: true });
  }
});

test('an item that arrives while the stage runs does not wait for a slow one before it', async () => {
  using workspace = new Workspace();
  const slow = Promise.withResolvers<ItemOutcome>();
  const recorded: string[] = [];
  async function* live(): AsyncGenerator<WorkItem> {
    yield bareItem('slow');
    yield bareItem('quick');
  }
  await runStage(
    { stageName: 'test', items: live() },
    ({ itemId }) => (itemId === 'slow' ? slow.promise : SUCCESS),
    workspace.options,
    {
      afterItem({ itemId }) {
        recorded.push(itemId);
        slow.resolve(SUCCESS);
      },
    },
  );
  assert.deepEqual(recorded, ['quick', 'slow']);
});

test('a run without any success never reports success', async () => {
  const outcome = await runBare(ids(3), () => undefined as never);
  assert.equal(outcome.failed, 3);
  assert.equal(stageExitCode(outcome), 1);
});

for (const [scheduling, expected] of [
  ['fifo', ['m', 'xl', 's', 'l']],
  ['sjf', ['s', 'm', 'l', 'xl']],
  ['lpt', ['xl', 'l', 'm', 's']],
] as const) {
  test(`${scheduling} starts items in its order, from lists and from iterables`, async () => {
    const costs = { m: 2, xl: 4, s: 1, l: 3 };
    const items = Object.entries(costs).map(([id, costHint]) => bareItem(id, { costHint }));
    async function* stream(): AsyncGenerator<WorkItem> {
      yield* items;
    }
    const begun: string[] = [];
    const hold = Promise.withResolvers<void>();
    for (const plan of [items, stream()]) {
      using workspace = new Workspace();
      begun.length = 0;
      await runStage(
        // A gate lets all items arrive before the first one of a stream starts.
        { stageName: 'test', items: plan === items ? plan : gated(plan as AsyncIterable<WorkItem>) },
        async (item) => {
          if (item.itemId === 'gate') await hold.promise;
          else begun.push(item.itemId);
          return SUCCESS;
        },
        { ...workspace.options, workers: 1, scheduling },
      );
      assert.deepEqual(begun, expected);
      assert.deepEqual(
        workspace
          .rows()
          .map(({ doc_id }) => doc_id)
          .filter((id) => id !== 'gate'),
        expected,
        'rows follow the schedule',
      );
    }
    async function* gated(inner: AsyncIterable<WorkItem>): AsyncGenerator<WorkItem> {
      yield bareItem('gate', { costHint: scheduling === 'sjf' ? 0 : 9 });
      yield* inner;
      hold.resolve();
    }
  });
}

test('an invalid stage name is rejected', async () => {
  await assert.rejects(
    runStage({ stageName: '../up', items: [] }, () => SUCCESS),
    { code: 'CONFIG_STAGE_NAME' },
  );
});
