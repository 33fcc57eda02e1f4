import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settingsTable } from '../../../config/index.ts';
import type { Corpus, RunAccount } from '../../../corpus/index.ts';
import type { Session } from '../../session.ts';
import { printRun } from './summary.ts';

const NOTHING = { works: null, scans: 0, partial: 0, skipped_files: [], own_papers: null, stages: {}, failures: [] };

function printed(more: Partial<RunAccount>, fleet = false): string {
  const lines: string[] = [];
  const print = (text: string): void => void lines.push(text);
  const terminal = { columns: 100, print, style: (_: string, text: string) => text };
  const { defaults } = settingsTable();
  const queue = { ...defaults.queue, fleet, url: 'postgres://me:secret@db/docs' };
  const config = { ...defaults, queue };
  const account: RunAccount = { ...NOTHING, documents: 4, index: null, stopped: null, seconds: 3, ...more };
  const corpus = { folder: 'here', config } as Corpus;
  printRun({ account, downloaded: undefined }, corpus, { terminal, json: false } as unknown as Session);
  return lines.join('\n');
}

test('a machine of a fleet says how to ask the database, whichever of them completed the index', () => {
  assert.match(
    printed({}, true),
    /^Another machine of the fleet built the search index, after 3\.0 s\.$[^]*ask --database 'postgres:\/\/me:\*{3}@db\/docs' "…"$/m,
  );
  assert.match(printed({ index: { passages: 1, searched_by: 'words' } }, true), /ask --database/);
  assert.doesNotMatch(printed({ stopped: 'asked to stop' }, true), /ask --database/);
  assert.match(printed({ documents: 0 }, true), /^Nothing to search yet, after 3\.0 s\.$/m);
  assert.match(printed({}), /^Nothing to search yet, after 3\.0 s\.$/m);
});

test('the summary describes documents, stages and local papers in sentences', () => {
  const counts = { done: 3, kept: 1, failed: 1, left: 2, wall_ms: 9, p50_ms: 1_000, p95_ms: 2_000 };
  const text = printed({
    stages: { doctags: counts, embed: { ...counts, kept: 0, failed: 0, left: 0, p50_ms: 20_000, p95_ms: 40_000 } },
    failures: [{ stage: 'doctags', document: 'a', code: 'X_DAMAGED', message: 'no end' }],
    skipped_files: [{ file: 'notes.txt', reason: 'wrong-kind', detail: 'no PDF, HTML, JATS or TEI, but .txt' }],
    own_papers: {
      checked: 2,
      unchecked: 1,
      unnamed: 0,
      unanswered: 0,
      refused: [{ document: 'b', doi: '10.1000/other', title: 'Another paper' }],
    },
    index: { passages: 1, searched_by: 'words' },
  });
  assert.deepEqual(text.split('\n'), [
    'Your papers  2 identified by an id in the file, 1 with a DOI that no service confirmed',
    'Other works  1 DOIs in your papers belong to other works and were ignored',
    '             b: 10.1000/other (Another paper)',
    'Skipped      1 of your files were not used',
    '             notes.txt: no PDF, HTML, JATS or TEI, but .txt',
    'Parsed       4 documents, 1 of them by earlier runs, 1 failed, 2 left for the next run; p50 1.0 s,',
    '             p95 2.0 s',
    'Embedded     3 documents; p50 20 s, p95 40 s',
    'Failed       1 document',
    '             a: doctags: X_DAMAGED no end',
    '',
    '1 passage searchable by words, after 3.0 s.',
    'Ask          docstokg ask here "…"',
    'Look         here/report.html',
    'Why          docstokg stage-log --stage doctags --status failure --data-root here/Data',
  ]);
});
