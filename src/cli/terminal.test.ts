import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AppError } from '../base/index.ts';
import type { Terminal } from './terminal.ts';
import { exitCode, grouped, isStopped, printError } from './terminal.ts';

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

test('an error of the disk is printed with its code and path, without a stack; an aborted step is no error', () => {
  const lines: string[] = [];
  const terminal = { note: (text: string) => void lines.push(text), style: (_: string, text: string) => text };
  for (const code of ['ENOSPC', 'EROFS', 'EMFILE', 'EISDIR'])
    printError(Object.assign(new Error(code), { code, path: '/runs/a/x' }), terminal as unknown as Terminal, false);
  assert.deepEqual(
    lines.map((line) => line.split(' ').slice(0, 3).join(' ')).filter((line) => line.startsWith('error')),
    [
      'error DISK_FULL /runs/a/x',
      'error DISK_READ_ONLY /runs/a/x',
      'error TOO_MANY_OPEN_FILES /runs/a/x',
      'error DISK_CANNOT_OPEN /runs/a/x',
    ],
  );
  assert.ok(!lines.some((line) => / at /.test(line)));
  const aborted = new DOMException('This operation was aborted', 'AbortError');
  assert.deepEqual(
    [isStopped(aborted, 143), isStopped(aborted, 0), isStopped(new Error('x'), 143)],
    [true, false, false],
  );
});
