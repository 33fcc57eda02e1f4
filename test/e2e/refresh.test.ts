import assert from 'node:assert/strict';
import { test } from 'node:test';

import { liveThroughMonth } from '../support/month.ts';

// npm run verify:refresh does the same with more works and kills it twenty times.
test('a refresh after a month reports and downloads exactly the changes of the world, once', async () => {
  const { truth, faults } = await liveThroughMonth({ seed: 40, works: 12, kills: 0 });
  assert.deepEqual(faults, []);
  const parts = ['new_works', 'opened', 'fetched', 'new_versions', 'retracted', 'corrected'] as const;
  for (const part of parts) assert.ok(truth[part].length > 0, part);
});
