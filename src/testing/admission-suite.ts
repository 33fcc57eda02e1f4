import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Clock } from '../base/index.ts';
import type { AcquireOptions, Admission, HostEvent, HostReport, Slot, Turn } from '../hosts/index.ts';
import { HostTable } from '../hosts/index.ts';

interface AdmissionUnderTest extends AsyncDisposable {
  readonly admission: Admission;
  readonly clock: Clock;
  /** Lets time pass until the promise is settled. */
  readonly pass: <T>(promise: Promise<T>) => Promise<T>;
}

export type OpenAdmission = (options: {
  readonly table: HostTable;
  readonly report: (event: HostEvent) => void;
}) => Promise<AdmissionUnderTest>;

interface Scene extends Omit<AdmissionUnderTest, typeof Symbol.asyncDispose> {
  readonly events: readonly HostEvent[];
  readonly take: (host: string) => Promise<Slot>;
}

const PATIENT: AcquireOptions = { patienceMs: 60_000, longestLineMs: 60_000 };
const INTERVAL_MS = 200;

const TABLE = (): HostTable =>
  new HostTable({
    perHost: { perSecond: 1000 / INTERVAL_MS, concurrency: 2 },
    perResolver: { unpaywall: 1 },
    // More than the delay by which a busy process may still use a missed turn.
    margin: 0.12,
    pools: [
      { name: 'wide', hosts: ['wide.org'], perSecond: Infinity, concurrency: 2 },
      { name: 'strict', hosts: ['strict.org'], perSecond: 1000 / INTERVAL_MS, concurrency: 1, strict: true },
      { name: 'many', hosts: ['*.many.org'], perSecond: Infinity, concurrency: 2 },
      { name: 'more', hosts: ['*.more.org'], perSecond: Infinity, concurrency: 2 },
      { name: 'burst', hosts: ['burst.org'], perSecond: 1000 / INTERVAL_MS, burst: 2, concurrency: 4 },
    ],
  });

function slotOf(turn: Turn): Slot {
  return turn.kind === 'go' ? turn.slot : assert.fail(turn.kind);
}

