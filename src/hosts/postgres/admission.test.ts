import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Client } from 'pg';

import type { AppError } from '../../base/index.ts';
import { systemClock } from '../../base/index.ts';
import { describeAdmission } from '../../testing/index.ts';
import type { TestPostgres } from '../../../test/postgres.ts';
import { startPostgres } from '../../../test/postgres.ts';
import type { HostReport } from '../host.ts';
import { HostTable } from '../host-table.ts';
import { openSharedAdmission, readSharedHosts } from './admission.ts';

let server: TestPostgres | undefined;
let schemas = 0;
before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
});

test('an observer sees holds, slots and turns of the fleet and does not count as a member', async () => {
  const table = new HostTable({ perHost: { perSecond: 0.002, concurrency: 3 } });
  const place = { url: server?.url ?? '', schema: `looked_${process.pid}`, table };
  assert.deepEqual(await readSharedHosts(place), [], 'nothing is shared yet');
  await using admission = await openSharedAdmission(place);
  const turn = await admission.acquire(['busy.org'], { patienceMs: 60_000, longestLineMs: 60_000 });
  admission.observe(['slow.org'], { kind: 'answer', status: 429, retryAt: Date.now() + 3_600_000 });
  // The update reaches the fleet asynchronously; only an outside reader can see that it has arrived.
  const seen = await until(
    () => readSharedHosts(place),
    (hosts) => hosts.some(({ slowed }) => slowed),
  );
  const at = (host: string): HostReport => seen.find(({ key }) => key === host) ?? assert.fail(host);
  assert.deepEqual([at('busy.org').inFlight, at('busy.org').cap, at('busy.org').hold], [1, 3, null]);
  assert.ok(at('busy.org').nextInMs > 0);
  assert.deepEqual([at('slow.org').hold?.reason, at('slow.org').perSecond], ['rate-limited', 0.001]);
  assert.ok((at('slow.org').hold?.forMs ?? 0) > 3_000_000);
  if (turn.kind === 'go') turn.slot[Symbol.dispose]();
});

/** A role that may connect and owns this schema, as in the guide, or owns no schema. */
async function leastRole(schema?: string): Promise<string> {
  const role = `worker_${process.pid}_${schema ?? 'none'}`;
  const admin = new Client({ connectionString: server?.url });
  await admin.connect();
  try {
    await admin.query(`CREATE ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE`);
    if (schema !== undefined) await admin.query(`CREATE SCHEMA ${schema} AUTHORIZATION ${role}`);
  } finally {
    await admin.end();
  }
  return (server?.url ?? '').replace('postgres@', `${role}@`);
}

test('a role that owns its schema and cannot create others can share hosts', async () => {
  const schema = `owned_${process.pid}`;
  const url = await leastRole(schema);
  const table = new HostTable({ perHost: { perSecond: 100, concurrency: 3 } });
  for (let start = 0; start < 2; start += 1) {
    await using admission = await openSharedAdmission({ url, schema, table });
    const turn = await admission.acquire(['a.org'], { patienceMs: 60_000, longestLineMs: 60_000 });
    assert.equal(turn.kind, 'go');
    if (turn.kind === 'go') turn.slot[Symbol.dispose]();
  }
});

test('a role without a schema gets the error of the server', async () => {
  const url = await leastRole();
  const table = new HostTable({ perHost: { perSecond: 100, concurrency: 3 } });
  await assert.rejects(openSharedAdmission({ url, schema: `missing_${process.pid}`, table }), (error: AppError) => {
    assert.match(error.message, /permission denied for database/);
    assert.match(error.hint ?? '', /CREATE SCHEMA/);
    return true;
  });
});

async function until<T>(look: () => Promise<T>, isSo: (found: T) => boolean): Promise<T> {
  for (;;) {
    const found = await look();
    if (isSo(found)) return found;
  }
}

describeAdmission('hosts shared by a fleet through PostgreSQL', async (options) => {
  schemas += 1;
  const admission = await openSharedAdmission({
    ...options,
    url: server?.url ?? '',
    schema: `hosts_${process.pid}_${schemas}`,
  });
  return {
    admission,
    clock: systemClock,
    pass: (promise) => promise,
    [Symbol.asyncDispose]: () => admission[Symbol.asyncDispose](),
  };
});
