import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { writeModelGraph } from '../../../scripts/model-graph.ts';
import { writeTableModel } from '../../../test/fixtures/table-model.ts';
import { packageRoot } from '../../base/index.ts';
import { openJsonTokenizer } from '../chunk/tokenizer.ts';
import { VectorCache, embedTexts } from './embed-texts.ts';
import { normalise } from './engine.ts';
import { openDenseEngine } from './open-engine.ts';

let folder = '';
before(async () => (folder = await mkdtemp(join(tmpdir(), 'engines-'))));
after(() => rm(folder, { recursive: true }));

const TEXTS = [
  'Whales are the largest animals on earth.',
  'The biggest creatures alive are whales.',
  'Interest rates rose by half a percent.',
];

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  let sum = 0;
  for (const [at, value] of (a ?? []).entries()) sum += value * (b?.[at] ?? 0);
  return sum;
}

test('the committed graphs of the embedded model match the output of scripts/model-graph.ts', () => {
  for (const precision of ['int8', 'fp32'] as const) {
    const committed = readFileSync(join(packageRoot(), 'models', `embedder-${precision}.onnx`));
    assert.ok(committed.equals(writeModelGraph(precision)), `${precision}: run npm run models`);
  }
});

test('the embedded model recognises similar texts in int8 and fp32, and int8 stays close to fp32', async () => {
  const made: Float32Array[][] = [];
  for (const precision of ['int8', 'fp32'] as const) {
    await using engine = await openDenseEngine({ engine: 'embedded', precision, threads: 1 });
    assert.equal(engine.dimensions, 384);
    const vectors = [...(await engine.embed(TEXTS, 'passage'))];
    const [alone] = await engine.embed(TEXTS.slice(1, 2), 'passage');
    assert.deepEqual(alone, vectors[1], 'a vector does not depend on its neighbours');
    assert.ok(Math.abs(cosine(vectors[0], vectors[0]) - 1) < 1e-5);
    assert.ok(cosine(vectors[0], vectors[1]) > 0.8, `alike: ${cosine(vectors[0], vectors[1])}`);
    assert.ok(cosine(vectors[0], vectors[2]) < 0.2, `unlike: ${cosine(vectors[0], vectors[2])}`);
    made.push(vectors);
  }
  for (const [at] of TEXTS.entries()) assert.ok(cosine(made[0]?.[at], made[1]?.[at]) > 0.98);
});

function tableModel(name: string, width: number, output: string): ReturnType<typeof writeTableModel> {
  return writeTableModel(join(folder, name), width, output);
}

const FOLDER = { threads: 1, prefixes: { passage: '', query: 'query: ' } };

test('a model in a folder uses its pooling settings, and its vectors have length 1', async () => {
  const { path, table } = await tableModel('encoder', 4, 'last_hidden_state');
  const tokenizer = await openJsonTokenizer(path);
  await using engine = await openDenseEngine({ engine: 'onnx', folder: path, ...FOLDER });
  assert.equal(engine.dimensions, 4);
  const texts = ['short', 'a somewhat longer text than the other'];
  const mean = (text: string): Float32Array => {
    const ids = tokenizer.encode(text, 512);
    return normalise(
      Float32Array.from({ length: 4 }, (_, at) => ids.reduce((sum, id) => sum + (table[id * 4 + at] ?? 0), 0)),
    );
  };
  const check = (vectors: readonly Float32Array[], expected: readonly Float32Array[]): void => {
    for (const [at, vector] of vectors.entries()) {
      for (const [place, value] of vector.entries()) assert.ok(Math.abs(value - (expected[at]?.[place] ?? 9)) < 1e-5);
    }
  };
  check(await engine.embed(texts, 'passage'), texts.map(mean));
  check(
    await engine.embed(texts, 'query'),
    texts.map((text) => mean(`query: ${text}`)),
  );
  await mkdir(join(path, '1_Pooling'));
  await writeFile(join(path, '1_Pooling', 'config.json'), '{"pooling_mode_cls_token": true}');
  await using cls = await openDenseEngine({ engine: 'onnx', folder: path, ...FOLDER });
  const [first] = await cls.embed(texts, 'passage');
  assert.deepEqual(first, normalise(table.slice(101 * 4, 101 * 4 + 4)));
});

/** Runs a program in a process that cannot find these packages, as on a machine without them. */
function runWithout(names: readonly string[], program: string): { stdout: string; stderr: string } {
  const hook = `import { registerHooks } from 'node:module'; registerHooks({ resolve(specifier, context, next) {
      if (${JSON.stringify(names)}.includes(specifier)) throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(specifier, context); } });`;
  return spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, '--input-type=module', '-e', program],
    { encoding: 'utf8' },
  );
}

