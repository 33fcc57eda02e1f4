import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, closeSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runStage } from '../../src/stage/index.ts';
import type { ItemRecord, ManifestSink, StageWorker, WorkItem } from '../../src/stage/index.ts';
import type { Figure } from './figures.ts';
import { compete, measure } from './figures.ts';
import type { Peers } from './peers.ts';

const CONCURRENCY = 64;
const work = async (): Promise<{ readonly status: 'success' }> => ({ status: 'success' });

export function bareItem(at: number): WorkItem {
  return { itemId: `doc${at}`, inputs: {}, outputs: {}, cfgHash: 'c0ffee', costHint: 1 };
}

interface Result {
  readonly doc_id: string;
  readonly status: string;
  readonly duration_s: number;
}

/**
 * The least that does what an item needs: a signal, a timer that aborts it, and a record of what came of it. It has no
 * retries, no order, no statistics, no resume and no bound but the number of lanes.
 */
async function bareLoop(items: readonly WorkItem[], record: (result: Result, at: number) => void): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), 60_000);
      const startedAt = performance.now();
      const { status } = await (work as unknown as StageWorker)(
        items[at] as WorkItem,
        { signal: controller.signal } as never,
      );
      clearTimeout(timer);
      record({ doc_id: items[at]?.itemId ?? '', status, duration_s: (performance.now() - startedAt) / 1000 }, at);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
}

/** Keeps records in memory, as the bare loop does: what is left of the cost is the runner's own. */
class KeptRecords implements ManifestSink {
  readonly records: ItemRecord[] = [];
  readonly pending = 0;

  logSuccess(record: ItemRecord): void {
    this.records.push(record);
  }

  logSkip(record: ItemRecord): void {
    this.records.push(record);
  }

  logFailure(record: ItemRecord): void {
    this.records.push(record);
  }

  logAttempt(): void {
    throw new Error('the bench itself failed');
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

export async function benchIo(quick: boolean, peers: Peers | undefined): Promise<Figure[]> {
  const count = quick ? 60_000 : 200_000;
  const items = Array.from({ length: count }, (_, at) => bareItem(at));
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-'));
  const options = { workers: CONCURRENCY, perItemTimeoutS: 60, manifestDir: join(folder, 'm') };
  try {
    const contest = await compete(quick ? 3 : 7, {
      kept: () =>
        measure(async () => {
          const results: Result[] = Array.from({ length: count });
          await bareLoop(items, (result, at) => (results[at] = result));
        }),
      written: () =>
        measure(async () => {
          // The record as a line of a file, with the fields a manifest row has, written in blocks of 64 kB.
          const descriptor = openSync(join(folder, 'bare.jsonl'), 'w');
          let text = '';
          await bareLoop(items, (result, at) => {
            const row = {
              stage: 'bench',
              ...result,
              input_path: null,
              output_path: null,
              schema_version: 'docparse/1.1.0',
              input_hash: null,
              cfg_hash: items[at]?.cfgHash,
              attempts: 1,
              finished_at: new Date().toISOString(),
            };
            text += `${JSON.stringify(row)}\n`;
            if (text.length < 65_536) return;
            writeSync(descriptor, text);
            text = '';
          });
          writeSync(descriptor, text);
          closeSync(descriptor);
        }),
      ours: () => {
        rmSync(join(folder, 'm'), { recursive: true, force: true });
        return measure(() => runStage({ stageName: 'bench', items }, work, options));
      },
      oursKept: () =>
        measure(() => runStage({ stageName: 'bench', items }, work, options, {}, { sink: new KeptRecords() })),
      ...(peers && {
        pMap: () => measure(() => peers.pMap(items, work, { concurrency: CONCURRENCY })),
        pQueue: () =>
          measure(async () => {
            const queue = new peers.PQueue({ concurrency: CONCURRENCY });
            for (const _ of items) {
              void queue.add(work);
              await queue.onSizeLessThan(1_000);
            }
            await queue.onIdle();
          }),
      }),
    });
    const perItem = (name: string): number => (contest.cost(name, 'cpuMs') / count) * 1000;
    return [
      { name: 'io: bare loop with abort, timer, record in memory', value: perItem('kept'), unit: 'µs CPU' },
      { name: 'io: bare loop with abort, timer, record as a JSON line', value: perItem('written'), unit: 'µs CPU' },
      { name: 'io: ours, with timeout, record in memory', value: perItem('oursKept'), unit: 'µs CPU' },
      { name: 'io: ours, with timeout, record and manifest', value: perItem('ours'), unit: 'µs CPU' },
      ...(peers
        ? [
            { name: 'io: p-map (no timeout, no record)', value: perItem('pMap'), unit: 'µs CPU' },
            { name: 'io: p-queue (no timeout, no record)', value: perItem('pQueue'), unit: 'µs CPU' },
          ]
        : []),
      {
        name: 'io: ours / bare loop, both with the record in memory',
        value: contest.ratio('oursKept', 'kept', 'cpuMs'),
        unit: 'times',
        target: { atMost: 1.5 },
      },
      {
        name: 'io: ours / bare loop, both with the record as a line of a file',
        value: contest.ratio('ours', 'written', 'cpuMs'),
        unit: 'times',
        target: { atMost: 1.5 },
      },
      {
        name: 'io: ours with its manifest / bare loop, record only in memory',
        value: contest.ratio('ours', 'kept', 'cpuMs'),
        unit: 'times',
        note: 'a durable row against none: no target',
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A million items out of an async generator, in a process of its own: what it holds after a tenth, and at most. */
export function benchMemory(): Figure[] {
  const count = 1_000_000;
  const { stdout, status, stderr } = spawnSync(process.execPath, [import.meta.filename, 'memory', String(count)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const { early, most, done } = JSON.parse(stdout) as { early: number; most: number; done: number };
  return [
    {
      name: `memory: most RSS in the first half of ${done.toLocaleString('en')} items`,
      value: early / 1e6,
      unit: 'MB',
    },
    {
      name: 'memory: most RSS in the second half / in the first',
      value: most / early,
      unit: 'times',
      target: { atMost: 1.25 },
      note: `${Math.round(most / 1e6)} MB`,
    },
  ];
}

if (process.argv[2] === 'memory') {
  const count = Number(process.argv[3]);
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-'));
  let early = 0;
  let most = 0;
  let done = 0;
  async function* plan(): AsyncGenerator<WorkItem> {
    for (let at = 0; at < count; at += 1) yield bareItem(at);
  }
  const outcome = await runStage(
    { stageName: 'bench', items: plan() },
    work,
    { workers: CONCURRENCY, perItemTimeoutS: 60, manifestDir: join(folder, 'm') },
    {
      afterItem: () => {
        done += 1;
        if (done % 5_000 !== 0) return;
        const rss = process.memoryUsage.rss();
        if (done <= count / 2) early = Math.max(early, rss);
        else most = Math.max(most, rss);
      },
    },
  );
  rmSync(folder, { recursive: true, force: true });
  console.log(JSON.stringify({ early, most, done: outcome.succeeded }));
}
