import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type {
  ExchangeRequest,
  Job,
  LaneBacklog,
  LeasedJob,
  NewJob,
  QueueStore,
  SettledLease,
  Standing,
} from '../queue/index.ts';

const LEASE_MS = 60_000;
const HOUR_MS = 3_600_000;
const LIMITS = { shared: 2, alone: 3, most: 9 };
const ANY_LANE = { host: null, resolver: null };
const EXCHANGE: ExchangeRequest = { workerId: 'worker', settlements: [], picks: [], now: 0, leaseMs: LEASE_MS };

function job(artifactId: string, more: Partial<NewJob> = {}): NewJob {
  return { artifactId, artifactJson: '{}', ...more };
}

/** Leases from every lane that has jobs, as a worker without preferences would. */
async function leaseAny(store: QueueStore, now: number, limit = 10): Promise<LeasedJob[]> {
  const { lanes } = await store.backlog(now, LIMITS);
  const picks = lanes.map(({ host, resolver }) => ({ host, resolver, limit }));
  return (await lease(store, { picks, now })).slice(0, limit);
}

async function lease(store: QueueStore, request: Partial<ExchangeRequest>): Promise<readonly LeasedJob[]> {
  return (await store.exchange({ ...EXCHANGE, ...request })).leased;
}

async function settle(
  store: QueueStore,
  settlements: readonly SettledLease[],
  now: number,
): Promise<readonly boolean[]> {
  return (await store.exchange({ ...EXCHANGE, settlements, now })).accepted;
}

async function leaseQuarantined(store: QueueStore, now: number): Promise<readonly LeasedJob[]> {
  const { quarantined } = await store.backlog(now, LIMITS);
  const picks = quarantined.map(({ host, resolver }) => ({ host, resolver, limit: 1 }));
  return (await lease(store, { picks, now, standing: 'quarantined' })).slice(0, 1);
}

/** Makes all jobs of the store quarantined, as if two processes had died with them; returns the time. */
async function makeQuarantined(store: QueueStore): Promise<number> {
  for (let death = 0; death < LIMITS.shared; death += 1) await leaseAny(store, death * LEASE_MS);
  await store.backlog(LIMITS.shared * LEASE_MS, LIMITS);
  return LIMITS.shared * LEASE_MS;
}

async function leaseOne(store: QueueStore, now: number): Promise<LeasedJob> {
  const [leased] = await leaseAny(store, now, 1);
  assert.ok(leased, 'a job should have been there to lease');
  return leased;
}

async function leaseById(store: QueueStore, now: number): Promise<(id: string) => LeasedJob> {
  const leased = new Map((await leaseAny(store, now)).map((each) => [each.artifactId, each]));
  return (id) => leased.get(id) ?? assert.fail(`${id} was not leased`);
}

const idsOf = (jobs: readonly { readonly artifactId: string }[]): string[] => jobs.map(({ artifactId }) => artifactId);

async function fieldsOf(store: QueueStore, id: string | number, ...names: (keyof Job)[]): Promise<unknown[]> {
  const found = await store.admin.find(id);
  return names.map((name) => found?.[name]);
}

const finish = (leased: LeasedJob, state: 'done' | 'skipped' | 'error' = 'done', code?: string): SettledLease => ({
  ...leased,
  settlement: { kind: 'finish', state, error: code === undefined ? undefined : { code, message: 'as it was' } },
});

const requeue = (leased: LeasedJob, delayMs: number, refund: boolean, code?: string): SettledLease => ({
  ...leased,
  settlement: { kind: 'requeue', delayMs, refund, error: code === undefined ? undefined : { code, message: 'busy' } },
});

