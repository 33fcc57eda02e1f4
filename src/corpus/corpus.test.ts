import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';

import type { Settings } from '../config/index.ts';
import { Records } from '../database/index.ts';
import { emptyRecord } from '../works/index.ts';
import { Admin, DEFAULT_POLICY, expectedOutcome, Simulation, webTime } from '../../sim/index.ts';
import { openLoopback } from '../testing/index.ts';
import { openCorpus } from './corpus.ts';

/** Lexical search in this thread: no model is loaded. */
const settings: Settings = {
  parse: { dense: 'none', tokenizer: 'cl100k', format: 'jsonl' },
  stage: { durable: false, workers: 1, policy: 'io' },
};

function paper(folder: string, name: string, sentence: string): void {
  mkdirSync(folder, { recursive: true });
  const text = `${sentence} `.repeat(12);
  writeFileSync(
    join(folder, `${name}.html`),
    `<html><head><title>${name}</title></head><body><h1>${name}</h1><p>${text}</p></body></html>`,
  );
}

test('papers in a folder become searchable; papers added later are found after the next run', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-corpus-'));
  const papers = join(scratch.path, 'papers');
  paper(papers, 'reefs', 'Bleached corals recover within a decade where fishing is banned.');
  await using corpus = await openCorpus(join(scratch.path, 'reefs'), { settings });
  assert.equal(await corpus.account(), undefined);
  const kinds = new Set<string>();
  for await (const { kind } of corpus.run({ input: [papers] })) kinds.add(kind);
  assert.deepEqual(
    ['stage', 'indexing', 'index', 'ended'].filter((kind) => !kinds.has(kind)),
    [],
  );
  assert.equal((await corpus.account())?.account?.documents, 1);
  const [first] = await corpus.search('do corals recover?', { top: 3 });
  assert.equal(first?.passage.title, 'reefs');

  paper(papers, 'fractures', 'Vitamin D supplements did not prevent hip fractures in this trial.');
  // Without a request, the folder's last request is used.
  for await (const event of corpus.run())
    if (event.kind === 'ended') assert.deepEqual([event.account.documents, event.account.stages.chunk?.done], [2, 1]);
  assert.equal((await corpus.search('hip fractures'))[0]?.passage.title, 'fractures');
});

test('parsing and indexing separately give the same result', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-corpus-'));
  paper(join(scratch.path, 'papers'), 'reefs', 'Bleached corals recover within a decade where fishing is banned.');
  await using corpus = await openCorpus(join(scratch.path, 'reefs'), { settings });
  const ended: string[] = [];
  for await (const event of corpus.parse({ input: join(scratch.path, 'papers') }))
    if (event.kind === 'stage' && event.event.kind === 'stage-ended') ended.push(event.stage);
  assert.deepEqual(ended, ['doctags', 'chunk', 'embed']);
  const indexed = await Array.fromAsync(corpus.index());
  assert.ok(indexed.some((event) => event.kind === 'index' && event.event.kind === 'index-ended'));
  assert.equal((await corpus.search('fishing ban')).length, 1);
});

test('a stopped corpus is reported as stopped, and resumes on the next call', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-corpus-'));
  const papers = join(scratch.path, 'papers');
  paper(papers, 'reefs', 'Bleached corals recover within a decade where fishing is banned.');
  await using corpus = await openCorpus(join(scratch.path, 'reefs'), { settings });
  const stopped = AbortSignal.abort('enough');
  for await (const event of corpus.run({ input: [papers] }, stopped))
    if (event.kind === 'ended') assert.deepEqual([event.account.stopped, event.account.index], ['enough', null]);
  assert.equal((await corpus.account())?.state, 'stopped');
  await assert.rejects(corpus.search('corals'), { code: 'SEARCH_NOTHING' });
  await assert.rejects(openCorpus(join(papers, 'reefs.html')), { code: 'USAGE_RUN' });
  await Array.fromAsync(corpus.run());
  assert.equal((await corpus.account())?.state, 'done');
  await assert.rejects(corpus.openSearch({ mode: 'fuzzy' as 'hybrid' }), { code: 'USAGE_MODE' });
});

