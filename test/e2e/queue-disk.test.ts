import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { command } from './command.ts';
import { skipWithout } from '../support/programs.ts';

test('on a full disk the queue reports it, keeps accepted jobs, and continues when there is space', async (context) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-full-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder.path]);
  if (mounted.status !== 0) {
    context.skip('NOT TESTED: a small tmpfs cannot be mounted here (needs root)');
    return;
  }
  try {
    const queue = join(folder.path, 'queue.sqlite');
    const ballast = join(folder.path, 'ballast');
    await using lines = await mkdtempDisposable(join(tmpdir(), 'docstokg-lines-'));
    const file = join(lines.path, 'jobs.jsonl');
    writeFileSync(
      file,
      Array.from({ length: 6_000 }, (_, n) => JSON.stringify({ id: `job ${n}`, filler: 'x'.repeat(300) })).join('\n'),
    );
    writeFileSync(ballast, Buffer.alloc(600_000));

    const full = command('contentdownload', ['queue', 'import', file, '--queue', queue]);
    assert.equal(full.status, 1);
    assert.match(full.stderr, /DISK_(FULL|IO_ERROR) .*queue\.sqlite.*MB free/);
    assert.match(full.stderr, /hint {2}/);

    rmSync(ballast);
    spawnSync('mount', ['-o', 'remount,size=64m', folder.path]);
    const before = JSON.parse(command('contentdownload', ['queue', 'stats', '--json', '--queue', queue]).stdout) as {
      total: number;
      queued: number;
    };
    assert.ok(
      before.total > 0 && before.total < 6_000 && before.total % 1_000 === 0,
      `whole batches were accepted: ${before.total}`,
    );
    const again = command('contentdownload', ['queue', 'import', file, '--json', '--queue', queue]);
    assert.deepEqual(JSON.parse(again.stdout), {
      added: 6_000 - before.total,
      known: before.total,
      bad: 0,
      bad_lines: [],
    });
  } finally {
    spawnSync('umount', [folder.path]);
  }
});

test('a disk that fills up during a run stops it with the reason, and no job is lost', async (context) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-full-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder.path]);
  if (mounted.status !== 0) {
    context.skip('NOT TESTED: a small tmpfs cannot be mounted here (needs root)');
    return;
  }
  try {
    const queue = join(folder.path, 'queue.sqlite');
    const handler = join(folder.path, 'handler.mjs');
    // The tenth job fills the disk.
    writeFileSync(
      handler,
      `import { writeFileSync } from 'node:fs';
       let jobs = 0;
       export default async () => {
         jobs += 1;
         if (jobs === 10) try { writeFileSync(new URL('ballast', import.meta.url), Buffer.alloc(8e6)); } catch {}
         return { state: 'error', reason: 'x'.repeat(400) };
       };`,
    );
    const jobs = Array.from({ length: 3_000 }, (_, n) => JSON.stringify({ id: `job ${n}` })).join('\n');
    assert.equal(command('contentdownload', ['queue', 'import', '-', '--queue', queue], { input: jobs }).status, 0);
    const run = command('contentdownload', ['queue', 'run', '--drain', '--handler', handler, '--queue', queue]);
    assert.equal(run.status, 1, run.stderr);
    assert.match(run.stderr, /DISK_(FULL|IO_ERROR)/);
    rmSync(join(folder.path, 'ballast'), { force: true });
    spawnSync('mount', ['-o', 'remount,size=64m', folder.path]);
    writeFileSync(handler, 'export default async () => undefined;');
    assert.equal(
      command('contentdownload', ['queue', 'run', '--drain', '--handler', handler, '--queue', queue]).status,
      0,
    );
    const after = JSON.parse(
      command('contentdownload', ['queue', 'stats', '--json', '--queue', queue]).stdout,
    ) as Record<string, number>;
    assert.deepEqual(
      [after['queued'], after['in_progress'], (after['done'] ?? 0) + (after['error'] ?? 0)],
      [0, 0, 3_000],
    );
  } finally {
    spawnSync('umount', [folder.path]);
  }
});

test('a read-only queue is reported', async (context) => {
  const missing = process.getuid?.() === 0 && skipWithout('chattr');
  if (missing !== false) return context.skip(missing);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-readonly-'));
  const queue = join(folder.path, 'queue.sqlite');
  assert.equal(command('contentdownload', ['queue', 'enqueue', 'a', '--queue', queue]).status, 0);
  const asRoot = process.getuid?.() === 0;
  if (asRoot) {
    if (spawnSync('chattr', ['+i', queue]).status !== 0) {
      context.skip('NOT TESTED: this file system has no immutable files');
      return;
    }
  } else chmodSync(queue, 0o444);
  try {
    const refused = command('contentdownload', ['queue', 'enqueue', 'b', '--queue', queue]);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /DISK_(READ_ONLY|CANNOT_OPEN|NOT_PERMITTED) /);
  } finally {
    if (asRoot) spawnSync('chattr', ['-i', queue]);
    else chmodSync(queue, 0o644);
  }
  assert.equal(command('contentdownload', ['queue', 'enqueue', 'b', '--queue', queue]).status, 0);
});
