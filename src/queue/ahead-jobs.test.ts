import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createMemoryAdmission, HostTable } from '../hosts/index.ts';
import { HeldClock } from '../testing/index.ts';
import { AheadJobs, givenBack } from './ahead-jobs.ts';
import { LeaseChoice } from './lease-choice.ts';
import { MemoryStore } from './memory/store.ts';
import { ORCHESTRATOR_DEFAULTS } from './options.ts';
import { Orchestrator } from './orchestrator.ts';
import { RunningJobs } from './running-jobs.ts';
import { Seats } from './seats.ts';
import type { JobState, LeasedJob } from './types.ts';
import { WorkQueue } from './work-queue.ts';

/** More short jobs than are needed as evidence. */
const SHORT = 40;
const LONG = ['a', 'b', 'c', 'd', 'e'];
const OPTIONS = { ...ORCHESTRATOR_DEFAULTS, maxWorkers: 2, leaseMs: 60_000, heartbeatMs: 20_000 };

/** Lets everything that is ready run. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 40; turn += 1) await new Promise(setImmediate);
};

/** A queue whose first jobs take no time at all, so that those after them, which end when told to, are leased ahead. */
async function stage(
  where: Partial<Record<string, { readonly url: string }>> = {},
  prepare: (store: MemoryStore) => Promise<void> = async () => undefined,
) {
  const clock = new HeldClock();
  const store = new MemoryStore();
  await prepare(store);
  const queue = new WorkQueue(store, clock);
  const open = new Map<string, () => void>();
  const begun: string[] = [];
  const orchestrator = new Orchestrator({
    ...OPTIONS,
    queue,
    clock,
    random: () => 0,
    handler: ({ artifactId }) => {
      if (artifactId.startsWith('short')) return undefined;
      begun.push(artifactId);
      return new Promise((resolve) => open.set(artifactId, () => (open.delete(artifactId), resolve(undefined))));
    },
  });
  for (let n = 0; n < SHORT; n += 1) await queue.enqueue(`short ${n}`, {});
  for (const id of LONG) await queue.enqueue(id, {}, { priority: -1, ...where[id] });
  const stop = new AbortController();
  const run = orchestrator.run({ drain: 'empty', signal: stop.signal });
  await settle();
  const states = async (): Promise<(JobState | undefined)[]> =>
    Promise.all(LONG.map(async (id) => (await store.admin.find(id))?.state));
  const endAll = async (): Promise<void> => {
    while (open.size > 0) {
      for (const end of open.values()) end();
      await settle();
    }
  };
  return { clock, store, open, begun, orchestrator, stop, run, states, endAll };
}

test('where jobs were short, more are leased than there are workers, and begun in order as these become free', async () => {
  const { begun, open, states, run, endAll, orchestrator } = await stage();
  assert.deepEqual(await states(), Array(5).fill('in_progress'));
  assert.deepEqual([begun, orchestrator.status.running], [['a', 'b'], 2]);
  open.get('b')?.();
  await settle();
  assert.deepEqual(begun, ['a', 'b', 'c']);
  await endAll();
  assert.deepEqual([(await run).done, begun], [SHORT + 5, LONG]);
});

test('a stop gives back at once what was leased ahead, and begins none of it', async () => {
  const { begun, store, states, stop, run, endAll } = await stage();
  stop.abort();
  await settle();
  assert.deepEqual(await states(), ['in_progress', 'in_progress', 'queued', 'queued', 'queued']);
  const { attempts, deaths, workerId } = (await store.admin.find('c')) ?? {};
  assert.deepEqual([attempts, deaths, workerId], [0, 0, null]);
  await endAll();
  const { done, requeued, reason } = await run;
  assert.deepEqual([done, requeued, reason, begun], [SHORT + 2, 0, 'stopped', ['a', 'b']]);
});

test('once told to stop nothing is begun, also while a write is under way', async () => {
  const { begun, open, store, states, stop, run, endAll } = await stage();
  const exchange = store.exchange.bind(store);
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  store.exchange = async (request) => {
    await written;
    return exchange(request);
  };
  open.get('a')?.();
  await settle();
  stop.abort();
  open.get('b')?.();
  await settle();
  assert.deepEqual(begun, ['a', 'b', 'c']);
  write();
  await settle();
  assert.deepEqual(await states(), ['done', 'done', 'in_progress', 'queued', 'queued']);
  await endAll();
  assert.equal((await run).reason, 'stopped');
});

