import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AppError } from '../base/index.ts';
import { exitCode, printError } from './print-error.ts';
import type { Terminal } from './terminal.ts';

test('an error on top of which the clean-up failed is shown itself, with its path and its hint', () => {
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