test('a machine of a fleet that has not fetched all documents answers nothing, and says what to type', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-corpus-'));
  const folder = join(scratch.path, 'reefs');
  paper(join(scratch.path, 'papers'), 'reefs', 'Bleached corals recover within a decade where fishing is banned.');
  {
    await using corpus = await openCorpus(folder, { settings });
    await Array.fromAsync(corpus.run({ input: [join(scratch.path, 'papers')] }));
  }
  // Lines that were copied from the fleet's log.
  writeFileSync(join(folder, 'state', 'fleet.json'), '{}');
  const row = (id: string): string =>
    `${JSON.stringify({ stage: 'chunk', doc_id: id, status: 'success', duration_s: 1, finished_at: '2026-01-01T00:00:00.000Z' })}\n`;
  appendFileSync(join(folder, 'Data', 'Manifests', 'docparse.chunk.manifest.jsonl'), row('sand') + row('clay'));
  await using corpus = await openCorpus(folder, { settings });
  const told: string[] = [];
  await assert.rejects(corpus.openSearch({ mode: 'lexical', tell: ({ kind }) => told.push(kind) }), {
    code: 'CORPUS_PART',
    message: /2 of 3 documents are not here/,
    hint: /--database postgres:.*docstokg store .*reefs --pull/,
  });
  assert.deepEqual(told, [], 'no index is made of a part');
  await using empty = await mkdtempDisposable(join(tmpdir(), 'docstokg-corpus-'));
  mkdirSync(join(empty.path, 'state'));
  writeFileSync(join(empty.path, 'state', 'fleet.json'), '{}');
  await using nothing = await openCorpus(empty.path, { settings });
  await assert.rejects(nothing.search('corals'), {
    code: 'SEARCH_NOTHING',
    hint: /--database .*docstokg store .* --pull/,
  });
});

test('a folder that cannot be created is refused by name when a run starts', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-corpus-'));
  paper(scratch.path, 'reefs', 'Bleached corals recover within a decade where fishing is banned.');
  const folder = join(scratch.path, 'reefs.html', 'below');
  await using corpus = await openCorpus(folder, { settings });
  await assert.rejects(Array.fromAsync(corpus.run({ input: [scratch.path] })), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'USAGE_OUT');
    assert.ok(error.message.includes(folder), error.message);
    return true;
  });
});

test('settings given in code are validated, and errors name their origin', async () => {
  const wrong = { parse: { max_tokens: 1 } };
  await assert.rejects(openCorpus('nowhere', { settings: wrong }), /parse\.max_tokens = 1.*settings of openCorpus/);
});

test('the embed stage runs in killable workers, and gives the same vectors', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-corpus-'));
  paper(join(scratch.path, 'papers'), 'reefs', 'Bleached corals recover within a decade where fishing is banned.');
  const input = join(scratch.path, 'papers');
  const vectors: string[] = [];
  for (const policy of ['io', 'cpu'] as const) {
    const folder = join(scratch.path, policy);
    await using corpus = await openCorpus(folder, { settings });
    for await (const event of corpus.parse({ input, stages: ['doctags', 'chunk'] }))
      assert.notEqual(event.kind === 'stage' && event.event.kind, 'item-failed');
    const stage = { ...settings.stage, policy, timeout_s: 60 };
    await using embedding = await openCorpus(folder, { settings: { ...settings, stage } });
    for await (const event of embedding.parse({ stages: ['embed'] })) {
      if (event.kind !== 'stage' || event.event.kind !== 'stage-ended') continue;
      assert.deepEqual([event.event.outcome.succeeded, event.event.outcome.failed], [1, 0]);
    }
    vectors.push(readFileSync(join(scratch.path, policy, 'Data', 'Embeddings', 'reefs.jsonl'), 'utf8'));
  }
  assert.equal(vectors[0], vectors[1]);
});

