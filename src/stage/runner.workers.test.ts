import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { threadId } from 'node:worker_threads';

import { HeldClock } from '../testing/index.ts';
import { EventLog, Workspace } from '../../test/fixtures/stage/workspace.ts';
import { runStage } from './index.ts';
import type { ErrorCategory, StageOptions } from './index.ts';

const misbehave = { module: new URL('../../test/fixtures/stage/misbehave.ts', import.meta.url) };
const TIMEOUT_S = 5;

/** Runs the items one by one; the clock advances only while an item that never ends is running. */
async function runMisbehaving(
  kinds: readonly string[],
  options: Partial<StageOptions>,
): Promise<{ log: EventLog; workspace: Workspace; outcome: Awaited<ReturnType<typeof runStage>> }> {
  const workspace = new Workspace();
  const clock = new HeldClock();
  const log = new EventLog();
  const items = kinds.map((kind) => workspace.item(kind));
  const outcome = await runStage(
    { stageName: 'test', items },
    misbehave,
    { ...workspace.options, policy: 'cpu', workers: 1, perItemTimeoutS: TIMEOUT_S, ...options },
    {},
    {
      clock,
      report: (event) => {
        log.report(event);
        if (event.kind === 'worker-output' && /^(hang|spin)$/m.test(event.text)) void letTimeRunOut(clock, log);
      },
    },
  );
  return { log, workspace, outcome };
}

/**
 * The worker's output and the result of the item before it arrive on two channels, in either order, so it is unknown
 * from when the item's time is counted. Nothing else runs, so time advances until the item is over.
 */
async function letTimeRunOut(clock: HeldClock, log: EventLog): Promise<void> {
  const before = log.of('worker-replaced').length;
  while (log.of('worker-replaced').length === before) await clock.advance(TIMEOUT_S * 1000);
}

const BAD: readonly (readonly [string, ErrorCategory, string])[] = [
  ['hang-1', 'timeout', 'ITEM_TIMEOUT'],
  ['spin-1', 'timeout', 'ITEM_TIMEOUT'],
  ['exit-1', 'runtime', 'WORKER_CRASHED'],
  ['uncaught-1', 'runtime', 'WORKER_CRASHED'],
  ['heap-1', 'runtime', 'WORKER_OUT_OF_MEMORY'],
  ['throw-1', 'unknown', ''],
  ['lie-1', 'runtime', 'OUTPUT_MISSING'],
  ['nothing-1', 'runtime', 'OUTCOME_INVALID'],
  ['abort-1', 'runtime', 'WORKER_CRASHED'],
  ['buffers-1', 'runtime', 'WORKER_OUT_OF_MEMORY'],
];

test('hanging, spinning, crashing, memory-hungry, throwing and lying workers fail in the right category, the rest succeeds, and the run ends', async () => {
  const kinds = BAD.flatMap(([kind], at) => [kind, `good-${at}`]);
  const { workspace, outcome, log } = await runMisbehaving(kinds, {
    memoryLimitMb: 160,
  });
  using _ = workspace;
  assert.equal(outcome.cancelled, false);
  assert.equal(outcome.succeeded, BAD.length);
  assert.equal(outcome.failed, BAD.length);
  assert.deepEqual(
    outcome.errors.map(({ itemId, category, code }) => [itemId, category, code ?? '']),
    BAD,
  );
  assert.deepEqual(
    workspace.rows().map(({ doc_id, status }) => [doc_id, status]),
    kinds.map((kind) => [kind, kind.startsWith('good') ? 'success' : 'failure']),
    'one row per item, in item order',
  );
  for (const [at] of BAD.entries())
    assert.equal(readFileSync(workspace.output(`good-${at}`), 'utf8'), 'done', 'the item before or after was affected');
  assert.deepEqual(workspace.leftovers(), []);
  const reasons = log.of('worker-replaced').map(({ reason, itemId }) => `${reason} ${itemId}`);
  assert.deepEqual(reasons.slice(0, 3), ['timeout hang-1', 'timeout spin-1', 'crash exit-1']);
  assert.match(outcome.errors.find(({ itemId }) => itemId === 'uncaught-1')?.message ?? '', /nobody catches/);
});

test('a worker is replaced after its number of items, with the reason, and its output is forwarded', async () => {
  const kinds = Array.from({ length: 4 }, (_, at) => `good-${at}`);
  const { workspace, outcome, log } = await runMisbehaving(kinds, { recycleAfterItems: 3 });
  using _ = workspace;
  assert.equal(outcome.succeeded, 4);
  assert.deepEqual(
    log.of('worker-replaced').map(({ reason }) => reason),
    ['items'],
  );
  // Output printed just before a worker exits may be lost.
  assert.ok(
    log.of('worker-output').some(({ text }) => text.includes('good')),
    'forwarded',
  );
});

test('a worker process gets only the environment variables it was given', async () => {
  using workspace = new Workspace();
  const module = new URL('../../test/fixtures/stage/environment.ts', import.meta.url);
  const seen: unknown[] = [];
  await runStage(
    { stageName: 'test', items: [workspace.item('a', { outputs: {} })] },
    { module },
    { ...workspace.options, policy: 'cpu', workers: 1 },
    { afterItem: (_item, outcome) => 'result' in outcome && seen.push(outcome.result) },
    { workerEnvironment: { GIVEN: 'yes' }, workerData: { answer: 42 } },
  );
  assert.deepEqual(seen, [{ names: ['GIVEN'], data: { answer: 42 } }]);
});

