import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

import { systemClock } from '../../base/index.ts';
import type { StageOptions, StageOutcome } from '../../stage/index.ts';
import { runStage } from '../../stage/index.ts';
import type { Loopback } from '../../testing/index.ts';
import { openLoopback } from '../../testing/index.ts';
import { chunkItem, chunkOutput } from '../chunk/stage.ts';
import { openTokenizer } from '../chunk/tokenizer.ts';
import { VectorCache } from './embed-texts.ts';
import { openServerEngine } from './engines/openai-compatible.ts';
import { createEmbedWorker, embedPlan, embedOutput } from './stage.ts';

// The whole embed stage with a faulty server.
let root = '';
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'outage-'));
  const tokenizer = await openTokenizer('cl100k');
  const quality = { unmappedGlyphs: 0, columns: 1, confidence: 1 };
  for (const id of DOCUMENTS) {
    const blocks = [{ order: 0, kind: 'text', text: `The text of ${id}.`, regions: [] }] as const;
    const document = { blocks, metadata: { authors: [], needsOcr: [], quality } };
    const options = { maxTokens: 64, minTokens: 8, overlapTokens: 0 };
    await chunkItem({ id, document, output: chunkOutput(root, id, 'jsonl'), tokenizer, options });
  }
});
afterEach(() => rmSync(root, { recursive: true }));

const DOCUMENTS = Array.from({ length: 12 }, (_, at) => `paper-${String(at).padStart(2, '0')}`);
const RETRIES = 2;

/** The server; `answer` is the response to the n-th request after the probe for dimensions. */
async function serve(answer: (number: number) => 'vectors' | 'short' | 503): Promise<Loopback> {
  let number = -1;
  return openLoopback(({ body }, response) => {
    const { input } = JSON.parse(body) as { input: string[] };
    number += 1;
    const what = number === 0 ? 'vectors' : answer(number);
    if (what === 503) return void response.writeHead(503).end('down for maintenance');
    const embedding = what === 'short' ? [1, 2] : [1, 2, 3];
    response.end(JSON.stringify({ data: input.map((_, index) => ({ index, embedding })) }));
  });
}

async function embedAll(server: Loopback, options: Partial<StageOptions> = {}): Promise<StageOutcome> {
  await using engine = await openServerEngine({
    url: `http://127.0.0.1:${server.port}/v1`,
    model: 'm',
    revision: '',
    apiKey: undefined,
    dimensions: 0,
    batchSize: 8,
    concurrency: 1,
    timeoutMs: 60_000,
    retries: RETRIES,
    retryBackoffMs: 1,
    longestWaitMs: 1_000,
    normalise: true,
    prefixes: { passage: '', query: '' },
    clock: systemClock,
  });
  using cache = new VectorCache(join(root, 'Embeddings', 'cache.sqlite'));
  const engines = { dense: engine, sparse: undefined };
  return await runStage(
    embedPlan(root, { engines, type: 'float32', format: 'jsonl' }),
    createEmbedWorker({ engines, type: 'float32', cache }),
    { policy: 'gpu', workers: 1, handleSignals: false, manifestDir: join(root, 'Manifests'), ...options },
  );
}

test('a server that goes down stops the stage after the retries; the next run resumes', async () => {
  const done = 4;
  {
    await using server = await serve((number) => (number <= done ? 'vectors' : 503));
    const outcome = await embedAll(server);
    assert.deepEqual([outcome.cancelled, outcome.succeeded, outcome.failed], [true, done, 1]);
    assert.match(
      outcome.stopReason ?? '',
      /is unavailable: 3 attempts, the last: answered 503: down for maintenance; vectors made so far/,
    );
    assert.equal(outcome.errors[0]?.code, 'EMBED_UNAVAILABLE');
    assert.equal(server.requests.length, 1 + done + 1 + RETRIES, 'no other document was tried');
    const kept = DOCUMENTS.filter((id) => existsSync(embedOutput(root, id, 'jsonl')));
    assert.equal(kept.length, done);
  }
  await using server = await serve(() => 'vectors');
  const outcome = await embedAll(server);
  assert.deepEqual([outcome.cancelled, outcome.skipped, outcome.succeeded], [false, done, DOCUMENTS.length - done]);
  assert.equal(server.requests.length, 1 + DOCUMENTS.length - done);
});

test('a server that changes the length of its vectors stops the stage at once', async () => {
  await using server = await serve((number) => (number <= 2 ? 'vectors' : 'short'));
  const outcome = await embedAll(server);
  assert.deepEqual([outcome.cancelled, outcome.succeeded, outcome.failed], [true, 2, 1]);
  assert.equal(outcome.errors[0]?.code, 'EMBED_DIMENSIONS');
  assert.equal(server.requests.length, 4, 'no further request');
});

test('--retries and --retry-backoff-s retry a document before a server that is down stops the stage', async () => {
  // Every request of the first attempt fails; the server is up again for the second.
  await using server = await serve((number) => (number >= 1 && number <= 1 + RETRIES ? 503 : 'vectors'));
  const outcome = await embedAll(server, { retries: 3, retryBackoffS: 0.001 });
  assert.deepEqual([outcome.cancelled, outcome.succeeded, outcome.retried], [false, DOCUMENTS.length, 1]);
});
