import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HeldClock } from '../../testing/index.ts';
import { Gates } from '../gates.ts';
import { HostTable } from '../host-table.ts';
import { SharedAllowance } from './shared-allowance.ts';
import type { Registered } from './wishes.ts';
import { takeWishes } from './wishes.ts';

const PAUSE_MS = 6_000;
const [HOST, SERVICE] = ['www.strict.org', 'pool/strict'];

/** A process at a host and its service, which admit one at a time; the test is the server. */
function openProcess() {
  const clock = new HeldClock();
  const asked = new Set<string>();
  const allowances = new Map<string, Registered>();
  const table = new HostTable({
    margin: 0.05,
    perHost: { perSecond: Infinity, concurrency: 1 },
    pools: [{ name: 'strict', hosts: [HOST], perSecond: 1000 / PAUSE_MS, concurrency: 1 }],
  });
  const gates = new Gates({
    clock,
    table,
    giveUpAfterMs: Infinity,
    allowance: (key, pace, changed) => {
      const allowance = new SharedAllowance({
        key,
        pace,
        margin: table.margin,
        jitterMs: 20,
        ask: () => void asked.add(key),
        isAway: () => undefined,
        forget: () => undefined,
      });
      allowances.set(key, { allowance, changed });
      return allowance;
    },
  });
  const both = [gates.at(HOST), gates.at(SERVICE)];
  /** What it asks for now, and all of it is given. */
  const asks = (firstInMs = 0): Record<string, { turns: number; slots: number; unused: number }> => {
    const wishes = takeWishes(asked, allowances, clock.monotonic());
    for (const { key, turns, slots } of wishes) {
      const given = { firstAt: clock.monotonic() + firstInMs, behind: 7, turns, slots, contended: false };
      allowances.get(key)?.allowance.granted(given, clock.monotonic());
    }
    for (const { key } of wishes) allowances.get(key)?.changed();
    return Object.fromEntries(wishes.map(({ key, turns, slots, unused }) => [key, { turns, slots, unused }]));
  };
  const wait = (): Promise<void> =>
    gates.claim(both, { patienceMs: Infinity, longestLineMs: Infinity }, (line) => line());
  return { gates, both, asks, wait, clock, heard: () => allowances.get(HOST)?.allowance.heard('wanted') };
}

test('whoever leaves its place at a host to others asks for no turn at the service behind it', async () => {
  const { gates, both, asks, wait, clock, heard } = openProcess();
  const first = wait();
  assert.deepEqual(asks(), { [HOST]: { turns: 0, slots: 1, unused: 0 } });
  assert.deepEqual(asks(), { [SERVICE]: { turns: 1, slots: 1, unused: 0 } });
  await first;
  const slot = gates.take(both, clock.monotonic());
  slot.sent();
  void wait();
  heard();
  slot[Symbol.dispose]();
  assert.deepEqual(asks(), { [HOST]: { turns: 0, slots: 0, unused: 0 }, [SERVICE]: { turns: 0, slots: 0, unused: 0 } });
});

test('a turn that was reserved before the place had to be left comes back with it', async () => {
  const { gates, both, asks, wait, clock, heard } = openProcess();
  const first = wait();
  asks();
  asks();
  await first;
  const slot = gates.take(both, clock.monotonic());
  slot.sent();
  void wait();
  slot[Symbol.dispose]();
  assert.deepEqual(asks(PAUSE_MS), { [SERVICE]: { turns: 1, slots: 1, unused: 0 } });
  heard();
  assert.deepEqual(asks(), { [HOST]: { turns: 0, slots: 0, unused: 0 }, [SERVICE]: { turns: 0, slots: 0, unused: 1 } });
});

test('what is wanted while a lease is being prolonged is asked for behind it', () => {
  const asked = new Set<string>();
  const allowance = new SharedAllowance({
    key: HOST,
    pace: { cap: 4, intervalMs: 0, burst: 1, from: 'request' },
    margin: 0,
    jitterMs: 20,
    // What can wait is not asked for within this test.
    ask: (inMs) => void (inMs === 0 && asked.add(HOST)),
    isAway: () => undefined,
    forget: () => undefined,
  });
  const allowances = new Map([[HOST, { allowance, changed: () => undefined }]]);
  const given = { firstAt: 0, behind: 0, turns: 0, contended: false };
  allowance.want(1);
  assert.equal(takeWishes(asked, allowances, 0)[0]?.slots, 1);
  allowance.granted({ ...given, slots: 1 }, 0);
  allowance.want(0);
  allowance.take(0);
  assert.equal(allowance.renewal()?.slots, 1);
  allowance.want(3);
  assert.deepEqual(takeWishes(asked, allowances, 1), [], 'its answer is on its way');
  allowance.granted({ ...given, slots: 1 }, 2);
  assert.equal(takeWishes(asked, allowances, 2)[0]?.slots, 4);
});
