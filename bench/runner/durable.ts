import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runStage } from '../../src/stage/index.ts';
import type { WorkItem } from '../../src/stage/index.ts';
import type { Figure } from './figures.ts';
import { compete, measure } from './figures.ts';
import { bareItem } from './io.ts';

const ROW = `${JSON.stringify({ stage: 'bench', doc_id: 'doc1', status: 'success', filler: 'x'.repeat(200) })}\n`;
const OUTPUT = Buffer.alloc(1_000, 1);
/** What sharing syncs must be worth. */
const SHARED_SYNC = 20;

export async function benchDurable(quick: boolean): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-'));
  const single = quick ? 80 : 1_000;
  const rows = quick ? 100_000 : 200_000;
  const outputs = quick ? 400 : 20_000;
  const bare = Array.from({ length: rows }, (_, at) => bareItem(at));
  const made = (count: number): WorkItem[] =>
    Array.from({ length: count }, (_, at) => ({
      ...bareItem(at),
      outputs: { output: join(folder, 'out', `doc${at}`) },
      fingerprint: { inputSha256: 'f00d', cfgHash: 'c0ffee' },
    }));
  const items = made(outputs);
  mkdirSync(join(folder, 'out'));
  try {
    const contest = await compete(quick ? 3 : 5, {
      eachRow: () =>
        measure(() => {
          const descriptor = openSync(join(folder, 'rows'), 'a');
          for (let at = 0; at < single; at += 1) {
            writeSync(descriptor, ROW);
            fdatasyncSync(descriptor);
          }
          closeSync(descriptor);
        }),
      ourRows: () =>
        measure(() =>
          runStage({ stageName: 'rows', items: bare }, () => ({ status: 'success' }), {
            manifestDir: join(folder, 'm'),
          }),
        ),
      eachOutput: () => {
        removeOutputs(items);
        return measure(() => {
          const descriptor = openSync(join(folder, 'rows'), 'a');
          const parent = openSync(join(folder, 'out'), 'r');
          for (const { outputs: paths } of items.slice(0, single)) {
            const path = paths['output'] ?? '';
            const file = openSync(`${path}.part`, 'w');
            writeSync(file, OUTPUT);
            fsyncSync(file);
            closeSync(file);
            renameSync(`${path}.part`, path);
            fsyncSync(parent);
            writeSync(descriptor, ROW);
            fdatasyncSync(descriptor);
          }
          closeSync(descriptor);
          closeSync(parent);
        });
      },
      // The same two files per item and not a single sync: what the file system itself allows.
      unsynced: () => {
        removeOutputs(items);
        return measure(() => {
          for (const { outputs: paths } of items) {
            const path = paths['output'] ?? '';
            writeFileSync(`${path}.part`, OUTPUT);
            renameSync(`${path}.part`, path);
            writeFileSync(`${path}.fp.json`, ROW);
          }
        });
      },
      ourOutputs: () => {
        removeOutputs(items);
        return measure(() =>
          runStage(
            { stageName: 'outputs', items },
            (item) => {
              writeFileSync(item.outputs['output'] ?? '', OUTPUT);
              return { status: 'success' };
            },
            { manifestDir: join(folder, 'm'), workers: 64 },
          ),
        );
      },
    });
    const rate = (name: string, count: number): number => contest.rate(name, 'wallMs', count);
    const times = (name: string, count: number, other: string): number =>
      (contest.ratio(other, name, 'wallMs') * count) / single;
    const limit = times('unsynced', outputs, 'eachRow');
    return [
      { name: 'durable: one fdatasync per row', value: rate('eachRow', single), unit: 'rows/s' },
      { name: 'durable: ours, rows by group commit', value: rate('ourRows', rows), unit: 'rows/s' },
      {
        name: 'durable: ours, rows / one fdatasync per row',
        value: times('ourRows', rows, 'eachRow'),
        unit: 'times',
        target: { atLeast: SHARED_SYNC },
      },
      {
        name: 'durable: fsync, rename, fsync of the folder, fdatasync of the row, each',
        value: rate('eachOutput', single),
        unit: 'items/s',
      },
      { name: 'durable: ours, outputs and rows by group commit', value: rate('ourOutputs', outputs), unit: 'items/s' },
      {
        name: 'durable: ours / all syncs for each item',
        value: times('ourOutputs', outputs, 'eachOutput'),
        unit: 'times',
      },
      { name: 'durable: the same files without any sync', value: rate('unsynced', outputs), unit: 'items/s' },
      {
        name: 'durable: ours, outputs and rows / one fdatasync per row',
        value: times('ourOutputs', outputs, 'eachRow'),
        unit: 'times',
        // A disk that answers a sync sooner than it makes a file leaves nothing to gain.
        ...(limit >= SHARED_SYNC
          ? { target: { atLeast: SHARED_SYNC } }
          : { note: `no target here: even without any sync it would be ${limit.toPrecision(2)}` }),
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The folder stays: the first files in a new one cost the file system several times as much. */
function removeOutputs(items: readonly WorkItem[]): void {
  for (const { outputs } of items) {
    rmSync(outputs['output'] ?? '', { force: true });
    rmSync(`${outputs['output']}.fp.json`, { force: true });
  }
}
