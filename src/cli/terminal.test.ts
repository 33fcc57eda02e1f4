import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AppError } from '../base/index.ts';
import type { Terminal } from './terminal.ts';
import { exitCode, grouped, printError } from './terminal.ts';

test('numbers are grouped as in English', () => {
  for (const value of [0, 7, 999, 1_000, 12_345, 1_234_567, -4_321, 0.5, 1_234.567_8, -0.25, 1e21, Number.NaN])
    assert.equal(grouped(value), value.toLocaleString('en'), String(value));
});

test('an error followed by a failed clean-up is printed with its path and hint', () => {
  const full = new AppError('DISK_FULL', '/runs/a/manifest.jsonl cannot be written: the disk is full', {
    hint: 'free some space',
  });
  const usage = new AppError('USAGE_ID', 'not an id');
  const lines: string[] = [];
  const terminal = { note: (text: string) => void lines.push(text), style: (_: string, text: string) => text };
  const again = new SuppressedError(new Error('close failed'), new SuppressedError(new Error('flush failed'), full));
  printError(again, terminal as unknown as Terminal, false);
  assert.deepEqual(lines, [
    'error DISK_FULL /runs/a/manifest.jsonl cannot be written: the disk is full',
    'hint  free some space',
  ]);
  assert.deepEqual([exitCode(again), exitCode(new SuppressedError(new Error('x'), usage))], [1, 2]);
});
