import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeTableModel } from '../../../../test/fixtures/table-model.ts';
import { openLoopback } from '../../../testing/index.ts';
import { openDenseEngine } from '../open-engine.ts';

test('a model is downloaded from its URL once, and then loaded from its folder', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'model-url-'));
  const { path } = await writeTableModel(join(scratch.path, 'table'), 8, 'last_hidden_state');
  const asked: string[] = [];
  await using server = await openLoopback(({ url }, response) => {
    asked.push(url);
    const file = join(path, url.replace('/models/tiny/', ''));
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  const open = async (): Promise<Float32Array | undefined> => {
    await using engine = await openDenseEngine({
      engine: 'onnx',
      folder: `http://127.0.0.1:${server.port}/models/tiny`,
      modelsFolder: join(scratch.path, 'Models'),
      threads: 1,
      prefixes: { passage: '', query: '' },
    });
    assert.match(engine.model.name, /^models-tiny-/);
    return (await engine.embed(['water'], 'passage'))[0];
  };
  const vector = await open();
  assert.equal(vector?.length, 8);
  const first = asked.length;
  assert.ok(first >= 2);
  assert.deepEqual(await open(), vector);
  assert.equal(asked.length, first, 'no requests the second time');
});

test('a URL without a model or a failing server is a coded error and leaves no partial file', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'model-url-'));
  const open = async (status: number): Promise<unknown> => {
    await using server = await openLoopback((_, response) => void response.writeHead(status).end());
    return await openDenseEngine({
      engine: 'onnx',
      folder: `http://127.0.0.1:${server.port}/x/`,
      modelsFolder: scratch.path,
      threads: 1,
      prefixes: { passage: '', query: '' },
    });
  };
  await assert.rejects(open(404), { code: 'MODEL_MISSING' });
  await assert.rejects(open(500), { code: 'MODEL_UNREADABLE' });
  assert.deepEqual(globSync('**/*.part', { cwd: scratch.path }), []);
});
