import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { HeldClock } from '../../testing/index.ts';
import { Workspace } from '../../../test/fixtures/stage/workspace.ts';
import { manifestPath, runStage, StageError } from '../index.ts';
import type { ManifestSink, StageWorker } from '../index.ts';

const write: StageWorker = (item) => {
  writeFileSync(item.outputs['output'] ?? '', 'x');
  return { status: 'success', manifest: { chunk_count: 42, chunks_format: 'parquet', stage: 'not mine to say' } };
};

test('base fields are the same in all stages, next to stage-specific extras', async () => {
  using workspace = new Workspace();
  await runStage({ stageName: 'chunk', items: [workspace.item('paper_123')] }, write, workspace.options);
  const [row] = workspace.rows('chunk');
  assert.ok(row);
  const { duration_s: duration, finished_at: finishedAt, input_hash: inputHash, ...rest } = row;
  assert.deepEqual(rest, {
    stage: 'chunk',
    doc_id: 'paper_123',
    status: 'success',
    input_path: workspace.input('paper_123'),
    output_path: workspace.output('paper_123'),
    schema_version: 'docparse/1.1.0',
    cfg_hash: 'cfg1',
    attempts: 1,
    chunk_count: 42,
    chunks_format: 'parquet',
  });
  assert.equal(typeof duration, 'number');
  assert.match(String(inputHash), /^sha256:[0-9a-f]{64}$/);
  assert.ok(Math.abs(Date.parse(String(finishedAt)) - Date.now()) < 600_000);
});

test('the manifest is docparse.STAGE.manifest.jsonl', () => {
  assert.equal(manifestPath('Data/Manifests', 'embed'), join('Data', 'Manifests', 'docparse.embed.manifest.jsonl'));
});

test('failures have category, message and retryable, and the jq commands of the guide find them', async () => {
  using workspace = new Workspace();
  const clock = new HeldClock();
  await runStage(
    { stageName: 'embed', items: workspace.items(6) },
    async (item, context) => {
      if (item.itemId === 'doc0002') throw new StageError('network', 'HTTP 503 from "provider"\n\u0000');
      if (item.itemId === 'doc0004') await clock.advance(12_000);
      return write(item, context);
    },
    { ...workspace.options, workers: 1 },
    {},
    { clock },
  );
  const failure = workspace.rows('embed')[2];
  assert.match(String(failure?.['input_hash']), /^sha256:[0-9a-f]{64}$/, 'a failure has the hash of its input');
  assert.deepEqual(
    [failure?.['category'], failure?.['message'], failure?.['retryable'], failure?.status],
    ['network', 'HTTP 503 from "provider"\n\u0000', true, 'failure'],
  );
  assert.match(String(failure?.['input_hash']), /^sha256:[0-9a-f]{64}$/, 'a failure has the hash of its input');
  const select = (fits: (row: Readonly<Record<string, unknown>>) => boolean): string[] =>
    workspace
      .rows('embed')
      .filter(fits)
      .map(({ doc_id }) => doc_id);
  assert.deepEqual(
    select((row) => row['category'] === 'network'),
    ['doc0002'],
  );
  assert.deepEqual(
    select((row) => Number(row['duration_s']) > 10),
    ['doc0004'],
  );
});

test('item discovery order is preserved: rows are appended in order, one per item', async () => {
  using workspace = new Workspace();
  const items = workspace.items(40);
  const waiting: (() => void)[] = [];
  await runStage(
    { stageName: 'test', items },
    async (item, context) => {
      await new Promise<void>((resolve) => {
        waiting.unshift(resolve);
        // Let four gather, then release the last one first.
        if (waiting.length === 4) for (const go of waiting.splice(0)) go();
      });
      return write(item, context);
    },
    { ...workspace.options, workers: 4, durable: true },
  );
  assert.deepEqual(
    workspace.rows().map(({ doc_id }) => doc_id),
    items.map(({ itemId }) => itemId),
  );
});

test('a resume skip is written once per item and fingerprint, so repeated runs do not grow the file', async () => {
  using workspace = new Workspace();
  const items = workspace.items(5);
  const run = () => runStage({ stageName: 'test', items }, write, workspace.options);
  await run();
  assert.equal((await run()).skipped, 5);
  const warm = workspace.rows();
  assert.deepEqual(
    warm.slice(5).map(({ doc_id, status, reason, attempts }) => [doc_id, status, reason, attempts]),
    items.map(({ itemId }) => [itemId, 'skip', 'resume-satisfied', 0]),
  );
  for (let again = 0; again < 3; again += 1) assert.equal((await run()).skipped, 5);
  assert.equal(workspace.rows().length, warm.length);
  workspace.write('doc0002', 'changed');
  await run();
  await run();
  assert.deepEqual(
    workspace
      .rows()
      .slice(warm.length)
      .map(({ doc_id, status }) => `${doc_id} ${status}`),
    ['doc0002 success', 'doc0002 skip'],
    'another fingerprint is another row',
  );
});

