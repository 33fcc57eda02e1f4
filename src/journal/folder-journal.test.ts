import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Lease } from '../queue/kept/index.ts';
import { openStore } from '../queue/kept/index.ts';
import type { JournalsUnderTest } from '../testing/index.ts';
import { describeJournal, HeldClock } from '../testing/index.ts';
import { FolderJournal } from './folder-journal.ts';
import { LogFolder } from './log-folder.ts';

async function openJournals(): Promise<JournalsUnderTest> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'docstokg-journal-')));
  const clock = new HeldClock();
  const queue = stack.use(await openStore(join(folder.path, 'queue.sqlite'), { clock }));
  const opened = stack.move();
  const leaseMs = 60_000;
  const isHeld = async (lease: Lease): Promise<boolean> =>
    (await queue.extend([lease], clock.now(), leaseMs)).length === 0;
  return {
    open: async () => new FolderJournal(new LogFolder(folder.path)),
    lease: async () => {
      await queue.enqueue([{ artifactId: 'job', artifactJson: '{}' }], clock.now());
      const picks = [{ host: null, resolver: null, limit: 1 }];
      const { leased } = await queue.exchange({ settlements: [], picks, workerId: 'w', leaseMs, now: clock.now() });
      const [job] = leased;
      assert.ok(job);
      const { id, token } = job;
      return { queue: 'works', id, token, isHeld: () => isHeld({ id, token }) };
    },
    lose: async ({ id }) => void (await queue.admin.cancel(id, clock.now())),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

describeJournal('A folder', openJournals);

test('a manifest that has grown is rotated by the first append, and its files are read in order', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-rotated-'));
  const logs = new LogFolder(folder.path);
  for (const at of [1, 2, 3]) {
    await using journal = new FolderJournal(logs, { rotateBytes: 10 });
    await journal.append([{ log: 'manifest', lines: [`{"at":${at},"long":true}`] }]);
    await journal.append([{ log: 'manifest', lines: [`{"and":${at}}`] }]);
  }
  assert.deepEqual(
    logs.files().map(({ name, log }) => [name, log]),
    [
      ['manifest.0001.jsonl', 'manifest'],
      ['manifest.0002.jsonl', 'manifest'],
      ['manifest.jsonl', 'manifest'],
    ],
  );
});

test('a journal of copies of a fleet refuses lines, and changes nothing', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-copies-'));
  mkdirSync(join(folder.path, 'state'));
  writeFileSync(join(folder.path, 'state', 'fleet.json'), '{"fleet":"a","logs":{}}');
  await using journal = new FolderJournal(new LogFolder(folder.path));
  assert.equal(journal.isReadOnly, true);
  await assert.rejects(journal.append([{ log: 'manifest', lines: ['{}'] }]), { code: 'CORPUS_OF_FLEET' });
  assert.throws(() => journal.say({ log: 'records', lines: ['{}'] }), { code: 'CORPUS_OF_FLEET' });
  assert.equal(await journal.identity(), 'a');
  assert.deepEqual(readdirSync(folder.path), ['state']);
});

test('a journal that is closed keeps no file open', async (context) => {
  const descriptors = '/proc/self/fd';
  if (!existsSync(descriptors)) {
    context.skip('NOT TESTED: only Linux lists the open files of a process');
    return;
  }
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-closed-'));
  {
    await using journal = new FolderJournal(new LogFolder(folder.path));
    assert.equal(await journal.identity(), await journal.identity());
  }
  const open = readdirSync(descriptors).map((name) => {
    try {
      return readlinkSync(join(descriptors, name));
    } catch {
      return ''; // The list itself, which is closed by now.
    }
  });
  assert.deepEqual(
    open.filter((path) => path.startsWith(folder.path)),
    [],
  );
});

test('a journal that nothing is appended to leaves no file', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-unused-'));
  {
    await using journal = new FolderJournal(new LogFolder(folder.path));
    await journal.append([{ log: 'manifest', lines: [] }]);
    assert.equal(await journal.refresh(), 0);
  }
  assert.ok(!existsSync(join(folder.path, 'manifest.jsonl')));
});
