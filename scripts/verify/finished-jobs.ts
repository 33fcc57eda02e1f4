import { Client } from 'pg';

import { systemClock } from '../../src/base/index.ts';
import { openStore } from '../../src/queue/index.ts';
import { startPostgres } from '../../test/postgres.ts';
import { checkOptions } from '../../test/support/options.ts';

// npm run verify:finished-jobs [-- --few 10000 --many 1000000 --jobs 4000]
// Leases, settles and counts jobs in a PostgreSQL queue with few and with many finished ones, and removes all but the few.
// Exit 1 where the many make it slower by more than 1.3, a count is wrong, or the database does not shrink for new jobs.

const { few, many, jobs, slower } = checkOptions({ few: 10_000, many: 1_000_000, jobs: 4_000, slower: 1.3 });
const GROUP = 50;
const STATS = 40;
const limits = { shared: 2, alone: 3, most: 9 };

await using server = await startPostgres({ shared_buffers: '256MB' });
const faults: string[] = [];

/** Fills a queue with finished jobs, as if they had been enqueued and run. */
async function fill(schema: string, from: number, to: number): Promise<void> {
  const client = new Client({ connectionString: server.url, options: `-c search_path=${schema}` });
  await client.connect();
  const range = `generate_series(${from + 1}::bigint, ${to}::bigint) AS n`;
  await client.query(`INSERT INTO artifacts (artifact_id, artifact_json, created_at)
    SELECT 'https://openalex.org/W' || n, '{"title": "' || repeat('a title of a work ', 5) || n || '"}', n FROM ${range}`);
  await client.query(`INSERT INTO runs (id, lane, state, attempts, updated_at, token, result)
    SELECT id, 'host' || id % 500 || '.org pdf', 'done', 1, created_at, 1, '{"path": "PDF/x.pdf"}' FROM artifacts
    WHERE id NOT IN (SELECT id FROM runs)`);
  await client.query(`INSERT INTO tally VALUES ('done', 'pdf', '', ${to - from})`);
  await client.query('VACUUM ANALYZE');
  await client.end();
}

async function sizeOf(schema: string): Promise<number> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  const { rows } = await client.query<{ bytes: string }>(
    `SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE nspname = $1 AND relkind = 'r'`,
    [schema],
  );
  await client.end();
  return Number(rows[0]?.bytes) / 2 ** 20;
}

/** Milliseconds to lease, to settle and to count, each of the quickest tenth: other programs of the machine only add to it. */
async function measure(schema: string, round: number): Promise<Record<'lease' | 'settle' | 'stats', number>> {
  await using store = await openStore(server.url, { schema });
  const times: Record<'lease' | 'settle' | 'stats', number[]> = { lease: [], settle: [], stats: [] };
  const timed = async <T>(what: 'lease' | 'settle' | 'stats', work: () => Promise<T>): Promise<T> => {
    const before = performance.now();
    const result = await work();
    times[what].push(performance.now() - before);
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
  Object.entries(found).map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`).join(', '); // prettier-ignore

const schema = 'finished';
{
  await using store = await openStore(server.url, { schema });
  await store.enqueue([], 0);
}
await fill(schema, 0, few);
await measure(schema, 0); // The first answers of a server that was just started are slow.
const before = await measure(schema, 1);
console.log(`${few} finished jobs: ${show(before)}; ${(await sizeOf(schema)).toFixed(0)} MiB`);
await fill(schema, few, many);
await measure(schema, 2);
const after = await measure(schema, 3);
console.log(`${many} finished jobs: ${show(after)}; ${(await sizeOf(schema)).toFixed(0)} MiB`);
for (const what of ['lease', 'settle', 'stats'] as const) {
  const ratio = after[what] / before[what];
  console.log(`     ${what}: ${ratio.toFixed(2)} times as long`);
  if (ratio > slower) faults.push(`${what} takes ${ratio.toFixed(2)} times as long`);
}
await using store = await openStore(server.url, { schema });
const counted = await store.admin.stats(systemClock.now());
const startedAt = performance.now();
let removed = 0;
for (let some = 1; some > 0; removed += some) some = await store.admin.retire(few);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
const { total, states } = await store.admin.stats(systemClock.now());
if (total !== counted.total || states.done !== counted.states.done)
  faults.push(`${total} jobs are counted instead of ${counted.total}`);
const full = await sizeOf(schema);
// What was freed is used by new jobs.
const client = new Client({ connectionString: server.url, options: `-c search_path=${schema}` });
await client.connect();
await client.query('VACUUM');
await client.end();
for (let round = 4; round < 14; round += 1) {
  await measure(schema, round);
  while ((await store.admin.retire(few)) > 0);
}
const then = await sizeOf(schema);
console.log(
  `${removed} removed in ${seconds} s, ${total} still counted; ${full.toFixed(0)} MiB, and ${then.toFixed(0)} MiB after ${10 * jobs} more jobs`,
);
if (then > full * 1.05) faults.push('the database grows although finished jobs are removed');
for (const fault of faults) console.log(`FAULT ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
