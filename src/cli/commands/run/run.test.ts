import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openSession } from '../../session.ts';
import { requestOf, runCommand } from './index.ts';

test('a folder alone goes on with the address that its run was given', async () => {
  const session = openSession(runCommand());
  const asked = { ids: ['10.1371/journal.pone.0000217'], mailto: 'ada@university.example' };
  const { config, ids } = await requestOf(asked, { out: 'runs/reefs' }, session);
  assert.deepEqual([config.http.contact, config.download.out, ids], [asked.mailto, 'runs/reefs', asked.ids]);
});
