import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { systemClock } from '../base/index.ts';
import type { RunAccount } from './run-file.ts';
import { readRunFile, openRunFolder } from './run-file.ts';

const account: RunAccount = {
  works: null,
  scans: 0,
  partial: 0,
  documents: 1,
  skipped_files: [],
  own_papers: null,
  stages: {},
  failures: [],
  index: { passages: 3, searched_by: 'words' },
  stopped: null,
  seconds: 1,
};

test('run.json has the request and its last result, also while it runs again', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-run-'));
  const path = join(scratch.path, 'corals');
  {
    using folder = await openRunFolder(path, { topic: 'corals', max: 3 }, systemClock);
    assert.deepEqual([(await readRunFile(path))?.state, (await readRunFile(path))?.account], ['running', null]);
    await folder.end('done', account);
  }
  using again = await openRunFolder(path, { topic: 'corals' }, systemClock);
  const file = await readRunFile(path);
  assert.deepEqual(
    [file?.asked, file?.state, file?.ended_at, file?.account],
    [{ topic: 'corals' }, 'running', null, account],
  );
  await again.end('failed');
  assert.deepEqual([(await readRunFile(path))?.state, (await readRunFile(path))?.account], ['failed', account]);
});

test('a folder in use is refused, with the process that uses it', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-run-'));
  using _first = await openRunFolder(scratch.path, {}, systemClock);
  await assert.rejects(openRunFolder(scratch.path, {}, systemClock), {
    code: 'RUN_FOLDER_BUSY',
    message: new RegExp(`process ${process.pid} on `),
  });
});

test('an unreadable run.json is refused, not overwritten', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-run-'));
  writeFileSync(join(scratch.path, 'run.json'), '{"schema":"another"}');
  await assert.rejects(openRunFolder(scratch.path, {}, systemClock), { code: 'RUN_FILE' });
});
