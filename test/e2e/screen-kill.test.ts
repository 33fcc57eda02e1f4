import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { Screening } from '../../src/screen/index.ts';
import { madeReview } from '../fixtures/made-review.ts';
import { seededRandom } from '../fixtures/random-document.ts';
import { writeReviewRun } from '../fixtures/review-run.ts';
import { testProgram } from '../support/bin.ts';

// A few kills per run; DOCSTOKG_TEST_KILLS=200 for a longer storm.
const KILLS = Number(process.env['DOCSTOKG_TEST_KILLS'] ?? 8);
const REVIEWER = testProgram('fixtures/screening-reviewer.ts');
const seed = Date.now();
const random = seededRandom(seed);

/** Runs a reviewer and kills it at a random line of its output; returns the decisions it has printed. */
async function reviewUntilKilled(folder: string, by: string): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--conditions=docstokg-source', REVIEWER, folder, by], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const last = 1 + Math.floor(random() * 30);
  const did: string[] = [];
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    lines += 1;
    // After "try" the decision may be stored; after "did" it must be.
    if (lines === last) child.kill('SIGKILL');
    if (line.startsWith('did ')) did.push(line.slice(4));
  }
  await closed;
  return did;
}

test(`no decision is lost or doubled by ${KILLS} kills of two reviewers at once (seed ${seed})`, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-kill-'));
  writeReviewRun(folder.path, madeReview(20 * KILLS, 20, 2));
  const did: string[] = [];
  await Promise.all(
    ['ada', 'bo'].map(async (by) => {
      for (let kill = 0; kill < KILLS / 2; kill += 1) did.push(...(await reviewUntilKilled(folder.path, by)));
    }),
  );
  const decided = (): string[] => {
    using screening = Screening.open(folder.path);
    return Array.from(screening.all(), ({ id, work, by, decision }) => `${id} ${work} ${by} ${decision}`).toSorted();
  };
  const all = decided();
  const ids = new Set(all.map((line) => line.split(' ').slice(0, 2).join(' ')));
  assert.deepEqual(
    did.filter((id) => !ids.has(id)),
    [],
  );
  assert.equal(ids.size, all.length, 'a decision is stored twice');
  assert.equal(new Set(did).size, did.length, 'a decision was made twice');
  assert.ok(all.length - did.length <= KILLS, `${all.length - did.length} unexpected decisions`);
  const lines = readFileSync(join(folder.path, 'decisions.jsonl'), 'utf8').trim().split('\n');
  assert.deepEqual(lines.map((line) => (JSON.parse(line) as { id: string }).id).toSorted(), [...ids].toSorted());
  // The database is rebuilt from the log alone.
  for (const name of ['corpus.sqlite', 'corpus.sqlite-wal', 'corpus.sqlite-shm'])
    rmSync(join(folder.path, name), { force: true });
  assert.deepEqual(decided(), all);
});
