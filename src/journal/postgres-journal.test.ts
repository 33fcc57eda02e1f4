import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { startPostgres } from '../../test/postgres.ts';
import { systemClock } from '../base/index.ts';
import { openStore } from '../queue/kept/index.ts';
import type { JournalsUnderTest } from '../testing/index.ts';
import { describeJournal } from '../testing/index.ts';
import type { Journal } from './journal.ts';
import { LogFolder } from './log-folder.ts';
import { openPostgresJournal } from './postgres-journal.ts';

const server = await startPostgres();
after(() => server[Symbol.asyncDispose]());
const clock = systemClock;
let corpora = 0;

/** Each journal has a folder of its own, as machines do. */
async function openJournals(): Promise<JournalsUnderTest & { readonly folder: string }> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'docstokg-journal-')));
  corpora += 1;
  const schema = `journal_${process.pid}_${corpora}`;
  const queue = stack.use(await openStore(server.url, { clock, schema: `${schema}_chunk` }));
  const opened = stack.move();
  let machines = 0;
  return {
    folder: folder.path,
    open: async () => {
      machines += 1;
      const machine = join(folder.path, String(machines));
      mkdirSync(machine);
      return await openPostgresJournal(new LogFolder(machine), { url: server.url, schema, clock });
    },
    lease: async () => {
      await queue.enqueue([{ artifactId: 'job', artifactJson: '{}' }], clock.now());
      const picks = [{ host: null, resolver: null, limit: 1 }];
      const now = clock.now();
      const { leased } = await queue.exchange({ settlements: [], picks, workerId: 'w', leaseMs: 60_000, now });
      const [job] = leased;
      assert.ok(job);
      // The server looks for itself in the transaction of the append.
      return { queue: 'chunk', id: job.id, token: job.token, isHeld: async () => true };
    },
    lose: async ({ id }) => void (await queue.admin.cancel(id, clock.now())),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

describeJournal('PostgreSQL', openJournals);

const contentOf = (journal: Journal): string => readFileSync(journal.logs.of('manifest').path, 'utf8');

test('the lines of one append to several logs are on other machines together or not at all', async () => {
  await using under = await openJournals();
  await using one = await under.open();
  await using other = await under.open();
  const lease = await under.lease();
  await one.append(
    [
      { log: 'objects', lines: ['{"o":1}'] },
      { log: 'manifest', lines: ['{"m":1}'] },
    ],
    lease,
  );
  const earlier = { ...lease, token: lease.token - 1 };
  assert.equal(await one.append([{ log: 'objects', lines: ['{"o":0}'] }], earlier), false);
  await under.lose(lease);
  await one.append(
    [
      { log: 'objects', lines: ['{"o":2}'] },
      { log: 'manifest', lines: ['{"m":2}'] },
    ],
    lease,
  );
  assert.equal(await other.refresh(), 2);
  assert.equal(await other.refresh(), 0);
  assert.equal(contentOf(other), '{"m":1}\n');
});

test('a copy that was lost or cut off is copied again', async () => {
  await using under = await openJournals();
  await using journal = await under.open();
  await journal.append([{ log: 'manifest', lines: ['{"a":1}', '{"a":2}', '{"a":3}'] }]);
  await journal.refresh();
  const whole = contentOf(journal);
  truncateSync(journal.logs.of('manifest').path, 10);
  await journal.refresh();
  assert.equal(contentOf(journal), whole);
  rmSync(journal.logs.of('manifest').path);
  await journal.refresh();
  assert.equal(contentOf(journal), whole);
});

test('lines that were said are not lost with a lease, and are sent with the next append', async () => {
  await using under = await openJournals();
  await using journal = await under.open();
  const lease = await under.lease();
  await under.lose(lease);
  journal.say({ log: 'manifest', lines: ['{"said":1}'] });
  assert.equal(await journal.append([{ log: 'manifest', lines: ['{"lost":2}'] }], lease), false);
  await journal.append([{ log: 'manifest', lines: ['{"next":3}'] }]);
  await journal.refresh();
  assert.equal(contentOf(journal), '{"said":1}\n{"next":3}\n');
});

test('a folder of another fleet, or with logs of its own, is refused', async () => {
  await using under = await openJournals();
  {
    await using journal = await under.open();
    await journal.append([{ log: 'manifest', lines: ['{"a":1}'] }]);
  }
  const open = (folder: string, schema: string): Promise<Journal> =>
    openPostgresJournal(new LogFolder(folder), { url: server.url, schema, clock });
  const other = `journal_${process.pid}_other`;
  await assert.rejects(open(join(under.folder, '1'), other), { code: 'FLEET_FOLDER_USED' });
  const used = join(under.folder, 'used');
  mkdirSync(used);
  writeFileSync(join(used, 'records.jsonl'), '{"a":1}\n');
  await assert.rejects(open(used, other), { code: 'FLEET_FOLDER_USED' });
});
