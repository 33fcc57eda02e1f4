import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { startPostgres } from '../postgres.ts';
import { runRunner } from './runner-process.ts';

const JOBS = 600;
const server = await startPostgres();
after(() => server[Symbol.asyncDispose]());

/** Several processes add the same ids to one queue at the same time and drain it together. */
async function race(backend: 'sqlite' | 'postgres', target: string, folder: string, processes: number): Promise<void> {
  const log = join(folder, 'log');
  const ids = Array.from({ length: JOBS }, (_, n) => `${processes} racers, job ${n}`);
  const task = { mode: 'drain', backend, target, log, workers: 8, maxDeaths: 3 };
  const ended = await Promise.all(
    Array.from({ length: processes }, (_, n) =>
      runRunner({ ...task, ids: [...ids.slice(n * 100), ...ids.slice(0, n * 100)] }),
    ),
  );
  assert.ok(ended.every(Boolean), 'every racer ends by itself');
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  const count = (start: string): number => lines.filter((line) => line.startsWith(start)).length;
  assert.deepEqual(
    [count('added'), count('start'), count('end'), count('settled'), count('refused')],
    [JOBS, JOBS, JOBS, JOBS, 0],
  );
  assert.equal(
    new Set(lines.filter((line) => line.startsWith('start')).map((line) => line.replace(/ \d+$/, ''))).size,
    JOBS,
  );
}

for (const processes of [2, 4]) {
  test(`${processes} processes share one SQLite file, and every job runs exactly once`, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-race-'));
    await race('sqlite', join(folder.path, 'queue.sqlite'), folder.path, processes);
  });

  test(`${processes} processes share one PostgreSQL, and every job runs exactly once`, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-race-'));
    await race('postgres', server.url, folder.path, processes);
  });
}
