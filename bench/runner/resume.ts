import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { manifestPath, runStage } from '../../src/stage/index.ts';
import type { StageOptions, WorkItem } from '../../src/stage/index.ts';
import type { Figure } from './figures.ts';
import { compete, measure } from './figures.ts';

/** A stage whose items were done by an earlier run. */
class DoneStage implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-'));
  readonly manifestDir = join(this.#folder, 'm');
  readonly items: readonly WorkItem[];

  private constructor(count: number, inputBytes: number) {
    for (const part of ['in', 'out']) mkdirSync(join(this.#folder, part));
    const hourAgo = Date.now() / 1000 - 3_600.5;
    this.items = Array.from({ length: count }, (_, at): WorkItem => {
      const input = join(this.#folder, 'in', `doc${at}.jsonl`);
      writeFileSync(input, Buffer.alloc(inputBytes, at));
      utimesSync(input, hourAgo, hourAgo);
      return {
        itemId: `doc${at}`,
        inputs: { input },
        outputs: { output: join(this.#folder, 'out', `doc${at}.txt`) },
        cfgHash: 'c0ffee',
        costHint: 1,
      };
    });
  }

  static async make(count: number, inputBytes: number): Promise<DoneStage> {
    const stage = new DoneStage(count, inputBytes);
    // Once to do the work, once more so that the rows of a first warm run are written.
    for (let run = 0; run < 2; run += 1) await stage.run();
    return stage;
  }

  async run(options: Partial<StageOptions> = {}): Promise<void> {
    const outcome = await runStage(
      { stageName: 'bench', items: this.items },
      (item) => {
        writeFileSync(item.outputs['output'] ?? '', 'output');
        return { status: 'success', manifest: { chunk_count: 42, tokens_p50: 256, tokens_p95: 490 } };
      },
      { manifestDir: this.manifestDir, durable: false, ...options },
    );
    if (outcome.succeeded + outcome.skipped !== this.items.length) throw new Error('the bench itself failed');
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** How large the inputs are does not matter to a warm run: it does not read them. */
async function benchWarm(rounds: number): Promise<Figure[]> {
  using stage = await DoneStage.make(10_000, 100);
  const contest = await compete(rounds, {
    bare: () =>
      measure(() => {
        const rows = new Map<string, unknown>();
        for (const line of readFileSync(manifestPath(stage.manifestDir, 'bench'), 'utf8').split('\n')) {
          if (line === '') continue;
          const row = JSON.parse(line) as { readonly doc_id: string };
          rows.set(row.doc_id, row);
        }
        let satisfied = 0;
        for (const { itemId, inputs, outputs } of stage.items) {
          const input = statSync(inputs['input'] ?? '');
          const output = statSync(outputs['output'] ?? '');
          if (rows.has(itemId) && input.size > 0 && output.size > 0) satisfied += 1;
        }
        if (satisfied !== stage.items.length) throw new Error('the bench itself failed');
      }),
    warm: () => measure(() => stage.run()),
  });
  return [
    {
      name: 'resume 10,000 items: manifest + two stats per item',
      value: contest.cost('bare', 'cpuMs'),
      unit: 'ms CPU',
    },
    { name: 'resume 10,000 items: ours, warm', value: contest.cost('warm', 'cpuMs'), unit: 'ms CPU' },
    {
      name: 'resume: ours / manifest + two stats',
      value: contest.ratio('warm', 'bare', 'cpuMs'),
      unit: 'times',
      target: { atMost: 1.5 },
    },
  ];
}

async function benchVerify(count: number, rounds: number): Promise<Figure[]> {
  using stage = await DoneStage.make(count, 64 * 1024);
  const contest = await compete(rounds, {
    hashing: () =>
      measure(() => {
        for (const { inputs } of stage.items) hash('sha256', readFileSync(inputs['input'] ?? ''));
      }),
    verify: () => measure(() => stage.run({ verifyHash: true })),
  });
  return [
    {
      name: `resume ${count} items of 64 kB: hashing alone`,
      value: contest.cost('hashing', 'cpuMs'),
      unit: 'ms CPU',
    },
    {
      name: `resume ${count} items of 64 kB: ours with --verify-hash`,
      value: contest.cost('verify', 'cpuMs'),
      unit: 'ms CPU',
    },
    {
      name: 'resume: ours with --verify-hash / hashing alone',
      value: contest.ratio('verify', 'hashing', 'cpuMs'),
      unit: 'times',
      target: { atMost: 1.2 },
    },
  ];
}

export async function benchResume(quick: boolean): Promise<Figure[]> {
  return [...(await benchWarm(quick ? 3 : 9)), ...(await benchVerify(quick ? 3_000 : 10_000, quick ? 2 : 5))];
}