test('a paused queue gives back what was leased ahead, and begins it when it is resumed', async () => {
  const { begun, store, states, run, endAll } = await stage();
  await store.admin.pause('all', '', 0);
  await settle();
  assert.deepEqual(await states(), ['in_progress', 'in_progress', 'queued', 'queued', 'queued']);
  await endAll();
  assert.deepEqual(begun, ['a', 'b']);
  await store.admin.resume('all', '');
  await settle();
  await endAll();
  assert.equal((await run).done, SHORT + 5);
});

test('what was leased ahead for a host that is paused since goes back when its turn comes', async () => {
  const { begun, store, open, states, run, endAll } = await stage({ c: { url: 'https://c.org/c.pdf' } });
  await store.admin.pause('host', 'c.org', 0);
  await settle();
  assert.deepEqual(
    await states(),
    Array(5).fill('in_progress'),
    'what an operator does elsewhere takes none of them away',
  );
  for (const id of ['a', 'b', 'd']) {
    open.get(id)?.();
    await settle();
  }
  assert.deepEqual(await states(), ['done', 'done', 'queued', 'done', 'in_progress']);
  assert.deepEqual(begun, ['a', 'b', 'd', 'e']);
  await store.admin.resume('host', 'c.org');
  await settle();
  await endAll();
  assert.equal((await run).done, SHORT + 5);
});

test('jobs that wait too long are given back, and none is leased ahead until jobs are short again', async () => {
  const { clock, begun, open, states, run, endAll } = await stage();
  await clock.advance(1_000);
  await settle();
  assert.deepEqual(await states(), ['in_progress', 'in_progress', 'queued', 'queued', 'queued']);
  open.get('a')?.();
  await settle();
  assert.deepEqual(
    [await states(), begun],
    [
      ['done', 'in_progress', 'in_progress', 'queued', 'queued'],
      ['a', 'b', 'c'],
    ],
  );
  await endAll();
  assert.equal((await run).done, SHORT + 5);
});

test('jobs that may not be leased ahead again keep nobody from working, and are begun when workers are free', async () => {
  const { begun, endAll, run } = await stage({}, async (store) => {
    await store.enqueue([{ artifactId: 'spared', artifactJson: '{}', priority: -1 }], 0);
    const picks = [{ host: null, resolver: null, limit: 0, ahead: 1 }];
    await store.exchange({ workerId: 'dead', settlements: [], picks, now: 0, leaseMs: 0 });
  });
  await endAll();
  assert.deepEqual([(await run).done, begun.toSorted()], [SHORT + 6, [...LONG, 'spared']]);
});

test('while what ended is written, as many short jobs again are run, and no more', async () => {
  const store = new MemoryStore();
  const clock = new HeldClock();
  const queue = new WorkQueue(store, clock);
  await queue.bulkImport(Array.from({ length: 2_000 }, (_, n) => ({ artifactId: `job ${n}`, artifact: {} })));
  let begun = 0;
  const exchange = store.exchange.bind(store);
  const writes: { readonly settled: number; readonly before: number; readonly during: number }[] = [];
  store.exchange = async (request) => {
    const before = begun;
    // A server that takes its time.
    await settle();
    writes.push({ settled: request.settlements.length, before, during: begun - before });
    return exchange(request);
  };
  const orchestrator = new Orchestrator({
    ...OPTIONS,
    maxWorkers: 64,
    queue,
    clock,
    handler: () => void (begun += 1),
  });
  const { done } = await orchestrator.run({ drain: 'empty' });
  let written = 0;
  for (const { settled, before, during } of writes) {
    assert.ok(before + during - written <= 256, JSON.stringify(writes));
    written += settled;
  }
  // Once jobs are known to be short: those at hand run while the others are written.
  const busy = writes.filter(({ settled, during }) => settled === 128 && during === 128).length;
  assert.deepEqual([done, written, busy >= writes.length / 2], [2_000, 2_000, true], JSON.stringify(writes));
});

