import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { HeldClock } from '../testing/index.ts';
import { bareItem, EventLog, Workspace } from '../../test/fixtures/stage/workspace.ts';
import { diagnosticsLine, planText, progressLine, runStage, summaryText } from './index.ts';
import type { ItemEnd, ItemSource, TakenItem, WorkItem } from './index.ts';

const SUCCESS = { status: 'success' } as const;

/** A shared source of items, with how each ended. */
class SharedItems implements ItemSource {
  readonly ends = new Map<string, ItemEnd['kind'][]>();
  readonly #items: TakenItem[];

  constructor(items: readonly TakenItem[]) {
    this.#items = [...items];
  }

  take(limit: number): Promise<readonly TakenItem[] | undefined> {
    return Promise.resolve(this.#items.length === 0 ? undefined : this.#items.splice(0, Math.min(limit, 3)));
  }

  settle(item: WorkItem, end: ItemEnd): Promise<void> {
    this.ends.set(item.itemId, [...(this.ends.get(item.itemId) ?? []), end.kind]);
    return Promise.resolve();
  }
}

test('several runners share one source: each item is processed once', async () => {
  using workspace = new Workspace();
  const items = workspace.items(50);
  const shared = new SharedItems(items.map((item) => ({ item })));
  const done: string[] = [];
  const run = () =>
    runStage(
      { stageName: 'test', items: shared },
      async (item) => {
        done.push(item.itemId);
        writeFileSync(item.outputs['output'] ?? '', 'x');
        await new Promise(setImmediate);
        return SUCCESS;
      },
      { ...workspace.options, workers: 2 },
    );
  const outcomes = await Promise.all([run(), run(), run()]);
  assert.equal(
    outcomes.reduce((sum, outcome) => sum + outcome.succeeded, 0),
    50,
  );
  assert.deepEqual(
    done.toSorted(),
    items.map(({ itemId }) => itemId),
  );
  assert.deepEqual(
    [...shared.ends.values()].flat(),
    Array.from({ length: 50 }, () => 'success'),
  );
  const rows = workspace.rows().map(({ doc_id }) => doc_id);
  assert.deepEqual(
    rows.toSorted(),
    items.map(({ itemId }) => itemId),
    'one complete row per item',
  );
});

test('a source is notified of an item after its row is written, whatever its outcome', async () => {
  using workspace = new Workspace();
  const seen: string[] = [];
  const shared = new SharedItems(['ok', 'skip', 'fail'].map((id) => ({ item: bareItem(id) })));
  shared.settle = (item, end) => {
    seen.push(`${item.itemId} ${end.kind} ${workspace.rows().some(({ doc_id }) => doc_id === item.itemId)}`);
    return Promise.resolve();
  };
  await runStage(
    { stageName: 'test', items: shared },
    (item) => (item.itemId === 'fail' ? (undefined as never) : { status: item.itemId === 'ok' ? 'success' : 'skip' }),
    workspace.options,
  );
  assert.deepEqual(seen, ['ok success true', 'skip skip true', 'fail failure true']);
});

test('a drain returns items to the source that were taken but not started', async () => {
  using workspace = new Workspace();
  const stop = new AbortController();
  const shared = new SharedItems(['a', 'b', 'c'].map((id) => ({ item: bareItem(id) })));
  const outcome = await runStage(
    { stageName: 'test', items: shared },
    () => {
      stop.abort();
      return SUCCESS;
    },
    { ...workspace.options, workers: 1, maxQueue: 3 },
    {},
    { signal: stop.signal },
  );
  assert.equal(outcome.cancelled, true);
  assert.deepEqual(
    [...shared.ends],
    [
      ['b', ['unfinished']],
      ['c', ['unfinished']],
      ['a', ['success']],
    ],
  );
});

test('an item lost to another runner is stopped, and its result discarded without a row', async () => {
  using workspace = new Workspace();
  const lost = new AbortController();
  const shared = new SharedItems([{ item: bareItem('mine') }, { item: bareItem('theirs'), lost: lost.signal }]);
  const outcome = await runStage(
    { stageName: 'test', items: shared },
    (item, { signal }) => {
      if (item.itemId === 'mine') return SUCCESS;
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(SUCCESS));
        lost.abort();
      });
    },
    workspace.options,
  );
  assert.deepEqual([outcome.succeeded, outcome.unfinished], [1, 1]);
  assert.deepEqual(
    workspace.rows().map(({ doc_id }) => doc_id),
    ['mine'],
  );
  assert.deepEqual(shared.ends.get('theirs'), ['unfinished']);
});

