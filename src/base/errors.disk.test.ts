import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { test } from 'node:test';

import { openOrSetAside, setAsideIfDamaged } from './damaged-file.ts';
import { AppError, describeDiskError } from './errors.ts';

const PATH = join(tmpdir(), 'rows.jsonl');

test('a disk error has its path, the free space and a hint', () => {
  for (const [thrown, code] of [
    [{ code: 'ENOSPC' }, 'DISK_FULL'],
    [{ code: 'EDQUOT' }, 'DISK_FULL'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 13 }, 'DISK_FULL'],
    [{ code: 'EROFS' }, 'DISK_READ_ONLY'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 1032 }, 'DISK_READ_ONLY'],
    [{ code: 'EACCES' }, 'DISK_NOT_PERMITTED'],
    [{ code: 'EBUSY' }, 'DISK_NOT_PERMITTED'],
    [{ code: 'EIO' }, 'DISK_IO_ERROR'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 778 }, 'DISK_IO_ERROR'],
  ] as const) {
    const error = describeDiskError(Object.assign(new Error('x'), thrown), PATH);
    assert.ok(error instanceof AppError);
    assert.equal(error.code, code);
    assert.ok(error.message.startsWith(PATH));
    assert.match(error.message, /\d MB free/);
    assert.ok(error.hint);
  }
});

test('too many open files is reported with the path and a hint', () => {
  const error = describeDiskError(Object.assign(new Error('x'), { code: 'EMFILE' }), PATH);
  assert.ok(error instanceof AppError);
  assert.deepEqual([error.code, error.message.startsWith(PATH)], ['TOO_MANY_OPEN_FILES', true]);
  assert.match(error.hint ?? '', /ulimit -n/);
});

test('a database that cannot be opened is reported with its path and a hint', () => {
  const path = join(tmpdir(), 'no-such-folder', 'rows.sqlite');
  assert.throws(
    () => openOrSetAside(path, () => new DatabaseSync(path), undefined),
    (error: AppError) => {
      assert.deepEqual([error.code, error.message.startsWith(path)], ['DISK_CANNOT_OPEN', true]);
      assert.match(error.hint ?? '', /ulimit -n/);
      return true;
    },
  );
});

test('a database that cannot be checked for damage is reported as one that cannot be opened', () => {
  assert.throws(() => setAsideIfDamaged(tmpdir(), undefined), { code: 'DISK_CANNOT_OPEN' });
});

test('other errors are returned unchanged', () => {
  const other = Object.assign(new Error('x'), { code: 'ENOENT' });
  assert.equal(describeDiskError(other, PATH), other);
});
