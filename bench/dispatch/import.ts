import { createReadStream } from 'node:fs';

import { parseJsonl, systemClock } from '../../src/base/index.ts';
import type { ImportRow } from '../../src/queue/index.ts';
import { openStore, WorkQueue } from '../../src/queue/index.ts';

/** What an import took. */
export interface ImportResult {
  readonly added: number;
  readonly seconds: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
}

interface Line {
  readonly artifact_id: string;
  readonly artifact: unknown;
  readonly resolver_hint?: string;
}

// Imports a JSONL file as `queue import` does, in a process of its own, and tells how much memory that took at most.
const [path = '', database = ''] = process.argv.slice(2);

async function* rows(): AsyncGenerator<ImportRow> {
  const stream = createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Uint8Array>;
  for await (const line of parseJsonl(stream, { tornTail: 'keep' })) {
    if (line.kind === 'bad') throw new Error(`line ${line.line}: ${line.reason}`);
    const { artifact_id, artifact, resolver_hint } = line.value as Line;
    yield { artifactId: artifact_id, artifact, resolverHint: resolver_hint };
  }
}

const store = await openStore(database);
const startedAt = performance.now();
const { added } = await new WorkQueue(store, systemClock).bulkImport(rows());
const seconds = (performance.now() - startedAt) / 1000;
await store[Symbol.asyncDispose]();
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const result: ImportResult = {
  added,
  seconds,
  cpuMs: (userCPUTime + systemCPUTime) / 1000,
  peakBytes: maxRSS * 1024,
};
process.send?.(result, () => process.exit(0));
