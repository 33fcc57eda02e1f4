import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Command } from 'commander';
import * as z from 'zod';

import { configurationPage } from '../scripts/reference/from-program.ts';
import { environmentLayer } from '../src/config/index.ts';
import { listKeys } from '../src/config/keys.ts';
import { merge } from '../src/config/layers.ts';
import { configSchema } from '../src/config/schema.ts';
import { flag } from '../src/config/setting.ts';
import { settingOptions, settingsMade } from '../src/cli/session.ts';

// A setting is defined once, in the schema; everything else follows from it.
const schema = configSchema.extend({
  trial: z
    .strictObject({
      patience_s: z
        .int()
        .min(1)
        .max(9)
        .default(3)
        .describe('How long to be patient.')
        .meta(flag('--patience-s <s>', 'chunk')),
    })
    .prefault({}),
});
const keys = listKeys(schema);

test('a setting added to the schema has a type, a default and bounds', () => {
  const patience: number = schema.parse({}).trial.patience_s;
  assert.equal(patience, 3);
  assert.equal(schema.safeParse({ trial: { patience_s: 10 } }).success, false);
  // @ts-expect-error no such setting
  void schema.parse({}).trial.haste_s;
});

test('a setting can be set by the environment and by an option; the option wins', () => {
  const environment = environmentLayer({ DOCSTOKG_TRIAL__PATIENCE_S: '5' }, keys);
  const command = settingOptions(new Command('chunk').exitOverride(), ['chunk'], keys);
  command.parse(['--patience-s', '7'], { from: 'user' });
  const read = (...layers: Parameters<typeof merge>[0]) => schema.parse(merge(layers).value).trial.patience_s;
  assert.equal(read(environment), 5);
  assert.equal(read(environment, settingsMade(command)), 7);
  assert.match(command.helpInformation(), /--patience-s <s> +how long to be patient \(trial\.patience_s, default 3\)/);
});

test('an option value that is not a number is rejected', () => {
  const command = settingOptions(new Command('chunk').exitOverride(), ['chunk'], keys).configureOutput({
    writeErr: () => undefined,
  });
  assert.throws(() => command.parse(['--patience-s', 'long'], { from: 'user' }), /expected an integer/);
});

test('a setting is listed in the reference page', () => {
  assert.match(
    configurationPage(keys),
    /\| `trial\.patience_s` \| integer \| from 1 to 9 \| `3` \| How long to be patient\. \| `DOCSTOKG_TRIAL__PATIENCE_S` \|/,
  );
});