test('an embedding server that is down at the start is a retryable failure in the manifest', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-corpus-'));
  paper(join(scratch.path, 'papers'), 'reefs', 'Bleached corals recover within a decade where fishing is banned.');
  const folder = join(scratch.path, 'reefs');
  {
    await using corpus = await openCorpus(folder, { settings });
    for await (const _ of corpus.parse({ input: join(scratch.path, 'papers'), stages: ['doctags', 'chunk'] }));
  }
  const away = {
    dense: 'openai-compatible' as const,
    // Port 9 discards, and nothing listens there.
    embed_url: 'http://127.0.0.1:9/v1',
    embed_model: 'm',
    embed_retries: 0,
  };
  const stage = { ...settings.stage, retries: 1, retry_backoff_s: 0.001 };
  const parse = { ...settings.parse, ...away };
  await using corpus = await openCorpus(folder, { settings: { ...settings, parse, stage } });
  for await (const event of corpus.parse({ stages: ['embed'] })) {
    if (event.kind !== 'stage' || event.event.kind !== 'stage-ended') continue;
    assert.deepEqual([event.event.outcome.failed, event.event.outcome.cancelled], [1, true]);
  }
  const rows = readFileSync(join(folder, 'Data', 'Manifests', 'docparse.embed.manifest.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const last = JSON.parse(rows.at(-1) ?? '') as { category: string; retryable: boolean; attempts: number };
  assert.deepEqual([last.category, last.retryable, last.attempts], ['network', true, 2]);
});

test('reindex writes logs again that were deleted or damaged, and says so', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-corpus-'));
  {
    using records = Records.open(scratch.path);
    records.add([emptyRecord('W1', { openalex: 'W1' })]);
    for (const name of ['a', 'b', 'c']) records.saveSet({ name, works: ['W1'], filter: null }, '2026');
  }
  const decisions = join(scratch.path, 'decisions.jsonl');
  const before = readFileSync(decisions, 'utf8');
  writeFileSync(decisions, before.replace('"b"', '"B"'));
  rmSync(join(scratch.path, 'records.jsonl'));
  await using corpus = await openCorpus(scratch.path, { settings });
  const messages: string[] = [];
  const { works, badLines } = await corpus.reindex((message) => messages.push(message));
  assert.deepEqual([works, badLines], [1, 0]);
  assert.equal(readFileSync(decisions, 'utf8'), before);
  assert.match(
    messages.join('\n'),
    /decisions\.jsonl was changed: .* is now .*damaged-1\n.*records\.jsonl was missing/s,
  );
  assert.deepEqual(
    corpus.sets().map(({ name }) => name),
    ['a', 'b', 'c'],
  );
});

test('downloads continue while the parser is stuck: none waits for room in its line', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-stuck-'));
  await using simulation = await Simulation.open({
    parameters: { seed: 11, works: 105, hosts: 20, profile: 'calm' },
    documents: 'plain',
    timeScale: 0.002,
  });
  await using admin = await Admin.open(simulation);
  const held: ServerResponse[] = [];
  let isHeld = true;
  await using parser = await openLoopback((_request, response) => {
    if (isHeld) held.push(response);
    else response.writeHead(400).end();
  });
  await using corpus = await openCorpus(join(scratch.path, 'run'), {
    sim: admin.url,
    web: webTime(simulation.timeScale),
    settings: {
      // Time runs 500 times as fast: no limit of a download may pass on a slow machine.
      http: { connect_s: 36_000, headers_s: 36_000, idle_s: 36_000, total_s: 72_000 },
      download: { work_budget_s: 72_000 },
      parse: { dense: 'none', engine: 'docling-serve', engine_url: `http://127.0.0.1:${parser.port}` },
      stage: { retries: 0 },
    },
  });
  const ids = expectedOutcome(simulation.world, DEFAULT_POLICY).flatMap(({ outcome, work }) =>
    outcome === 'saved' ? [work.id] : [],
  );
  let [saved, ended] = [0, 0];
  for await (const event of corpus.run({ ids })) {
    if (event.kind === 'stage' && event.event.kind === 'progress') ended = event.event.progress.done;
    if (event.kind === 'download' && event.event.kind === 'work-ended' && event.event.row.outcome === 'saved')
      saved += 1;
    if (event.kind !== 'downloaded') continue;
    assert.ok(ids.length > 80, 'more than the line and the parser have room for');
    assert.equal(saved, ids.length, 'works downloaded');
    assert.equal(ended, 0, 'no document was parsed meanwhile');
    isHeld = false;
    for (const response of held) response.writeHead(400).end();
    break;
  }
});