test('expected workers start and prepare before there is an item; processes get the requested priority', async () => {
  using workspace = new Workspace();
  const module = new URL('../../test/fixtures/stage/prepared.ts', import.meta.url);
  const { promise: expecting, resolve: expect } = Promise.withResolvers<void>();
  const { promise: prepared, resolve: markPrepared } = Promise.withResolvers<void>();
  const seen: unknown[] = [];
  const items = (async function* () {
    expect();
    // There is no item until a worker is ready.
    await prepared;
    yield workspace.item('after', { outputs: {} });
  })();
  await runStage(
    { stageName: 'test', items },
    { module },
    { ...workspace.options, policy: 'cpu', workers: 1, niceness: 3 },
    { afterItem: (_item, outcome) => 'result' in outcome && seen.push(outcome.result) },
    {
      expecting,
      workerData: 'model',
      report: (event) => event.kind === 'worker-output' && event.text.includes('prepared') && markPrepared(),
    },
  );
  const niceness = Math.min(19, getPriority() + 3);
  assert.deepEqual(seen, [{ loaded: 'model', niceness }]);
});

test('the young generation of a worker has the requested size', async () => {
  using workspace = new Workspace();
  const module = new URL('../../test/fixtures/stage/heap.ts', import.meta.url);
  const seen: Record<string, unknown>[] = [];
  await runStage(
    { stageName: 'test', items: [workspace.item('a', { outputs: {} })] },
    { module },
    { ...workspace.options, policy: 'cpu', workers: 1, youngGenerationMb: 12 },
    { afterItem: (_item, outcome) => 'result' in outcome && outcome.result && seen.push({ ...outcome.result }) },
  );
  const flags = (seen[0]?.['flags'] ?? []) as string[];
  assert.ok(flags.includes('--max-semi-space-size=4'), 'the young generation is three semi-spaces');
});

test('hooks run on the main thread, wherever the items run', async () => {
  using workspace = new Workspace();
  const threads = new Map<string, number>();
  const note = (hook: string) => (): void => void threads.set(hook, threadId);
  await runStage(
    { stageName: 'test', items: [workspace.item('a')] },
    misbehave,
    { ...workspace.options, policy: 'cpu', workers: 1 },
    {
      beforeStage: note('beforeStage'),
      beforeItem: note('beforeItem'),
      afterItem: note('afterItem'),
      afterStage: note('afterStage'),
    },
  );
  assert.deepEqual(
    [...threads],
    ['beforeStage', 'beforeItem', 'afterItem', 'afterStage'].map((hook) => [hook, threadId]),
  );
});

test('processes that cannot be started stop the stage with an error code, and the run ends', async () => {
  using workspace = new Workspace();
  const { execPath } = process;
  process.execPath = workspace.output('no-such-program');
  try {
    await assert.rejects(
      runStage({ stageName: 'test', items: workspace.items(3) }, misbehave, {
        ...workspace.options,
        policy: 'cpu',
        workers: 2,
      }),
      { code: 'STAGE_WORKER_UNUSABLE' },
    );
  } finally {
    process.execPath = execPath;
  }
});

test('a missing module or one without a worker stops the stage with an error code, and the run ends', async () => {
  for (const [worker, what] of [
    [{ module: new URL('./execute/no-such-worker.ts', import.meta.url) }, /no-such-worker/],
    [{ ...misbehave, export: 'other' }, /not export a function named other/],
  ] as const) {
    using workspace = new Workspace();
    await assert.rejects(
      runStage({ stageName: 'test', items: workspace.items(3) }, worker, {
        ...workspace.options,
        policy: 'cpu',
        workers: 2,
      }),
      (error: Error & { code?: string }) => error.code === 'STAGE_WORKER_UNUSABLE' && what.test(error.message),
    );
  }
});

test('the worker of a cpu stage is a module, never a closure', async () => {
  using workspace = new Workspace();
  await assert.rejects(
    runStage({ stageName: 'test', items: [] }, () => ({ status: 'success' }), { ...workspace.options, policy: 'cpu' }),
    { code: 'CONFIG_STAGE_WORKER' },
  );
});

test('an item is limited by CPU time, which its worker may extend; an idle one by ten times as much wall time', async () => {
  using workspace = new Workspace();
  const kinds = ['work-1', 'work-granted', 'hang-1', 'good-1'];
  const outcome = await runStage({ stageName: 'test', items: kinds.map((kind) => workspace.item(kind)) }, misbehave, {
    ...workspace.options,
    policy: 'cpu',
    workers: 2,
    perItemCpuS: 0.5,
  });
  assert.deepEqual(
    outcome.errors.map(({ itemId, category, code }) => [itemId, category, code]),
    [
      ['work-1', 'timeout', 'ITEM_TIMEOUT'],
      ['hang-1', 'timeout', 'ITEM_TIMEOUT'],
    ],
  );
  assert.equal(outcome.succeeded, 2);
});
