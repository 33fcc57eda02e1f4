import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { writeTableModel } from '../../../test/fixtures/table-model.ts';
import { systemClock } from '../../base/index.ts';
import type { Loopback } from '../../testing/index.ts';
import { openLoopback } from '../../testing/index.ts';
import type { DenseEngine } from './engine.ts';
import { openDenseEngine } from './open-engine.ts';

const TEXTS = [
  'Whales are the largest animals on earth.',
  'a',
  'Interest rates rose by half a percent in the third quarter, and nobody had expected them to.',
  'Größe und Maß — naïve façade, 温度を測る, температура',
  'Whales are the largest animals on earth.',
];
/** Texts that are easily mishandled: empty, blank, half a character, control characters, one very long word. */
const ODD_TEXTS = ['', ' \n\t ', 'half \uD83D of an emoji', 'a\u0000b\u0007', '🦜'.repeat(40), 'x'.repeat(5_000)];
const LONG_WORDS = 20_000;

/** How precise an engine's vectors must be. */
interface DenseEngineTraits {
  readonly normalised: boolean;
  /** Minimum cosine between a text's vectors computed alone and in a batch. */
  readonly leastCosine?: number;
}

/** What every engine for dense vectors must do. The suite closes the engine that `open` returns. */
function describeDenseEngine(name: string, open: () => Promise<DenseEngine>, traits: DenseEngineTraits): void {
  describe(`${name} as a dense engine`, () => {
    let engine: DenseEngine;
    before(async () => void (engine = await open()));
    after(() => engine[Symbol.asyncDispose]());

    const check = (vectors: readonly Float32Array[], texts: readonly string[]): void => {
      assert.equal(vectors.length, texts.length);
      for (const [at, vector] of vectors.entries()) {
        assert.equal(vector.length, engine.dimensions, `text ${at}`);
        assert.ok(vector.every(Number.isFinite), `text ${at} has values that are not finite`);
        // A text without content may have a zero vector.
        const length = Math.hypot(...vector);
        if (traits.normalised && length > 0) assert.ok(Math.abs(length - 1) < 1e-4, `text ${at} has length ${length}`);
      }
    };

    test('reports its model and its limits', () => {
      assert.notEqual(engine.model.name, '');
      assert.ok(engine.dimensions > 0 && engine.batchSize > 0 && engine.concurrency > 0);
    });

    test('gives one vector per text, in order, and equal vectors for equal texts', async () => {
      const vectors = await engine.embed(TEXTS, 'passage');
      check(vectors, TEXTS);
      assert.ok(cosine(vectors[0], vectors[4]) > 0.9999, 'the same text');
      const turned = await engine.embed(TEXTS.toReversed(), 'passage');
      for (const [at, vector] of vectors.entries()) {
        const again = cosine(vector, turned[TEXTS.length - 1 - at]);
        assert.ok(again >= (traits.leastCosine ?? 0.9999), `text ${at} changed with the order: ${again}`);
      }
      check(await engine.embed(TEXTS, 'query'), TEXTS);
    });

    test('gives a text the same vector alone and in any batch', async () => {
      const many = Array.from({ length: Math.max(4, engine.batchSize * 2 + 1) }, (_, at) => TEXTS[at % 4] ?? '');
      const together = await engine.embed(many, 'passage');
      check(together, many);
      for (let at = 0; at < 4; at += 1) {
        const [alone] = await engine.embed(many.slice(at, at + 1), 'passage');
        const near = cosine(alone, together[at]);
        assert.ok(near >= (traits.leastCosine ?? 0.9999), `text ${at}: ${near}`);
      }
    });

    test('accepts an empty list, empty text and unusual text', async () => {
      assert.deepEqual(await engine.embed([], 'passage'), []);
      check(await engine.embed(ODD_TEXTS, 'passage'), ODD_TEXTS);
    });

    test('accepts a text longer than the context window', async () => {
      const long = Array.from({ length: LONG_WORDS }, (_, at) => `word${at % 97}`).join(' ');
      check(await engine.embed([long], 'passage'), [long]);
    });

    test('stops on abort with the reason of the signal', async () => {
      const reason = new Error('enough');
      await assert.rejects(engine.embed(TEXTS, 'passage', AbortSignal.abort(reason)), reason);
      const stop = new AbortController();
      const work = engine.embed(
        Array.from({ length: engine.batchSize * 4 }, (_, at) => `text ${at}`),
        'passage',
        stop.signal,
      );
      stop.abort(reason);
      await assert.rejects(work, reason);
      check(await engine.embed(TEXTS, 'passage'), TEXTS);
    });
  });
}

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  assert.ok(a && b);
  const inner = a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  return inner / (Math.hypot(...a) * Math.hypot(...b) || 1);
}

const folder = mkdtempSync(join(tmpdir(), 'dense-engines-'));
let server: Loopback | undefined;
after(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

for (const precision of ['int8', 'fp32'] as const) {
  describeDenseEngine(
    `the embedded model in ${precision}`,
    () => openDenseEngine({ engine: 'embedded', precision, threads: 1 }),
    { normalised: true },
  );
}

const PREFIXES = { passage: 'passage: ', query: 'query: ' };

describeDenseEngine(
  'a model in a folder',
  async () => {
    const { path } = await writeTableModel(join(folder, 'table'), 8, 'last_hidden_state');
    return openDenseEngine({ engine: 'onnx', folder: path, threads: 1, prefixes: PREFIXES });
  },
  { normalised: true, leastCosine: 0.9999 },
);

/** A server whose vectors depend on every character of a text. */
async function openServerEngine(): Promise<DenseEngine> {
  server = await openLoopback(({ body }, response) => {
    const { input } = JSON.parse(body) as { input: string[] };
    const data = input.map((text, index) => {
      const embedding = [1, 0, 0, 0, 0, 0];
      for (let at = 0; at < text.length; at += 1)
        embedding[at % 6] = (embedding[at % 6] ?? 0) + Math.sin(text.charCodeAt(at));
      return { index, embedding };
    });
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: data.toReversed() }));
  });
  return openDenseEngine({
    engine: 'openai-compatible',
    url: `http://127.0.0.1:${server.port}/v1`,
    model: 'characters',
    revision: '1',
    apiKey: undefined,
    dimensions: 0,
    batchSize: 4,
    concurrency: 2,
    timeoutMs: 60_000,
    retries: 0,
    retryBackoffMs: 0,
    longestWaitMs: 0,
    normalise: true,
    prefixes: PREFIXES,
    clock: systemClock,
  });
}
describeDenseEngine('an embedding server', openServerEngine, { normalised: true });
