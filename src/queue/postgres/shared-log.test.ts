import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startPostgres } from '../../../test/postgres.ts';
import { systemClock } from '../../base/index.ts';
import { SharedLog } from './shared-log.ts';
import { PostgresStore } from './store.ts';

const server = await startPostgres();
after(() => server[Symbol.asyncDispose]());
const options = { url: server.url, clock: systemClock };

test('lines of many writers are read in one order, without gaps', async () => {
  const schema = `logs_${process.pid}`;
  await using one = await SharedLog.open({ ...options, schema });
  await using other = await SharedLog.open({ ...options, schema });
  const seen: string[] = [];
  let cursor = 0;
  const reading = (async () => {
    while (seen.length < 300) {
      const rows = await one.read(new Map([['a', cursor]]), 50);
      for (const { line, text } of rows) {
        assert.equal(line, cursor + 1);
        cursor = line;
        seen.push(text);
      }
    }
  })();
  await Promise.all(
    Array.from({ length: 100 }, (_, at) =>
      (at % 2 === 0 ? one : other).append([
        { log: 'b', lines: [`b${at}`] },
        { log: 'a', lines: [`${at}.0`, `${at}.1`, `${at}.2`] },
      ]),
    ),
  );
  await reading;
  assert.equal(new Set(seen).size, 300);
  // The lines of one batch stay together and in their order.
  for (let at = 0; at < 300; at += 3)
    assert.deepEqual(
      seen.slice(at, at + 3).map((text) => text.split('.')[1]),
      ['0', '1', '2'],
    );
  assert.equal((await one.read(new Map([['b', 0]]), 1_000)).length, 100);
});

test('a worker that has lost its lease appends nothing', async () => {
  const schema = `fence_${process.pid}`;
  await using store = await PostgresStore.open({ ...options, schema });
  await using log = await SharedLog.open({ ...options, schema });
  await store.enqueue([{ artifactId: 'job', artifactJson: '{}' }], systemClock.now());
  const picks = [{ host: null, resolver: null, limit: 1 }];
  const now = systemClock.now();
  const { leased } = await store.exchange({ settlements: [], picks, workerId: 'w', leaseMs: 60_000, now });
  const [job] = leased;
  assert.ok(job);
  const proof = { schema, id: job.id, token: job.token };
  assert.equal(await log.append([{ log: 'a', lines: ['held'] }], proof), true);
  assert.equal(await log.append([{ log: 'a', lines: ['stale'] }], { ...proof, token: job.token - 1 }), false);
  await store.admin.cancel(job.id, systemClock.now());
  assert.equal(await log.append([{ log: 'a', lines: ['cancelled'] }], proof), false);
  const lines = await log.read(new Map([['a', 0]]), 10);
  assert.deepEqual(
    lines.map(({ text }) => text),
    ['held'],
  );
});
