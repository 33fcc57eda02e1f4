import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { CorpusStore } from '../database/index.ts';
import { progressOf } from './progress.ts';

/** Rows of a stage's log, one document a minute. */
function rows(stage: string, count: number, statusOf: (at: number) => string = () => 'success'): string {
  return Array.from({ length: count }, (_, at) => {
    const finished = new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString();
    return `${JSON.stringify({ stage, doc_id: `d${at}`, status: statusOf(at), duration_s: 1, finished_at: finished })}\n`;
  }).join('');
}

test('a finished run is known over its whole time, in few points, and its last point is the last success', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'progress-'));
  const manifests = join(folder.path, 'Data', 'Manifests');
  mkdirSync(manifests, { recursive: true });
  const fails = (at: number): string => (at % 10 === 9 ? 'failure' : 'success');
  writeFileSync(join(manifests, 'docparse.doctags.manifest.jsonl'), rows('doctags', 1_000, fails));
  writeFileSync(join(manifests, 'docparse.chunk.manifest.jsonl'), rows('chunk', 500));
  using store = CorpusStore.open(folder.path, { manifests });
  assert.deepEqual(progressOf(store), [], 'nothing is known yet');
  await store.ingestSoon();
  const points = progressOf(store);
  assert.ok(points.length > 300 && points.length <= 402, `${points.length} points`);
  assert.deepEqual(points[0], { at: Date.UTC(2026, 0, 1), works: 0, saved: 0, parsed: 0, chunked: 0, embedded: 0 });
  const last = points.at(-1);
  assert.deepEqual([last?.parsed, last?.chunked, last?.at], [900, 500, Date.UTC(2026, 0, 1, 0, 998)]);
  const middle = points.find(({ at }) => at >= Date.UTC(2026, 0, 1, 0, 500));
  assert.ok(middle && Math.abs(middle.parsed - 450) < 5, JSON.stringify(middle));
  assert.ok(
    points.every((point, at) => at === 0 || point.at > (points[at - 1]?.at ?? 0)),
    'time only goes on',
  );
});
