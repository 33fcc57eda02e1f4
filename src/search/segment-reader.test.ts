import assert from 'node:assert/strict';
import { mkdtemp, mkdtempDisposable, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

import { buildIndex } from '../../test/support/build-index.ts';
import { describeSearchIndex, engineOf, MODEL, passage } from '../../test/support/search-index-suite.ts';
import { openIndex } from './segment-reader.ts';

describeSearchIndex('files', async () => {
  const own = await mkdtempDisposable(join(tmpdir(), 'search-'));
  return {
    build: (passages, options) => buildIndex(own.path, passages, options),
    open: (engine) => openIndex(own.path, engine),
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  };
});

let folder = '';
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'search-'))));
afterEach(() => rm(folder, { recursive: true }));

test('an index that is missing, damaged or of another model is refused', async () => {
  await assert.rejects(openIndex(folder), { code: 'INDEX_MISSING' });
  const dense = { model: { ...MODEL, precision: 'int8' }, dimensions: 4 } as const;
  await buildIndex(folder, [passage(1, 'whale', new Float32Array(4))], { dense });
  await assert.rejects(openIndex(folder, engineOf({}, 4)), { code: 'INDEX_MODEL' });
  const [segment = ''] = (await readdir(join(folder, 'Index'))).filter((name) => name.endsWith('.bin'));
  await truncate(join(folder, 'Index', segment), 20);
  await assert.rejects(openIndex(folder), { code: 'INDEX_DAMAGED' });
  await assert.rejects(buildIndex(folder, [passage(1, 'x', new Float32Array(3))], { dense }), {
    code: 'INDEX_DIMENSIONS',
  });
});

test('damaged bytes anywhere in a segment are reported as a damaged index', async () => {
  const dense = { model: MODEL, dimensions: 4 } as const;
  const passages = Array.from({ length: 30 }, (_, id) =>
    passage(id, `whale number ${id}`, Float32Array.of(1, id, 0, 0)),
  );
  await buildIndex(folder, passages, { dense });
  const [segment = ''] = (await readdir(join(folder, 'Index'))).filter((name) => name.endsWith('.bin'));
  const path = join(folder, 'Index', segment);
  const bytes = await readFile(path);
  const engine = engineOf({ whale: Float32Array.of(1, 0, 0, 0) }, 4);
  let refused = 0;
  for (let at = 0; at + 16 < bytes.length; at += 61) {
    const damaged = Buffer.from(bytes).fill(0xfe, at, at + 16);
    await writeFile(path, damaged);
    try {
      await using index = await openIndex(folder, engine);
      await index.search('whale', { mode: 'hybrid', top: 30 });
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'INDEX_DAMAGED', String((error as Error).stack));
      refused += 1;
    }
  }
  assert.ok(refused > 10, `${refused}`);
});

test('a new build replaces the old one and removes leftovers of failed builds', async () => {
  await buildIndex(folder, [passage(1, 'old')]);
  await writeFile(join(folder, 'Index', 'segment-0badf00d0bad.bin'), 'left behind');
  await buildIndex(folder, [passage(1, 'new')]);
  assert.equal((await readdir(join(folder, 'Index'))).filter((name) => name.endsWith('.bin')).length, 1);
  await using index = await openIndex(folder);
  assert.equal((await index.search('old', { mode: 'lexical', top: 1 })).length, 0);
  assert.equal((await index.search('new', { mode: 'lexical', top: 1 })).length, 1);
});

test('an index can be opened at any time while it is replaced', async () => {
  await buildIndex(folder, [passage(1, 'whale')]);
  const built = new AbortController();
  const builds = (async () => {
    for (let round = 0; round < 6; round += 1) await buildIndex(folder, [passage(round, 'whale')]);
    built.abort();
  })();
  let opened = 0;
  while (!built.signal.aborted) {
    await using index = await openIndex(folder);
    assert.equal((await index.search('whale', { mode: 'lexical', top: 1 })).length, 1);
    opened += 1;
  }
  await builds;
  assert.ok(opened > 0);
});
