import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import { Client } from 'pg';

import { startCuttingProxy } from '../../../test/e2e/cutting-proxy.ts';
import type { TestPostgres } from '../../../test/postgres.ts';
import { startPostgres } from '../../../test/postgres.ts';
import { openLoopback } from '../../testing/index.ts';
import type { AcquireOptions } from '../admission.ts';
import { HostTable } from '../host-table.ts';
import type { SharedAdmission } from './admission.ts';
import type { PostgresAdmissionOptions } from './fleet.ts';
import { openSharedAdmission } from './admission.ts';

const PATIENT: AcquireOptions = { patienceMs: 60_000, longestLineMs: 60_000 };

let server: TestPostgres | undefined;
let schemas = 0;
before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
});

/** Opens processes of one fleet; all of a test share a schema. */
function fleetOf(): (more?: Partial<PostgresAdmissionOptions>) => Promise<SharedAdmission> {
  schemas += 1;
  const schema = lastSchema();
  return (more = {}) =>
    openSharedAdmission({
      url: server?.url ?? '',
      schema,
      table: new HostTable({
        perHost: { perSecond: 100, concurrency: 4 },
        pools: [{ name: 'paid', hosts: ['paid.org'], perSecond: Infinity, concurrency: 4 }],
      }),
      ...more,
    });
}

function lastSchema(): string {
  return `shared_${process.pid}_${schemas}`;
}

