import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Run } from '../../../corpus/index.ts';
import { HeldClock } from '../../../testing/index.ts';
import type { Session } from '../../session.ts';
import { rateOf, runProgress, timeLeftMs } from './progress.ts';

test('the time left includes the stages of works not yet downloaded', () => {
  const works = {
    found: 20,
    saved: 5,
    missing: 5,
    repeated: 0,
    ended: 10,
    endedBefore: 0,
    savedBefore: 0,
    waitingFor: [],
  };
  const stage = (done: number) => ({ done, worked: done, sinceMs: 10_000 });
  // Ten of twenty works in ten seconds; parsing keeps up, embedding has finished one of ten expected documents.
  assert.equal(timeLeftMs(10_000, works, [stage(5)]), 10_000);
  assert.equal(timeLeftMs(10_000, works, [stage(5), stage(1)]), 90_000);
  // The duration of a stage that has not finished a document is unknown.
  assert.equal(timeLeftMs(10_000, works, [stage(5), stage(0)]), undefined);
  assert.equal(timeLeftMs(10_000, works, []), undefined);
  assert.equal(timeLeftMs(10_000, { ...works, saved: 0, missing: 0, ended: 0 }, []), undefined);
  assert.equal(timeLeftMs(10_000, undefined, [stage(4), stage(2)]), 10_000);
  // Documents of earlier runs took no time and are not repeated.
  const before = { ...works, found: 10, savedBefore: 90 };
  assert.equal(timeLeftMs(10_000, before, [{ done: 94, worked: 4, sinceMs: 4_000 }]), 1_000);
});

test('a machine of a fleet shows its own progress, without a time left', async () => {
  const shown = async (isFleet: boolean): Promise<string> => {
    const clock = new HeldClock();
    const line = Promise.withResolvers<string>();
    const terminal = { live: false, status: line.resolve, clear: () => undefined };
    const counts = { saved: 3, missing: 1, repeated: 2, ended: 6, endedBefore: 0, savedBefore: 0, waitingFor: [] };
    const run = { progress: { found: 8, ...counts } } as unknown as Run;
    using _progress = runProgress({ clock, terminal } as unknown as Session, run, isFleet).show();
    await clock.advance(60_000);
    return await line.promise;
  };
  assert.match(await shown(false), /6\/8 works → 3 downloaded, 1 without a file, 2 repeated/);
  assert.match(await shown(true), /6 works by this machine → 3 downloaded, 1 without a file, 2 repeated/);
  assert.doesNotMatch(await shown(true), / left/);
});

test('papers of a folder have a total and a time left, and no stage is ahead of the one before it', async () => {
  const clock = new HeldClock();
  const line = Promise.withResolvers<string>();
  const terminal = { live: true, columns: 60, status: line.resolve, clear: () => undefined };
  const session = { clock, terminal, log: () => undefined } as unknown as Session;
  const progress = runProgress(session, { papers: 49, progress: undefined } as unknown as Run);
  const see = (stage: 'doctags' | 'chunk', succeeded: number): void =>
    progress.see({
      kind: 'stage',
      stage,
      event: { kind: 'progress', progress: { succeeded, skipped: 0, failed: 0 } },
    } as never);
  see('doctags', 1);
  see('chunk', 1);
  await clock.advance(1_000);
  see('doctags', 13);
  see('chunk', 14);
  using _progress = progress.show();
  await clock.advance(2_000);
  assert.equal(await line.promise, '4.3/s  about 8.3 s left  49 papers → 14 parsed → 14 chunked'.slice(0, 59));
});

test('a slow rate is per minute', () => {
  assert.deepEqual([rateOf(4, 2_000), rateOf(30, 900_000)], ['2.0/s', '2.0/min']);
});
