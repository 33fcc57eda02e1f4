import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import type { Clock } from '../../base/index.ts';
import { canonicalJson, sha256 } from '../../base/index.ts';
import { openStore, WorkQueue } from '../../queue/index.ts';
import { HeldClock } from '../../testing/index.ts';
import type { Once } from './once-per-fleet.ts';
import { oncePerFleet } from './once-per-fleet.ts';

const LEASE_MS = 60_000;
const ASKED = { ids: ['W1'] };
const WORKER = {
  pid: 1,
  hostname: 'elsewhere',
  startedAt: 0,
  maxWorkers: 1,
  running: 1,
  parked: 0,
  heartbeatMs: 10_000,
  perSecond: 0,
  hosts: [],
};
const never = new AbortController().signal;

/** A machine of a fleet with two queue files. */
async function open(folder: string, clock: HeldClock, stack: AsyncDisposableStack, own: Clock = clock): Promise<Once> {
  const openQueue = async (name: string): Promise<WorkQueue> =>
    stack.use(
      new WorkQueue(await openStore(join(folder, name), { durability: 'none', clock, timeoutMs: 60_000 }), clock),
    );
  const [works, queue] = [await openQueue('works.sqlite'), await openQueue('listing.sqlite')];
  const options = { works, queue, clock: own, leaseMs: LEASE_MS, heartbeatMs: 10_000, asked: ASKED };
  return (await oncePerFleet(options)).once;
}

/** A machine that leases the next job and dies. */
async function die(folder: string, clock: HeldClock): Promise<void> {
  await using store = await openStore(join(folder, 'listing.sqlite'), { durability: 'none', clock });
  const { lanes } = await store.backlog(clock.now(), { shared: 3, alone: 3, most: 9 });
  const { leased } = await store.exchange({
    workerId: 'elsewhere:1:dead',
    settlements: [],
    picks: lanes.map(({ host, resolver }) => ({ host, resolver, limit: 1 })),
    now: clock.now(),
    leaseMs: LEASE_MS,
  });
  assert.equal(leased.length, 1);
}

const list = (once: Once): Promise<string | undefined> => once('list', async () => 'W1', never);

/** Advances the clock until the promise settles. */
async function until<T>(clock: HeldClock, promise: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const over = (): void => void (state.isOver = true);
  promise.then(over, over);
  while (!state.isOver) await clock.advance(1_000);
  return promise;
}

test('works are listed by one machine, and by another if it dies', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-listing-'));
  await using stack = new AsyncDisposableStack();
  const clock = new HeldClock();
  {
    await using store = await openStore(join(temporary.path, 'listing.sqlite'), { clock });
    await new WorkQueue(store, clock).enqueue(`list ${sha256(canonicalJson(ASKED))}`, {});
  }
  await die(temporary.path, clock);
  const first = await open(temporary.path, clock, stack);
  const second = await open(temporary.path, clock, stack);
  const lists = [first, second].map(list);
  await clock.advance(LEASE_MS / 2);
  const early = await Promise.race([...lists, Promise.resolve('nothing yet')]);
  assert.equal(early, 'nothing yet');
  assert.deepEqual((await until(clock, Promise.all(lists))).filter(Boolean), ['W1']);
});

test('a machine whose clock is an hour ahead does not repeat the listing of an active fleet', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-listing-'));
  await using stack = new AsyncDisposableStack();
  const clock = new HeldClock();
  const first = await open(temporary.path, clock, stack);
  assert.equal(await until(clock, list(first)), 'W1');
  await using works = await openStore(join(temporary.path, 'works.sqlite'), { clock });
  await works.announce('elsewhere:1:busy', WORKER, clock.now());
  const own = {
    now: () => clock.now() + 3_600_000,
    monotonic: () => clock.monotonic(),
    setTimer: (delayMs: number, fire: () => void) => clock.setTimer(delayMs, fire),
  };
  const late = await open(temporary.path, clock, stack, own);
  assert.equal(await until(clock, list(late)), undefined);
});

test('a fleet that has ended lists again when it is restarted; a machine that joins a working one does not', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-listing-'));
  await using stack = new AsyncDisposableStack();
  const clock = new HeldClock();
  assert.equal(await until(clock, list(await open(temporary.path, clock, stack))), 'W1');
  await using works = await openStore(join(temporary.path, 'works.sqlite'), { clock });
  await works.announce('elsewhere:1:busy', WORKER, clock.now());
  assert.equal(await until(clock, list(await open(temporary.path, clock, stack))), undefined);
  await clock.advance(2 * LEASE_MS);
  assert.equal(await until(clock, list(await open(temporary.path, clock, stack))), 'W1');
});

test('the index is built by one machine, by another if it dies or fails, and again after changes', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-listing-'));
  await using stack = new AsyncDisposableStack();
  const clock = new HeldClock();
  const first = await open(temporary.path, clock, stack);
  const second = await open(temporary.path, clock, stack);
  await until(clock, Promise.all([first, second].map(list)));
  const built: string[] = [];
  const build = (name: string) => async (): Promise<string> => {
    built.push(name);
    return name;
  };
  const failing = async (): Promise<string> => {
    built.push('failing');
    throw new Error('the disk is full');
  };
  await assert.rejects(until(clock, first('index 10', failing, never)), /the disk is full/);
  await die(temporary.path, clock);
  const answers = [first('index 10', build('first'), never), second('index 10', build('second'), never)];
  const [one, other] = await until(clock, Promise.all(answers));
  assert.deepEqual(
    [one, other].filter((each) => each !== undefined),
    built.slice(1),
  );
  assert.equal(built.length, 2);
  assert.equal(await until(clock, first('index 10', build('again'), never)), undefined);
  assert.equal(await until(clock, first('index 11', build('changed'), never)), 'changed');
});

test('a machine that joins after another died while building the index builds it', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-listing-'));
  await using stack = new AsyncDisposableStack();
  const clock = new HeldClock();
  const first = await open(temporary.path, clock, stack);
  await until(clock, list(first));
  await assert.rejects(
    until(
      clock,
      first('index 10', async () => assert.fail('it dies'), never),
    ),
    /it dies/,
  );
  await using works = await openStore(join(temporary.path, 'works.sqlite'), { clock });
  await works.announce('elsewhere:1:busy', WORKER, clock.now());
  const late = await open(temporary.path, clock, stack);
  assert.equal(await until(clock, list(late)), undefined);
  assert.equal(
    await until(
      clock,
      late('index 10', async () => 'built', never),
    ),
    'built',
  );
});

test('a queue that fails ends the machine, which leaves no timer', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-once-'));
  await using stack = new AsyncDisposableStack();
  const clock = new HeldClock();
  const once = await open(folder.path, clock, stack);
  const before = clock.pending;
  const breakQueue = async (): Promise<void> => {
    using database = new DatabaseSync(join(folder.path, 'listing.sqlite'));
    database.exec('DROP TABLE jobs');
  };
  await assert.rejects(until(clock, once('list', breakQueue, never)), /no such table/);
  assert.equal(clock.pending, before);
});