/** `open` returns a new, empty store whose leases follow the caller's clock. */
export function describeQueueStore(name: string, open: () => Promise<QueueStore>): void {
  describe(`${name} as a queue store`, () => {
    const check = (title: string, body: (store: QueueStore) => Promise<void>): void => {
      test(title, async () => {
        await using store = await open();
        await body(store);
      });
    };

    check('a known id is not enqueued again, and a batch returns which jobs were new', async (store) => {
      const known = Array.from({ length: 40 }, (_, n) => job(`job ${n * 3}`));
      await store.enqueue(known, 0);
      const all = Array.from({ length: 130 }, (_, n) => job(`job ${n}`));
      const added = await store.enqueue([...all, job('job 1')], 1);
      assert.deepEqual(added, [...all.map((_, n) => n % 3 !== 0 || n >= 120), false]);
      assert.equal((await store.admin.stats(1)).states.queued, 130);
    });

    check('one call settles jobs, except if their lease was lost, and leases others', async (store) => {
      const jobs = Array.from({ length: 302 }, (_, n) => job(`job ${n}`, n === 301 ? { resolverHint: 'arxiv' } : {}));
      await store.enqueue(jobs, 0);
      const picks = [{ ...ANY_LANE, limit: 300 }];
      const [cancelled, settled, failed, ...rest] = await lease(store, { picks, now: 0 });
      assert.ok(cancelled && settled && failed);
      assert.equal(rest.length, 297);
      await store.admin.cancel(cancelled.id, 1);
      assert.deepEqual(await settle(store, [finish(settled)], 1), [true]);
      const { accepted, leased } = await store.exchange({
        ...EXCHANGE,
        settlements: [finish(cancelled), finish(settled), finish(failed, 'error'), ...rest.map((each) => finish(each))],
        picks: [...picks, { host: null, resolver: 'arxiv', limit: 1 }],
        now: 2,
      });
      assert.deepEqual(accepted, [false, false, true, ...rest.map(() => true)]);
      assert.deepEqual(idsOf(leased), ['job 300', 'job 301']);
      const { states } = await store.admin.stats(3);
      assert.deepEqual(states, { queued: 0, in_progress: 2, done: 298, skipped: 1, error: 1 });
    });

    check('a job is returned as it was enqueued', async (store) => {
      const title = 'Ünïcode \u{1F4D6} "quotes" \n and \\ more';
      const artifactJson = JSON.stringify({ title, n: 1.5, list: [null, true] });
      const given = { artifactId: 'doi:10.1/ä b', artifactJson, resolverHint: 'unpaywall', host: 'example.org' };
      await store.enqueue([{ ...given, priority: 7 }], 5);
      const { artifactId, resolverHint, host, attempt, ...leased } = await leaseOne(store, 6);
      assert.deepEqual({ artifactId, artifactJson: leased.artifactJson, resolverHint, host }, given);
      assert.equal(attempt, 1);
      const stored = await fieldsOf(store, artifactId, 'state', 'attempts', 'priority', 'workerId', 'leaseExpiresAt');
      assert.deepEqual(stored, ['in_progress', 1, 7, 'worker', 6 + LEASE_MS]);
    });

    check('higher priority runs first, then age', async (store) => {
      const jobs = [job('old'), job('urgent', { priority: 5 }), job('young'), job('later', { priority: -1 })];
      await store.enqueue(jobs, 0);
      assert.deepEqual(idsOf(await leaseAny(store, 1)), ['urgent', 'old', 'young', 'later']);
    });

    check('an expired lease is taken over; the lost one can neither settle nor extend the job', async (store) => {
      await store.enqueue([job('a')], 0);
      const slow = await leaseOne(store, 0);
      assert.deepEqual(await leaseAny(store, LEASE_MS - 1), []);
      const quick = await leaseOne(store, LEASE_MS);
      assert.ok(quick.token > slow.token);
      // A crash is not an attempt.
      assert.deepEqual([quick.id, quick.attempt, await fieldsOf(store, 'a', 'deaths')], [slow.id, 1, [1]]);
      assert.deepEqual(await settle(store, [finish(slow)], LEASE_MS + 1), [false]);
      const [lost, ...others] = await store.extend([slow, quick], LEASE_MS + 1, LEASE_MS);
      assert.deepEqual([lost?.token, others], [slow.token, []]);
      assert.deepEqual(await fieldsOf(store, 'a', 'state'), ['in_progress']);
      assert.deepEqual(await settle(store, [finish(quick)], LEASE_MS + 2), [true]);
      assert.deepEqual(await settle(store, [finish(quick, 'error')], LEASE_MS + 3), [false], 'it is settled');
      assert.deepEqual(await fieldsOf(store, 'a', 'state'), ['done']);
    });

    check('an extended lease lasts from the time of the extension', async (store) => {
      await store.enqueue([job('a')], 0);
      const leased = await leaseOne(store, 0);
      assert.deepEqual(await store.extend([leased], LEASE_MS - 1, LEASE_MS), []);
      assert.deepEqual(await leaseAny(store, LEASE_MS + 5), []);
      assert.equal((await leaseAny(store, 2 * LEASE_MS)).length, 1);
    });

    check('a job that crashes its process each time ends in error after a few crashes', async (store) => {
      await store.enqueue([job('poison')], 0);
      let now = await makeQuarantined(store);
      for (let death = 0; death < LIMITS.alone; death += 1, now += LEASE_MS) {
        assert.deepEqual(await leaseAny(store, now), []);
        const [poison] = await leaseQuarantined(store, now);
        // The attempt is refunded each time: failures of a job are counted apart from the deaths of its holders.
        assert.deepEqual([poison?.artifactId, poison?.attempt, poison?.standing], ['poison', 1, 'quarantined']);
      }
      const { exhausted } = await store.backlog(now, LIMITS);
      assert.equal(exhausted, 1);
      const ended = await fieldsOf(store, 'poison', 'state', 'attempts', 'deaths', 'deathsAlone', 'quarantinedSince');
      assert.deepEqual(ended, ['error', 0, 5, 3, null]);
      const [lastError] = await fieldsOf(store, 'poison', 'lastError');
      assert.match(String(lastError), /^PROCESS_DIED: its worker worker died or hung, the last of 3 /);
      assert.deepEqual(await leaseAny(store, now + LEASE_MS), []);
      assert.deepEqual(await leaseQuarantined(store, now + LEASE_MS), []);
      assert.deepEqual((await store.admin.stats(now)).quarantined, 0);
    });

    check('each recent crash without the job allows it one more crash alone, up to a limit', async (store) => {
      let now = 0;
      let processes = 0;
      const die = async (standing: Standing): Promise<string | undefined> => {
        const workerId = `process ${(processes += 1)}`;
        const [leased] = await lease(store, { workerId, picks: [{ ...ANY_LANE, limit: 1 }], now, standing });
        now += LEASE_MS;
        await store.backlog(now, LIMITS);
        return leased?.artifactId;
      };
      const deathsAloneOf = async (id: string): Promise<number> => {
        await store.enqueue([job(id)], now);
        for (let death = 0; death < LIMITS.shared; death += 1) assert.equal(await die('trusted'), id);
        while ((await store.admin.find(id))?.state === 'queued') assert.equal(await die('quarantined'), id);
        assert.equal((await store.admin.find(id))?.state, 'error');
        return (await store.admin.find(id))?.deathsAlone ?? 0;
      };
      assert.equal(await deathsAloneOf('calm'), 3);
      now += 2 * HOUR_MS;
      for (const id of ['w', 'x']) {
        await store.enqueue([job(id)], now);
        assert.equal(await die('trusted'), id);
        await store.admin.cancel((await store.admin.find(id))?.id ?? -1, now);
      }
      assert.equal(await deathsAloneOf('with two others'), 5);
      assert.equal(await deathsAloneOf('in a storm'), 9);
    });

    check('jobs running during two crashes are quarantined: counted, ready, and leased separately', async (store) => {
      await store.enqueue([job('a', { host: 'a.org' }), job('b', { resolverHint: 'arxiv', priority: 2 })], 0);
      const now = await makeQuarantined(store);
      await store.enqueue([job('new', { host: 'a.org' })], now);
      const { lanes, quarantined } = await store.backlog(now, LIMITS);
      const plain = (found: readonly LaneBacklog[]): object[] =>
        found.map((lane) => ({ ...lane })).toSorted((x, y) => y.priority - x.priority);
      assert.deepEqual(plain(lanes), [{ host: 'a.org', resolver: null, jobs: 1, priority: 0 }]);
      assert.deepEqual(plain(quarantined), [
        { host: null, resolver: 'arxiv', jobs: 1, priority: 2 },
        { host: 'a.org', resolver: null, jobs: 1, priority: 0 },
      ]);
      const stats = await store.admin.stats(now);
      assert.deepEqual([stats.quarantined, stats.due, stats.oldestQueuedId], [2, 3, 'a']);
      assert.equal((await store.outlook(now)).ready, 3);
      assert.deepEqual(await fieldsOf(store, 'a', 'deaths', 'deathsAlone', 'quarantinedSince'), [2, 0, now]);
      const [trusted, ...none] = await leaseAny(store, now);
      assert.deepEqual([trusted?.artifactId, trusted?.standing, none], ['new', 'trusted', []]);
      const picks = [{ host: null, resolver: 'arxiv', limit: 9 }];
      const [alone] = await lease(store, { picks, now, standing: 'quarantined' });
      assert.deepEqual([alone?.artifactId, alone?.standing], ['b', 'quarantined']);
      assert.equal((await store.admin.stats(now)).quarantined, 2);
    });

    check('a quarantined job that completes is cleared, and one that fails normally starts over', async (store) => {
      await store.enqueue([job('innocent'), job('failing'), job('waiting')], 0);
      const now = await makeQuarantined(store);
      const picks = [{ ...ANY_LANE, limit: 3 }];
      const [innocent, failing, waiting] = await lease(store, { picks, now, standing: 'quarantined' });
      assert.ok(innocent && failing && waiting);
      await settle(store, [finish(innocent), requeue(failing, 0, false), requeue(waiting, 0, true)], now);
      const standing = (id: string): Promise<unknown> => fieldsOf(store, id, 'state', 'deaths', 'quarantinedSince');
      assert.deepEqual(await standing('innocent'), ['done', 2, null]);
      assert.deepEqual(await standing('failing'), ['queued', 0, null]);
      // It did not end, so it is unknown whether it kills its process.
      assert.deepEqual(await standing('waiting'), ['queued', 2, now]);
      assert.deepEqual(idsOf(await leaseAny(store, now)), ['failing']);
      assert.deepEqual((await store.admin.stats(now)).quarantined, 1);
      // Requeued by an operator, it has all its attempts and no deaths.
      await store.admin.requeue({ states: ['done'] }, now, { dryRun: false });
      assert.deepEqual(await standing('innocent'), ['queued', 0, null]);
    });

    check('of quarantined jobs the one with the fewest crashes comes first; cancelled ones leave', async (store) => {
      await store.enqueue([job('killer', { host: 'a.org', priority: 5 }), job('innocent', { host: 'a.org' })], 0);
      await store.enqueue([job('far', { host: 'b.org' })], 0);
      let now = await makeQuarantined(store);
      const next = async (): Promise<unknown> => {
        const lanes = (await store.backlog(now, LIMITS)).quarantined.map(({ host }) => host);
        const picks = [{ host: 'a.org', resolver: null, limit: 1 }];
        const [leased] = await lease(store, { picks, now, standing: 'quarantined' });
        now += LEASE_MS;
        return [lanes, leased?.artifactId];
      };
      assert.deepEqual(await next(), [['a.org', 'b.org'], 'killer']);
      assert.deepEqual(await next(), [['a.org', 'b.org'], 'innocent']);
      assert.deepEqual(await next(), [['b.org', 'a.org'], 'killer']);
      assert.deepEqual(await fieldsOf(store, 'killer', 'deaths', 'deathsAlone'), [3, 1]);
      await store.admin.cancel((await store.admin.find('killer'))?.id ?? -1, now);
      assert.deepEqual((await store.admin.stats(now)).quarantined, 2);
    });

    check('a successful job keeps its result until it is requeued', async (store) => {
      await store.enqueue([job('a'), job('b')], 0);
      const [first, second] = await leaseAny(store, 0);
      assert.ok(first && second);
      const result = JSON.stringify({ path: 'PDF/a.pdf', bytes: 3 });
      await settle(store, [{ ...first, settlement: { kind: 'finish', state: 'done', result } }, finish(second)], 1);
      assert.equal((await store.admin.find('a'))?.result, result);
      assert.equal((await store.admin.find('b'))?.result, null);
      await store.admin.requeue({ states: ['done'] }, 2, { dryRun: false });
      const [again] = await leaseAny(store, 2);
      assert.ok(again);
      await settle(store, [finish(again)], 3);
      assert.equal((await store.admin.find('a'))?.result, null);
    });

    check('leases that a worker does not hold are returned without counting an attempt', async (store) => {
      await store.enqueue([job('kept'), job('forgotten')], 0);
      const leased = await leaseAny(store, 0);
      const kept = leased.find(({ artifactId }) => artifactId === 'kept');
      assert.ok(kept);
      assert.equal(await store.release((await store.admin.find('kept'))?.workerId ?? '', [kept.id], 1), 1);
      assert.equal(await store.release('somebody else', [], 1), 0);
      assert.deepEqual(await fieldsOf(store, 'forgotten', 'state', 'attempts', 'deaths'), ['queued', 0, 0]);
      assert.deepEqual(await fieldsOf(store, 'kept', 'state'), ['in_progress']);
      assert.deepEqual(Object.values((await store.admin.stats(1)).states), [1, 1, 0, 0, 0]);
    });

    check('a requeued job waits for its delay, keeps its error and, unless refunded, its attempts', async (store) => {
      await store.enqueue([job('a')], 0);
      const leased = await leaseOne(store, 0);
      await settle(store, [requeue(leased, 500, false, 'HTTP_503')], 100);
      assert.deepEqual(await leaseAny(store, 599), []);
      const stored = await fieldsOf(store, 'a', 'state', 'availableAt', 'lastError');
      assert.deepEqual(stored, ['queued', 600, 'HTTP_503: busy']);
      const second = await leaseOne(store, 600);
      const settlement = { kind: 'requeue', delayMs: 0, refund: true, host: 'example.org' } as const;
      await settle(store, [{ ...second, settlement }], 601);
      const again = await leaseOne(store, 602);
      assert.deepEqual([second.attempt, again.attempt, again.host], [2, 2, 'example.org'], 'it was refunded');
      assert.ok(again.token > second.token, 'a refund must not bring the old token back to life');
    });

    check('a long error is cut and keeps its code', async (store) => {
      await store.enqueue([job('a')], 0);
      const leased = await leaseOne(store, 0);
      const error = { code: 'HANDLER_FAILED', message: 'x'.repeat(100_000) };
      await settle(store, [{ ...leased, settlement: { kind: 'finish', state: 'error', error } }], 1);
      const stored = await store.admin.find(leased.id);
      assert.ok((stored?.lastError ?? '').length <= 500);
      assert.match(stored?.lastError ?? '', /^HANDLER_FAILED: x/);
    });

    check('lanes have host, resolver, count and top priority, and are leased separately', async (store) => {
      const [first, second] = [job('1', { host: 'a.org' }), job('2', { host: 'a.org', priority: 3 })];
      await store.enqueue([first, second, job('3', { host: 'b.org', resolverHint: 'arxiv' }), job('4')], 0);
      const { lanes } = await store.backlog(0, LIMITS);
      const found = lanes.map(({ host, resolver, jobs, priority }) => JSON.stringify([host, resolver, jobs, priority]));
      assert.deepEqual(found.sort(), ['["a.org",null,2,3]', '["b.org","arxiv",1,0]', '[null,null,1,0]']);
      const picks = [
        { host: 'b.org', resolver: 'arxiv', limit: 5 },
        { host: 'a.org', resolver: null, limit: 1 },
      ];
      assert.deepEqual(idsOf(await lease(store, { workerId: 'w', picks })), ['3', '2']);
    });

    check('leases of a dead worker end immediately', async (store) => {
      await store.enqueue([job('a'), job('b')], 0);
      await lease(store, { workerId: 'dead', picks: [{ ...ANY_LANE, limit: 1 }], now: 0 });
      await lease(store, { workerId: 'alive', picks: [{ ...ANY_LANE, limit: 1 }], now: 0 });
      assert.equal(await store.expire(['dead'], 5), 1);
      assert.deepEqual(idsOf(await leaseAny(store, 5)), ['a']);
    });

    check('the outlook has ready, delayed and running counts, and when to check again', async (store) => {
      assert.deepEqual(await store.outlook(0), { ready: 0, delayed: 0, inProgress: 0, nextAt: null });
      await store.enqueue([job('a'), job('b'), job('c')], 0);
      const leased = await leaseAny(store, 0, 2);
      const [first] = leased;
      assert.ok(first);
      await settle(store, [requeue(first, 70, false)], 0);
      const rest = (await store.admin.stats(0)).states;
      const outlook = await store.outlook(10);
      assert.deepEqual([outlook.ready, outlook.delayed, outlook.nextAt], [rest.queued - 1, 1, 70]);
      assert.equal(outlook.inProgress, rest.in_progress);
      assert.equal((await store.outlook(70)).ready, rest.queued);
    });

    check('stats count states, resolvers, error codes, leases and delays', async (store) => {
      const arxiv = { resolverHint: 'arxiv' };
      await store.enqueue([job('1', arxiv), job('2', arxiv), job('3'), job('4'), job('5'), job('6')], 10);
      const get = await leaseById(store, 20);
      const finished = [finish(get('1')), finish(get('2'), 'error', 'HTTP_404'), finish(get('3'), 'skipped', 'ROBOTS')];
      const requeued = [requeue(get('4'), 100, false, 'HTTP_503'), requeue(get('5'), 0, true)];
      await settle(store, [...finished, ...requeued], 30);
      const stats = await store.admin.stats(40);
      assert.deepEqual(stats.states, { queued: 2, in_progress: 1, done: 1, skipped: 1, error: 1 });
      assert.deepEqual([stats.at, stats.total, stats.due, stats.delayed, stats.nextAvailableAt], [40, 6, 1, 1, 130]);
      assert.deepEqual(
        stats.byErrorCode.toSorted((a, b) => a.code.localeCompare(b.code)),
        [
          { code: 'HTTP_404', state: 'error', jobs: 1 },
          { code: 'HTTP_503', state: 'queued', jobs: 1 },
          { code: 'ROBOTS', state: 'skipped', jobs: 1 },
        ],
      );
      assert.deepEqual(stats.leases, [{ workerId: 'worker', jobs: 1, expiresAt: 20 + LEASE_MS }]);
      assert.deepEqual([stats.oldestQueuedAt, stats.oldestQueuedId], [10, '5']);
      const { id: newest } = (await store.admin.list({}, { limit: 1_000 })).at(-1) ?? { id: -1 };
      assert.equal(stats.newestId, newest);
      const upTo = await store.admin.list({}, { limit: 1_000, upTo: newest - 1 });
      assert.ok(upTo.length > 0 && upTo.every(({ id }) => id < newest));
      assert.ok(stats.byResolver.some((row) => row.resolver === 'arxiv' && row.state === 'error' && row.jobs === 1));
      const later = await store.admin.stats(130);
      assert.deepEqual([later.due, later.delayed, later.oldestQueuedId], [2, 0, '4']);
    });

    check('jobs are counted by host, with reasons and the time of the next', async (store) => {
      const at = { host: 'a.org' };
      await store.enqueue([job('1', at), job('2', at), job('3', at), job('4', at)], 0);
      await store.enqueue([job('5', { host: 'b.org' }), job('6')], 0);
      const get = await leaseById(store, 1);
      const finished = [finish(get('1')), finish(get('2'), 'error', 'HTTP_404')];
      const requeued = [requeue(get('3'), 100, false, 'HTTP_503'), requeue(get('5'), 0, true)];
      await settle(store, [...finished, ...requeued], 30);
      const counts = { due: 0, delayed: 0, inProgress: 0, done: 0, skipped: 0, error: 0 };
      const codes = { HTTP_404: 1, HTTP_503: 1 };
      assert.deepEqual(await store.admin.hosts(40), [
        { host: 'a.org', ...counts, delayed: 1, inProgress: 1, done: 1, error: 1, codes, nextAvailableAt: 130 },
        { host: 'b.org', ...counts, due: 1, codes: {}, nextAvailableAt: null },
      ]);
      assert.equal((await store.admin.hosts(131))[0]?.due, 1);
    });

    check('failed jobs are requeued by error code, resolver and number of attempts', async (store) => {
      await store.enqueue([job('1', { resolverHint: 'arxiv' }), job('2'), job('3')], 0);
      for (const each of await leaseAny(store, 0)) {
        const code = each.artifactId === '3' ? 'HTTP_404' : 'HTTP_500';
        await settle(store, [finish(each, 'error', code)], 1);
      }
      const failed = { states: ['error'] } as const;
      assert.equal(await store.admin.requeue({ ...failed, errorCode: 'HTTP_500' }, 2, { dryRun: true }), 2);
      assert.equal(await store.admin.requeue({ ...failed, maxAttempts: 0 }, 2, { dryRun: true }), 0);
      assert.equal(await store.admin.requeue({ ...failed, maxAttempts: 1 }, 2, { dryRun: true }), 3);
      const ofArxiv = { ...failed, errorCode: 'HTTP_500', resolver: 'arxiv' };
      assert.equal(await store.admin.requeue(ofArxiv, 2, { dryRun: false }), 1);
      assert.deepEqual(Object.values((await store.admin.stats(3)).states), [1, 0, 0, 0, 2]);
      const again = await leaseOne(store, 3);
      assert.deepEqual([again.artifactId, again.attempt], ['1', 1]);
    });

    check('only cancelling ends an unfinished job: it is skipped, and its worker loses the lease', async (store) => {
      await store.enqueue([job('queued'), job('running', { priority: 1 })], 0);
      const [running] = await lease(store, { picks: [{ ...ANY_LANE, limit: 1 }] });
      const queued = await store.admin.find('queued');
      assert.ok(running && queued);
      const everything = { states: ['queued', 'in_progress', 'done', 'skipped', 'error'] } as const;
      assert.equal(await store.admin.requeue(everything, 1, { dryRun: false }), 0);
      assert.equal(await store.admin.prune(everything, { dryRun: false }), 0);
      assert.deepEqual([await store.admin.cancel(running.id, 1), await store.admin.cancel(queued.id, 1)], [true, true]);
      assert.equal(await store.admin.cancel(queued.id, 2), false);
      assert.deepEqual(await settle(store, [finish(running)], 2), [false]);
      assert.deepEqual(Object.values((await store.admin.stats(2)).states), [0, 0, 0, 2, 0]);
      assert.match((await store.admin.find('running'))?.lastError ?? '', /^CANCELLED: /);
    });

    check('old finished jobs are pruned, and their ids can be enqueued again', async (store) => {
      await store.enqueue([job('old'), job('new')], 0);
      for (const each of await leaseAny(store, 0))
        await settle(store, [finish(each)], each.artifactId === 'old' ? 10 : 1000);
      assert.equal(await store.admin.prune({ states: ['done'], updatedBefore: 500 }, { dryRun: true }), 1);
      assert.equal(await store.admin.prune({ states: ['done'], updatedBefore: 500 }, { dryRun: false }), 1);
      assert.equal((await store.admin.stats(2000)).total, 1);
      assert.deepEqual(await store.enqueue([job('old'), job('new')], 2000), [true, false]);
    });

    check('the oldest finished jobs are retired, and still counted; unfinished jobs are kept', async (store) => {
      const finished = Array.from({ length: 6 }, (_, n) => job(`j${n}`));
      await store.enqueue([...finished, job('running'), job('waiting')], 0);
      const leased = await leaseAny(store, 0, 7);
      const states = ['done', 'error', 'skipped'] as const;
      for (const [at, each] of leased.slice(0, 6).entries()) await settle(store, [finish(each, states[at % 3])], 10);
      const before = await store.admin.stats(20);
      assert.equal(await store.admin.retire(6), 0);
      assert.equal(await store.admin.retire(4), 2);
      assert.equal(await store.admin.retire(4), 0);
      assert.equal(await store.admin.retire(1), 3);
      const { states: counted, total, byResolver } = await store.admin.stats(20);
      assert.deepEqual([counted, total, byResolver], [before.states, before.total, before.byResolver]);
      const left = (await store.admin.list({}, { limit: 9 })).map(({ artifactId }) => artifactId);
      assert.deepEqual(left, ['j5', 'running', 'waiting']);
      // A removed job is new; one still stored is known.
      assert.deepEqual(await store.enqueue([job('j0'), job('j5')], 30), [true, false]);
      assert.equal(await store.admin.prune({}, { dryRun: false }), 1);
      assert.equal(await store.admin.retire(0), 0);
      assert.equal((await store.admin.stats(40)).total, 8);
    });

    check('lists are paged by id and filter', async (store) => {
      const jobs = Array.from({ length: 5 }, (_, n) => job(`j${n}`, n === 3 ? { host: 'a.org' } : {}));
      await store.enqueue(jobs, 0);
      const first = await store.admin.list({}, { limit: 3 });
      assert.deepEqual(idsOf(first), ['j0', 'j1', 'j2']);
      const rest = await store.admin.list({}, { limit: 3, after: first.at(-1)?.id ?? 0 });
      assert.deepEqual(idsOf(rest), ['j3', 'j4']);
      assert.deepEqual(idsOf(await store.admin.list({ host: 'a.org' }, { limit: 9 })), ['j3']);
      assert.equal(await store.admin.find('nobody'), undefined);
    });

    check('pauses last until resumed', async (store) => {
      assert.equal(await store.admin.pause('host', 'a.org', 5), true);
      assert.equal(await store.admin.pause('host', 'a.org', 6), false);
      await store.admin.pause('all', '', 7);
      assert.deepEqual(await store.admin.pauses(), [
        { scope: 'all', name: '', since: 7 },
        { scope: 'host', name: 'a.org', since: 5 },
      ]);
      assert.equal(await store.admin.resume('host', 'a.org'), true);
      assert.equal(await store.admin.resume('host', 'a.org'), false);
      assert.equal((await store.admin.pauses()).length, 1);
    });

    check('watchers are notified of new jobs and operator actions', async (store) => {
      const seen = new Set<string>();
      const { promise, resolve } = Promise.withResolvers<void>();
      using _watch = store.watch((change) => {
        seen.add(change);
        if (seen.size === 2) resolve();
      });
      await store.enqueue([job('a')], 0);
      await store.admin.pause('all', '', 0);
      await promise;
    });
  });
}
