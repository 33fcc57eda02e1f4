import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loadConfig, settingsLayer } from '../../config/index.ts';
import type { FleetOptions } from './fleet-machine.ts';
import { openFleetMachine } from './fleet-machine.ts';

test('what a fleet cannot do is refused before anything is opened', async () => {
  const options = (settings: object, more: Partial<FleetOptions>): FleetOptions => {
    const { config } = loadConfig({ environment: {}, flags: settingsLayer(settings, 'test') });
    return { config, works: {}, papers: [], ...more } as FleetOptions;
  };
  const refused = async (settings: object, more: Partial<FleetOptions>, message: RegExp): Promise<void> =>
    assert.rejects(openFleetMachine(options(settings, more)), { code: 'USAGE_FLEET', message });
  await refused({}, { papers: ['here.pdf'] }, /reads no papers on the disk of one machine/);
  await refused({}, { works: undefined }, /downloads works/);
  await refused({ download: { content_addressed: true } }, {}, /content_addressed/);
});
