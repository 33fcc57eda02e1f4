import assert from 'node:assert/strict';
import { test } from 'node:test';

import { grouped } from './terminal.ts';

test('numbers are grouped as English readers expect', () => {
  for (const value of [0, 7, 999, 1_000, 12_345, 1_234_567, -4_321, 0.5, 1_234.567_8, -0.25, 1e21, Number.NaN])
    assert.equal(grouped(value), value.toLocaleString('en'), String(value));
});
