import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import { runStage } from '../../src/stage/index.ts';
import type { StageOptions, WorkItem } from '../../src/stage/index.ts';
import type { Cost, Figure } from './figures.ts';
import { compete, measure } from './figures.ts';
import { bareItem } from './io.ts';
import type { Peers } from './peers.ts';
import { work } from './work-worker.ts';

const WORKERS = 2;
const IN_FLIGHT = 8;
/** Items that warm the workers up, ours and those by hand alike: code that starts is not what is measured. */
const warmUp = (items: readonly WorkItem[]): readonly WorkItem[] => items.slice(0, Math.ceil(items.length / 4));
const beside = (name: string): URL => new URL(`./${name}`, import.meta.url);

interface Hand {
  send(message: unknown): void;
  listen(heard: () => void): void;
  end(): unknown;
}

function openThread(file: string, data?: unknown): Hand {
  const thread = new Worker(beside(file), { workerData: data });
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    send: (message) => thread.postMessage(message),
    listen: (heard) => void thread.on('message', heard),
    end: () => thread.terminate(),
  };
}

function openFork(): Hand {
  const child = fork(fileURLToPath(beside('hand-worker.ts')));
  return {
    send: (message) => void child.send(message as object),
    listen: (heard) => void child.on('message', heard),
    end: () => child.kill(),
  };
}

/** Two workers by hand, each with so many items on their way; started and warm before the clock runs. */
async function byHand(items: readonly WorkItem[], open: () => Hand, warm = warmUp(items)): Promise<Cost> {
  const hands = Array.from({ length: WORKERS }, open);
  let fill: (hand: number) => void = () => undefined;
  for (const [at, hand] of hands.entries()) hand.listen(() => fill(at));
  const drive = (list: readonly WorkItem[]): Promise<void> =>
    new Promise((resolve) => {
      let next = 0;
      let done = 0;
      const onTheWay = hands.map(() => 0);
      const top = (at: number): void => {
        for (; (onTheWay[at] ?? 0) < IN_FLIGHT && next < list.length; next += 1) {
          onTheWay[at] = (onTheWay[at] ?? 0) + 1;
          hands[at]?.send({ id: next, item: list[next] });
        }
      };
      fill = (at) => {
        onTheWay[at] = (onTheWay[at] ?? 0) - 1;
        done += 1;
        if (done === list.length) resolve();
        else top(at);
      };
      for (const at of hands.keys()) top(at);
    });
  await drive(warm);
  const cost = await measure(() => drive(items));
  for (const hand of hands) await hand.end();
  return cost;
}

/** Ours, from the first items' end to the last one's: starting and ending workers is measured elsewhere. */
async function byUs(
  items: readonly WorkItem[],
  options: Partial<StageOptions>,
  worker: { readonly name: string; readonly data?: unknown },
  warm = warmUp(items),
): Promise<Cost> {
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-'));
  let startedAt = 0;
  let before = process.cpuUsage();
  let told = 0;
  let cost: Cost | undefined;
  const { failed } = await runStage(
    { stageName: 'bench', items: [...warm, ...items] },
    { module: beside(worker.name) },
    {
      policy: 'cpu',
      workers: WORKERS,
      perItemTimeoutS: 60,
      manifestDir: join(folder, 'm'),
      warmSpare: false,
      ...options,
    },
    {
      afterItem: () => {
        told += 1;
        if (told === warm.length) {
          startedAt = performance.now();
          before = process.cpuUsage();
        } else if (told === items.length + warm.length) {
          const used = process.cpuUsage(before);
          cost = { wallMs: performance.now() - startedAt, cpuMs: (used.user + used.system) / 1000 };
        }
      },
    },
    { workerData: worker.data },
  );
  rmSync(folder, { recursive: true, force: true });
  if (!cost || failed > 0) throw new Error('the bench itself failed');
  return cost;
}

async function byPool(
  items: readonly WorkItem[],
  Pool: Peers['Piscina'],
  options: Readonly<Record<string, unknown>>,
): Promise<Cost> {
  const pool = new Pool({
    filename: beside('pool-worker.js').href,
    minThreads: WORKERS,
    maxThreads: WORKERS,
    ...options,
  });
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let item = items[next++]; item; item = items[next++]) await pool.run(item);
  };
  for (const item of warmUp(items).slice(0, 1_000)) await pool.run(item);
  const cost = await measure(() => Promise.all(Array.from({ length: WORKERS * IN_FLIGHT }, lane)));
  await pool.destroy();
  return cost;
}

