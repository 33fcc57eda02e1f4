import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { DuckDBInstance } from '@duckdb/node-api';

import { randomDocument, seededRandom } from '../../../test/fixtures/random-document.ts';
import { chunkDocument } from '../chunk/chunker.ts';
import { readChunks, validateChunks, writeChunks } from '../chunk/chunk.ts';
import { openTokenizer } from '../chunk/tokenizer.ts';
import { bm25 } from '../embed/engines/bm25.ts';
import type { ChunkVectors, VectorType } from '../embed/vector-file.ts';
import { openVectorWriter, readVectors, validateVectors } from '../embed/vector-file.ts';

let folder = '';
before(async () => (folder = await mkdtemp(join(tmpdir(), 'parquet-'))));
after(() => rm(folder, { recursive: true }));

const DIMENSIONS = 384;
const MODEL = { name: 'test', revision: '7', precision: 'fp32' };

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJS();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function randomVectors(count: number): ChunkVectors[] {
  const random = seededRandom(count);
  return Array.from({ length: count }, (_, index) => ({
    id: `chunk-${index}`,
    document: 'paper é',
    index,
    dense: Float32Array.from({ length: DIMENSIONS }, () => random() * 2 - 1),
    sparse: { indices: Uint32Array.of(index, 2 ** 31 - 1), values: Float32Array.of(random(), 1) },
  }));
}

async function writeAll(path: string, vectors: readonly ChunkVectors[], type: VectorType): Promise<void> {
  await using writer = await openVectorWriter(path, {
    dense: { model: MODEL, dimensions: DIMENSIONS, type },
    sparse: bm25.model,
  });
  for (const each of vectors) await writer.write(each);
  await writer.finish();
}

test('DuckDB reads vectors as bit-identical FLOAT arrays over several row groups', async () => {
  const path = join(folder, 'vectors.parquet');
  const vectors = randomVectors(2_000);
  await writeAll(path, vectors, 'float32');
  const types = await query(`describe select * from '${path}'`);
  assert.deepEqual(
    types.map(({ column_name: name, column_type: type }) => [name, type]),
    [
      ['chunk_id', 'VARCHAR'],
      ['doc_id', 'VARCHAR'],
      ['chunk_index', 'INTEGER'],
      ['dense', 'FLOAT[]'],
      ['sparse_indices', 'INTEGER[]'],
      ['sparse_values', 'FLOAT[]'],
    ],
  );
  const rows = await query(`select * from '${path}' where chunk_index % 50 = 0 order by chunk_index`);
  assert.equal(rows.length, vectors.length / 50);
  for (const [at, row] of rows.entries()) {
    const vector = vectors[at * 50];
    assert.equal(row['chunk_id'], vector?.id);
    assert.deepEqual(Float32Array.from(row['dense'] as number[]), vector?.dense);
    assert.deepEqual(row['sparse_indices'], [...(vector?.sparse?.indices ?? [])]);
  }
  const metadata = await query(
    `select decode(value) as value from parquet_kv_metadata('${path}') where decode(key) = 'docstokg'`,
  );
  const known = JSON.parse(metadata[0]?.['value'] as string) as Record<string, string>;
  assert.equal(known['schema'], 'docstokg/vectors/1');
  assert.equal(known['dense_model'], 'test');
  assert.equal(known['dense_dimensions'], '384');
  const [groups] = await query(`select count(distinct row_group_id) as n from parquet_metadata('${path}')`);
  assert.equal(Number(groups?.['n']), 2);
});

for (const type of ['float32', 'float16', 'int8'] as const) {
  for (const format of ['parquet', 'jsonl'] as const) {
    test(`vectors stored as ${type} in ${format} are read back unchanged`, async () => {
      const path = join(folder, `${type}.${format}`);
      const vectors = randomVectors(50);
      await writeAll(path, vectors, type);
      const back = await collect(readVectors(path));
      assert.equal(back.length, vectors.length);
      for (const [at, { id, dense, sparse }] of back.entries()) {
        const original = vectors[at];
        assert.equal(id, original?.id);
        assert.deepEqual(sparse, original?.sparse);
        const expected =
          type === 'float32' ? original?.dense : type === 'float16' ? original?.dense?.map(Math.f16round) : undefined;
        if (expected) assert.deepEqual(dense, expected);
        else
          for (const [place, value] of (dense ?? []).entries())
            assert.ok(Math.abs(value - (original?.dense?.[place] ?? 9)) < 1 / 200);
      }
      assert.deepEqual(
        await validateVectors(
          path,
          vectors.map(({ id }) => id),
        ),
        [],
      );
      assert.equal((await validateVectors(path, ['other'])).length, 51);
    });
  }
}

