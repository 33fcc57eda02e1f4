import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createWorkerId, isDeadHere, machineByCards } from './worker-identity.ts';

test('a running process is not dead, and a process on another machine is never considered dead', () => {
  const own = createWorkerId();
  assert.equal(isDeadHere(own), false);
  const [prefix, host, machine, , start, nonce] = own.split('-');
  // No process has this number: Linux allows at most four million.
  assert.equal(isDeadHere([prefix, host, machine, 999_999_999, start, nonce].join('-')), true);
  assert.equal(isDeadHere([prefix, host, '00000000', 999_999_999, start, nonce].join('-')), false);
});

test('machines of the same name are distinguished by network cards; without any, no process counts as local', () => {
  const card = 'aa:bb:cc:dd:ee:01';
  assert.equal(machineByCards('lab', [card]), machineByCards('lab', [card]));
  assert.notEqual(machineByCards('lab', [card]), machineByCards('lab', ['aa:bb:cc:dd:ee:02']));
  assert.notEqual(machineByCards('lab', ['00:00:00:00:00:00']), machineByCards('lab', ['00:00:00:00:00:00']));
});
