import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runStorm } from '../support/run-storm.ts';

test('a run killed at random times ends with the same corpus as an uninterrupted one and repeats no work', async () => {
  const { kills, works, chunks, faults, instants } = await runStorm({
    seed: 3,
    works: 4,
    kills: 2,
    documents: 'plain',
    stageWorkers: 1,
  });
  assert.deepEqual(faults, [], instants.join(', '));
  assert.deepEqual([kills, works], [2, 4]);
  assert.ok(chunks > 0);
});
