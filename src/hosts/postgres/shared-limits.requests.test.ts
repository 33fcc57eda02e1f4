import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HeldClock } from '../../testing/index.ts';
import type { Slot } from '../admission.ts';
import { HostTable } from '../host-table.ts';
import { Hosts } from '../hosts.ts';
import { DEFAULT_POLICY } from '../host.ts';
import type { Registered } from './shared-limits.ts';
import { SharedLimits, takeRequests } from './shared-limits.ts';

const PAUSE_MS = 6_000;
const [HOST, SERVICE] = ['www.strict.org', 'pool/strict'];

/** A process with a host and its service, each limited to one at a time; the test acts as the server. */
function openProcess() {
  const clock = new HeldClock();
  const requested = new Set<string>();
  const known = new Map<string, Registered>();
  const table = new HostTable({
    margin: 0.05,
    perHost: { perSecond: Infinity, concurrency: 1 },
    pools: [{ name: 'strict', hosts: [HOST], perSecond: 1000 / PAUSE_MS, concurrency: 1 }],
  });
  const hosts = new Hosts({
    clock,
    table,
    policy: DEFAULT_POLICY,
    limits: (key, pace, changed) => {
      const limits = new SharedLimits({
        key,
        clock,
        pace,
        margin: table.margin,
        ask: () => void requested.add(key),
        isAway: () => undefined,
        forget: () => undefined,
      });
      known.set(key, { limits, changed });
      return limits;
    },
  });
  /** Grants everything requested so far, and returns it. */
  const grantAll = (firstInMs = 0): Record<string, { turns: number; slots: number; unused: number }> => {
    const requests = takeRequests(requested, known, clock.monotonic());
    for (const { key, turns, slots } of requests) {
      const given = { firstAt: clock.monotonic() + firstInMs, behind: 7, turns, slots, contended: false };
      known.get(key)?.limits.granted(given, clock.monotonic());
    }
    for (const { key } of requests) known.get(key)?.changed();
    return Object.fromEntries(requests.map(({ key, turns, slots, unused }) => [key, { turns, slots, unused }]));
  };
  const wait = async (): Promise<Slot> => {
    const turn = await hosts.acquire([HOST, SERVICE], { patienceMs: Infinity, longestLineMs: Infinity });
    return turn.kind === 'go' ? turn.slot : assert.fail(turn.kind);
  };
  return { grantAll, wait, wanted: () => known.get(HOST)?.limits.slotNews('wanted') };
}

test('a process that yields its slot at a host requests no turn at the service', async () => {
  const { grantAll, wait, wanted } = openProcess();
  const first = wait();
  assert.deepEqual(grantAll(), { [HOST]: { turns: 0, slots: 1, unused: 0 } });
  assert.deepEqual(grantAll(), { [SERVICE]: { turns: 1, slots: 1, unused: 0 } });
  const slot = await first;
  slot.sent();
  void wait();
  wanted();
  slot[Symbol.dispose]();
  assert.deepEqual(grantAll(), {
    [HOST]: { turns: 0, slots: 0, unused: 0 },
    [SERVICE]: { turns: 0, slots: 0, unused: 0 },
  });
});

test('a turn reserved before the slot was yielded is returned with it', async () => {
  const { grantAll, wait, wanted } = openProcess();
  const first = wait();
  grantAll();
  grantAll();
  const slot = await first;
  slot.sent();
  void wait();
  slot[Symbol.dispose]();
  assert.deepEqual(grantAll(PAUSE_MS), { [SERVICE]: { turns: 1, slots: 1, unused: 0 } });
  wanted();
  assert.deepEqual(grantAll(), {
    [HOST]: { turns: 0, slots: 0, unused: 0 },
    [SERVICE]: { turns: 0, slots: 0, unused: 1 },
  });
});

test('requests made while a renewal is pending are sent after it', () => {
  const requested = new Set<string>();
  const limits = new SharedLimits({
    key: HOST,
    clock: new HeldClock(),
    pace: { cap: 4, intervalMs: 0, burst: 1, from: 'request' },
    margin: 0,
    // Requests that can wait are not sent in this test.
    ask: (inMs) => void (inMs === 0 && requested.add(HOST)),
    isAway: () => undefined,
    forget: () => undefined,
  });
  const known = new Map([[HOST, { limits, changed: () => undefined }]]);
  const given = { firstAt: 0, behind: 0, turns: 0, contended: false };
  limits.want(1);
  assert.equal(takeRequests(requested, known, 0)[0]?.slots, 1);
  limits.granted({ ...given, slots: 1 }, 0);
  limits.want(0);
  limits.take(0);
  assert.equal(limits.renewal()?.slots, 1);
  limits.want(3);
  assert.deepEqual(takeRequests(requested, known, 1), [], 'the response is still pending');
  limits.granted({ ...given, slots: 1 }, 2);
  assert.equal(takeRequests(requested, known, 2)[0]?.slots, 4);
});