test('chunks are read back unchanged from both formats, and DuckDB reads them', async () => {
  const tokenizer = await openTokenizer('cl100k');
  const options = { maxTokens: 64, minTokens: 16, overlapTokens: 8 };
  const chunks = [3, 5, 8].flatMap((seed) => chunkDocument(`d${seed}`, randomDocument(seed), tokenizer, options));
  for (const format of ['parquet', 'jsonl']) {
    const path = join(folder, `chunks.${format}`);
    await writeChunks(path, chunks, tokenizer);
    assert.deepEqual(await collect(readChunks(path)), chunks);
  }
  const [row] = await query(
    `select count(*)::int as n, sum(token_count)::int as tokens, max(len(regions))::int as regions from '${join(folder, 'chunks.parquet')}'`,
  );
  assert.equal(row?.['n'], chunks.length);
  assert.equal(
    row?.['tokens'],
    chunks.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  assert.equal(row?.['regions'], Math.max(...chunks.map(({ regions }) => regions.length)));
});

test('a chunk file is validated as a whole', async () => {
  const tokenizer = await openTokenizer('cl100k');
  const chunks = chunkDocument('d', randomDocument(8), tokenizer, { maxTokens: 64, minTokens: 16, overlapTokens: 0 });
  assert.ok(chunks.length > 3);
  const good = join(folder, 'good.parquet');
  await writeChunks(good, chunks, tokenizer);
  assert.deepEqual(await validateChunks(good, 64), []);
  assert.ok((await validateChunks(good, 20)).length > 0);
  const bad = join(folder, 'bad.jsonl');
  await writeChunks(bad, chunks.toSpliced(1, 1), tokenizer);
  assert.match((await validateChunks(bad)).join('\n'), /is at position 1\n.*begins at/);
  await assert.rejects(validateVectors(good), { code: 'VECTOR_SCHEMA' });
});

test('files of earlier versions, written by another library, are read', async () => {
  const old = join(import.meta.dirname, '../../../test/fixtures/parquet-1');
  for (const type of ['float16', 'int8']) {
    const [, second] = await collect(readVectors(join(old, `vectors-${type}.parquet`)));
    assert.equal(second?.id, 'chunk-1');
    assert.deepEqual(
      second.dense?.map((value) => Math.round(value * 100) / 100),
      Float32Array.of(1, -1, 0.5, 0.25),
    );
    assert.deepEqual(second.sparse, { indices: Uint32Array.of(1, 9), values: Float32Array.of(0.5, 1) });
  }
  const [first, second, third] = await collect(readChunks(join(old, 'chunks.parquet')));
  assert.deepEqual(third?.headings, ['A', 'B']);
  assert.deepEqual(first?.regions, [{ page: 2, box: { left: 1, top: 2, right: 3, bottom: 4.5 } }]);
  assert.deepEqual([second?.text, second?.regions], ['Text 1 é', []]);
});

test('documents without chunks give readable files', async () => {
  const tokenizer = await openTokenizer('cl100k');
  for (const format of ['parquet', 'jsonl']) {
    const path = join(folder, `empty.${format}`);
    await writeChunks(path, [], tokenizer);
    assert.deepEqual(await collect(readChunks(path)), []);
  }
  const [row] = await query(`select count(*)::int as n from '${join(folder, 'empty.parquet')}'`);
  assert.equal(row?.['n'], 0);
});

test('an incomplete file never appears under its name, and a damaged one is refused', async () => {
  const path = join(folder, 'broken', 'vectors.parquet');
  await assert.rejects(
    async () => {
      await using writer = await openVectorWriter(path, { dense: { model: MODEL, dimensions: 3, type: 'float32' } });
      await writer.write({ id: 'a', document: 'd', index: 0, dense: new Float32Array(2), sparse: undefined });
    },
    { code: 'EMBED_DIMENSIONS' },
  );
  assert.deepEqual(await readdir(join(folder, 'broken')), []);
  await writeAll(path, randomVectors(5), 'float32');
  const bytes = await readFile(path);
  await writeFile(path, bytes.subarray(0, bytes.length / 2));
  await assert.rejects(collect(readVectors(path)), { code: 'FILE_UNREADABLE' });
});

test(
  'changed bytes in a file never crash the process, and are detected if its fingerprint has a hash',
  { timeout: 300_000 },
  async () => {
    const path = join(folder, 'changed', 'vectors.parquet');
    await writeAll(path, randomVectors(20), 'float32');
    const bytes = await readFile(path);
    const outcomes = { unreadable: 0, read: 0 };
    const damage = async (at: number): Promise<void> => {
      const damaged = Buffer.from(bytes);
      for (let next = at; next < at + 6; next += 1)
        damaged.writeUInt8((damaged.readUInt8(next) + 1 + (next % 255)) % 256, next);
      await writeFile(path, damaged);
    };
    const places = Array.from({ length: 200 }, (_, at) => Math.floor(((bytes.length - 6) * at) / 199));
    for (const at of places) {
      await damage(at);
      try {
        await collect(readVectors(path));
        outcomes.read += 1;
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'FILE_UNREADABLE', `at ${at}: ${String(error)}`);
        outcomes.unreadable += 1;
      }
    }
    assert.ok(outcomes.unreadable > 10, JSON.stringify(outcomes));
    const fingerprint = JSON.stringify({
      input_sha256: '',
      cfg_hash: '',
      outputs: [[bytes.length, 1, createHash('sha256').update(bytes).digest('hex')]],
    });
    for (const at of places.filter((_, place) => place % 10 === 0)) {
      await writeFile(`${path}.fp.json`, fingerprint);
      await damage(at);
      await assert.rejects(collect(readVectors(path)), { code: 'FILE_UNREADABLE' }, `at ${at}`);
    }
    await writeFile(`${path}.fp.json`, fingerprint);
    await writeFile(path, bytes);
    assert.equal((await collect(readVectors(path))).length, 20);
  },
);
