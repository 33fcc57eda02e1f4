import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settingsTable } from '../../../config/index.ts';
import type { Corpus, Gathering, RunAccount } from '../../../corpus/index.ts';
import { HeldClock } from '../../../testing/index.ts';
import type { Session } from '../../session.ts';
import { RunProgress, timeLeftMs } from './progress.ts';
import { printRun } from './summary.ts';

test('the time left foresees the stages of works that were not downloaded yet', () => {
  const works = { ended: 10, left: 10, saved: 5, savedBefore: 0 };
  const stage = (done: number) => ({ done, worked: done, sinceMs: 10_000 });
  // Ten of twenty works in ten seconds; parsing keeps up, embedding has done one of the ten documents that will come.
  const pace = { elapsedMs: 10_000, works, documents: 0 };
  assert.equal(timeLeftMs({ ...pace, stages: [stage(5)] }), 10_000);
  assert.equal(timeLeftMs({ ...pace, stages: [stage(5), stage(1)] }), 90_000);
  // The duration of a stage that has not finished a document is unknown.
  assert.equal(timeLeftMs({ ...pace, stages: [stage(5), stage(0)] }), undefined);
  assert.equal(timeLeftMs({ ...pace, stages: [] }), undefined);
  assert.equal(timeLeftMs({ ...pace, works: { ...works, ended: 0, saved: 0 }, stages: [] }), undefined);
  assert.equal(timeLeftMs({ elapsedMs: 10_000, documents: 4, stages: [stage(2)] }), 10_000);
  // Documents of earlier runs took no time and are not repeated.
  const before = { ...works, left: 0, savedBefore: 90 };
  assert.equal(timeLeftMs({ ...pace, works: before, stages: [{ done: 94, worked: 4, sinceMs: 4_000 }] }), 1_000);
});

test('a machine of a fleet shows what it has done, and no time left', async () => {
  const shown = async (found: number | undefined): Promise<string> => {
    const clock = new HeldClock();
    const line = Promise.withResolvers<string>();
    const terminal = { live: false, status: line.resolve, clear: () => undefined };
    const counts = { saved: 3, skipped: 1, failed: 0, parked: 0, endedBefore: 0, savedBefore: 0, waitingFor: [] };
    const gathering = { progress: { found, ...counts } } as unknown as Gathering;
    using _progress = new RunProgress({ clock, terminal } as unknown as Session, gathering).show();
    await clock.advance(60_000);
    return await line.promise;
  };
  assert.match(await shown(8), /^4\/8 works → 3 downloaded, 1 without a file/);
  assert.match(await shown(undefined), /^4 works by this machine → 3 downloaded, 1 without a file/);
  assert.doesNotMatch(await shown(undefined), / left/);
});

test('a machine of a fleet that did not build the index says where it is, and how to bring it', () => {
  const printed = (fleet: boolean, documents: number, more: Partial<RunAccount> = {}): string => {
    const lines: string[] = [];
    const terminal = { print: (text: string) => void lines.push(text), style: (_: string, text: string) => text };
    const { defaults } = settingsTable();
    const config = { ...defaults, queue: { ...defaults.queue, fleet }, store: { ...defaults.store, url: 's3://b/c' } };
    const none = { works: null, scans: 0, partial: 0, passed_over: [], own_papers: null, stages: {}, failures: [] };
    const account: RunAccount = { ...none, documents, index: null, stopped: null, seconds: 3, ...more };
    printRun(
      account,
      { folder: 'here', config } as Corpus,
      { terminal, clock: new HeldClock(0), json: false } as unknown as Session,
    );
    return lines.join('\n');
  };
  assert.match(
    printed(true, 4),
    /^Another machine of the fleet built the search index, after 3 s\.$[^]*docstokg store pull here --fleet/m,
  );
  assert.match(printed(true, 0), /^Nothing to search yet, after 3 s\.$/m);
  assert.match(printed(false, 4), /^Nothing to search yet, after 3 s\.$/m);
  const counts = { done: 3, kept: 1, failed: 1, left: 0, wall_ms: 9, p50_ms: 1_000, p95_ms: 2_000 };
  const failed = { stage: 'doctags', document: 'a', code: 'X_DAMAGED', message: 'no end' } as const;
  const text = printed(false, 4, { stages: { doctags: counts }, failures: [failed] });
  assert.match(text, /^parsed +3 +1 +1 +0 +1 s +2 s$/m);
  assert.match(text, /^1 documents failed\n.*\ndoctags +a +X_DAMAGED +no end$/m);
});
