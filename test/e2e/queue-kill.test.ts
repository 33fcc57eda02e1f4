import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { systemClock } from '../../src/base/index.ts';
import type { QueueStore } from '../../src/queue/index.ts';
import { openStore } from '../../src/queue/index.ts';
import { startPostgres } from '../postgres.ts';
import { runRunner, seededNumbers } from './runner-process.ts';

// A few kills per run; DOCSTOKG_TEST_KILLS=50 for a longer storm.
const KILLS = Number(process.env['DOCSTOKG_TEST_KILLS'] ?? 8);
const JOBS = 40 * KILLS;
const WORKERS = 8;
const MAX_DEATHS = 3;

const seed = Number(process.env['DOCSTOKG_TEST_SEED'] ?? Date.now() % 1_000_000);

function open(target: string): Promise<QueueStore> {
  return openStore(target, { schema: 'docstokg_e2e', timeoutMs: 240_000 });
}

/** Kills the runner repeatedly while it drains, then checks its log against the guarantees of the queue. */
async function killStorm(
  backend: 'sqlite' | 'postgres',
  target: string,
  log: string,
  restart?: () => Promise<void>,
): Promise<void> {
  const random = seededNumbers(seed);
  const ids = [...Array.from({ length: JOBS }, (_, n) => `job ${n}`), 'poison'];
  const task = { mode: 'drain', backend, target, log, workers: WORKERS, maxDeaths: MAX_DEATHS };
  {
    await using store = await open(target);
    await store.enqueue(
      ids.map((artifactId) => ({ artifactId, artifactJson: '{}' })),
      systemClock.now(),
    );
  }
  for (let kill = 0; kill < KILLS; kill += 1) {
    const restarting = kill % 20 === 4 ? restart?.() : undefined;
    await runRunner({ ...task, ids: [] }, 1 + random(240));
    await restarting;
  }
  // The rest is drained; only the poison job still kills its process.
  while (!(await runRunner({ ...task, ids: [] })));

  await using store = await open(target);
  const { states } = await store.admin.stats(systemClock.now());
  assert.deepEqual(states, { queued: 0, in_progress: 0, done: JOBS, skipped: 0, error: 1 }, 'no job is lost');
  const poison = await store.admin.find('poison');
  assert.equal(poison?.state, 'error');
  // Each recent crash without the job allows it one more crash alone, so with kills it fails later.
  assert.ok(poison.deathsAlone >= MAX_DEATHS && poison.deathsAlone <= 3 * MAX_DEATHS, String(poison.deathsAlone));
  assert.match(poison.lastError ?? '', /^PROCESS_DIED: /);

  const unwritten = new Map<string, number>();
  const settled = new Set<string>();
  for (const line of readFileSync(log, 'utf8').trim().split('\n')) {
    const match = /^(start|end|settled|refused) (.+) (\d+)$/.exec(line);
    const [, what = '', id = '', process = ''] = match ?? [];
    if (what === 'start') assert.ok(!settled.has(id), `${id} was run again after it had been settled`);
    const change = what === 'start' ? 1 : what === 'end' ? 0 : -1;
    unwritten.set(process, (unwritten.get(process) ?? 0) + change);
    if (what === 'settled') {
      assert.ok(!settled.has(id), `${id} was settled twice`);
      settled.add(id);
    }
  }
  // Only jobs that a process had started and not settled when it died run again.
  assert.ok(Math.max(...unwritten.values()) <= WORKERS, JSON.stringify([...unwritten]));
}

test(`a SQLite queue survives ${KILLS} kills (seed ${seed})`, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-kill-'));
  await killStorm('sqlite', join(folder.path, 'queue.sqlite'), join(folder.path, 'log'));
});

test(`a PostgreSQL queue survives ${KILLS} kills and server restarts (seed ${seed})`, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-kill-'));
  await using server = await startPostgres();
  await killStorm('postgres', server.url, join(folder.path, 'log'), server.restart);
});

test(`every accepted job exists after a kill (seed ${seed})`, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-kill-'));
  const [target, log] = [join(folder.path, 'queue.sqlite'), join(folder.path, 'log')];
  const random = seededNumbers(seed);
  for (let kill = 0; kill < 5; kill += 1) {
    const ids = Array.from({ length: 400 }, (_, n) => `${kill}-${n}`);
    await runRunner(
      { mode: 'enqueue', backend: 'sqlite', target, log, workers: 1, maxDeaths: 1, ids },
      1 + random(200),
    );
  }
  await using store = await open(target);
  const accepted = readFileSync(log, 'utf8').trim().split('\n');
  for (const line of accepted) assert.ok(await store.admin.find(line.replace('accepted ', '')), `${line}, but missing`);
});

test('a job that crashes its process causes few crashes and loses no work that ran next to it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-kill-'));
  const [target, log] = [join(folder.path, 'queue.sqlite'), join(folder.path, 'log')];
  const ids = Array.from({ length: 60 }, (_, n) => (n === 20 ? 'poison' : `job ${n}`));
  const task = { mode: 'drain', backend: 'sqlite', target, log, workers: WORKERS, maxDeaths: 3 };
  let deaths = 0;
  while (!(await runRunner({ ...task, ids: deaths === 0 ? ids : [] }))) deaths += 1;
  assert.equal(deaths, 5, 'two next to others, three alone');
  await using store = await open(target);
  const { states, quarantined } = await store.admin.stats(systemClock.now());
  assert.deepEqual([states.done, states.error, states.queued, quarantined], [59, 1, 0, 0]);
  const poison = await store.admin.find('poison');
  assert.deepEqual([poison?.deaths, poison?.deathsAlone], [5, 3]);
  // After two crashes next to others it ran alone: no other job was running.
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  const alone = lines.flatMap((line, at) => (line.startsWith('start poison ') ? [at] : [])).slice(2);
  for (const at of alone) {
    const before = lines.slice(0, at).filter((line) => line.endsWith(` ${lines[at]?.split(' ').at(-1) ?? ''}`));
    const count = (what: string): number => before.filter((line) => line.startsWith(what)).length;
    assert.equal(count('start '), count('end '));
  }
});
