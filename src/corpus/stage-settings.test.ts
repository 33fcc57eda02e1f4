import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { loadConfig, settingsTable } from '../config/index.ts';
import { STAGE_BOUNDS, STAGE_DEFAULTS } from '../stage/index.ts';
import { stageSettings } from './stage-settings.ts';

const configured = (environment: Readonly<Record<string, string>>) =>
  loadConfig({ folder: join(tmpdir(), 'docstokg-no-such-folder'), environment }).config;

test('the command line wins over the configuration, which wins over what the stage prefers, which wins over the default', () => {
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

test('without a word from anybody a stage runs with the defaults of the tuning table', () => {
  const { manifestDir, ...options } = stageSettings({}, configured({}), {});
  const { manifestDir: _, ...defaults } = STAGE_DEFAULTS;
  assert.deepEqual(options, defaults);
  assert.equal(manifestDir, join('Data', 'Manifests'));
});

test('the configuration accepts the numbers that the runner accepts, and no others', () => {
  const named = new Map(settingsTable().keys.map((key) => [key.name, key]));
  const names = { perItemTimeoutS: 'timeout_s' } as Readonly<Record<string, string>>;
  let compared = 0;
  for (const [option, { least, most }] of Object.entries(STAGE_BOUNDS)) {
    const name = names[option] ?? option.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const key = named.get(`stage.${name}`);
    if (!key) continue;
    compared += 1;
    assert.equal(key.range.replace(', or null', ''), `from ${least} to ${most}`, name);
  }
  assert.equal(compared, 10);
});
