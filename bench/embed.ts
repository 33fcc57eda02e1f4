import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { DuckDBInstance } from '@duckdb/node-api';

import { modelTokenizerPath } from '../src/parse/chunk/tokenizer.ts';
import { openJsonTokenizer } from '../src/parse/chunk/tokenizers/hugging-face.ts';
import { openOnnxSession } from '../src/parse/embed/engines/onnx-runtime.ts';
import type { BertShape } from '../src/parse/embed/onnx/bert.ts';
import { writeBert } from '../src/parse/embed/onnx/bert.ts';
import { parseSafetensors } from '../src/parse/embed/onnx/safetensors.ts';
import type { Chunk } from '../src/parse/index.ts';
import {
  chunkDocument,
  embeddedText,
  embedItem,
  embedTexts,
  openDenseEngine,
  openTokenizer,
  openVectorWriter,
  VectorCache,
  writeChunks,
} from '../src/parse/index.ts';
import { papers } from '../test/fixtures/papers.ts';
import type { Figure } from './measure.ts';
import { cpuSeconds, quick, report } from './measure.ts';

// Embedding against a bare onnxruntime loop over ids made beforehand; a re-run that finds all in the cache; vectors written.
// `npm run bench embed -- runtime`, `warm` or `writing` measures one of the three.
const folder = await mkdtemp(join(tmpdir(), 'bench-embed-'));
const figures: Figure[] = [];
const settings: Record<string, unknown> = {};
try {
  const parts = { runtime: againstBareRuntime, warm: warmRun, writing };
  const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  for (const [name, part] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await part();
} finally {
  await rm(folder, { recursive: true });
}
report('embed', settings, figures);

async function chunksOf(count: number): Promise<Chunk[]> {
  const tokenizer = await openTokenizer('model');
  const options = { maxTokens: 256, minTokens: 64, overlapTokens: 0 };
  const all = papers(Math.ceil(count / 40)).flatMap((paper, at) =>
    chunkDocument(`paper ${at}`, paper, tokenizer, options),
  );
  return all.slice(0, count);
}

async function againstBareRuntime(): Promise<void> {
  const precisions = quick ? (['int8'] as const) : (['int8', 'fp32'] as const);
  const texts = (await chunksOf(quick ? 40 : 150)).map(embeddedText);
  const tokenizer = await openJsonTokenizer(modelTokenizerPath());
  const model = dirname(modelTokenizerPath());
  const weights = parseSafetensors(await readFile(join(model, 'model.fp16.safetensors')));
  const shape = JSON.parse(await readFile(join(model, 'config.json'), 'utf8')) as BertShape;
  const feeds = texts.map((text) => {
    const ids = tokenizer.encode(text, 256);
    const size = [1, ids.length];
    return {
      input_ids: { data: BigInt64Array.from(ids, BigInt), shape: size },
      position_ids: { data: BigInt64Array.from(ids, (_, at) => BigInt(at)), shape: size },
    };
  });
  const tokens = feeds.reduce((sum, { input_ids: { data } }) => sum + data.length, 0);
  settings['texts'] = texts.length;
  settings['meanTokens'] = Math.round(tokens / texts.length);
  for (const precision of precisions) {
    await using session = await openOnnxSession(writeBert(weights, shape, precision), 1);
    await using engine = await openDenseEngine({ engine: 'embedded', precision, threads: 1 });
    using cache = new VectorCache(join(folder, `${precision}.sqlite`));
    const [first] = feeds;
    if (first) await session.run(first);
    await engine.embed(['warm'], 'query');
    let bare = 0;
    let ours = 0;
    const step = 10;
    for (let at = 0; at < texts.length; at += step) {
      bare += await cpuSeconds(async () => {
        for (const feed of feeds.slice(at, at + step)) await session.run(feed);
      });
      ours += await cpuSeconds(() => embedTexts(texts.slice(at, at + step), { engine, cache, role: 'passage' }));
    }
    figures.push(
      {
        name: `${precision}: bare onnxruntime loop`,
        value: tokens / 256 / bare,
        unit: 'passages of 256 tokens per CPU s',
      },
      {
        name: `${precision}: embedding with cache`,
        value: tokens / 256 / ours,
        unit: 'passages of 256 tokens per CPU s',
      },
      { name: `${precision}: embedding / bare loop`, value: bare / ours, unit: 'times', atLeast: 0.85 },
    );
  }
}

/** The engine is never asked in a warm run, so that any engine shows what the rest costs. */
async function warmRun(): Promise<void> {
  const chunks = await chunksOf(quick ? 5_000 : 20_000);
  let asked = 0;
  const engine = {
    model: { name: 'none', revision: '1', precision: 'none' },
    dimensions: 384,
    batchSize: 64,
    concurrency: 1,
    embed: async (texts: readonly string[]) => {
      asked += texts.length;
      return texts.map((text) => new Float32Array(384).fill(1 / (1 + text.length)));
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  using cache = new VectorCache(join(folder, 'warm.sqlite'));
  const input = join(folder, 'chunks.parquet');
  await writeChunks(input, chunks, { identity: 'model' });
  const run = (): Promise<unknown> =>
    embedItem({
      input,
      output: join(folder, 'vectors.parquet'),
      engines: { dense: engine, sparse: undefined },
      type: 'float32',
      cache,
    });
  await run();
  asked = 0;
  const seconds = await cpuSeconds(run);
  figures.push(
    { name: 'warm re-run: texts embedded', value: asked, unit: `of ${chunks.length}`, atMost: 0 },
    {
      name: 'warm re-run: reading, looking up, writing',
      value: (seconds * 1e6) / chunks.length,
      unit: 'CPU µs per chunk',
      atMost: 100,
    },
  );
}

async function writing(): Promise<void> {
  const path = join(folder, 'many.parquet');
  const sizes = quick ? [20_000, 60_000] : [100_000, 1_000_000];
  const vector = Float32Array.from({ length: 384 * 257 }, (_, at) => Math.sin(at));
  const peaks: number[] = [];
  for (const rows of sizes) {
    const seconds = await cpuSeconds(async () => {
      await using writer = await openVectorWriter(path, {
        dense: { model: { name: 'm', revision: 'r', precision: 'p' }, dimensions: 384, type: 'float32' },
      });
      let peak = 0;
      for (let index = 0; index < rows; index += 1) {
        const from = (index % 257) * 384;
        const dense = vector.slice(from, from + 384);
        await writer.write({
          id: `chunk-${index}`,
          document: `paper-${index >> 5}`,
          index: index & 31,
          dense,
          sparse: undefined,
        });
        if (index % 10_000 === 0) peak = Math.max(peak, process.memoryUsage().rss);
      }
      await writer.finish();
      peaks.push(Math.max(peak, process.memoryUsage().rss) / 1e6);
    });
    figures.push({
      name: `vectors written, ${rows.toLocaleString('en')} rows`,
      value: rows / seconds,
      unit: 'rows per CPU s',
      atLeast: 20_000,
    });
  }
  const [small = 1, large = 1] = peaks;
  figures.push(
    { name: 'memory while writing the larger file', value: large, unit: 'MB', atMost: 1_000 },
    { name: 'memory, larger / smaller file', value: large / small, unit: 'times', atMost: 1.5 },
    { name: 'size of the larger file', value: (await stat(path)).size / 1e6, unit: 'MB' },
  );
  await checkByDuckDb(path, sizes.at(-1) ?? 0, vector);
}

async function checkByDuckDb(path: string, rows: number, vector: Float32Array): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const count = await connection.runAndReadAll(`select count(*)::int as n from '${path}'`);
  const last = await connection.runAndReadAll(`select dense from '${path}' where chunk_id = 'chunk-${rows - 1}'`);
  const from = ((rows - 1) % 257) * 384;
  const found = Float32Array.from((last.getRowObjectsJS()[0]?.['dense'] ?? []) as number[]);
  const equal = Buffer.from(found.buffer).equals(Buffer.from(vector.slice(from, from + 384).buffer));
  figures.push(
    {
      name: 'rows that DuckDB counts',
      value: Number(count.getRowObjectsJS()[0]?.['n']),
      unit: '',
      atLeast: rows,
      atMost: rows,
    },
    { name: 'last vector equal bit by bit in DuckDB', value: equal ? 1 : 0, unit: '(1 = yes)', atLeast: 1 },
  );
  connection.closeSync();
  instance.closeSync();
}
