import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import type { TestPostgres } from '../../../test/postgres.ts';
import { startPostgres } from '../../../test/postgres.ts';

const RACER = join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures', 'host-racer.ts');

interface Said {
  readonly kind: 'ready' | 'start' | 'end' | 'raced' | 'holding' | 'seen';
  readonly at: number;
  readonly calls?: number;
}

let server: TestPostgres | undefined;
before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
});

/** Processes that share their hosts, and everything they say. */
async function fleet(
  processes: number,
  use: (
    racers: readonly ChildProcess[],
    said: Said[],
    heard: (kind: Said['kind'], times: number) => Promise<void>,
  ) => Promise<void>,
): Promise<void> {
  const said: Said[] = [];
  let wake: () => void = () => undefined;
  const schema = `fleet_${processes}_${Math.random().toString(36).slice(2, 8)}`;
  const racers = Array.from({ length: processes }, () => {
    const racer = fork(RACER, [server?.url ?? '', schema], { execArgv: [] });
    racer.on('message', (message: Said) => {
      said.push(message);
      wake();
    });
    return racer;
  });
  const heard = async (kind: Said['kind'], times: number): Promise<void> => {
    while (said.filter((each) => each.kind === kind).length < times) {
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  try {
    await heard('ready', processes);
    await use(racers, said, heard);
    for (const racer of racers) if (racer.connected) racer.send({ kind: 'leave' });
    for (const racer of racers) if (racer.exitCode === null && racer.signalCode === null) await once(racer, 'exit');
  } finally {
    for (const racer of racers) racer.kill('SIGKILL');
  }
}

function mostAtOnce(said: readonly Said[]): number {
  let [inside, most] = [0, 0];
  const changes = said.filter(({ kind }) => kind === 'start' || kind === 'end');
  // Of two at the same moment the end comes first: a place is given back before it is taken again.
  for (const { kind } of changes.toSorted((a, b) => a.at - b.at || a.kind.localeCompare(b.kind))) {
    inside += kind === 'start' ? 1 : -1;
    most = Math.max(most, inside);
  }
  return most;
}

for (const processes of [2, 8]) {
  test(`${processes} processes that want the same host are one visitor: its rate and its cap are kept, and used`, async () => {
    await fleet(processes, async (racers, said, heard) => {
      const each = 16 / processes;
      for (const racer of racers) racer.send({ kind: 'race', host: 'rate.org', times: each, holdMs: 1 });
      await heard('raced', processes);
      const starts = said
        .filter(({ kind }) => kind === 'start')
        .map(({ at }) => at)
        .toSorted((a, b) => a - b);
      assert.equal(starts.length, 16);
      // A busy machine may keep a process from saying at once that it started; over any stretch the rate must hold.
      for (const [from, first] of starts.entries()) {
        for (const [to, last] of starts.entries()) {
          if (to > from)
            assert.ok(
              last - first >= (to - from) * 200 - 100,
              starts.map((at) => Math.round(at - (starts[0] ?? 0))).join(' '),
            );
        }
      }
      const seconds = ((starts.at(-1) ?? 0) - (starts[0] ?? 0)) / 1000;
      // Fifteen pauses of 210 ms take 3.2 s; a busy machine may miss a turn or two.
      assert.ok(seconds < 12, `${seconds} s`);
      said.length = 0;
      for (const racer of racers) racer.send({ kind: 'race', host: 'capped.org', times: each, holdMs: 15 });
      await heard('raced', processes);
      assert.equal(said.filter(({ kind }) => kind === 'end').length, 16);
      assert.equal(mostAtOnce(said), 2);
    });
  });
}

test('places of a killed process come back', async () => {
  await fleet(2, async ([victim, other], said, heard) => {
    victim?.send({ kind: 'keep', host: 'capped.org' });
    await heard('start', 2);
    victim?.kill('SIGKILL');
    other?.send({ kind: 'race', host: 'capped.org', times: 2, holdMs: 1 });
    await heard('raced', 1);
    assert.equal(said.filter(({ kind }) => kind === 'end').length, 2);
  });
});

test('a hold is heard of by all, in the moment in which it is written', async () => {
  await fleet(8, async ([first, ...others], said, heard) => {
    first?.send({ kind: 'hold', host: 'held.org' });
    await heard('seen', 8);
    const heldAt = said.find(({ kind }) => kind === 'holding')?.at ?? 0;
    const delays = said.filter(({ kind }) => kind === 'seen').map(({ at }) => at - heldAt);
    assert.equal(delays.length, others.length + 1);
    const median = delays.toSorted((a, b) => a - b)[4] ?? Infinity;
    assert.ok(median < 250, `${delays.map(Math.round).join(' ')} ms`);
  });
});
