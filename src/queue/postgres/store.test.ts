import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { Client } from 'pg';

import { startPooler, startPostgres } from '../../../test/postgres.ts';
import { systemClock } from '../../base/index.ts';
import { describeQueueStore } from '../../testing/index.ts';
import { readMigrations } from '../migrations.ts';
import { numbered } from './connection.ts';
import { PostgresStore, SQL } from './store.ts';

const server = await startPostgres();
after(() => server[Symbol.asyncDispose]());
// A pooler that gives every transaction another session, if one is installed; otherwise only its restrictions apply.
const pooler = await startPooler(server.url);
after(() => pooler?.[Symbol.asyncDispose]());
let schemas = 0;

describeQueueStore('PostgreSQL', () =>
  PostgresStore.open({
    url: server.url,
    schema: `conformance_${process.pid}_${(schemas += 1)}`,
    clock: systemClock,
    leaseClock: 'caller',
  }),
);

describeQueueStore('PostgreSQL behind a pooler in transaction mode', () =>
  PostgresStore.open({
    url: pooler?.url ?? server.url,
    schema: `pooled_${process.pid}_${(schemas += 1)}`,
    clock: systemClock,
    leaseClock: 'caller',
    pooler: true,
  }),
);

test('no statement scans the whole queue, whatever the planner knows', async () => {
  const schema = `plans_${process.pid}`;
  await using store = await PostgresStore.open({ url: server.url, schema, clock: systemClock });
  await store.enqueue(
    Array.from({ length: 20_000 }, (_, n) => ({ artifactId: `job ${n}`, artifactJson: '{}' })),
    0,
  );
  const client = new Client({
    connectionString: server.url,
    options: `-c search_path=${schema} -c plan_cache_mode=force_generic_plan`,
  });
  await client.connect();
  try {
    await client.query('ANALYZE');
    // As the connection prepares it, without values.
    const { text, names } = numbered(SQL.exchange);
    await client.query(`PREPARE exchange AS ${text}`);
    const nothing = names.map(() => 'NULL').join(', ');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE exchange(${nothing})`);
    const plan = rows.map((row) => row['QUERY PLAN']);
    assert.ok(plan.some((line) => line.includes('Tid Scan on runs')));
    assert.deepEqual(
      plan.filter((line) => line.includes('Seq Scan')),
      [],
    );
  } finally {
    await client.end();
  }
});

test('a queue of the first schema is migrated', async () => {
  const schema = `carried_${process.pid}`;
  const client = new Client({ connectionString: server.url, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    await client.query(`CREATE SCHEMA ${schema}`);
    await client.query('CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL)');
    const [first] = readMigrations('postgres');
    assert.ok(first);
    await client.query(first.sql);
    await client.query('INSERT INTO migrations VALUES (1, $1)', [first.name]);
    await client.query(`INSERT INTO jobs (artifact_id, artifact_json, state, attempts, last_error, resolver_hint, host,
        created_at, updated_at, lease_expires_at, worker_id, priority, token)
      VALUES ('a', '{"n":1}', 'queued', 1, 'HTTP_500: no', 'arxiv', 'arxiv.org', 1, 2, NULL, NULL, 3, 7),
             ('b', '{"n":2}', 'in_progress', 1, NULL, NULL, NULL, 1, 2, 60000, 'w', 0, 8),
             ('c', '{"n":3}', 'done', 1, NULL, NULL, NULL, 1, 2, NULL, NULL, 0, 9)`);
    await client.query(
      `INSERT INTO tally VALUES ('queued', 'arxiv', 'HTTP_500', 1), ('in_progress', '', '', 1), ('done', '', '', 1)`,
    );
    await using store = await PostgresStore.open({ url: server.url, schema, clock: systemClock, leaseClock: 'caller' });
    const a = await store.admin.find('a');
    assert.deepEqual(
      [a?.artifactJson, a?.state, a?.attempts, a?.lastError, a?.resolverHint, a?.host, a?.priority, a?.createdAt],
      ['{"n":1}', 'queued', 1, 'HTTP_500: no', 'arxiv', 'arxiv.org', 3, 1],
    );
    // The lease continues under its token, new jobs get new ids, and known jobs stay known.
    const held = { id: 2, token: 8, resolverHint: null };
    const settlements = [{ ...held, settlement: { kind: 'finish', state: 'done' } as const }];
    const exchange = { workerId: 'w', settlements, picks: [], now: 3, leaseMs: 60_000 };
    assert.deepEqual((await store.exchange(exchange)).accepted, [true]);
    assert.deepEqual(
      await store.enqueue(
        ['a', 'd'].map((id) => ({ artifactId: id, artifactJson: '{}' })),
        4,
      ),
      [false, true],
    );
    assert.equal((await store.admin.find('d'))?.id, 5);
    const { rows } = await client.query('SELECT artifact_id, state FROM jobs ORDER BY id');
    assert.deepEqual(rows, [
      { artifact_id: 'a', state: 'queued' },
      { artifact_id: 'b', state: 'done' },
      { artifact_id: 'c', state: 'done' },
      { artifact_id: 'd', state: 'queued' },
    ]);
  } finally {
    await client.end();
  }
});
