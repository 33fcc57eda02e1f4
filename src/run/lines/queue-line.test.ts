import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Clock } from '../../base/index.ts';
import { AppError, FileLock, systemClock } from '../../base/index.ts';
import { openStore, WorkQueue } from '../../queue/index.ts';
import type { ItemSource, WorkItem } from '../../stage/index.ts';
import { describeItemSource, describeLine, HeldClock } from '../../testing/index.ts';
import { QueueLine } from './queue-line.ts';

const LEASE_MS = 60_000;
const HEARTBEAT_MS = 10_000;
const never = new AbortController().signal;
const item = (itemId: string, more: Partial<WorkItem> = {}): WorkItem => ({
  itemId,
  inputs: {},
  outputs: {},
  cfgHash: 'cfg',
  costHint: 1,
  ...more,
});

/** A queue file that runners join like processes: each with its own connection, lock and name. */
class Fleet implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'docstokg-source-'));
  readonly #open: AsyncDisposable[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  async queue(): Promise<WorkQueue> {
    const store = await openStore(join(this.#folder, 'queue.sqlite'), {
      timeoutMs: 60_000,
      durability: 'none',
      clock: this.#clock,
    });
    const queue = new WorkQueue(store, this.#clock);
    this.#open.push(queue);
    return queue;
  }

  async runner(
    items: readonly WorkItem[],
    scheduling: 'fifo' | 'sjf' | 'lpt' = 'fifo',
    arrive?: (given: WorkItem) => Promise<WorkItem>,
  ): Promise<QueueLine> {
    using lock = new FileLock(join(this.#folder, 'queue.lock'), this.#clock);
    const source = await QueueLine.open(items, {
      queue: await this.queue(),
      clock: this.#clock,
      lock,
      leaseMs: LEASE_MS,
      heartbeatMs: HEARTBEAT_MS,
      maxDeaths: 3,
      workers: 1,
      scheduling,
      ...(arrive && { arrive }),
    });
    this.#open.push(source);
    return source;
  }

  /** A line without a plan, as the machines of a fleet have. */
  async line(): Promise<QueueLine> {
    const line = await QueueLine.open([], {
      queue: await this.queue(),
      clock: this.#clock,
      leaseMs: LEASE_MS,
      heartbeatMs: HEARTBEAT_MS,
      maxDeaths: 3,
      workers: 1,
      scheduling: 'fifo',
    });
    this.#open.push(line);
    return line;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#open.toReversed()) await each[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

describeLine('a queue', () => {
  const fleet = new Fleet();
  return Promise.resolve({
    runner: () => fleet.line(),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  });
});

describeItemSource('the queue of a plan', (items) => {
  const fleet = new Fleet();
  return Promise.resolve({
    runner: (): Promise<ItemSource> => fleet.runner(items),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  });
});

async function takeAll(source: ItemSource): Promise<string[]> {
  const ids: string[] = [];
  for (let taken = await source.take(1, never); taken; taken = await source.take(1, never))
    for (const each of taken) {
      ids.push(each.item.itemId);
      await source.settle(each.item, { kind: 'success', outcome: { status: 'success' } });
    }
  return ids;
}

test('all runners share one order: most expensive first, cheapest first, or as planned', async () => {
  const items = [item('a', { costHint: 5 }), item('b', { costHint: 50 }), item('c', { costHint: 0 })];
  for (const [scheduling, order] of [
    ['fifo', 'abc'],
    ['sjf', 'cab'],
    ['lpt', 'bac'],
  ] as const) {
    await using fleet = new Fleet();
    assert.equal((await takeAll(await fleet.runner(items, scheduling))).join(''), order);
  }
});

test('a runner joins active runners; without any, it enqueues its own plan and settings', async () => {
  await using fleet = new Fleet();
  const first = await fleet.runner([item('a'), item('b')]);
  assert.deepEqual(await takeAll(first), ['a', 'b']);
  const second = await fleet.runner([item('a'), item('b'), item('c')]);
  assert.deepEqual(await takeAll(second), ['c'], 'joined: items of the first are not repeated');
  await second.take(1, never);
  for (const each of [first, second]) await each[Symbol.asyncDispose]();
  const third = await fleet.runner([item('a', { cfgHash: 'new' }), item('c', { cfgHash: 'new' })]);
  assert.deepEqual(await takeAll(third), ['a', 'c'], 'its own plan');
});

test('a runner with other settings is refused while others are active, and releases its leases', async () => {
  await using fleet = new Fleet();
  const items = [item('a'), item('b')];
  const working = await fleet.runner(items);
  const other = await fleet.runner(items.map((each) => ({ ...each, cfgHash: 'other' })));
  await assert.rejects(other.take(2, never), { code: 'STAGE_QUEUE_SETTINGS' });
  assert.deepEqual(await takeAll(working), ['a', 'b']);
});

test('leases of held items are extended, and a runner loses an item that an operator cancels', async () => {
  const clock = new HeldClock();
  await using fleet = new Fleet(clock);
  const [working, idle] = [await fleet.runner([item('a'), item('b')]), await fleet.runner([item('a'), item('b')])];
  const taken = (await working.take(2, never)) ?? [];
  await clock.advance(LEASE_MS * 3);
  const stop = new AbortController();
  const waiting = idle.take(1, stop.signal);
  const { admin } = (await fleet.queue()).store;
  await admin.cancel((await admin.find('a'))?.id ?? 0, clock.now());
  await clock.advance(HEARTBEAT_MS);
  assert.deepEqual(
    taken.map(({ item: { itemId }, lost }) => [itemId, lost?.aborted]),
    [
      ['a', true],
      ['b', false],
    ],
  );
  stop.abort();
  assert.equal(await waiting, undefined, 'no lease expired meanwhile');
  await working.settle(item('a'), { kind: 'success', outcome: { status: 'success' } });
  assert.equal((await admin.find('a'))?.state, 'skipped', 'the result of a lost item is dropped');
});

test('items of a stopped runner are available to others at once', async () => {
  await using fleet = new Fleet();
  const [going, staying] = [await fleet.runner([item('a')]), await fleet.runner([item('a')])];
  await going.take(1, never);
  await going[Symbol.asyncDispose]();
  assert.deepEqual(await takeAll(staying), ['a']);
});

test('the queue shows how an item ended', async () => {
  await using fleet = new Fleet();
  const source = await fleet.runner([item('ok'), item('skip'), item('fail')]);
  await source.take(3, never);
  await source.settle(item('ok'), { kind: 'success', outcome: { status: 'success' } });
  await source.settle(item('skip'), { kind: 'skip', outcome: { status: 'skip' } });
  const error = { stage: 'test', itemId: 'fail', category: 'timeout', message: 'too slow', retryable: false } as const;
  await source.settle(item('fail'), { kind: 'failure', error: { ...error, code: 'ITEM_TIMEOUT' } });
  const { admin } = (await fleet.queue()).store;
  const states = await Promise.all(['ok', 'skip', 'fail'].map(async (id) => (await admin.find(id))?.state));
  assert.deepEqual(states, ['done', 'skipped', 'error']);
  assert.match((await admin.find('fail'))?.lastError ?? '', /ITEM_TIMEOUT.*too slow/);
});

test('an item held by two runners that died is leased alone, also from a long plan', async () => {
  const clock = new HeldClock();
  await using fleet = new Fleet(clock);
  const source = await fleet.runner([item('killer'), item('b'), item('c'), item('d')]);
  const { store } = await fleet.queue();
  for (let death = 0; death < 2; death += 1) {
    const lane = { host: null, resolver: null, limit: 1 };
    await store.backlog(clock.now(), { shared: 2, alone: 3, most: 9 });
    await store.exchange({ workerId: 'dead', settlements: [], picks: [lane], now: clock.now(), leaseMs: 1 });
    await clock.advance(2);
  }
  // A runner reads the queue again at most once a second.
  await clock.advance(1_000);
  const ids = async (): Promise<unknown> => (await source.take(9, never))?.map(({ item: { itemId } }) => itemId);
  assert.deepEqual(await ids(), ['b', 'c', 'd']);
  const next = ids();
  await clock.advance(5_000);
  assert.deepEqual((await store.admin.stats(clock.now())).states.in_progress, 3, 'nothing runs beside it');
  for (const id of ['b', 'c', 'd']) await source.settle(item(id), { kind: 'success', outcome: { status: 'success' } });
  await clock.advance(1_000);
  assert.deepEqual(await next, ['killer']);
});

test('a runner that cannot read the documents of others ends with the reason, and leaves their items', async () => {
  await using fleet = new Fleet();
  const able = await fleet.runner([item('theirs')]);
  const unable = await fleet.runner([item('mine', { costHint: 0 })], 'fifo', async (given) => {
    if (given.itemId === 'mine') return given;
    throw new AppError('STAGE_QUEUE_UNREADABLE', `${given.itemId} cannot be read here`);
  });
  await assert.rejects(
    async () => {
      for (let taken = await unable.take(1, never); taken; taken = await unable.take(1, never))
        for (const each of taken) await unable.settle(each.item, { kind: 'success', outcome: { status: 'success' } });
    },
    { code: 'STAGE_QUEUE_UNREADABLE' },
  );
  await unable[Symbol.asyncDispose]();
  assert.ok((await takeAll(able)).includes('theirs'));
});