const OPEN = `const { openDenseEngineIfInstalled } = await import('${new URL('./open-engine.ts', import.meta.url).href}');
  const found = await openDenseEngineIfInstalled({ engine: 'embedded', precision: 'int8', threads: 1 });`;

test('if the weights of the embedded model are missing, MODEL_NOT_INSTALLED is reported and nothing else fails', () => {
  const program = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { existsSync } = fs;
    fs.existsSync = (path) => !String(path).endsWith('embedder.safetensors') && existsSync(path);
    syncBuiltinESMExports();
    ${OPEN} console.log(found.kind, found.reason?.code, found.reason?.hint);`;
  const { stdout, stderr } = runWithout([], program);
  assert.equal(stdout.trim(), 'missing MODEL_NOT_INSTALLED install docstokg again', stderr);
});

test('without onnxruntime-node the model runs on WebAssembly with a notice, and gives the same vectors', async () => {
  const text = 'bleaching of corals after a heat wave';
  const { stdout, stderr } = runWithout(
    ['onnxruntime-node'],
    `${OPEN} const [vector] = await found.engine.embed(['${text}'], 'query');
     console.log(JSON.stringify({ model: found.engine.model, notice: found.engine.notice, vector: [...vector] }));`,
  );
  const found = JSON.parse(stdout || '{}') as {
    model: { precision: string };
    notice: { message: string; remedy: string };
    vector: number[];
  };
  await using native = await openDenseEngine({ engine: 'embedded', precision: 'int8', threads: 1 });
  assert.deepEqual(found.model, native.model, stderr);
  assert.match(found.notice.message, /WebAssembly/);
  assert.equal(found.notice.remedy, 'npm install onnxruntime-node@1.30 --ignore-scripts');
  const [expected] = await native.embed([text], 'query');
  assert.ok(
    cosine(Float32Array.from(found.vector), expected) > 0.99,
    `${cosine(Float32Array.from(found.vector), expected)}`,
  );
});

test('a model in a folder runs on WebAssembly too, with weights in a file beside it', async () => {
  const { path } = await tableModel('beside', 4, 'last_hidden_state');
  const options = JSON.stringify({ engine: 'onnx', folder: path, ...FOLDER });
  const { stdout, stderr } = runWithout(
    ['onnxruntime-node'],
    `const { openDenseEngine } = await import('${new URL('open-engine.ts', import.meta.url).href}');
     const engine = await openDenseEngine(${options});
     console.log(JSON.stringify([...(await engine.embed(['short'], 'passage'))[0]]));`,
  );
  await using native = await openDenseEngine({ engine: 'onnx', folder: path, ...FOLDER });
  const [expected] = await native.embed(['short'], 'passage');
  assert.deepEqual(JSON.parse(stdout || '[]'), [...(expected ?? [])], stderr);
});

test('folders without a model or with a damaged one are refused', async () => {
  await assert.rejects(openDenseEngine({ engine: 'onnx', folder, ...FOLDER }), { code: 'MODEL_MISSING' });
  const { path } = await tableModel('damaged', 2, 'last_hidden_state');
  await writeFile(join(path, 'config.json'), '{"max_position');
  await assert.rejects(openDenseEngine({ engine: 'onnx', folder: path, ...FOLDER }), /config\.json is not JSON/);
  await writeFile(join(path, 'onnx', 'model.onnx'), 'not a model');
  await assert.rejects(openDenseEngine({ engine: 'onnx', folder: path, ...FOLDER }), { code: 'MODEL_UNREADABLE' });
});

test('a text is embedded once: not again by a later run, but again for another model', async () => {
  using cache = new VectorCache(join(folder, 'cache.sqlite'));
  let asked: string[] = [];
  const engine = (revision: string): Parameters<typeof embedTexts>[1]['engine'] => ({
    model: { name: 'm', revision, precision: 'p' },
    dimensions: 2,
    batchSize: 2,
    concurrency: 1,
    embed: async (texts) => {
      asked.push(...texts);
      return texts.map((text) => Float32Array.of(text.length, 1));
    },
    [Symbol.asyncDispose]: async () => undefined,
  });
  const run = (texts: readonly string[], revision = '1'): ReturnType<typeof embedTexts> =>
    embedTexts(texts, { engine: engine(revision), cache, role: 'passage' });
  assert.equal((await run(['one', 'three', 'one'])).embedded, 2);
  assert.deepEqual(asked, ['three', 'one'], 'longest first, so that batches have similar lengths');
  asked = [];
  const { vectors, embedded } = await run(['three', 'seven!', 'one']);
  assert.equal(embedded, 1);
  assert.deepEqual(asked, ['seven!']);
  assert.deepEqual(
    vectors.map(([length]) => length),
    [5, 6, 3],
  );
  assert.equal((await run(['one'], '2')).embedded, 1);
});
