import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

import { writeTableModel } from '../../../../test/fixtures/table-model.ts';
import { systemClock } from '../../../base/index.ts';
import type { Loopback } from '../../../testing/index.ts';
import { describeDenseEngine, openLoopback } from '../../../testing/index.ts';
import type { DenseEngine } from '../engine.ts';
import { openDenseEngine } from '../engine.ts';

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
