import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { manifestPath, runStage } from '../../src/stage/index.ts';
import type { StageOptions, WorkItem } from '../../src/stage/index.ts';
import type { Figure } from './figures.ts';
import { compete, measure } from './figures.ts';

const INPUT_BYTES = 64 * 1024;

export async function benchResume(quick: boolean): Promise<Figure[]> {
  const count = quick ? 2_000 : 10_000;
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-'));
  try {
    for (const part of ['in', 'out']) mkdirSync(join(folder, part));
    const hourAgo = Date.now() / 1000 - 3_600.5;
    const items = Array.from({ length: count }, (_, at): WorkItem => {
      const input = join(folder, 'in', `doc${at}.jsonl`);
      writeFileSync(input, Buffer.alloc(INPUT_BYTES, at));
      utimesSync(input, hourAgo, hourAgo);
      return {
        itemId: `doc${at}`,
        inputs: { input },
        outputs: { output: join(folder, 'out', `doc${at}.txt`) },
        cfgHash: 'c0ffee',
        costHint: 1,
      };
    });
    const manifestDir = join(folder, 'm');
    const run = async (options: Partial<StageOptions> = {}): Promise<void> => {
      const outcome = await runStage(
        { stageName: 'bench', items },
        (item) => {
          writeFileSync(item.outputs['output'] ?? '', 'output');
          return { status: 'success', manifest: { chunk_count: 42, tokens_p50: 256, tokens_p95: 490 } };
        },
        { manifestDir, durable: false, ...options },
      );
      if (outcome.succeeded + outcome.skipped !== count) throw new Error('the bench itself failed');
    };
    await run();
    await run();
    const contest = await compete(quick ? 5 : 7, {
      bare: () =>
        measure(() => {
          const rows = new Map<string, unknown>();
          for (const line of readFileSync(manifestPath(manifestDir, 'bench'), 'utf8').split('\n')) {
            if (line === '') continue;
            const row = JSON.parse(line) as { readonly doc_id: string };
            rows.set(row.doc_id, row);
          }
          let satisfied = 0;
          for (const { itemId, inputs, outputs } of items) {
            const input = statSync(inputs['input'] ?? '');
            const output = statSync(outputs['output'] ?? '');
            if (rows.has(itemId) && input.size > 0 && output.size > 0) satisfied += 1;
          }
          if (satisfied !== count) throw new Error('the bench itself failed');
        }),
      warm: () => measure(() => run()),
      hashing: () =>
        measure(() => {
          for (const { inputs } of items) hash('sha256', readFileSync(inputs['input'] ?? ''));
        }),
      verify: () => measure(() => run({ verifyHash: true })),
    });
    const cpu = (name: string): number => contest.cost(name, 'cpuMs');
    return [
      { name: `resume ${count} items: manifest + two stats per item`, value: cpu('bare'), unit: 'ms CPU' },
      { name: `resume ${count} items: ours, warm`, value: cpu('warm'), unit: 'ms CPU' },
      {
        name: 'resume: ours / manifest + two stats',
        value: contest.ratio('warm', 'bare', 'cpuMs'),
        unit: 'times',
        target: { atMost: 1.5 },
      },
      { name: `resume ${count} items of 64 kB: hashing alone`, value: cpu('hashing'), unit: 'ms CPU' },
      { name: `resume ${count} items of 64 kB: ours with --verify-hash`, value: cpu('verify'), unit: 'ms CPU' },
      {
        name: 'resume: ours with --verify-hash / hashing alone',
        value: contest.ratio('verify', 'hashing', 'cpuMs'),
        unit: 'times',
        target: { atMost: 1.2 },
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
