import { statSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from 'pg';

import { systemClock } from '../../src/base/index.ts';
import type { QueueStore } from '../../src/queue/index.ts';
import { openStore } from '../../src/queue/index.ts';
import { startPostgres } from '../../test/postgres.ts';
import { asked, checkOptions, someOf } from '../../test/support/options.ts';

// npm run verify:finished-jobs [-- --few 10000 --many 1000000 --jobs 4000 --backends sqlite,postgres]
// Leases, settles and counts jobs in a queue with few and with many finished ones, and removes all but the few. Exit 1 where
// the many make it slower by more than 1.3, a count is wrong, or the database does not shrink for new jobs.

const BACKENDS = ['sqlite', 'postgres'] as const;
const given = checkOptions({ few: 10_000, many: 1_000_000, jobs: 4_000, slower: 1.3, backends: BACKENDS.join(',') });
const { few, many, jobs, slower } = given;
const GROUP = 50;
const STATS = 40;
const limits = { shared: 2, alone: 3, most: 9 };
const ID = 'https://openalex.org/W';
const TITLE = 'a title of a work '.repeat(5);
const faults: string[] = [];

/** A queue, with operations that only its server or file offers. */
interface Backend extends AsyncDisposable {
  /** Milliseconds: of CPU for a queue in this process, which other programs do not add to, else of the clock. */
  now(): number;
  open(): Promise<QueueStore>;
  /** Adds finished jobs, as if they had been enqueued and run. */
  fill(from: number, to: number): Promise<void>;
  megabytes(): Promise<number>;
  /** Lets new jobs have the room of removed ones, as the server does by itself from time to time. */
  vacuum(): Promise<void>;
}

async function openSqlite(): Promise<Backend> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-finished-'));
  const path = join(folder.path, 'queue.sqlite');
  const now = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  return {
    now,
    open: () => openStore(path),
    fill: async (from, to) => {
      using database = new DatabaseSync(path);
      database.exec(`WITH RECURSIVE n(n) AS (SELECT ${from + 1} UNION ALL SELECT n + 1 FROM n WHERE n < ${to})
        INSERT INTO jobs (artifact_id, artifact_json, state, attempts, resolver_hint, created_at, updated_at, host, token, result)
        SELECT '${ID}' || n, '{"title": "${TITLE}' || n || '"}', 'done', 1, 'pdf', n, n, 'host' || n % 500 || '.org', 1,
          '{"path": "PDF/x.pdf"}' FROM n; PRAGMA wal_checkpoint(TRUNCATE)`);
    },
    megabytes: async () => statSync(path).size / 2 ** 20,
    vacuum: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function openPostgres(): Promise<Backend> {
  const server = await startPostgres({ shared_buffers: '256MB' });
  const schema = 'finished';
  const query = async <R extends object>(...statements: readonly string[]): Promise<R[]> => {
    const client = new Client({ connectionString: server.url, options: `-c search_path=${schema}` });
    await client.connect();
    let rows: R[] = [];
    for (const statement of statements) ({ rows } = await client.query<R>(statement));
    await client.end();
    return rows;
  };
  return {
    now: () => performance.now(),
    open: () => openStore(server.url, { schema }),
    fill: async (from, to) =>
      void (await query(
        `INSERT INTO artifacts (artifact_id, artifact_json, created_at)
           SELECT '${ID}' || n, '{"title": "${TITLE}' || n || '"}', n FROM generate_series(${from + 1}::bigint, ${to}::bigint) AS n`,
        `INSERT INTO runs (id, lane, state, attempts, updated_at, token, result)
           SELECT id, 'host' || id % 500 || '.org pdf', 'done', 1, created_at, 1, '{"path": "PDF/x.pdf"}' FROM artifacts
           WHERE id NOT IN (SELECT id FROM runs)`,
        `INSERT INTO tally VALUES ('done', 'pdf', '', ${to - from})`,
        'VACUUM ANALYZE',
      )),
    megabytes: async () => {
      const [found] = await query<{ bytes: string }>(
        `SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE nspname = '${schema}' AND relkind = 'r'`,
      );
      return Number(found?.bytes) / 2 ** 20;
    },
    vacuum: async () => void (await query('VACUUM')),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Milliseconds to lease, to settle and to count, each of the quickest tenth: other programs of the machine only add to it. */
async function measure(backend: Backend, round: number): Promise<Record<'lease' | 'settle' | 'stats', number>> {
  await using store = await backend.open();
  const times: Record<'lease' | 'settle' | 'stats', number[]> = { lease: [], settle: [], stats: [] };
  const timed = async <T>(what: 'lease' | 'settle' | 'stats', work: () => Promise<T>): Promise<T> => {
    const before = backend.now();
    const result = await work();
    times[what].push(backend.now() - before);
    return result;
  };
  const ids = Array.from({ length: jobs }, (_, at) => `new ${round} ${at}`);
  await store.enqueue(
    ids.map((artifactId, at) => ({ artifactId, artifactJson: '{}', host: `host${at % 20}.org`, resolverHint: 'pdf' })),
    systemClock.now(),
  );
  const request = { workerId: 'bench', now: systemClock.now(), leaseMs: 600_000 };
  for (let ended = 0; ended < jobs;) {
    const { leased } = await timed('lease', async () => {
      const { lanes } = await store.backlog(systemClock.now(), limits);
      const picks = lanes.map(({ host, resolver }) => ({ host, resolver, limit: Math.ceil(GROUP / lanes.length) }));
      return await store.exchange({ ...request, settlements: [], picks });
    });
    const settlements = leased.map((job) => ({ ...job, settlement: { kind: 'finish', state: 'done' } as const }));
    await timed('settle', () => store.exchange({ ...request, settlements, picks: [] }));
    ended += leased.length;
  }
  for (let at = 0; at < STATS; at += 1) await timed('stats', () => store.admin.stats(systemClock.now()));
  const quick = (list: readonly number[]): number =>
    list.toSorted((a, b) => a - b)[Math.floor(list.length / 10)] ?? NaN;
  return { lease: quick(times.lease), settle: quick(times.settle), stats: quick(times.stats) };
}

const show = (found: Awaited<ReturnType<typeof measure>>): string =>
  Object.entries(found)
    .map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`)
    .join(', ');

async function verify(name: string, backend: Backend): Promise<void> {
  const size = async (): Promise<string> => `${(await backend.megabytes()).toFixed(0)} MiB`;
  {
    await using empty = await backend.open();
    await empty.enqueue([], 0);
  }
  await backend.fill(0, few);
  await measure(backend, 0); // The first answers of a server that was just started are slow.
  const before = await measure(backend, 1);
  console.log(`${name}, ${few} finished jobs: ${show(before)}; ${await size()}`);
  await backend.fill(few, many);
  await measure(backend, 2);
  const after = await measure(backend, 3);
  console.log(`${name}, ${many} finished jobs: ${show(after)}; ${await size()}`);
  for (const what of ['lease', 'settle', 'stats'] as const) {
    const ratio = after[what] / before[what];
    console.log(`     ${what}: ${ratio.toFixed(2)} times as long`);
    if (ratio > slower) faults.push(`${name}: ${what} takes ${ratio.toFixed(2)} times as long`);
  }
  await using store = await backend.open();
  const counted = await store.admin.stats(systemClock.now());
  const startedAt = performance.now();
  let removed = 0;
  for (let some = 1; some > 0; removed += some) some = await store.admin.retire(few);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const { total, states } = await store.admin.stats(systemClock.now());
  if (total !== counted.total || states.done !== counted.states.done)
    faults.push(`${name}: ${total} jobs are counted instead of ${counted.total}`);
  const full = await backend.megabytes();
  await backend.vacuum();
  for (let round = 4; round < 14; round += 1) {
    await measure(backend, round);
    while ((await store.admin.retire(few)) > 0);
  }
  const then = await backend.megabytes();
  console.log(
    `     ${removed} removed in ${seconds} s, ${total} still counted; ${full.toFixed(0)} MiB, and ${then.toFixed(0)} MiB after ${10 * jobs} more jobs`,
  );
  if (then > full * 1.05) faults.push(`${name}: the database grows although finished jobs are removed`);
}

for (const name of asked(() => someOf('backends', given.backends, BACKENDS))) {
  await using backend = await (name === 'sqlite' ? openSqlite() : openPostgres());
  await verify(name, backend);
}
for (const fault of faults) console.log(`FAULT ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