export function describeAdmission(name: string, open: OpenAdmission): void {
  describe(name, () => {
    const check = (title: string, body: (scene: Scene) => Promise<void>): void => {
      test(title, async () => {
        const events: HostEvent[] = [];
        await using under = await open({ table: TABLE(), report: (event) => void events.push(event) });
        const { admission, clock, pass } = under;
        const take = async (host: string): Promise<Slot> => {
          return slotOf(await pass(admission.acquire(admission.table.keysOf(host), PATIENT)));
        };
        await body({ admission, clock, pass, events, take });
      });
    };

    check('at most `cap` requests are in flight; the next starts when one ends', async ({ admission, pass, take }) => {
      const keys = admission.table.keysOf('wide.org');
      const first = await take('wide.org');
      const second = await take('wide.org');
      assert.ok(admission.room(keys) <= 0);
      const order: number[] = [];
      const third = admission.acquire(keys, PATIENT).then((turn) => (order.push(3), turn));
      const fourth = admission.acquire(keys, PATIENT).then((turn) => (order.push(4), turn));
      assert.equal(order.length, 0);
      first[Symbol.dispose]();
      const turn = await pass(third);
      assert.deepEqual(order, [3]);
      second[Symbol.dispose]();
      second[Symbol.dispose]();
      const last = await pass(fourth);
      for (const each of [turn, last]) slotOf(each)[Symbol.dispose]();
    });

    check('requests to one host are spaced; other hosts are not delayed', async ({ clock, take }) => {
      // A process may be paused anywhere: only a time before and a time after each send are known.
      const times: (readonly [before: number, after: number])[] = [];
      for (let at = 0; at < 4; at += 1) {
        using slot = await take('slow.org');
        const before = clock.monotonic();
        slot.sent();
        times.push([before, clock.monotonic()]);
      }
      for (const [at, [, after]] of times.entries()) {
        if (at > 0) assert.ok(after - (times[at - 1]?.[0] ?? 0) >= INTERVAL_MS - 1, JSON.stringify(times));
      }
    });

    check('spacing starts when a request was sent, not before', async ({ admission, clock, pass, take }) => {
      using slot = await take('slow.org');
      const next = admission.acquire(admission.table.keysOf('slow.org'), PATIENT);
      let isNext = false;
      void next.then(() => (isNext = true));
      await pass(new Promise<void>((resolve) => clock.setTimer(1.5 * INTERVAL_MS, resolve)));
      assert.equal(isNext, false, 'it looks up a name, or connects');
      const sentAt = clock.monotonic();
      slot.sent();
      using _next = slotOf(await pass(next));
      assert.ok(clock.monotonic() - sentAt >= INTERVAL_MS - 1, `${clock.monotonic() - sentAt} ms`);
    });

    check('a burst passes at once, then the rate applies', async ({ clock, take }) => {
      const times: number[] = [];
      // When the first grant is noticed late, the others have been granted too.
      const first = clock.monotonic();
      for (let at = 0; at < 5; at += 1) {
        using _slot = await take('burst.org');
        times.push(clock.monotonic());
      }
      for (const [at, time] of times.entries()) {
        assert.ok(time - first >= (at - 1) * INTERVAL_MS - 1, JSON.stringify(times));
      }
    });

    check('if spacing is measured from the response, no request starts earlier', async ({ admission, clock, take }) => {
      const keys = admission.table.keysOf('strict.org');
      const slot = await take('strict.org');
      const answeredAt = clock.monotonic();
      admission.observe(keys, { kind: 'answer', status: 200, retryAt: undefined });
      slot[Symbol.dispose]();
      using _next = await take('strict.org');
      assert.ok(clock.monotonic() - answeredAt >= INTERVAL_MS - 1);
    });

    check('several keys are acquired together; none is held while waiting for another', async ({ admission, pass }) => {
      const keysOf = (host: string): string[] => admission.table.keysOf(host, { resolver: 'unpaywall' });
      const first = slotOf(await pass(admission.acquire(keysOf('a.org'), PATIENT)));
      const waiting = admission.acquire(keysOf('b.org'), PATIENT);
      assert.equal(admission.room(['b.org']), 1, 'one waits for it, none holds it');
      first[Symbol.dispose]();
      const turn = await pass(waiting);
      assert.equal(turn.kind === 'go' && turn.waited?.key, 'resolver/unpaywall');
    });

    check('a waiter can be aborted', async ({ admission, pass, take }) => {
      const keys = admission.table.keysOf('strict.org');
      const slot = await take('strict.org');
      const controller = new AbortController();
      const waiting = admission.acquire(keys, { ...PATIENT, signal: controller.signal });
      controller.abort();
      await assert.rejects(waiting, { name: 'AbortError' });
      const next = admission.acquire(keys, PATIENT);
      slot[Symbol.dispose]();
      assert.equal((await pass(next)).kind, 'go');
    });

    check('what a waiter released is reacquired; an unused slot is not lost', async ({ admission, pass, take }) => {
      const keys = admission.table.keysOf('strict.org');
      const slot = await take('strict.org');
      const steps: string[] = [];
      const unlucky = admission.acquire(keys, {
        ...PATIENT,
        whileWaiting: async (wait) => {
          steps.push('let go');
          await wait();
          throw new Error('no worker came back');
        },
      });
      const next = admission.acquire(keys, {
        ...PATIENT,
        whileWaiting: async (wait) => {
          const result = await wait();
          steps.push('taken back');
          return result;
        },
      });
      slot[Symbol.dispose]();
      await assert.rejects(pass(unlucky), /no worker/);
      assert.equal((await pass(next)).kind, 'go');
      assert.deepEqual(steps, ['let go', 'taken back']);
    });

    check('a slot freed while a waiter joins the line is not missed', async ({ admission, clock, pass, take }) => {
      (await take('slow.org'))[Symbol.dispose]();
      // The line is joined only after the time that it would have waited for.
      const turn = admission.acquire(admission.table.keysOf('slow.org'), {
        ...PATIENT,
        whileWaiting: async (wait) => {
          await pass(new Promise<void>((resolve) => clock.setTimer(2 * INTERVAL_MS, resolve)));
          return await wait();
        },
      });
      slotOf(await pass(turn))[Symbol.dispose]();
    });

    check('a short hold is waited for, a long one `later`; none is shortened', async ({ admission, clock, pass }) => {
      const keys = ['held.org'];
      const until = clock.now() + 3_600_000;
      admission.hold('held.org', { at: until, reason: 'rate-limited' });
      admission.hold('held.org', { at: clock.now() + 10, reason: 'rate-limited' });
      assert.equal(admission.room(keys), 0);
      assert.ok(Math.abs((admission.held(keys)?.leftMs ?? 0) - 3_600_000) < 600_000);
      const later = await pass(admission.acquire(keys, PATIENT));
      assert.equal(later.kind === 'later' && later.reason, 'rate-limited');
      const before = clock.monotonic();
      admission.hold('soon.org', { at: clock.now() + 300, reason: 'rate-limited' });
      assert.equal((await pass(admission.acquire(['soon.org'], PATIENT))).kind, 'go');
      assert.ok(clock.monotonic() - before >= 290);
    });

    check('a Retry-After holds the host and its service, but no resolver', async ({ admission, clock, pass }) => {
      const keysOf = (host: string): string[] => admission.table.keysOf(host, { resolver: 'unpaywall' });
      const retryAt = clock.now() + 3_600_000;
      for (const status of [429, 503]) {
        const [first, second] = status === 429 ? ['one.many.org', 'two.many.org'] : ['one.more.org', 'two.more.org'];
        admission.observe(keysOf(first), { kind: 'answer', status, retryAt });
        const turn = await pass(admission.acquire(keysOf(second), PATIENT));
        assert.equal(turn.kind === 'later' && turn.reason, 'rate-limited', `${second} after a ${status}`);
      }
      assert.equal(admission.held(['resolver/unpaywall']), null);
      assert.equal((await pass(admission.acquire(keysOf('another.org'), PATIENT))).kind, 'go');
    });

    check('a long hold is returned to waiters at once', async ({ admission, clock, pass, take }) => {
      const keys = admission.table.keysOf('strict.org');
      using _slot = await take('strict.org');
      const waiting = admission.acquire(keys, PATIENT);
      admission.hold('strict.org', { at: clock.now() + 3_600_000, reason: 'rate-limited' });
      assert.equal((await pass(waiting)).kind, 'later');
    });

    check('a host with a Retry-After of a year is given up', async ({ admission, clock, pass, events }) => {
      const retryAt = clock.now() + 365 * 24 * 3_600_000;
      admission.observe(['year.org'], { kind: 'answer', status: 503, retryAt });
      const turn = await pass(admission.acquire(['year.org'], PATIENT));
      assert.match(turn.kind === 'never' ? turn.message : '', /year\.org is rate-limited until/);
      assert.ok(admission.room(['year.org']) > 0, 'no request waits for it');
      assert.ok(events.some(({ kind }) => kind === 'host-given-up'));
    });

    check('a paused host gets no request until it is resumed', async ({ admission, pass }) => {
      admission.hold('paused.org', { at: Infinity, reason: 'paused' });
      assert.equal(admission.room(['paused.org']), 0);
      const refused = await pass(admission.acquire(['paused.org'], PATIENT));
      assert.equal(refused.kind === 'later' && refused.reason, 'paused');
      admission.hold('paused.org', null);
      assert.equal((await pass(admission.acquire(['paused.org'], PATIENT))).kind, 'go');
    });

    check('a throttled host is held and slowed, then restored step by step', async ({ admission, clock, events }) => {
      const keys = ['busy.org'];
      const view = (): HostReport => admission.snapshot().find(({ key }) => key === 'busy.org') ?? assert.fail();
      const refuse = (): void =>
        admission.observe(keys, { kind: 'answer', status: 429, retryAt: clock.now() + 60_000 });
      refuse();
      refuse();
      assert.deepEqual([view().cap, view().perSecond], [2, 500 / INTERVAL_MS], 'one burst is one complaint');
      assert.deepEqual(
        events.map(({ kind }) => kind),
        ['host-throttled'],
      );
      for (let at = 0; at < 100; at += 1) admission.observe(keys, { kind: 'end', answered: true, fault: false });
      assert.deepEqual([view().cap, view().perSecond], [2, 1000 / INTERVAL_MS]);
      assert.ok(events.some((event) => event.kind === 'host-restored' && event.full));
    });

    check('a host that keeps failing is suspended, then probed with one request', async ({ admission, events }) => {
      const keys = ['broken.org'];
      for (let at = 0; at < 5; at += 1) admission.observe(keys, { kind: 'end', answered: false, fault: true });
      assert.equal(admission.held(keys)?.reason, 'host-held');
      assert.equal(events.filter(({ kind }) => kind === 'host-held').length, 1);
      const turn = await admission.acquire(keys, PATIENT);
      assert.equal(turn.kind === 'later' && turn.reason, 'host-held');
    });

    check("a service's remaining budget is reported, and again when it shrinks", async ({ admission }) => {
      const keys = admission.table.keysOf('wide.org');
      const left = (): number | null => admission.snapshot().find(({ key }) => key === 'pool/wide')?.budgetLeft ?? null;
      for (const budgetLeft of [1, 0.99, 0.9]) {
        admission.observe(keys, { kind: 'answer', status: 200, retryAt: undefined, budgetLeft });
      }
      assert.equal(left(), 0.9);
      admission.observe(keys, { kind: 'answer', status: 200, retryAt: undefined, budgetLeft: 0.89 });
      assert.equal(left(), 0.9, 'a hundredth is no news');
    });

    check('finished requests are counted, failed ones by reason', async ({ admission, take }) => {
      (await take('wide.org'))[Symbol.dispose]();
      const keys = admission.table.keysOf('wide.org');
      for (const failure of [null, null, '404', 'reset', '404']) {
        admission.observe(keys, { kind: 'end', answered: true, fault: null, failure });
      }
      const { done, failed } = admission.snapshot().find(({ key }) => key === 'wide.org') ?? assert.fail();
      assert.deepEqual([done, failed], [2, { '404': 2, reset: 1 }]);
    });

    check('watchers are notified when there is room again', async ({ admission, pass, take }) => {
      const slot = await take('strict.org');
      const changed = new Promise<void>((resolve) => admission.watch(resolve));
      slot[Symbol.dispose]();
      await pass(changed);
    });
  });
}
