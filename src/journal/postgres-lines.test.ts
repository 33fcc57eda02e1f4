import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startPostgres } from '../../test/postgres.ts';
import { systemClock } from '../base/index.ts';
import { openPostgres } from '../queue/kept/index.ts';
import { PostgresLines } from './postgres-lines.ts';

const server = await startPostgres();
after(() => server[Symbol.asyncDispose]());

test('lines of many writers are read in one order, without gaps', async () => {
  const schema = `logs_${process.pid}`;
  const open = async (): Promise<PostgresLines> =>
    PostgresLines.open(await openPostgres(server.url, { clock: systemClock, schema }));
  await using one = await open();
  await using other = await open();
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
