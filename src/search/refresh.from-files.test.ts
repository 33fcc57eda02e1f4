import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Block, DenseEngine } from '../parse/index.ts';
import { chunkItem, chunkOutput, denseModelOf, embedItem, embedOutput, openTokenizer } from '../parse/index.ts';
import { buildIndex } from '../../test/support/build-index.ts';
import { passagesOfDocument } from './refresh.ts';
import { openIndex } from './segment-reader.ts';

/** Embeds a text as its number of letters w. */
const engine: DenseEngine = {
  model: { name: 'letters', revision: '1', precision: 'exact' },
  dimensions: 2,
  batchSize: 8,
  concurrency: 1,
  embed: async (texts) => texts.map((text) => Float32Array.of(text.split('w').length - 1, 1)),
  [Symbol.asyncDispose]: async () => undefined,
};

test('the output of the stages is found by words, heading and meaning, with its page', async () => {
  const root = await mkdtemp(join(tmpdir(), 'from-files-'));
  try {
    const tokenizer = await openTokenizer('cl100k');
    const region = (page: number): Block['regions'] => [{ page, box: { left: 0, top: 0, right: 1, bottom: 1 } }];
    const blocks: Block[] = [
      { order: 0, kind: 'title', text: 'On the Sea', regions: region(1) },
      { order: 1, kind: 'heading', level: 1, text: 'Mammals', regions: region(4) },
      { order: 2, kind: 'text', text: 'Some remarks about nothing much. '.repeat(12), regions: region(5) },
      { order: 3, kind: 'text', text: 'Whales swallow water when they swim.', regions: region(5) },
    ];
    const quality = { unmappedGlyphs: 0, columns: 1, confidence: 1 };
    const document = { blocks, metadata: { authors: [], needsOcr: [], quality } };
    const chunks = chunkOutput(root, 'sea', 'parquet');
    const options = { maxTokens: 64, minTokens: 8, overlapTokens: 0 };
    await chunkItem({ id: 'sea', document, output: chunks, tokenizer, options });
    const vectors = embedOutput(root, 'sea', 'parquet');
    const engines = { dense: engine, sparse: undefined };
    await embedItem({ input: chunks, output: vectors, engines, type: 'float32', cache: undefined });
    const dense = await denseModelOf(vectors);
    assert.deepEqual(dense, { model: engine.model, dimensions: 2, type: 'float32' });
    const files = { chunks, vectors, file: 'papers/sea.pdf' };
    await buildIndex(join(root, 'index'), passagesOfDocument(files), {
      ...(dense && { dense: { model: dense.model, dimensions: dense.dimensions } }),
    });
    await using index = await openIndex(join(root, 'index'), engine);
    for (const [mode, query] of [
      ['lexical', 'swallowing whale'],
      ['dense', 'www'],
      ['hybrid', 'whales of the sea'],
    ] as const) {
      const [hit] = await index.search(query, { mode, top: 1 });
      assert.match(hit?.passage.text ?? '', /Whales swallow/, mode);
      assert.deepEqual(hit?.passage.headings, ['Mammals']);
      assert.equal(hit?.passage.page, 5);
      assert.equal(hit?.passage.file, 'papers/sea.pdf');
    }
    assert.ok(
      (await index.search('mammals', { mode: 'lexical', top: 9 })).length > 1,
      'the heading finds its whole section',
    );

    const other = chunkOutput(root, 'other', 'parquet');
    await chunkItem({ id: 'other', document, output: other, tokenizer, options });
    const stale: string[] = [];
    const without = [];
    const wrong = { chunks: other, vectors, file: undefined };
    for await (const each of passagesOfDocument(wrong, () => stale.push(other))) without.push(each);
    assert.deepEqual(stale, [other], 'vectors of other chunks are reported once');
    assert.ok(without.length > 1 && without.every((each) => each.vector === undefined));
  } finally {
    await rm(root, { recursive: true });
  }
});
