import assert from 'node:assert/strict';
import { test } from 'node:test';

import { killStorm } from '../support/kill-storm.ts';

// `npm run verify:kill` does the same with 500 works and 30 kills.

test('a download killed repeatedly ends with the same works, files and manifests as an uninterrupted one', async () => {
  const { kills, faults } = await killStorm({
    profile: 'calm',
    seed: Number(process.env['DOCSTOKG_TEST_SEED'] ?? 11),
    works: 40,
    hosts: 12,
    workers: 16,
    documents: 'plain',
    timeScale: 0.02,
    kills: 4,
    requestsBetween: 100,
  });
  assert.deepEqual(faults, []);
  assert.equal(kills, 4);
});