test('a job that was leased ahead and is cancelled is never begun', async () => {
  const { begun, store, run, endAll } = await stage();
  const { id = -1 } = (await store.admin.find('c')) ?? {};
  await store.admin.cancel(id, 0);
  await settle();
  await endAll();
  assert.deepEqual([(await run).done, begun], [SHORT + 4, ['a', 'b', 'd', 'e']]);
});

/** Jobs at hand under a held clock. */
function atHand(options: Partial<typeof OPTIONS> = {}) {
  const clock = new HeldClock();
  const all = { ...OPTIONS, ...options };
  const admission = createMemoryAdmission({
    table: new HostTable({ perHost: { perSecond: Infinity, concurrency: 2 } }),
    clock,
    report: () => undefined,
  });
  const seats = new Seats({ options: all, admission, clock, report: () => undefined, freed: () => undefined });
  return { clock, seats, ahead: new AheadJobs({ options: all, clock, seats }) };
}

function begin(ahead: AheadJobs, unwritten = 0): LeasedJob[] {
  const begun: LeasedJob[] = [];
  ahead.begin(unwritten, (job) => begun.push(job));
  return begun;
}

const leased = (id: number, host: string | null = null): LeasedJob => ({
  id,
  token: id,
  artifactId: `job ${id}`,
  artifactJson: '{}',
  attempt: 1,
  resolverHint: null,
  host,
  standing: 'trusted',
  ahead: true,
});

test('a job is not begun after its lease has run out, unless that was prolonged', () => {
  const { clock, ahead } = atHand();
  const [first, second] = [leased(1), leased(2)];
  ahead.add(first, clock.now() - 60_000);
  ahead.add(second, clock.now() - 60_000);
  ahead.prolonged(clock.now(), [second], []);
  assert.deepEqual(begin(ahead), [second]);
  assert.deepEqual([ahead.takeReturned(), ahead.takeReturned(), ahead.size], [[givenBack(first)], [], 0]);
});

test('no more than 128 jobs run or wait to be written, however many are at hand', () => {
  const { clock, ahead } = atHand();
  for (const id of [1, 2]) ahead.add(leased(id), clock.now());
  assert.deepEqual(begin(ahead, 128), []);
  assert.deepEqual(begin(ahead, 127), [leased(1)]);
});

test('a job whose lease was lost is somebody else’s, and room that was kept for it is free again', () => {
  const { clock, ahead, seats } = atHand();
  const lane = { host: 'a.org', resolver: null };
  ahead.add(leased(1, 'a.org'), clock.now());
  const before = seats.room(lane);
  ahead.prolonged(clock.now(), [leased(1)], [leased(1)]);
  assert.deepEqual([begin(ahead), ahead.takeReturned(), seats.room(lane) - before], [[], [], 1]);
});

test('how many are leased ahead follows from how long jobs took: a fraction of a second of work, and of a lease', () => {
  const wanted = (durationMs: number, options: Partial<typeof OPTIONS> = {}): number => {
    const { ahead } = atHand({ maxWorkers: 8, ...options });
    for (let n = 0; n < SHORT; n += 1) ahead.learn(durationMs);
    return ahead.wanted;
  };
  assert.deepEqual([wanted(0), wanted(10), wanted(100), wanted(101)], [256, 200, 20, 0]);
  assert.equal(wanted(10, { leaseMs: 1_000 }), 80);
  assert.equal(atHand().ahead.wanted, 0, 'nothing is known yet');
});

test('when a suspect wants the process to itself, what was leased ahead is given back', () => {
  const { clock, ahead, seats } = atHand();
  const report = (): void => undefined;
  const given = { options: OPTIONS, workerId: 'w', store: new MemoryStore(), handler: report, log: report, report };
  const jobs = new RunningJobs({ ...given, clock, seats, ahead, around: undefined, random: undefined, ended: report });
  const choice = new LeaseChoice({ clock, seats, jobs, ahead, random: () => 0 });
  ahead.add(leased(1), clock.now());
  const lane = { host: null, resolver: null, jobs: 1, priority: 0 };
  choice.replace({ lanes: [lane], suspects: [lane], exhausted: 0 });
  assert.deepEqual(choice.next({ tryHeld: false, writes: true }).picks, []);
  assert.deepEqual(ahead.takeReturned(), [givenBack(leased(1))]);
  const { standing, picks } = choice.next({ tryHeld: false, writes: true });
  assert.deepEqual([standing, picks.length], ['suspect', 1]);
});
