// Passages of 256 tokens embedded per CPU second with the model of the package, and a second run that finds all in the cache.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  chunkDocument,
  embeddedText,
  embedTexts,
  openDenseEngine,
  openTokenizer,
  VectorCache,
} from '../src/parse/index.ts';
import { papers } from '../test/fixtures/papers.ts';
import { BenchReport, cpuSeconds, flags } from './kit.ts';

const TEXTS = flags.quick ? 40 : 150;
const ROUNDS = flags.quick ? 2 : 5;
const TOKENS = 256;

const report = new BenchReport('embed');
const folder = await mkdtemp(join(tmpdir(), 'bench-embed-'));
try {
  const tokenizer = await openTokenizer('model');
  const cut = { maxTokens: TOKENS, minTokens: 64, overlapTokens: 0 };
  const all = papers(Math.ceil(TEXTS / 40)).flatMap((paper, at) => chunkDocument(`paper ${at}`, paper, tokenizer, cut));
  const texts = all.slice(0, TEXTS).map(embeddedText);
  const tokens = texts.reduce((sum, text) => sum + Math.min(TOKENS, tokenizer.count(text)), 0);
  report.setting('texts', `${texts.length}, ${Math.round(tokens / texts.length)} tokens on average, one thread`);
  for (const precision of flags.quick ? (['int8'] as const) : (['int8', 'fp32'] as const)) {
    await using engine = await openDenseEngine({ engine: 'embedded', precision, threads: 1 });
    // The first texts load the model and compile; they are not measured.
    await engine.embed(texts.slice(0, 4), 'passage');
    const cold: number[] = [];
    const warm: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      report.progress(`${precision}, round ${round + 1} of ${ROUNDS}`);
      using cache = new VectorCache(join(folder, `${precision}-${round}.sqlite`));
      const embed = (): Promise<unknown> => embedTexts(texts, { engine, cache, role: 'passage' });
      cold.push(tokens / TOKENS / (await cpuSeconds(embed)));
      warm.push(((await cpuSeconds(embed)) * 1e6) / texts.length);
    }
    const target = precision === 'int8' && !flags.quick ? { atLeast: 15 } : {};
    report.add({ name: `${precision}: embedding`, unit: 'passages per CPU second', samples: cold, ...target });
    report.add({ name: `${precision}: all in the cache`, unit: 'CPU µs per passage', samples: warm });
  }
  report.finish();
} finally {
  await rm(folder, { recursive: true });
}