test('shards i/n partition a plan, and an item stays in its shard when the plan grows', async () => {
  const shardOf = async (ids: readonly string[]): Promise<Map<string, number>> => {
    const owner = new Map<string, number>();
    for (let index = 1; index <= 3; index += 1) {
      using workspace = new Workspace();
      await runStage(
        { stageName: 'test', items: ids.map((id) => bareItem(id)) },
        (item) => {
          assert.equal(owner.has(item.itemId), false);
          owner.set(item.itemId, index);
          return SUCCESS;
        },
        { ...workspace.options, shard: { index, count: 3 } },
      );
    }
    return owner;
  };
  const ids = Array.from({ length: 60 }, (_, at) => `doc${at}`);
  const few = await shardOf(ids.slice(0, 40));
  const many = await shardOf(ids);
  assert.equal(few.size, 40);
  assert.equal(many.size, 60);
  for (const [id, index] of few) assert.equal(many.get(id), index);
  for (const index of [1, 2, 3]) assert.ok([...many.values()].filter((each) => each === index).length >= 10);
});

test('limit takes the first items of the plan', async () => {
  using workspace = new Workspace();
  const done: string[] = [];
  await runStage(
    { stageName: 'test', items: ['a', 'b', 'c'].map((id) => bareItem(id)) },
    (item) => {
      done.push(item.itemId);
      return SUCCESS;
    },
    { ...workspace.options, limit: 2 },
  );
  assert.deepEqual(done, ['a', 'b']);
});

test('dry run: plan only, no execution, by bucket with reasons; nothing is written', async () => {
  using workspace = new Workspace();
  const items = workspace.items(6);
  const write = (item: WorkItem): typeof SUCCESS => {
    writeFileSync(item.outputs['output'] ?? '', 'x');
    return SUCCESS;
  };
  await runStage({ stageName: 'test', items: items.slice(0, 4) }, write, workspace.options);
  writeFileSync(workspace.output('doc0001'), '');
  const rows = workspace.rows().length;
  const changed = items.map((item) => (item.itemId === 'doc0002' ? { ...item, cfgHash: 'other' } : item));
  const outcome = await runStage({ stageName: 'test', items: changed }, () => assert.fail('executed'), {
    ...workspace.options,
    dryRun: true,
  });
  assert.deepEqual(
    outcome.plan?.map(({ action, reason, items: count, examples }) => [action, reason, count, examples]),
    [
      ['run', 'output-missing', 2, ['doc0004', 'doc0005']],
      ['run', 'output-empty', 1, ['doc0001']],
      ['run', 'config-changed', 1, ['doc0002']],
      ['skip', 'resume-satisfied', 2, ['doc0000', 'doc0003']],
    ],
  );
  assert.equal(workspace.rows().length, rows);
  const text = planText('test', outcome.plan ?? []);
  assert.match(text, /4 to run, 2 to skip/);
  assert.match(text, /output-empty +doc0001/);
});

test('progress shows done of total, ETA, p50 and p95, in flight, retries and failures; diagnostics follow their interval', async () => {
  using workspace = new Workspace();
  const clock = new HeldClock();
  const log = new EventLog();
  const outcome = await runStage(
    { stageName: 'test', items: Array.from({ length: 10 }, (_, at) => bareItem(`doc${at}`)) },
    async (item) => {
      await clock.advance(item.itemId === 'doc9' ? 9_000 : 1_000);
      if (item.itemId === 'doc3') throw new Error('page 17 of /data/x.pdf is broken');
      return SUCCESS;
    },
    { ...workspace.options, workers: 1, diagnosticsIntervalS: 4 },
    {},
    { clock, report: log.report },
  );
  const fifth = log.of('progress')[4]?.progress;
  assert.ok(fifth);
  assert.deepEqual([fifth.done, fifth.total, fifth.failed, Math.round(fifth.etaMs ?? 0)], [5, 10, 1, 5_000]);
  assert.equal(Math.round(fifth.execP50Ms / 20) * 20, 1_000);
  assert.deepEqual(
    log.of('diagnostics').map(({ progress }) => progress.elapsedMs),
    [4_000, 8_000, 12_000, 16_000],
  );
  assert.match(
    progressLine(fifth),
    /^test 5\/10 · 1\.0\/s · ETA 5\.0 s · p50 1\.0 s p95 1\.0 s · \d in flight · 1 failed$/,
  );
  assert.match(diagnosticsLine(fifth), /done=5 total=10 succeeded=4 skipped=0 failed=1 retries=0/);
  assert.deepEqual([outcome.slowest[0]?.itemId, outcome.slowest[0]?.durationS], ['doc9', 9]);
  assert.ok(Math.abs(outcome.execP50Ms - 1_000) < 20 && Math.abs(outcome.execP95Ms - 9_000) < 120);
  assert.equal(outcome.wallMs, 18_000);
  const summary = summaryText(outcome);
  assert.match(summary, /9 succeeded, 0 skipped, 1 failed/);
  assert.match(summary, /slowest:\n {2}9\.0 s {2}doc9/);
  assert.match(summary, /1 × unknown: page 17 of \/data\/x\.pdf is broken/);
});

test('text from documents cannot control a terminal', () => {
  const text = planText('test', [
    { action: 'run', reason: 'x', items: 1, cost: 0, examples: ['a\u001B[2Jb\u202Ec\rd'] },
  ]);
  for (const steering of ['\u001B', '\u202E', '\r']) assert.ok(!text.includes(steering));
});
