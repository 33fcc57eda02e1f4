import assert from 'node:assert/strict';
import { test } from 'node:test';

import { stageExitCode, stageOptions, stageOptionsFromFlags } from './index.ts';

test('the defaults are those of the tuning table', () => {
  const options = stageOptionsFromFlags({});
  assert.deepEqual(
    [options.workers, options.policy, options.maxQueue, options.errorBudget, options.diagnosticsIntervalS],
    [4, 'io', 0, 0, 30],
  );
  assert.deepEqual([options.perItemTimeoutS, options.retries, options.resume, options.force], [0, 0, true, false]);
});

test('flags are parsed as numbers and words, and override the stage defaults', () => {
  const options = stageOptionsFromFlags(
    {
      workers: '8',
      policy: 'cpu',
      timeoutS: '60',
      retries: '3',
      retryBackoffS: '1.5',
      maxQueue: 16,
      errorBudget: '5',
      diagnosticsIntervalS: '10',
      limit: '50',
      shard: '2/4',
      verifyHash: true,
      dryRun: true,
      force: true,
      resume: false,
    },
    { workers: 2 },
  );
  assert.deepEqual([options.workers, options.policy, options.perItemTimeoutS, options.retries], [8, 'cpu', 60, 3]);
  assert.deepEqual(
    [options.retryBackoffS, options.maxQueue, options.errorBudget, options.diagnosticsIntervalS, options.limit],
    [1.5, 16, 5, 10, 50],
  );
  assert.deepEqual(options.shard, { index: 2, count: 4 });
  assert.deepEqual([options.verifyHash, options.dryRun, options.force, options.resume], [true, true, true, false]);
});

test('values out of range are rejected with the range', () => {
  for (const flags of [
    { workers: '0' },
    { workers: '1.5' },
    { timeoutS: '-1' },
    { retries: '1e9' },
    { policy: 'quantum' },
    { scheduling: 'random' },
  ])
    assert.throws(() => stageOptionsFromFlags(flags), { code: 'CONFIG_STAGE_OPTION' }, JSON.stringify(flags));
  assert.throws(() => stageOptionsFromFlags({ workers: 'many' }), { code: 'USAGE_NUMBER' });
  assert.throws(() => stageOptionsFromFlags({ limit: '' }), { code: 'USAGE_NUMBER' });
  for (const shard of ['0/4', '5/4', '1', 'a/b', '1/0'])
    assert.throws(() => stageOptionsFromFlags({ shard }), { code: 'USAGE_SHARD' }, shard);
  assert.throws(() => stageOptions({ shard: { index: 3, count: 2 } }), { code: 'CONFIG_STAGE_OPTION' });
});

test('exit code 0 on success, 1 if an item failed or the run was cut short, 130 after a signal', () => {
  assert.equal(stageExitCode({ failed: 0, cancelled: false }), 0);
  assert.equal(stageExitCode({ failed: 1, cancelled: false }), 1);
  assert.equal(stageExitCode({ failed: 0, cancelled: true, stopReason: 'error budget' }), 1);
  assert.equal(stageExitCode({ failed: 0, cancelled: true, stopReason: 'SIGINT' }), 130);
  assert.equal(stageExitCode({ failed: 2, cancelled: true, stopReason: 'SIGTERM' }), 130);
});
