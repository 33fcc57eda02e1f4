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

test('a queue whose schema is behind is migrated, and its jobs stay', async () => {
  const schema = `carried_${process.pid}`;
  const client = new Client({ connectionString: server.url, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    await client.query(`CREATE SCHEMA ${schema}`);
    await client.query('CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL)');
    const [first, second] = readMigrations('postgres');
    assert.ok(first && second);
    await client.query(first.sql);
    await client.query('INSERT INTO migrations VALUES (1, $1)', [first.name]);
    await client.query(
      `INSERT INTO artifacts (id, created_at, artifact_id, artifact_json) VALUES (1, 1, 'a', '{"n":1}')`,
    );
    await client.query(`INSERT INTO runs (id, token, updated_at, lease_expires_at, state, lane, worker_id)
      VALUES (1, 8, 2, 60000, 'in_progress', 'arxiv.org arxiv', 'w')`);
    await client.query(`INSERT INTO tally VALUES ('in_progress', 'arxiv', '', 1)`);
    await using store = await PostgresStore.open({ url: server.url, schema, clock: systemClock, leaseClock: 'caller' });
    const { rows } = await client.query('SELECT version, name FROM migrations ORDER BY version');
    assert.deepEqual(
      rows,
      [first, second].map(({ version, name }) => ({ version, name })),
    );
    assert.equal((await client.query('SELECT count(*)::int AS count FROM log_heads')).rows[0]?.count, 0);
    const a = await store.admin.find('a');
    assert.deepEqual(
      [a?.artifactJson, a?.state, a?.host, a?.resolverHint],
      ['{"n":1}', 'in_progress', 'arxiv.org', 'arxiv'],
    );
    // The lease continues under its token.
    const settlement = { kind: 'finish', state: 'done' } as const;
    const settlements = [{ id: 1, token: 8, resolverHint: null, settlement }];
    const exchange = { workerId: 'w', settlements, picks: [], now: 3, leaseMs: 60_000 };
    assert.deepEqual((await store.exchange(exchange)).accepted, [true]);
  } finally {
    await client.end();
  }
});
