import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { arrayTask, loadConfig, settingsTable } from '../../config/index.ts';
import { STAGE_DEFAULTS, STAGE_NUMBERS } from '../../stage/index.ts';
import { shardOf, stageSettings } from './prepare-stages.ts';

const configured = (environment: Readonly<Record<string, string>>) =>
  loadConfig({ folder: join(tmpdir(), 'docstokg-no-such-folder'), environment }).config;

test('options override the configuration, which overrides the preference of the stage and the default', () => {
  const config = configured({
    DOCSTOKG_STAGE__WORKERS: '3',
    DOCSTOKG_STAGE__RETRIES: '5',
    DOCSTOKG_STAGE__RESUME: 'false',
    DOCSTOKG_STAGE__POLICY: 'null',
    DOCSTOKG_STAGE__ERROR_BUDGET: '9',
  });
  const options = stageSettings({ limit: 7 }, config, { workers: 2, retries: 1, policy: 'cpu', maxQueue: 16 });
  assert.deepEqual(
    [options.limit, options.workers, options.retries, options.policy, options.maxQueue, options.scheduling],
    [7, 3, 5, 'cpu', 16, 'fifo'],
  );
  assert.deepEqual([options.resume, options.errorBudget], [false, 9]);
  assert.equal(stageSettings({ resume: true }, config, {}).resume, true);
});

test('without settings a stage runs with the defaults of the tuning table', () => {
  const manifestDir = join('Data', 'Manifests');
  const expected = { ...STAGE_DEFAULTS, manifestDir, handleSignals: false };
  assert.deepEqual(stageSettings({}, configured({}), {}), expected);
});

test('the configuration accepts exactly the numbers that the runner accepts', () => {
  const named = new Map(settingsTable().keys.map((key) => [key.name, key]));
  const names = { perItemTimeoutS: 'timeout_s' } as Readonly<Record<string, string>>;
  let compared = 0;
  for (const [option, { least, most }] of Object.entries(STAGE_NUMBERS)) {
    const name = names[option] ?? option.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const key = named.get(`stage.${name}`);
    if (!key) continue;
    compared += 1;
    assert.equal(key.range.replace(', or null', ''), `from ${least} to ${most}`, name);
  }
  assert.equal(compared, 7);
});

test('a task of an array job finds its share of the documents in every batch system', () => {
  const part = (text: string, environment: Readonly<Record<string, string>>): string =>
    shardOf(text, arrayTask(environment));
  assert.equal(part('auto/8', { JOB_COMPLETION_INDEX: '0' }), '1/8');
  assert.equal(part('auto', { AWS_BATCH_JOB_ARRAY_INDEX: '3', AWS_BATCH_JOB_ARRAY_SIZE: '4' }), '4/4');
  const slurm = { SLURM_ARRAY_TASK_MIN: '10', SLURM_ARRAY_TASK_STEP: '5', SLURM_ARRAY_TASK_COUNT: '3' };
  assert.deepEqual(
    ['10', '15', '20'].map((id) => part('auto', { ...slurm, SLURM_ARRAY_TASK_ID: id })),
    ['1/3', '2/3', '3/3'],
  );
  assert.equal(part('2/3', {}), '2/3');
  assert.throws(() => part('auto/8', {}), { code: 'USAGE_SHARD' });
  assert.throws(() => part('auto', { JOB_COMPLETION_INDEX: '0' }), { code: 'USAGE_SHARD' });
});