test('a row missing after a kill is written by the next run', async () => {
  using workspace = new Workspace();
  const items = workspace.items(3);
  const run = () => runStage({ stageName: 'test', items }, write, workspace.options);
  await run();
  const path = manifestPath(String(workspace.options.manifestDir), 'test');
  const [first = ''] = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, `${first}\n`);
  await run();
  assert.deepEqual(
    workspace.rows().map(({ doc_id, status, recovered }) => [doc_id, status, recovered ?? false]),
    [
      ['doc0000', 'success', false],
      ['doc0000', 'skip', false],
      ['doc0001', 'success', true],
      ['doc0001', 'skip', false],
      ['doc0002', 'success', true],
      ['doc0002', 'skip', false],
    ],
  );
  await run();
  assert.equal(workspace.rows().length, 6);
});

test('a torn last line is cut off before the next row is written', async () => {
  using workspace = new Workspace();
  await runStage({ stageName: 'test', items: [workspace.item('a')] }, write, workspace.options);
  appendFileSync(manifestPath(String(workspace.options.manifestDir), 'test'), '{"stage":"test","doc_id":"b","sta');
  await runStage({ stageName: 'test', items: [workspace.item('c')] }, write, workspace.options);
  assert.deepEqual(
    workspace.rows().map(({ doc_id }) => doc_id),
    ['a', 'c'],
  );
});

test('every failed attempt is in the attempts log, with the delay to the next', async () => {
  using workspace = new Workspace();
  await runStage(
    { stageName: 'test', items: workspace.items(2) },
    (item, context) => {
      if (item.itemId === 'doc0001') throw new StageError('runtime', 'no');
      if (context.attempt < 3) throw new StageError('transient', 'again');
      return write(item, context);
    },
    { ...workspace.options, workers: 1, retries: 5, retryBackoffS: 0 },
  );
  assert.deepEqual(
    workspace.attempts().map(({ doc_id, attempts, category, retry_in_s }) => [doc_id, attempts, category, retry_in_s]),
    [
      ['doc0000', 1, 'transient', 0],
      ['doc0001', 1, 'runtime', undefined],
      ['doc0000', 2, 'transient', 0],
    ],
  );
  assert.deepEqual(
    workspace.rows().map(({ doc_id, status, attempts }) => [doc_id, status, attempts]),
    [
      ['doc0000', 'success', 3],
      ['doc0001', 'failure', 1],
    ],
  );
});

test('a manifest that cannot be written ends the run with an error', async () => {
  using workspace = new Workspace();
  const dir = String(workspace.options.manifestDir);
  let failed = false;
  await assert.rejects(
    runStage(
      { stageName: 'test', items: workspace.items(3) },
      write,
      workspace.options,
      {},
      {
        sink: {
          logSuccess: () => undefined,
          logSkip: () => undefined,
          logFailure: () => undefined,
          logAttempt: () => undefined,
          flush: () => {
            failed = true;
            return Promise.reject(new Error('the disk is gone'));
          },
          [Symbol.asyncDispose]: () => Promise.resolve(),
        },
      },
    ),
    /the disk is gone/,
  );
  assert.ok(failed);
  rmSync(dir, { recursive: true, force: true });
});

test('manifest sink: log_success, log_skip and log_failure can be replaced', async () => {
  using workspace = new Workspace();
  const logged: string[] = [];
  const sink: ManifestSink = {
    logSuccess: ({ itemId, durationS, schemaVersion }) =>
      void logged.push(`success ${itemId} ${durationS >= 0} ${schemaVersion}`),
    logSkip: ({ itemId }, reason) => void logged.push(`skip ${itemId} ${reason}`),
    logFailure: ({ itemId }, error) => void logged.push(`failure ${itemId} ${error.category} ${error.retryable}`),
    logAttempt: ({ itemId }, error, delayMs) => void logged.push(`attempt ${itemId} ${error.message} ${delayMs}`),
    flush: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  await runStage(
    { stageName: 'test', items: ['ok', 'no', 'bad'].map((id) => workspace.item(id, { outputs: {} })) },
    ({ itemId }) => {
      if (itemId === 'bad') throw new StageError('input', 'broken');
      return itemId === 'ok' ? { status: 'success' } : { status: 'skip', reason: 'not needed' };
    },
    { ...workspace.options, workers: 1 },
    {},
    { sink },
  );
  assert.deepEqual(logged, [
    'success ok true docparse/1.1.0',
    'skip no not needed',
    'attempt bad broken undefined',
    'failure bad input false',
  ]);
  assert.deepEqual(workspace.rows(), [], 'the default manifest is not written');
});

test('a duration is a JSON number whatever the worker returns', async () => {
  using workspace = new Workspace();
  const durations = [0, 1e-9, 0.000_012, 0.25, 1.5, 12_345.678_901, -1, Number.NaN, Infinity];
  await runStage(
    { stageName: 'test', items: durations.map((_, at) => workspace.item(`d${at}`, { outputs: {} })) },
    ({ itemId }) => ({ status: 'success', durationS: durations[Number(itemId.slice(1))] ?? 0 }),
    { ...workspace.options, workers: 1 },
  );
  assert.deepEqual(
    workspace.rows().map(({ duration_s }) => duration_s),
    [0, 0, 0.000_012, 0.25, 1.5, 12_345.678_901, 0, 0, 0],
  );
});