/** Waits until the condition holds: messages between processes arrive at a time that no test clock controls. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}

test('a shared lookup runs once: others wait for it, and later ones get its result', async () => {
  const open = fleetOf();
  await using one = await open();
  await using other = await open();
  let lookups = 0;
  const found = Promise.withResolvers<void>();
  const find = async (): Promise<{ text: string; forMs: number }> => {
    lookups += 1;
    await found.promise;
    return { text: 'User-agent: *', forMs: 60_000 };
  };
  const both = [one.facts.once('robots http://a.org', find), other.facts.once('robots http://a.org', find)];
  await until(() => lookups > 0);
  found.resolve();
  assert.deepEqual(
    (await Promise.all(both)).map(({ text }) => text),
    ['User-agent: *', 'User-agent: *'],
  );
  await using late = await open();
  assert.equal((await late.facts.once('robots http://a.org', find)).text, 'User-agent: *');
  assert.equal(lookups, 1);
});

test('the next process takes over a lookup as soon as its owner counts as dead', async () => {
  const open = fleetOf();
  await using other = await open();
  const dead = await open({ leaseMs: 400 });
  const never = dead.facts.once('robots http://a.org', () => new Promise(() => undefined));
  never.catch(() => undefined);
  let isFound = false;
  // All processes know that it searches; then it dies, and its lease is not extended.
  await until(() => dead.fleet.calls > 9);
  await dead[Symbol.asyncDispose]();
  const fact = await other.facts.once('robots http://a.org', () => {
    isFound = true;
    return Promise.resolve({ text: 'found again', forMs: 1_000 });
  });
  assert.deepEqual([isFound, fact.text], [true, 'found again']);
});

test('a process suspended while it reads robots.txt uses the rules another has read since', async () => {
  const open = fleetOf();
  await using other = await open();
  const requested = Promise.withResolvers<() => void>();
  await using web = await openLoopback((_request, response) => {
    // The first request gets no response: its sender is frozen by then.
    if (web.requests.length === 1) requested.resolve(() => response.destroy());
    else response.writeHead(404).end();
  });
  const reader = join(import.meta.dirname, '../../../test/e2e/robots-reader.ts');
  const child = spawn(
    process.execPath,
    ['--conditions=docstokg-source', reader, server?.url ?? '', lastSchema(), String(web.port)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'close');
  try {
    const breakConnection = await requested.promise;
    child.kill('SIGSTOP');
    // Its lease expires, so it counts as dead and this process reads instead.
    const text = JSON.stringify({ kind: 'rules', text: 'User-agent: *\nDisallow: /page' });
    await other.facts.once('robots http://host.test', () => Promise.resolve({ text, forMs: 60_000 }));
    breakConnection();
    child.kill('SIGCONT');
    assert.equal((await readText(child.stdout)).trim(), 'robots-disallowed');
    assert.ok(
      web.requests.every(({ url }) => url === '/robots.txt'),
      'the page is not requested',
    );
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
});

test('a result that cannot be saved while the server is unreachable is saved later, and not looked up again', async () => {
  const open = fleetOf();
  const target = new URL(server?.url ?? '');
  await using proxy = await startCuttingProxy({ host: target.hostname, port: Number(target.port) });
  target.port = String(proxy.port);
  await using cut = await open({ url: target.href });
  await using other = await open();
  let lookups = 0;
  const find = (): Promise<{ text: string; forMs: number }> => {
    lookups += 1;
    // The connection breaks between the host's response and its announcement.
    proxy.refuseNext(2);
    proxy.cut();
    return Promise.resolve({ text: 'Disallow:', forMs: 60_000 });
  };
  assert.equal((await cut.facts.once('robots http://b.org', find)).text, 'Disallow:');
  assert.equal((await other.facts.once('robots http://b.org', find)).text, 'Disallow:');
  assert.equal(lookups, 1);
});

test('a host that fails for one process is suspended for all, and budgets are shared', async () => {
  const open = fleetOf();
  await using one = await open();
  await using other = await open();
  for (let at = 0; at < 5; at += 1) one.observe(['broken.org'], { kind: 'end', answered: false, fault: true });
  await until(() => other.held(['broken.org']) !== null);
  const refused = await other.acquire(['broken.org'], PATIENT);
  assert.equal(refused.kind === 'later' && refused.reason, 'host-held');
  one.observe(one.table.keysOf('paid.org'), { kind: 'answer', status: 200, retryAt: undefined, budgetLeft: 0.25 });
  await until(() => other.snapshot().some(({ key, budgetLeft }) => key === 'pool/paid' && budgetLeft === 0.25));
  await using late = await open();
  await until(() => late.snapshot().some(({ key, budgetLeft }) => key === 'pool/paid' && budgetLeft === 0.25));
});

test('while the server is unreachable holds are kept and each process uses its share; then all is shared again', async () => {
  const open = fleetOf();
  const target = new URL(server?.url ?? '');
  await using proxy = await startCuttingProxy({ host: target.hostname, port: Number(target.port) });
  target.port = String(proxy.port);
  const outages: boolean[] = [];
  const reportOutage = (isAway: boolean): void => void outages.push(isAway);
  await using other = await open();
  await using cut = await open({ url: target.href, reportOutage });
  other.hold('held.org', { at: Date.now() + 3_600_000, reason: 'rate-limited' });
  await until(() => cut.held(['held.org']) !== null);
  // Two processes were seen: two of the host's four slots are ours.
  (await takeOne(cut))[Symbol.dispose]();
  proxy.refuseNext(1_000);
  proxy.cut();
  const slots = [await takeOne(cut), await takeOne(cut)];
  assert.deepEqual(outages, [true]);
  assert.equal(cut.held(['held.org'])?.reason, 'rate-limited');
  const third = takeOne(cut);
  let isThird = false;
  void third.then(() => (isThird = true));
  await new Promise(setImmediate);
  assert.equal(isThird, false, 'a third would be more than our share');
  proxy.refuseNext(0);
  await until(() => outages.length === 2);
  (await third)[Symbol.dispose]();
  for (const slot of slots) slot[Symbol.dispose]();
});

async function takeOne(admission: SharedAdmission): Promise<Disposable> {
  const turn = await admission.acquire(['share.org'], PATIENT);
  if (turn.kind !== 'go') assert.fail(turn.kind);
  turn.slot.sent();
  return turn.slot;
}

test('two processes that need the same host and service never deadlock', async () => {
  const open = fleetOf();
  const table = new HostTable({
    perHost: { perSecond: Infinity, concurrency: 1 },
    pools: [{ name: 'narrow', hosts: ['www.narrow.org'], perSecond: Infinity, concurrency: 1 }],
  });
  await using one = await open({ table });
  await using other = await open({ table });
  // Each holds what the other needs next: one the host, the other its service.
  const held = await Promise.all([one.acquire(['www.narrow.org'], PATIENT), other.acquire(['pool/narrow'], PATIENT)]);
  const waiting = [one, other].map(async (admission) => {
    const turn = await admission.acquire(['www.narrow.org', 'pool/narrow'], PATIENT);
    if (turn.kind === 'go') turn.slot[Symbol.dispose]();
    return turn.kind;
  });
  for (const turn of held) if (turn.kind === 'go') turn.slot[Symbol.dispose]();
  assert.deepEqual(await Promise.all(waiting), ['go', 'go']);
});

test('a process that waits for a slot asks for it again after a second, not as often as it may', async () => {
  const open = fleetOf();
  const table = new HostTable({ perHost: { perSecond: Infinity, concurrency: 1 } });
  await using one = await open({ table });
  await using other = await open({ table });
  const held = await one.acquire(['www.narrow.org'], PATIENT);
  const before = other.fleet.calls;
  const startedAt = performance.now();
  const waiting = other.acquire(['www.narrow.org'], PATIENT);
  while (other.fleet.calls < before + 4) await setTimeout(20);
  assert.ok(performance.now() - startedAt > 1_000, 'four calls in a second');
  if (held.kind === 'go') held.slot[Symbol.dispose]();
  const turn = await waiting;
  assert.equal(turn.kind, 'go');
  if (turn.kind === 'go') turn.slot[Symbol.dispose]();
});

test('an unused turn is returned, unless another was reserved after it', async () => {
  await using opened = await fleetOf()();
  assert.equal(opened.fleet.calls > 0, true);
  const client = new Client({ connectionString: server?.url ?? '', options: `-c search_path=${lastSchema()}` });
  await client.connect();
  const reserve = async (me: string, turns: number, unused = 0, behind = 0): Promise<number> => {
    const { rows } = await client.query<{ next_at: number }>(
      `SELECT next_at FROM reserve_turns($1, 15000, 10000000, 20, '{strict.org}', '{4}', '{3000000}', '{1}', $2, '{1}', '{0}', '{f}', '{f}', $3, $4)`,
      [me, [turns], [unused], [behind]],
    );
    return rows[0]?.next_at ?? 0;
  };
  const first = await reserve('one', 1);
  const second = await reserve('one', 1);
  // The turns are so far apart that none passes meanwhile.
  assert.equal(second, first + 3_000_000);
  assert.equal(await reserve('one', 0, 1, second), first, 'the last one is free again');
  assert.equal(await reserve('other', 1), second, 'the next process gets the returned turn');
  await reserve('one', 1);
  assert.equal(await reserve('other', 0, 1, second), second + 3_000_000, 'a turn before another is not returned');
  await client.end();
});

test('a role that did not create the tables can use them', async () => {
  const open = fleetOf();
  await using owner = await open();
  const client = new Client({ connectionString: server?.url ?? '' });
  await client.connect();
  const [schema, role] = [lastSchema(), `guest_${process.pid}`];
  await client.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role};
    GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${role}; GRANT CREATE ON DATABASE postgres TO ${role}`);
  await client.end();
  const url = new URL(server?.url ?? '');
  url.username = role;
  await using guest = await open({ url: url.href });
  for (const each of [owner, guest]) (await takeOne(each))[Symbol.dispose]();
});