export async function benchCpu(quick: boolean, peers: Peers | undefined): Promise<Figure[]> {
  const items = Array.from({ length: quick ? 8_000 : 100_000 }, (_, at) => bareItem(at));
  const few = items.slice(0, items.length / 4);
  const rounds = quick ? 2 : 4;
  const noop = { name: 'noop-worker.ts' };
  const threads = await compete(rounds, {
    hand: () => byHand(items, () => openThread('hand-worker.ts')),
    ours: () => byUs(items, {}, noop),
    ...(peers && {
      piscina: () => byPool(few, peers.Piscina, {}),
      tinypool: () => byPool(few, peers.Tinypool, { runtime: 'worker_threads' }),
    }),
  });
  const processes = await compete(rounds, {
    hand: () => byHand(items, openFork),
    ours: () => byUs(items, { isolation: 'process' }, noop),
    ...(peers && { tinypool: () => byPool(few, peers.Tinypool, { runtime: 'child_process' }) }),
  });
  const handThreads = threads.rate('hand', 'wallMs', items.length);
  const ourThreads = threads.rate('ours', 'wallMs', items.length);
  const piscina = threads.rate('piscina', 'wallMs', few.length);
  const handForks = processes.rate('hand', 'wallMs', items.length);
  const ourForks = processes.rate('ours', 'wallMs', items.length);
  return [
    { name: 'cpu no-op: two threads by hand, 8 in flight', value: handThreads, unit: 'items/s' },
    { name: 'cpu no-op: ours in threads, with timeout and manifest', value: ourThreads, unit: 'items/s' },
    ...(peers
      ? [
          { name: 'cpu no-op: piscina', value: piscina, unit: 'items/s' },
          {
            name: 'cpu no-op: tinypool threads',
            value: threads.rate('tinypool', 'wallMs', few.length),
            unit: 'items/s',
          },
        ]
      : []),
    {
      name: 'cpu no-op: ours / threads by hand',
      value: threads.ratio('hand', 'ours', 'wallMs'),
      unit: 'times',
      target: { atLeast: 0.7 },
    },
    ...(peers
      ? [
          {
            name: 'cpu no-op: ours / piscina',
            value: (threads.ratio('piscina', 'ours', 'wallMs') * items.length) / few.length,
            unit: 'times',
            target: { atLeast: 2 },
          },
        ]
      : []),
    { name: 'cpu no-op: two forks by hand, 8 in flight', value: handForks, unit: 'items/s' },
    { name: 'cpu no-op: ours in processes, with timeout and manifest', value: ourForks, unit: 'items/s' },
    ...(peers
      ? [
          {
            name: 'cpu no-op: tinypool processes',
            value: processes.rate('tinypool', 'wallMs', few.length),
            unit: 'items/s',
          },
        ]
      : []),
    {
      name: 'cpu no-op: ours / forks by hand',
      value: processes.ratio('hand', 'ours', 'wallMs'),
      unit: 'times',
      target: { atLeast: 0.7 },
    },
    ...(await benchWork(quick)),
  ];
}

/** Items as stages have them: a file of ten kilobytes each, synced and named, and a row. */
export async function benchOutputs(quick: boolean): Promise<Figure[]> {
  const count = quick ? 400 : 4_000;
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-'));
  let round = 0;
  // Those that warm up have outputs of their own: what stands there already would not be made again.
  const fresh = (): { readonly warm: WorkItem[]; readonly items: WorkItem[] } => {
    const out = join(folder, String((round += 1)));
    mkdirSync(out);
    const make = (at: number): WorkItem => ({ ...bareItem(at), outputs: { out: join(out, `doc${at}.txt`) } });
    const all = Array.from({ length: count + count / 4 }, (_, at) => make(at));
    return { warm: all.slice(count), items: all.slice(0, count) };
  };
  const handed = ({ warm, items }: ReturnType<typeof fresh>): Promise<Cost> =>
    byHand(items, () => openThread('hand-write-worker.ts'), warm);
  const ours = ({ warm, items }: ReturnType<typeof fresh>): Promise<Cost> =>
    byUs(items, {}, { name: 'write-worker.ts' }, warm);
  try {
    const contest = await compete(quick ? 3 : 5, {
      hand: () => handed(fresh()),
      ours: () => ours(fresh()),
    });
    const each = (name: string): number => contest.rate(name, 'wallMs', count);
    return [
      { name: '10 kB each: two threads by hand, a sync per file', value: each('hand'), unit: 'items/s' },
      { name: '10 kB each: ours, with fingerprint, timeout and manifest', value: each('ours'), unit: 'items/s' },
      { name: '10 kB each: ours / by hand', value: contest.ratio('hand', 'ours', 'wallMs'), unit: 'times' },
      { name: '10 kB each: CPU, ours / by hand', value: contest.ratio('ours', 'hand', 'cpuMs'), unit: 'times' },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Items of about a millisecond of native work: what the runner adds to the processor time of the work itself. */
async function benchWork(quick: boolean): Promise<Figure[]> {
  const probe = 100_000;
  // The quickest of several: the first finds everything cold.
  const cpuMs = Math.min(
    ...(await Promise.all([0, 1, 2, 3].map(async () => (await measure(() => work(probe))).cpuMs))),
  );
  const rounds = Math.max(1, Math.round(probe / cpuMs));
  const items = Array.from({ length: quick ? 1_400 : 4_000 }, (_, at) => bareItem(at));
  const contest = await compete(quick ? 2 : 7, {
    alone: () => alone(items.length, rounds),
    hand: () => byHand(items, () => openThread('hand-worker.ts', { rounds })),
    ours: () => byUs(items, {}, { name: 'work-worker.ts', data: { rounds } }),
  });
  const added = (name: string): number => (contest.ratio(name, 'alone', 'cpuMs') - 1) * 100;
  const alone1 = (contest.cost('alone', 'cpuMs') / items.length) * 1000;
  return [
    { name: 'cpu 1 ms: the work alone, in two threads', value: alone1, unit: 'µs CPU' },
    { name: 'cpu 1 ms: CPU added by two threads by hand', value: added('hand'), unit: '%' },
    { name: 'cpu 1 ms: CPU added by ours in threads', value: added('ours'), unit: '%', target: { atMost: 7 } },
  ];
}

/** The same work in the same number of threads, without a message between the items. */
async function alone(count: number, rounds: number): Promise<Cost> {
  const hands = Array.from({ length: WORKERS }, () => openThread('hand-worker.ts', { rounds }));
  const ask = (times: number): Promise<unknown> =>
    Promise.all(
      hands.map(
        (hand) =>
          new Promise<void>((resolve) => {
            hand.listen(resolve);
            hand.send({ id: 0, item: bareItem(0), times });
          }),
      ),
    );
  await ask(1);
  const cost = await measure(() => ask(count / WORKERS));
  for (const hand of hands) await hand.end();
  return cost;
}
