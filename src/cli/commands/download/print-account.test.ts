import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settingsTable } from '../../../config/index.ts';
import type { Gathering } from '../../../corpus/index.ts';
import type { DownloadSummary } from '../../../download/index.ts';
import type { LatestRow } from '../../../harvest/index.ts';
import { HeldClock } from '../../../testing/index.ts';
import type { Session } from '../../session.ts';
import { DownloadProgress, printAccount } from './print-account.ts';

const NOTHING = { found: 0, saved: 0, skipped: 0, failed: 0, parked: 0, keptBefore: 0, crashed: 0, bytes: 0 };

function accountOf(summary: Partial<DownloadSummary>, latest: readonly LatestRow[]): string {
  const lines: string[] = [];
  const terminal = { print: (text: string) => void lines.push(text), style: (_: string, text: string) => text };
  const session = { terminal, clock: new HeldClock(0), json: false, log: () => undefined } as unknown as Session;
  const progress = new DownloadProgress(session, {} as Gathering);
  printAccount({ ...NOTHING, ...summary } as DownloadSummary, progress, session, settingsTable().defaults, latest);
  return lines.join('\n');
}

test('a work that crashed is in the printed account', () => {
  assert.match(accountOf({ found: 3, saved: 1, failed: 2, crashed: 2 }, []), /broke +2\nof these, crashed +2/);
  assert.doesNotMatch(accountOf({ found: 1, saved: 1 }, []), /crashed/);
});

test('works that an earlier run put off are named, with reason and moment', () => {
  const row = { resolver: null, kind: null, path: null, bytes: null, detail: null };
  const text = accountOf({}, [
    { ...row, work: 'W1', outcome: 'parked', reason: 'internal-error', retryAt: '2026-01-01T00:01:00.000Z' },
    { ...row, work: 'W2', outcome: 'failed', reason: 'timeout', retryAt: null },
  ]);
  assert.match(text, /1 works wait for their next try\n {2}W1: internal-error, until 2026-01-01T00:01:00\.000Z/);
  assert.doesNotMatch(text, /W2/);
});
