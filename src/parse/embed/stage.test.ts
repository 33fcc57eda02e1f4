import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { randomDocument } from '../../../test/fixtures/random-document.ts';
import { chunkConfigHash, chunkItem, chunkOutput } from '../chunk/stage.ts';
import { readChunks } from '../chunk/chunk.ts';
import { openTokenizer } from '../chunk/tokenizer.ts';
import { VectorCache } from './embed-texts.ts';
import type { DenseEngine } from './engine.ts';
import { bm25 } from './engines/bm25.ts';
import { embedConfigHash, embedItem, embedOutput } from './stage.ts';
import { readVectors, validateVectors } from './vector-file.ts';

const OPTIONS = { maxTokens: 64, minTokens: 16, overlapTokens: 0 };

function countingEngine(): DenseEngine & { asked: number } {
  const engine = {
    asked: 0,
    model: { name: 'm', revision: '1', precision: 'p' },
    dimensions: 3,
    batchSize: 4,
    concurrency: 2,
    embed: async (texts: readonly string[]) => {
      engine.asked += texts.length;
      return texts.map((text) => Float32Array.of(text.length, 0, 1));
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  return engine;
}

test('a document is chunked and embedded; a second run embeds nothing and gives the same bytes', async () => {
  const root = await mkdtemp(join(tmpdir(), 'stages-'));
  try {
    const tokenizer = await openTokenizer('cl100k');
    const chunks = chunkOutput(root, 'paper_123', 'parquet');
    assert.equal(chunks, join(root, 'ChunkedDocTagFiles', 'paper_123.parquet'));
    const extras = await chunkItem({
      id: 'paper_123',
      document: randomDocument(8),
      output: chunks,
      tokenizer,
      options: OPTIONS,
    });
    const ids: string[] = [];
    const tokens: number[] = [];
    for await (const chunk of readChunks(chunks)) {
      ids.push(chunk.id);
      tokens.push(chunk.tokens);
    }
    tokens.sort((a, b) => a - b);
    assert.deepEqual(extras, {
      chunk_count: ids.length,
      tokens_p50: tokens[Math.ceil(ids.length / 2) - 1],
      tokens_p95: tokens[Math.ceil(0.95 * ids.length) - 1],
      chunks_format: 'parquet',
    });

    const output = embedOutput(root, 'paper_123', 'parquet');
    assert.equal(output, join(root, 'Embeddings', 'paper_123.parquet'));
    using cache = new VectorCache(join(root, 'vectors.sqlite'));
    const dense = countingEngine();
    const run = (): ReturnType<typeof embedItem> =>
      embedItem({ input: chunks, output, engines: { dense, sparse: bm25 }, type: 'float32', cache });
    const first = await run();
    assert.equal(first.vectors_dense, ids.length);
    assert.equal(first.vectors_sparse, ids.length);
    assert.equal(first.dim_dense, 3);
    assert.ok(first.avg_nnz_sparse > 1);
    assert.deepEqual(await validateVectors(output, ids), []);
    const bytes = await readFile(output);
    dense.asked = 0;
    assert.equal((await run()).vectors_computed, 0);
    assert.equal(dense.asked, 0);
    assert.deepEqual(await readFile(output), bytes);

    await embedItem({ input: chunks, output, engines: { dense: undefined, sparse: bm25 }, type: 'float32', cache });
    for await (const { dense: vector, sparse: terms } of readVectors(output)) {
      assert.equal(vector, undefined);
      assert.ok(terms);
    }
  } finally {
    await rm(root, { recursive: true });
  }
});

test('only settings that change the result change the hash of their stage', async () => {
  const tokenizer = await openTokenizer('cl100k');
  const other = await openTokenizer('o200k');
  const hash = chunkConfigHash(OPTIONS, tokenizer, 'parquet');
  assert.equal(chunkConfigHash({ ...OPTIONS }, await openTokenizer('cl100k'), 'parquet'), hash);
  assert.notEqual(chunkConfigHash({ ...OPTIONS, maxTokens: 65 }, tokenizer, 'parquet'), hash);
  assert.notEqual(chunkConfigHash(OPTIONS, other, 'parquet'), hash);
  assert.notEqual(chunkConfigHash(OPTIONS, tokenizer, 'jsonl'), hash);

  const dense = countingEngine();
  const vectors = embedConfigHash({ dense, sparse: undefined }, 'float32', 'parquet');
  assert.equal(
    embedConfigHash({ dense: { ...dense, batchSize: 1, concurrency: 9 }, sparse: undefined }, 'float32', 'parquet'),
    vectors,
  );
  assert.notEqual(embedConfigHash({ dense, sparse: undefined }, 'int8', 'parquet'), vectors);
  const changed = { ...dense, model: { ...dense.model, revision: '2' } };
  assert.notEqual(embedConfigHash({ dense: changed, sparse: undefined }, 'float32', 'parquet'), vectors);
});
