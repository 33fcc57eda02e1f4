import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { Client } from 'pg';

import { startCuttingProxy } from '../../../test/e2e/cutting-proxy.ts';
import { startPostgres } from '../../../test/postgres.ts';
import type { AppError } from '../../base/index.ts';
import { systemClock } from '../../base/index.ts';
import { HeldClock } from '../../testing/index.ts';
import type { OutageEvent } from '../store-options.ts';
import { PostgresConnection } from './connection.ts';
import { PostgresStore } from './store.ts';

const server = await startPostgres({ max_connections: '12', superuser_reserved_connections: '1' });
after(() => server[Symbol.asyncDispose]());

/** A store that reports when its server is unreachable, and when it is back. */
async function open(
  schema: string,
): Promise<{ readonly store: PostgresStore; readonly away: Promise<void>; readonly events: string[] }> {
  const { promise: away, resolve } = Promise.withResolvers<void>();
  const events: string[] = [];
  const report = (event: OutageEvent): void => {
    events.push(event.kind);
    if (event.kind === 'queue-unreachable') resolve();
  };
  const store = await PostgresStore.open({ url: server.url, schema, clock: systemClock, report, maxConnections: 2 });
  return { store, away, events };
}

async function asAdministrator(work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

const job = (artifactId: string) => ({ artifactId, artifactJson: '{}' });

test('a server that is read-only for a while, as after a failover, is waited for; no job is lost or duplicated', async () => {
  const { store, away, events } = await open('read_only');
  await using _store = store;
  await store.enqueue([job('before')], 0);
  const setReadOnly = (value: 'on' | 'off') =>
    asAdministrator(async (client) => {
      await client.query('SET default_transaction_read_only = off');
      await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
      await client.query('SELECT pg_reload_conf()');
    });
  await setReadOnly('on');
  // The setting reaches each session with a delay: retry until a write is refused.
  const writes: Promise<boolean[]>[] = [];
  const isRefused = async (): Promise<boolean> =>
    Promise.race([away.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);
  while (!(await isRefused())) {
    const write = store.enqueue([job(`write ${writes.length}`)], 0);
    writes.push(write);
    await Promise.race([write, away]);
  }
  await setReadOnly('off');
  await Promise.all(writes);
  const jobs = await store.admin.list({}, { limit: 100_000 });
  assert.equal(jobs.length, writes.length + 1);
  assert.deepEqual(events, ['queue-unreachable', 'queue-reachable']);
});

test('an outage is over when the server answers, also if it refuses', async () => {
  const events: string[] = [];
  await using connection = await PostgresConnection.open({
    url: server.url,
    clock: systemClock,
    schema: 'refused',
    report: ({ kind }) => void events.push(kind),
  });
  const errors = [
    { code: '40P01', message: 'deadlock' },
    { code: '42601', message: 'syntax' },
  ];
  const work = async (): Promise<void> => {
    throw Object.assign(new Error(errors[0]?.message), errors.shift());
  };
  await assert.rejects(connection.transaction(work), { message: 'syntax' });
  assert.deepEqual(events, ['queue-unreachable', 'queue-reachable']);
});

test('a server without a free connection is waited for', async () => {
  const { store, away, events } = await open('full');
  await using _store = store;
  const hogs: Client[] = [];
  // The store's idle connection is closed, so that it needs a new one.
  await asAdministrator(async (client) => {
    await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'docstokg'");
  });
  for (;;) {
    const hog = new Client({ connectionString: server.url });
    hog.on('error', () => undefined);
    try {
      await hog.connect();
      hogs.push(hog);
    } catch {
      break; // All connections are taken.
    }
  }
  assert.ok(hogs.length >= 10);
  const written = store.enqueue([job('late')], 0);
  await Promise.race([away, written]);
  for (const hog of hogs) await hog.end();
  assert.deepEqual(await written, [true]);
  assert.deepEqual(events, ['queue-unreachable', 'queue-reachable']);
});

test('a server that is restarted, cleanly or not, is waited for; accepted jobs are kept', async () => {
  const { store } = await open('restarted');
  await using _store = store;
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    await store.enqueue([job(`before ${signal}`)], 0);
    const restarting = server.restart?.(signal);
    // It may have been accepted before the reply was lost; the retry then finds it known.
    await store.enqueue([job(`during ${signal}`)], 0);
    await restarting;
  }
  assert.equal((await store.admin.list({}, { limit: 10 })).length, 4);
});

test('a server that stays away is given up after ten minutes, or within seconds when somebody wants to stop', async () => {
  await using other = await startPostgres();
  for (const [wantsToStop, away] of [
    [false, /has been away for 10 min/],
    [true, /has been away for \d+(\.\d)? s/],
  ] as const) {
    await other.restart?.();
    const clock = new HeldClock();
    const stop = new AbortController();
    await using store = await PostgresStore.open({ url: other.url, clock, stop: stop.signal, maxConnections: 1 });
    await other.stop?.();
    if (wantsToStop) stop.abort();
    const refused = assert.rejects(store.enqueue([job('late')], 0), { code: 'QUEUE_UNREACHABLE', message: away });
    const state = { isOver: false };
    const ended = refused.finally(() => (state.isOver = true));
    while (!state.isOver) await clock.advanceToNext();
    await ended;
  }
});

/** The server behind a proxy that can freeze it. */
async function behindProxy() {
  const url = new URL(server.url);
  const proxy = await startCuttingProxy({ host: url.hostname, port: Number(url.port) });
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  return { proxy, url: url.href };
}

for (const pooler of [false, true])
  test(`a server that freezes is noticed, and used again when it is back${pooler ? ', behind a pooler too' : ''}`, async () => {
    const { proxy, url } = await behindProxy();
    await using _proxy = proxy;
    const events: string[] = [];
    const { promise: away, resolve } = Promise.withResolvers<void>();
    const report = (event: OutageEvent): void => {
      events.push(event.kind);
      if (event.kind === 'queue-unreachable') resolve();
    };
    const options = { url, schema: 'frozen', clock: systemClock, report, pooler, maxConnections: 1, silentMs: 20 };
    await using store = await PostgresStore.open(options);
    proxy.freeze();
    const written = store.enqueue([job(`while frozen ${pooler}`)], 0);
    await away;
    proxy.thaw();
    // It may have been accepted before; then it is known when it is sent again.
    await written;
    assert.equal((await store.admin.list({}, { limit: 10 })).length, pooler ? 2 : 1);
    assert.deepEqual(events, ['queue-unreachable', 'queue-reachable']);
  });

test('a statement may take much longer than a server may be silent', async () => {
  const { proxy, url } = await behindProxy();
  await using _proxy = proxy;
  const events: string[] = [];
  const report = ({ kind }: OutageEvent): void => void events.push(kind);
  await using connection = await PostgresConnection.open({ url, schema: 'slow', report, silentMs: 20 });
  assert.deepEqual(await connection.run('slow', 'SELECT 1 AS one FROM pg_sleep(1)', {}), [{ one: 1 }]);
  assert.deepEqual(await connection.transaction((run) => run('SELECT 1 AS one FROM pg_sleep(1)')), [{ one: 1 }]);
  assert.deepEqual(events, []);
});

test('connections that were used before somebody wants to stop are used after it too', async () => {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal]);
  await using connection = await PostgresConnection.open({ url: server.url, schema: 'stopped', stop: signal });
  const both = (): Promise<unknown> =>
    Promise.all(Array.from({ length: 6 }, () => connection.run('one', 'SELECT 1 AS one', {})));
  await both();
  stop.abort();
  await both();
});

test('a server that stays frozen is given up after the time of the settings, and at once when somebody wants to stop', async () => {
  for (const wantsToStop of [false, true]) {
    const { proxy, url } = await behindProxy();
    await using _proxy = proxy;
    const stop = new AbortController();
    const silentMs = wantsToStop ? 3_600_000 : 20;
    const options = { url, schema: 'frozen', clock: systemClock, timeoutMs: 2_000, silentMs, outageMs: 100 };
    await using store = await PostgresStore.open({ ...options, stop: stop.signal, maxConnections: 1 });
    proxy.freeze();
    const refused = assert.rejects(store.enqueue([job('late')], 0), (error: AppError) => {
      assert.equal(error.code, 'QUEUE_UNREACHABLE');
      assert.match(error.message, /does not answer|timeout|no connection/);
      assert.match(error.hint ?? '', /run the same command again/);
      return true;
    });
    if (wantsToStop) stop.abort();
    await refused;
  }
});
