import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { StageOutcome } from '../../../stage/index.ts';
import type { Session } from '../../session.ts';
import { printOutcome } from './stage-options.ts';

const STOPPED = { stageName: 'doctags', scheduled: 2, succeeded: 1, skipped: 0, failed: 0, cancelled: true };

test('a stage stopped by a signal keeps the exit code of that signal; one that failed ends with 1', () => {
  const session = { terminal: { clear: () => undefined }, print: () => undefined } as unknown as Session;
  const before = process.exitCode;
  try {
    const ended = (code: number | undefined): unknown => {
      process.exitCode = code;
      printOutcome({ ...STOPPED, failed: 1 } as unknown as StageOutcome, session);
      return process.exitCode;
    };
    assert.deepEqual([ended(143), ended(130), ended(undefined)], [143, 130, 1]);
  } finally {
    process.exitCode = before;
  }
});
