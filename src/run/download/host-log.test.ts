import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { HeldClock } from '../../testing/index.ts';
import type { HostRow } from '../../database/index.ts';
import { FolderJournal, LogFolder } from '../../journal/index.ts';
import type { HostLog } from './host-log.ts';
import { openHostLog } from './host-log.ts';

const sent = (host: string) => ({ kind: 'request-sent', host, waitedMs: 40, waited: null, cap: 2 }) as const;
const done = (host: string, outcome: string) =>
  ({ kind: 'request-done', host, outcome, wireBytes: 10, ms: 5 }) as const;

async function rowsOf(use: (log: HostLog, clock: HeldClock) => Promise<void> | void): Promise<HostRow[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-hosts-'));
  const clock = new HeldClock(1_700_000_000_000);
  {
    await using journal = new FolderJournal(new LogFolder(folder.path));
    await using log = openHostLog({ journal, runId: 'r', clock, warn: (text: string) => assert.fail(text) });
    await use(log, clock);
  }
  const lines = readFileSync(join(folder.path, 'hosts.jsonl'), 'utf8').trim().split('\n');
  const [head, ...rows] = lines.map((line) => JSON.parse(line) as HostRow);
  assert.equal(head?.kind, 'run');
  return rows;
}

test('the activity at a host in one second is one row, with the most requests in flight and the requested wait', async () => {
  const rows = await rowsOf(async (log, clock) => {
    for (const event of [sent('a.org'), sent('a.org'), sent('b.org'), done('a.org', '200')]) log.see(event);
    log.see({ kind: 'wait-asked', host: 'a.org', until: 1_700_000_030_000, said: true });
    await clock.advance(1_000);
    for (const event of [done('a.org', '429'), done('b.org', 'timeout')]) log.see(event);
  });
  assert.deepEqual(
    rows.map(({ host, at, sent: asked, done: ended, most, cap }) => [host, at.slice(17, 19), asked, ended, most, cap]),
    [
      ['a.org', '20', 2, { 200: 1 }, 2, 2],
      ['b.org', '20', 1, {}, 1, 2],
      ['a.org', '21', 0, { 429: 1 }, 1, 2],
      ['b.org', '21', 0, { timeout: 1 }, 1, 2],
    ],
  );
  assert.equal(rows[0]?.asked_until, new Date(1_700_000_030_000).toISOString());
  assert.equal(rows[0]?.waited_ms, 80);
});

test('a limit that falls while requests are in flight is not exceeded by them, in this second or the next', async () => {
  const rows = await rowsOf(async (log, clock) => {
    for (let at = 0; at < 3; at += 1) log.see({ ...sent('a.org'), cap: 3 });
    log.see(done('a.org', '429'));
    log.see(done('a.org', '200'));
    log.see(done('a.org', '200'));
    log.see({ ...sent('a.org'), cap: 1 });
    log.see(done('a.org', '200'));
    for (let at = 0; at < 2; at += 1) log.see({ ...sent('a.org'), cap: 3 });
    await clock.advance(1_000);
    log.see(done('a.org', '429'));
    log.see(done('a.org', '200'));
    log.see({ ...sent('a.org'), cap: 1 });
    await clock.advance(1_000);
    log.see({ ...sent('a.org'), cap: 1 });
  });
  assert.deepEqual(
    rows.map(({ most, cap }) => [most, cap]),
    [
      [3, 3],
      [2, 3],
      [2, 1],
    ],
    'only the last request was one too many',
  );
});

test('intervals grow with the number of rows, so that a long run has a small file', async () => {
  const rows = await rowsOf(async (log, clock) => {
    for (let host = 0; host < 50_000; host += 1) log.see(sent(`h${host}`));
    await clock.advance(1_000);
    log.see(sent('last'));
    await clock.advance(5_000);
    log.see(sent('last'));
    await clock.advance(60_000);
  });
  const last = rows.filter(({ host }) => host === 'last');
  assert.deepEqual(
    last.map(({ ms, sent: asked }) => [ms, asked]),
    [[10_000, 2]],
  );
});
