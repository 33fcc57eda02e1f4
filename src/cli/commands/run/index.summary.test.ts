import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { accountOf, CorpusWorks, runCountsOf } from '../../../library/index.ts';
import { settingsTable } from '../../../config/index.ts';
import type { DownloadSummary } from '../../../download/index.ts';
import { HeldClock } from '../../../testing/index.ts';
import type { Session } from '../../session.ts';
import { printDownload } from './index.ts';

const NOTHING = { found: 0, saved: 0, skipped: 0, failed: 0, parked: 0, keptBefore: 0, crashed: 0, bytes: 0 };

async function printed(
  summary: Partial<DownloadSummary>,
  rows: readonly object[],
  inputs: readonly { readonly file: string; readonly works: readonly string[] }[] = [],
): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'print-account-'));
  for (const input of inputs)
    appendFileSync(
      join(folder.path, 'records.jsonl'),
      `${JSON.stringify({ kind: 'input', from: 0, file: input.file, works: input.works.map((work) => [work, 1]) })}\n`,
    );
  for (const [at, row] of rows.entries()) {
    const base = { run_id: 'now', at: String(at), reason: 'success', resolver: null, path: null, attempts: [] };
    appendFileSync(join(folder.path, 'manifest.jsonl'), `${JSON.stringify({ ...base, ...row })}\n`);
  }
  using works = new CorpusWorks({ folder: folder.path });
  works.store.ingest();
  const { store } = works;
  const lines: string[] = [];
  const terminal = {
    columns: 1_000,
    print: (text: string) => void lines.push(text.replaceAll('\u00A0', ' ')),
    style: (_: string, text: string) => text,
  };
  const session = { terminal, clock: new HeldClock(0), json: false, info: () => undefined } as unknown as Session;
  const [counts, run] = [accountOf(store, 'now'), runCountsOf(store, 'now')];
  const now = { ...NOTHING, ...summary } as DownloadSummary;
  const none = { documents: 0, scans: 0, partial: 0, skipped_files: [], own_papers: null, stages: {}, failures: [] };
  const account = {
    ...none,
    works: { ...counts, listed_this_run: 0, bytes_this_run: 0 },
    index: null,
    stopped: null,
    seconds: 0,
  };
  const downloaded = { kind: 'downloaded', summary: now, counts, run } as const;
  printDownload({ account, downloaded }, session, settingsTable().defaults);
  return lines.join('\n');
}

test('the summary counts works, not attempts, and lists unreadable entries and crashes separately', async () => {
  const text = await printed({ found: 5, crashed: 1 }, [
    { work: 'W1', outcome: 'saved', path: 'PDF/a.pdf', resolver: 'arxiv', run_id: 'before' },
    { work: 'W2', outcome: 'parked', reason: 'timeout' },
    { work: 'W2', outcome: 'parked', reason: 'timeout' },
    { work: 'W2', outcome: 'saved', path: 'PDF/b.pdf', resolver: 'openalex' },
    { work: 'W3', outcome: 'failed', reason: 'internal-error' },
    { work: 'W4', outcome: 'failed', reason: 'no-plan' },
    { work: 'entry:a.bib#3', outcome: 'failed', reason: 'unreadable-entry' },
  ]);
  assert.match(
    text,
    /^Works +4 listed, 2 downloaded \(1 of them now\), 1 unavailable, 1 failed, retryable,\s+1\s+unreadable/,
    text,
  );
  assert.match(text, /^By source +arxiv 1, openalex 1$/m, text);
  assert.match(text, /^Unreadable +a\.bib 1$/m, text);
  assert.match(text, /^Crashed +1 of the failed works$/m, text);
  assert.doesNotMatch(await printed({ found: 1 }, []), /Crashed/);
});

test('works of earlier runs are counted separately, and works are counted by input file', async () => {
  const text = await printed(
    { found: 4 },
    [
      { work: 'W1', outcome: 'saved', path: 'PDF/a.pdf', run_id: 'before' },
      { work: 'W2', outcome: 'saved', path: 'PDF/b.pdf', run_id: 'before' },
      { work: 'W3', outcome: 'skipped', reason: 'paywalled', run_id: 'before' },
      { work: 'entry:a.bib#3', outcome: 'failed', reason: 'unreadable-entry', run_id: 'before' },
      { work: 'W4', outcome: 'saved', path: 'PDF/c.pdf' },
      { work: 'W5', outcome: 'failed', reason: 'timeout' },
    ],
    [
      { file: 'a.bib', works: ['W1', 'W2', 'W3'] },
      { file: 'b.txt', works: ['W3', 'W4'] },
    ],
  );
  assert.match(text, /, 3 downloaded \(1 of them now\), /, text);
  assert.match(text, /^Not retried +paywalled 1$/m, text);
  // Entries that name no work do not count as works that were not retried.
  assert.doesNotMatch(text, /unreadable-entry/);
  assert.match(text, /^By file +a\.bib 3, b\.txt 2$/m, text);
});

test('works deferred by an earlier run are listed with reason and time', async () => {
  const text = await printed({}, [
    { work: 'W1', outcome: 'parked', reason: 'internal-error', retry_at: '2026-01-01T00:01:00.000Z', run_id: 'before' },
    { work: 'W2', outcome: 'failed', reason: 'timeout', run_id: 'before' },
  ]);
  assert.match(text, /^Deferred +W1: internal-error, until 2026-01-01T00:01:00\.000Z$/m);
  assert.doesNotMatch(text, /W2/);
});
