import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { BIN } from '../support/bin.ts';
import { skipWithout } from '../support/programs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const HANDLER = join(ROOT, 'test', 'fixtures', 'queue-handler.ts');

/** Runs a queue command; returns its writes and syncs of the log, and its lines on stdout, in order. */
function trace(folder: string, durability: string, ...parameters: string[]): string[] {
  const log = join(folder, 'trace');
  const { status, stderr } = spawnSync(
    'strace',
    [
      '-f',
      '-y',
      '-e',
      'trace=pwrite64,fsync,fdatasync,write',
      '-o',
      log,
      process.execPath,
      join(BIN, 'docstokg'),
      'queue',
      ...parameters,
    ],
    { cwd: folder, encoding: 'utf8', env: { ...process.env, DOCSTOKG_QUEUE__DURABILITY: durability } },
  );
  assert.equal(status, 0, stderr);
  return readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line) =>
      /pwrite64\(\d+<[^>]*-wal>/.test(line)
        ? ['write']
        : /f(?:data)?sync\(\d+<[^>]*-wal>/.test(line)
          ? ['sync']
          : / write\(1</.test(line)
            ? ['printed']
            : [],
    );
}

test('a job is acknowledged after its sync, and results are not synced unless requested', async (context) => {
  const missing = skipWithout('strace');
  if (missing !== false) return context.skip(missing);
  if (spawnSync('strace', ['-o', '/dev/null', 'true']).status !== 0)
    return context.skip('system calls may not be traced here');
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-durability-'));
  /** Events from the last write of the log before the first output to that output. */
  const beforeOutput = (events: readonly string[]): readonly string[] => {
    const printed = events.indexOf('printed');
    assert.ok(printed > 0, 'something was written before the output');
    return events.slice(events.lastIndexOf('write', printed), printed + 1);
  };
  // The first one creates the file, which is always synced.
  trace(folder.path, 'none', 'enqueue', 'first');
  assert.deepEqual(beforeOutput(trace(folder.path, 'enqueue', 'enqueue', 'a')), ['write', 'sync', 'printed']);
  assert.deepEqual(beforeOutput(trace(folder.path, 'none', 'enqueue', 'b')), ['write', 'printed']);

  const syncs = (durability: string): number =>
    trace(folder.path, durability, 'run', '--drain', '--log-level', 'error', '--handler', HANDLER).filter(
      (each) => each === 'sync',
    ).length;
  const lazily = syncs('enqueue');
  trace(folder.path, 'enqueue', 'enqueue', 'c');
  const eagerly = syncs('all');
  assert.ok(eagerly > lazily, `${eagerly} syncs with "all", ${lazily} with "enqueue"`);
});
