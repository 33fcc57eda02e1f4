import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { markPragma, packageRoot, systemClock } from '../../base/index.ts';
import { SqliteStore } from './store.ts';

const open = (path: string, timeoutMs = 60_000): Promise<SqliteStore> =>
  SqliteStore.open({ path, clock: systemClock, timeoutMs });

test('a database of the source documents is migrated with every job, state, error and timestamp', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-adopt-'));
  const path = join(folder.path, 'queue.sqlite');
  {
    using old = new DatabaseSync(path);
    old.exec(readFileSync(join(packageRoot(), 'sql', 'queue', 'sqlite', '0001_jobs.sql'), 'utf8'));
    const insert = old.prepare(
      `INSERT INTO jobs (artifact_id, artifact_json, state, attempts, last_error, resolver_hint, created_at, updated_at, lease_expires_at, worker_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    insert.run(
      'doi:1',
      '{"doi":"1"}',
      'queued',
      0,
      null,
      'unpaywall',
      '2025-10-21T10:00:00.250+00:00',
      '2025-10-21T10:00:00Z',
      null,
      null,
    );
    insert.run(
      'doi:2',
      '{"doi":"2"}',
      'in_progress',
      1,
      null,
      null,
      '2025-10-21 10:00:01',
      '2025-10-21T10:00:01Z',
      '2025-10-21T10:10:00Z',
      'cdw-1',
    );
    insert.run(
      'doi:3',
      '{"doi":"3"}',
      'error',
      3,
      'timeout: after 30 s',
      null,
      '2025-10-21T10:00:02.123456',
      '2025-10-21T10:00:02Z',
      null,
      null,
    );
    insert.run(
      'doi:4',
      '{"doi":"4"}',
      'done',
      1,
      null,
      null,
      '2025-10-21T10:00:03Z',
      '2025-10-21T10:00:03Z',
      null,
      null,
    );
    insert.run(
      'doi:5',
      '{"doi":"5"}',
      'PAUSED',
      0,
      null,
      null,
      '2025-10-21T10:00:04Z',
      '2025-10-21T10:00:04Z',
      null,
      null,
    );
  }
  await using store = await open(path);
  const now = Date.UTC(2025, 9, 21, 11);
  assert.deepEqual((await store.admin.stats(now)).states, { queued: 1, in_progress: 1, done: 1, skipped: 0, error: 2 });
  const [first, second, third, , fifth] = await store.admin.list({}, { limit: 9 });
  assert.deepEqual(
    [first?.id, first?.createdAt, first?.resolverHint, first?.artifactJson],
    [1, Date.UTC(2025, 9, 21, 10, 0, 0, 250), 'unpaywall', '{"doi":"1"}'],
  );
  assert.deepEqual(
    [second?.workerId, second?.leaseExpiresAt, second?.attempts],
    ['cdw-1', Date.UTC(2025, 9, 21, 10, 10), 1],
  );
  assert.deepEqual(
    [third?.lastError, third?.attempts, third?.createdAt],
    ['timeout: after 30 s', 3, Date.UTC(2025, 9, 21, 10, 0, 2, 123)],
  );
  assert.equal(fifth?.lastError, 'STATE_UNKNOWN: was in state PAUSED');
  assert.deepEqual(await store.enqueue([{ artifactId: 'doi:1', artifactJson: '{}' }], now), [false]);
  // The old holder's lease has expired, so its job can be leased, as its second attempt.
  await store.backlog(now, { shared: 2, alone: 3, most: 9 });
  const { leased } = await store.exchange({
    workerId: 'w',
    settlements: [],
    picks: [{ host: null, resolver: null, limit: 9 }],
    now,
    leaseMs: 1000,
  });
  assert.deepEqual(
    leased.map(({ artifactId, attempt }) => [artifactId, attempt]),
    [['doi:2', 1]],
  );
});

test('a database of a newer version is rejected and not changed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-newer-'));
  const path = join(folder.path, 'queue.sqlite');
  {
    using newer = new DatabaseSync(path);
    newer.exec('CREATE TABLE jobs (id INTEGER PRIMARY KEY, shape TEXT); PRAGMA user_version = 99');
    newer.exec(markPragma('DtKq'));
  }
  await assert.rejects(open(path), { code: 'QUEUE_SCHEMA_NEWER' });
  using same = new DatabaseSync(path);
  assert.deepEqual({ ...same.prepare('PRAGMA user_version').get() }, { user_version: 99 });
});

test('a database of another program and a file that is not a database are rejected and not changed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-foreign-'));
  const contents = [
    'CREATE TABLE bookmarks (url TEXT)',
    'CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = 8',
    'CREATE TABLE jobs (id INTEGER PRIMARY KEY, salary INTEGER)',
    'CREATE TABLE jobs (id INTEGER PRIMARY KEY, salary INTEGER); PRAGMA user_version = 99',
    'PRAGMA application_id = 7',
  ];
  for (const [number, content] of contents.entries()) {
    const foreign = join(folder.path, `browser-${number}.sqlite`);
    {
      using other = new DatabaseSync(foreign);
      other.exec(content);
    }
    const before = readFileSync(foreign);
    await assert.rejects(open(foreign), { code: 'QUEUE_FOREIGN_DATABASE' }, content);
    assert.deepEqual(readFileSync(foreign), before, content);
  }
  const text = join(folder.path, 'notes.txt');
  const content = 'these are my notes, and they are longer than the header of a database would be\n'.repeat(20);
  writeFileSync(text, content);
  await assert.rejects(open(text), { code: 'QUEUE_NOT_A_DATABASE' });
  assert.equal(readFileSync(text, 'utf8'), content);
  await assert.rejects(open(join(text, 'queue.sqlite')), { code: 'DISK_CANNOT_OPEN' });
});

test('a lock of another program is waited for, then reported', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-locked-'));
  const path = join(folder.path, 'queue.sqlite');
  await using store = await open(path, 20);
  using holder = new DatabaseSync(path);
  holder.exec('BEGIN IMMEDIATE');
  await assert.rejects(store.enqueue([{ artifactId: 'a', artifactJson: '{}' }], 0), { code: 'QUEUE_BUSY' });
  holder.exec('ROLLBACK');
  assert.deepEqual(await store.enqueue([{ artifactId: 'a', artifactJson: '{}' }], 0), [true]);
});

test('the queue works the same without write-ahead logging', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-rollback-'));
  await using store = await SqliteStore.open({
    path: join(folder.path, 'q.sqlite'),
    clock: systemClock,
    walMode: false,
    durability: 'all',
  });
  assert.deepEqual(await store.enqueue([{ artifactId: 'a', artifactJson: '{}' }], 0), [true]);
});

test('a change by another process is noticed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-watch-'));
  const path = join(folder.path, 'queue.sqlite');
  await using here = await open(path);
  await using there = await open(path);
  const bothSeen = Promise.withResolvers<void>();
  const changes = new Set<string>();
  using _watch = here.watch((change) => {
    changes.add(change);
    if (changes.size === 2) bothSeen.resolve();
  });
  await there.enqueue([{ artifactId: 'a', artifactJson: '{}' }], 0);
  await there.admin.pause('all', '', 0);
  await bothSeen.promise;
});

test('files that SQLite created next to a read-only queue do not keep it read-only', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-mode-'));
  const path = join(folder.path, 'queue.sqlite');
  await (await open(path))[Symbol.asyncDispose]();
  for (const ending of ['-wal', '-shm']) writeFileSync(path + ending, '', { mode: 0o444 });
  await using store = await open(path);
  assert.deepEqual(await store.enqueue([{ artifactId: 'a', artifactJson: '{}' }], 0), [true]);
  for (const ending of ['-wal', '-shm']) assert.notEqual(statSync(path + ending).mode & 0o200, 0, ending);
});
