import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseShard, stageExitCode, stageOptions } from './index.ts';

test('the defaults match the tuning table', () => {
  const options = stageOptions();
  assert.deepEqual(
    [options.workers, options.policy, options.maxQueue, options.errorBudget, options.diagnosticsIntervalS],
    [4, 'io', 0, 0, 30],
  );
  assert.deepEqual([options.perItemTimeoutS, options.retries, options.resume, options.force], [0, 0, true, false]);
});

test('values out of range are rejected with the range', () => {
  for (const options of [
    { workers: 0 },
    { workers: 1.5 },
    { perItemTimeoutS: -1 },
    { retries: 1e9 },
    { policy: 'quantum' as never },
    { scheduling: 'random' as never },
    { shard: { index: 3, count: 2 } },
  ])
    assert.throws(() => stageOptions(options), { code: 'CONFIG_STAGE_OPTION' }, JSON.stringify(options));
  assert.deepEqual(parseShard('2/4'), { index: 2, count: 4 });
  for (const shard of ['0/4', '5/4', '1', 'a/b', '1/0'])
    assert.throws(() => parseShard(shard), { code: 'USAGE_SHARD' }, shard);
});

test('exit code 0 on success, 1 if an item failed or the run was cut short, 130 after a signal', () => {
  assert.equal(stageExitCode({ failed: 0, cancelled: false }), 0);
  assert.equal(stageExitCode({ failed: 1, cancelled: false }), 1);
  assert.equal(stageExitCode({ failed: 0, cancelled: true, stopReason: 'error budget' }), 1);
  assert.equal(stageExitCode({ failed: 0, cancelled: true, stopReason: 'SIGINT' }), 130);
  assert.equal(stageExitCode({ failed: 2, cancelled: true, stopReason: 'SIGTERM' }), 130);
});
