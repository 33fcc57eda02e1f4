import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { startPostgres } from '../postgres.ts';
import { command } from './command.ts';
import { startCommand } from './started-command.ts';

const PAPERS = 10;
const RUNNER = ['doctags', '--source', 'queue', '--input', 'papers', '--workers', '1', '--json'];

interface Outcome {
  readonly succeeded: number;
  readonly skipped: number;
  readonly failed: number;
  readonly unfinished: number;
}

/** A folder of small papers, as several machines would see it. */
class Corpus implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'docstokg-shared-'));
  readonly ids = Array.from({ length: PAPERS }, (_, at) => `paper${at}`);

  constructor() {
    mkdirSync(join(this.folder, 'papers'));
    for (const id of this.ids) {
      const text = `<html><head><title>${id}</title></head><body><h1>${id}</h1><p>${'Words of a paper. '.repeat(30)}</p></body></html>`;
      writeFileSync(join(this.folder, 'papers', `${id}.html`), text);
    }
  }

  /** The number of rows with that status for each paper. */
  rows(status: string): Map<string, number> {
    const counts = new Map<string, number>();
    const text = readFileSync(join(this.folder, 'Data', 'Manifests', 'docparse.doctags.manifest.jsonl'), 'utf8');
    for (const line of text.split('\n').filter(Boolean)) {
      const row = JSON.parse(line) as { readonly doc_id: string; readonly status: string };
      if (row.status === status) counts.set(row.doc_id, (counts.get(row.doc_id) ?? 0) + 1);
    }
    return counts;
  }

  assertAllDoneOnce(): void {
    const done = this.rows('success');
    assert.deepEqual([...done.keys()].sort(), this.ids.toSorted());
    assert.ok([...done.values()].every((count) => count === 1));
    for (const id of this.ids) assert.ok(existsSync(join(this.folder, 'Data', 'DocTagsFiles', `${id}.jsonl`)), id);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

test('two processes share one stage through the queue: each document is processed once', async () => {
  using corpus = new Corpus();
  const { folder: cwd } = corpus;
  await using one = startCommand('docparse', RUNNER, { cwd });
  await using two = startCommand('docparse', RUNNER, { cwd });
  for (const each of [one, two]) assert.deepEqual(await each.ended, { code: 0, signal: null }, each.stderr);
  const outcomes = [one, two].map(({ stdout }) => JSON.parse(stdout) as Outcome);
  assert.deepEqual(
    outcomes.map(({ failed, unfinished }) => [failed, unfinished]),
    [
      [0, 0],
      [0, 0],
    ],
  );
  assert.equal(
    outcomes.reduce((sum, { succeeded }) => sum + succeeded, 0),
    PAPERS,
  );
  corpus.assertAllDoneOnce();
});

test('items of a killed process are processed by the other without waiting for the lease', async () => {
  using corpus = new Corpus();
  const { folder: cwd } = corpus;
  await using doomed = startCommand('docparse', [...RUNNER, '--diagnostics-interval-s', '0.05'], { cwd });
  await doomed.printed(/in_flight=[1-9]/);
  doomed.kill('SIGKILL');
  await doomed.ended;
  const { status, stderr } = command('docparse', RUNNER, { cwd });
  assert.equal(status, 0, stderr);
  corpus.assertAllDoneOnce();
});

test('a runner with a limit leaves the rest in the queue, and a queue rejects shards', () => {
  using corpus = new Corpus();
  const { folder: cwd } = corpus;
  const some = command('docparse', [...RUNNER, '--limit', '7'], { cwd });
  assert.equal(some.status, 0, some.stderr);
  assert.equal((JSON.parse(some.stdout) as Outcome).succeeded, 7);
  const rest = command('docparse', RUNNER, { cwd, env: { DOCSTOKG_STAGE__SOURCE: 'queue' } });
  const { succeeded, skipped } = JSON.parse(rest.stdout) as Outcome;
  assert.deepEqual([succeeded, skipped], [PAPERS - 7, 7]);
  corpus.assertAllDoneOnce();
  const sharded = command('docparse', [...RUNNER, '--shard', '1/2'], { cwd });
  assert.equal(sharded.status, 2);
  assert.match(sharded.stderr, /USAGE_SOURCE/);
});

test('runners share one stage through PostgreSQL, and items of a killed one are processed by the other', async () => {
  using corpus = new Corpus();
  await using server = await startPostgres();
  const where = {
    cwd: corpus.folder,
    env: { DOCSTOKG_QUEUE__BACKEND: 'postgres', DOCSTOKG_QUEUE__URL: server.url },
  };
  await using doomed = startCommand('docparse', [...RUNNER, '--diagnostics-interval-s', '0.05'], where);
  await doomed.printed(/in_flight=[1-9]/);
  await using other = startCommand('docparse', RUNNER, where);
  doomed.kill('SIGKILL');
  await doomed.ended;
  assert.deepEqual(await other.ended, { code: 0, signal: null }, other.stderr);
  corpus.assertAllDoneOnce();
  assert.ok(!existsSync(join(corpus.folder, 'Data', 'Manifests', 'docparse.doctags.queue.sqlite')));
});
