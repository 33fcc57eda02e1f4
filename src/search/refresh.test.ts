import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

import { randomDocument } from '../../test/fixtures/random-document.ts';
import type { DenseEngine, FileFormat, Tokenizer } from '../parse/index.ts';
import { chunkItem, chunkOutput, embedItem, embedOutput, openTokenizer } from '../parse/index.ts';
import type { IndexEvent } from './refresh.ts';
import { refreshIndex } from './refresh.ts';
import { openIndex, readManifest } from './segment-reader.ts';
import { SECTIONS } from './section.ts';

let root = '';
let folder = '';
let events: IndexEvent[] = [];
let tokenizer: Tokenizer;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'refresh-'));
  folder = join(root, 'run');
  events = [];
  tokenizer = await openTokenizer('cl100k');
});
afterEach(() => rm(root, { recursive: true }));

function lengthEngine(revision = '1'): DenseEngine {
  return {
    model: { name: 'length', revision, precision: 'exact' },
    dimensions: 2,
    batchSize: 8,
    concurrency: 1,
    embed: async (texts) => texts.map((text) => Float32Array.of(text.length, 1)),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function chunk(id: string, seed: number, format: FileFormat = 'parquet', maxTokens = 64): Promise<void> {
  const options = { maxTokens, minTokens: 8, overlapTokens: 0 };
  const output = chunkOutput(root, id, format);
  await chunkItem({ id, document: randomDocument(seed), output, tokenizer, options });
}

async function embed(id: string, engine: DenseEngine, format: FileFormat = 'parquet'): Promise<void> {
  const files = { input: chunkOutput(root, id, format), output: embedOutput(root, id, format) };
  await embedItem({ ...files, engines: { dense: engine, sparse: undefined }, type: 'float32', cache: undefined });
}

function refresh(format: FileFormat = 'parquet'): ReturnType<typeof refreshIndex> {
  events = [];
  const linkOf = (id: string): string => `papers/${id}.pdf`;
  return refreshIndex({ dataRoot: root, folder, format, linkOf, report: (event) => events.push(event) });
}

const kinds = (): string[] => events.map(({ kind }) => kind);

for (const format of ['parquet', 'jsonl'] as const) {
  test(`an index of ${format} files is rebuilt only when a document is added, changed or removed`, async () => {
    await chunk('a', 1, format);
    await embed('a', lengthEngine(), format);
    const first = await refresh(format);
    assert.equal(first.changed, true);
    assert.ok(first.passages > 1);
    assert.deepEqual(kinds(), ['index-started', 'index-progress', 'index-ended']);
    assert.deepEqual(await refresh(format), { passages: first.passages, changed: false });
    assert.deepEqual(kinds(), []);

    await chunk('b', 2, format);
    await embed('b', lengthEngine(), format);
    const second = await refresh(format);
    assert.ok(second.changed && second.passages > first.passages);
    await chunk('b', 3, format);
    await embed('b', lengthEngine(), format);
    assert.equal((await refresh(format)).changed, true);
    await rm(chunkOutput(root, 'b', format));
    assert.deepEqual(await refresh(format), { passages: first.passages, changed: true });

    await using index = await openIndex(folder, lengthEngine());
    assert.deepEqual(index.modes, ['lexical', 'dense', 'hybrid']);
    const [hit] = await index.search('q', { mode: 'dense', top: 1 });
    assert.equal(hit?.passage.file, 'papers/a.pdf');
  });
}

test('documents added one by one end up in few segments, and each is still found', async () => {
  const ids = Array.from({ length: 12 }, (_, at) => `paper-${at}`);
  for (const id of ids) {
    await chunk(id, 1);
    await refresh();
  }
  assert.ok(readManifest(folder).segments < 8, `${readManifest(folder).segments} segments`);
  await using index = await openIndex(folder);
  for (const id of ids) assert.ok((await index.passagesOf(id)).length > 0, id);
});

test('other links to the documents, or none, leave the index unchanged', async () => {
  await chunk('a', 1);
  await refresh();
  const again = await refreshIndex({ dataRoot: root, folder, format: 'parquet' });
  assert.equal(again.changed, false);
});

test('documents without vectors of the current model are found by words, and reported', async () => {
  for (const [at, id] of ['a', 'b', 'c', 'd', 'e'].entries()) await chunk(id, at + 4);
  for (const id of ['a', 'b', 'e']) await embed(id, lengthEngine());
  await embed('c', lengthEngine('2'));
  await chunk('e', 9, 'parquet', 40);
  await refresh();
  assert.deepEqual(
    events.filter(({ kind }) => kind === 'index-words-only').map((event) => ({ ...event, kind: undefined })),
    [
      { kind: undefined, document: 'c', reason: 'another model' },
      { kind: undefined, document: 'd', reason: 'no vectors' },
      { kind: undefined, document: 'e', reason: 'old vectors' },
    ],
  );
  assert.deepEqual(readManifest(folder).dense?.model, lengthEngine().model);
  await using index = await openIndex(folder, lengthEngine());
  for (const id of ['c', 'd', 'e']) {
    const question = (await index.passagesOf(id))[0]?.text ?? '';
    const found = await index.search(question, { mode: 'hybrid', top: 10, filter: { sections: SECTIONS } });
    assert.ok(
      found.some(({ passage, by }) => passage.document === id && by === 'words'),
      id,
    );
  }
});

test('a folder without chunks is refused; an index with a damaged database is rebuilt', async () => {
  await assert.rejects(refresh(), { code: 'INDEX_NOTHING' });
  await chunk('a', 1);
  const { passages } = await refresh();
  const database = join(folder, 'corpus.sqlite');
  await writeFile(database, (await readFile(database)).fill('damage', 0, 60));
  assert.deepEqual(await refresh(), { passages, changed: true });
  await using index = await openIndex(folder);
  assert.deepEqual(index.modes, ['lexical']);
});

test('a damaged segment is noticed by its time and hash and built again; a copied one is kept', async () => {
  await chunk('a', 1);
  const { passages } = await refresh();
  const index = join(folder, 'Index');
  const segment = async (): Promise<string> =>
    join(index, (await readdir(index)).find((name) => name.endsWith('.bin')) ?? '');
  const path = await segment();
  const bytes = await readFile(path);
  await writeFile(path, bytes);
  assert.deepEqual(await refresh(), { passages, changed: false }, 'the same bytes at another time');
  for (const damage of ['changed', 'cut off', 'foreign', 'missing'] as const) {
    const at = await segment();
    const now = await readFile(at);
    if (damage === 'changed') await writeFile(at, now.fill(0x15, 40, 41));
    else if (damage === 'cut off') await truncate(at, now.length / 2);
    else if (damage === 'foreign') await writeFile(at, 'minutes of a meeting');
    else await rm(at);
    assert.deepEqual(await refresh(), { passages, changed: true }, damage);
    await using opened = await openIndex(folder);
    assert.deepEqual(opened.modes, ['lexical']);
  }
  const aside = (await readdir(index)).filter((name) => name.includes('damaged'));
  assert.ok(
    (await Array.fromAsync(aside, (name) => readFile(join(index, name), 'utf8'))).includes('minutes of a meeting'),
  );
});

for (const format of ['parquet', 'jsonl'] as const)
  test(`truncated chunk and vector files (${format}) are reported and marked for the next run; the index stays usable`, async () => {
    for (const id of ['a', 'b', 'c']) {
      await chunk(id, id.charCodeAt(0), format);
      await embed(id, lengthEngine(), format);
    }
    const whole = await refresh(format);
    const damage = async (path: string): Promise<void> => {
      const { size } = await stat(path);
      await writeFile(
        `${path}.fp.json`,
        JSON.stringify({ input_sha256: '', cfg_hash: '', outputs: [[size, 1, 'ab']] }),
      );
      await truncate(path, size - 20);
    };
    await damage(chunkOutput(root, 'b', format));
    await damage(embedOutput(root, 'c', format));
    const { passages } = await refresh(format);
    assert.equal(passages, whole.passages, 'indexed passages are kept');
    const reported = events.filter(({ kind }) => kind === 'index-unreadable' || kind === 'index-words-only');
    assert.deepEqual(
      reported.map((event) => ('document' in event ? `${event.kind} ${event.document}` : '')),
      ['index-unreadable b', 'index-words-only c'],
    );
    // Without its fingerprint the next run writes the file again.
    for (const path of [chunkOutput(root, 'b', format), embedOutput(root, 'c', format)])
      assert.equal(existsSync(`${path}.fp.json`), false, path);
  });

test('of two concurrent refreshes one builds the index, and the other finds it built', async () => {
  for (let at = 0; at < 3; at += 1) await chunk(`paper-${at}`, at);
  const both = await Promise.all([refresh(), refresh()]);
  assert.equal(both.filter(({ changed }) => changed).length, 1);
  assert.equal(both[0].passages, both[1].passages);
  assert.equal((await readdir(join(folder, 'Index'))).filter((name) => name.endsWith('.bin')).length, 1);
});

test('an aborted build leaves the old index in use', async () => {
  await chunk('a', 1);
  const before = await refresh();
  await chunk('b', 2);
  const stop = new AbortController();
  const report = (event: IndexEvent): void => void (event.kind === 'index-progress' && stop.abort());
  await assert.rejects(refreshIndex({ dataRoot: root, folder, format: 'parquet', signal: stop.signal, report }), {
    name: 'AbortError',
  });
  assert.equal(readManifest(folder).passages, before.passages);
});

test('a process killed during a build leaves the old index in use, and the next build needs no unlocking', async () => {
  await chunk('a', 1);
  const before = await refresh();
  for (const id of ['b', 'c', 'd']) await chunk(id, 7);
  const program = `
    const { refreshIndex } = await import(${JSON.stringify(new URL('refresh.ts', import.meta.url).href)});
    const report = (event) => {
      if (event.kind !== 'index-progress') return;
      process.stdout.write('begun');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    };
    await refreshIndex({ dataRoot: ${JSON.stringify(root)}, folder: ${JSON.stringify(folder)}, format: 'parquet', report });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(readManifest(folder).passages, before.passages);
  const after = await refresh();
  assert.ok(after.changed && after.passages > before.passages);
  assert.deepEqual(
    (await readdir(join(folder, 'Index'))).filter((name) => name.endsWith('.rows')),
    [],
    'leftovers of the killed process are removed',
  );
});
