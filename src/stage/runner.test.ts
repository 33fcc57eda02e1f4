import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { HeldClock } from '../testing/index.ts';
import { bareItem, EventLog, Workspace } from '../../test/fixtures/stage/workspace.ts';
import { runStage, stageExitCode, StageError } from './index.ts';
import type {
  ErrorCategory,
  ItemOutcome,
  StageHooks,
  StageOptions,
  StageOutcome,
  StageRuntime,
  StageWorker,
  WorkItem,
} from './index.ts';

const upper = { module: new URL('../../test/fixtures/stage/upper.ts', import.meta.url) };
const fine: ItemOutcome = { status: 'success' };

interface Setting {
  readonly options?: Partial<StageOptions>;
  readonly hooks?: StageHooks;
  readonly runtime?: StageRuntime;
}

async function runBare(ids: readonly string[], worker: StageWorker, setting: Setting = {}): Promise<StageOutcome> {
  using workspace = new Workspace();
  return await runStage(
    { stageName: 'test', items: ids.map((id) => bareItem(id)) },
    worker,
    { ...workspace.options, ...setting.options },
    setting.hooks,
    setting.runtime,
  );
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `i${at}`);

for (const policy of ['io', 'gpu', 'cpu'] as const) {
  test(`success, skip and failure are all counted with policy ${policy}`, async () => {
    using workspace = new Workspace();
    workspace.write('b', 'skip this');
    workspace.write('c', 'fail this');
    const outcome = await runStage(
      { stageName: 'test', items: ['a', 'b', 'c', 'd'].map((id) => workspace.item(id)) },
      upper,
      { ...workspace.options, policy, workers: 1 },
    );
    assert.deepEqual(
      [outcome.scheduled, outcome.succeeded, outcome.skipped, outcome.failed, outcome.cancelled],
      [4, 2, 1, 1, false],
    );
    assert.deepEqual(
      workspace.rows().map(({ doc_id, status }) => `${doc_id} ${status}`),
      ['a success', 'b skip', 'c failure', 'd success'],
    );
    assert.equal(stageExitCode(outcome), 1);
  });
}

test('an output folder removed between two runs of a process is created again', async () => {
  using workspace = new Workspace();
  const worker: StageWorker = ({ outputs }) => {
    writeFileSync(outputs['out'] ?? '', 'x');
    return fine;
  };
  const out = join(workspace.root, 'made', 'out.txt');
  for (const id of ['a', 'b']) {
    const item = { ...bareItem(id), outputs: { out } };
    const outcome = await runStage({ stageName: id, items: [item] }, worker, { ...workspace.options, policy: 'io' });
    assert.equal(outcome.succeeded, 1);
    rmSync(join(workspace.root, 'made'), { recursive: true });
  }
});

test('hooks must not throw: exceptions are logged as warnings', async () => {
  const log = new EventLog();
  const boom = (): never => {
    throw new Error('boom');
  };
  const hooks = { beforeStage: boom, beforeItem: boom, afterItem: boom, afterStage: boom };
  const outcome = await runBare(['a', 'b'], () => fine, { hooks, runtime: { report: log.report } });
  assert.equal(outcome.succeeded, 2);
  assert.equal(outcome.failed, 0);
  assert.deepEqual(
    log
      .of('hook-failed')
      .map(({ hook, itemId, message }) => `${hook} ${itemId ?? ''} ${message}`)
      .sort(),
    [
      'afterItem a boom',
      'afterItem b boom',
      'afterStage  boom',
      'beforeItem a boom',
      'beforeItem b boom',
      'beforeStage  boom',
    ],
  );
});

test('after-item hooks execute in order for all completions, whatever order they complete in', async () => {
  const started = new Map<string, (outcome: ItemOutcome) => void>();
  const allStarted = Promise.withResolvers<void>();
  const order: string[] = [];
  const run = runBare(
    ['a', 'b', 'c', 'd'],
    (item) =>
      new Promise((resolve) => {
        started.set(item.itemId, resolve);
        if (started.size === 4) allStarted.resolve();
      }),
    { hooks: { afterItem: (item) => void order.push(item.itemId) } },
  );
  await allStarted.promise;
  for (const id of ['d', 'b', 'a', 'c']) started.get(id)?.(fine);
  await run;
  assert.deepEqual(order, ['a', 'b', 'c', 'd']);
});

test('an item that arrives while the stage runs does not wait for a slow one before it', async () => {
  using workspace = new Workspace();
  const slow = Promise.withResolvers<ItemOutcome>();
  const recorded: string[] = [];
  async function* live(): AsyncGenerator<WorkItem> {
    yield bareItem('slow');
    yield bareItem('quick');
  }
  await runStage(
    { stageName: 'test', items: live() },
    ({ itemId }) => (itemId === 'slow' ? slow.promise : fine),
    workspace.options,
    {
      afterItem({ itemId }) {
        recorded.push(itemId);
        slow.resolve(fine);
      },
    },
  );
  assert.deepEqual(recorded, ['quick', 'slow']);
});

test('hooks are called before the first item and after the last, with the outcome', async () => {
  const calls: string[] = [];
  await runBare(['a'], () => fine, {
    hooks: {
      beforeStage: ({ stageName }) => void calls.push(`before ${stageName}`),
      beforeItem: (item) => void calls.push(`begin ${item.itemId}`),
      afterItem: (item, end) => void calls.push(`end ${item.itemId} ${'status' in end ? end.status : end.category}`),
      afterStage: (outcome) => void calls.push(`after ${outcome.succeeded}`),
    },
  });
  assert.deepEqual(calls, ['before test', 'begin a', 'end a success', 'after 1']);
});

test('workers limits the parallelism', async () => {
  let running = 0;
  let most = 0;
  await runBare(
    ids(20),
    async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return fine;
    },
    { options: { workers: 3 } },
  );
  assert.equal(most, 3);
});

test('delay = base * 2^(attempt-1), less up to a half at random, then all retries are exhausted and the item is marked failed', async () => {
  for (const [random, factor] of [
    [0, 0.5],
    [0.5, 0.75],
    [0.999999, 1],
  ] as const) {
    const clock = new HeldClock();
    const log = new EventLog();
    let attempts = 0;
    const outcome = await runBare(
      ['a'],
      () => {
        attempts += 1;
        throw new StageError('network', 'HTTP 503');
      },
      {
        options: { retries: 3, retryBackoffS: 1 },
        runtime: {
          clock,
          random: () => random,
          report: (event) => {
            log.report(event);
            if (event.kind === 'item-retry') void clock.advance(event.delayMs);
          },
        },
      },
    );
    assert.equal(attempts, 4);
    assert.deepEqual(
      log.of('item-retry').map(({ delayMs }) => Math.round(delayMs)),
      [1000 * factor, 2000 * factor, 4000 * factor].map((ms) => Math.round(ms)),
    );
    assert.deepEqual([outcome.failed, outcome.retried, outcome.scheduled], [1, 3, 1]);
  }
});

test('retryAfterMs of a server is respected', async () => {
  const clock = new HeldClock();
  const delays: number[] = [];
  const outcome = await runBare(
    ['a'],
    (_item, { attempt }) => {
      if (attempt > 1) return fine;
      throw new StageError('network', 'HTTP 429', { retryAfterMs: 90_000 });
    },
    {
      options: { retries: 1 },
      runtime: {
        clock,
        report: (event) => {
          if (event.kind !== 'item-retry') return;
          delays.push(event.delayMs);
          void clock.advance(event.delayMs);
        },
      },
    },
  );
  assert.deepEqual(delays, [90_000]);
  assert.equal(outcome.succeeded, 1);
});

test('only retryable errors are retried: network and transient, unless the error says otherwise', async () => {
  const expected: Record<ErrorCategory, number> = {
    input: 1,
    config: 1,
    runtime: 1,
    timeout: 1,
    network: 2,
    transient: 2,
    unknown: 1,
  };
  for (const [category, attempts] of Object.entries(expected)) {
    let seen = 0;
    await runBare(
      ['a'],
      () => {
        seen += 1;
        throw new StageError(category as ErrorCategory, 'no');
      },
      { options: { retries: 1, retryBackoffS: 0 } },
    );
    assert.equal(seen, attempts, category);
  }
  let seen = 0;
  await runBare(
    ['a'],
    () => {
      seen += 1;
      return { status: 'failure', error: { category: 'network', message: 'gone for good', retryable: false } };
    },
    { options: { retries: 1, retryBackoffS: 0 } },
  );
  assert.equal(seen, 1);
});

test('errors are classified by what was thrown: missing file, network, lock, anything else', async () => {
  const thrown: readonly (readonly [unknown, ErrorCategory])[] = [
    [Object.assign(new Error('no'), { code: 'ENOENT' }), 'input'],
    [Object.assign(new Error('no'), { code: 'CONFIG_INVALID' }), 'config'],
    [Object.assign(new Error('no'), { code: 'EIO' }), 'runtime'],
    [Object.assign(new Error('no'), { code: 'ECONNRESET' }), 'network'],
    [Object.assign(new Error('no'), { code: 'FILE_LOCKED' }), 'transient'],
    [new TypeError('no'), 'unknown'],
    ['a string', 'unknown'],
  ];
  for (const [what, category] of thrown) {
    const outcome = await runBare(['a'], () => {
      throw what;
    });
    assert.equal(outcome.errors[0]?.category, category, String(what));
    assert.equal(outcome.errors[0]?.itemId, 'a');
    assert.equal(outcome.errors[0]?.stage, 'test');
  }
});

test('an item that waits for its retry blocks no others', async () => {
  const clock = new HeldClock();
  const done: string[] = [];
  const outcome = await runBare(
    ids(50),
    (item, { attempt }) => {
      if (item.itemId === 'i0' && attempt === 1) throw new StageError('transient', 'locked');
      done.push(item.itemId);
      if (done.length === 49) void clock.advance(2_000);
      return fine;
    },
    { options: { workers: 1, retries: 1, retryBackoffS: 1 }, runtime: { clock } },
  );
  assert.equal(outcome.succeeded, 50);
  assert.deepEqual(done, [...ids(50).slice(1), 'i0']);
});

test('failed > error budget: cancelled is set, no new submissions, what is in flight completes', async () => {
  const inFlight = Promise.withResolvers<ItemOutcome>();
  const begun: string[] = [];
  const outcome = await runBare(
    ids(100),
    (item) => {
      begun.push(item.itemId);
      if (item.itemId === 'i0') return inFlight.promise;
      if (begun.length === 5) inFlight.resolve(fine);
      throw new StageError('runtime', 'no');
    },
    { options: { workers: 2, errorBudget: 3 } },
  );
  assert.deepEqual(
    [outcome.cancelled, outcome.failed, outcome.succeeded, begun.length],
    [true, 4, 1, 5],
    'the fourth failure is one too many',
  );
  assert.match(outcome.stopReason ?? '', /error budget/);
  assert.equal(stageExitCode(outcome), 1);
});

test('the error budget counts final failures only, and 0 means unlimited', async () => {
  const flaky: StageWorker = (_item, { attempt }) => {
    if (attempt < 3) throw new StageError('transient', 'again');
    return fine;
  };
  const outcome = await runBare(ids(10), flaky, { options: { errorBudget: 1, retries: 2, retryBackoffS: 0 } });
  assert.deepEqual([outcome.cancelled, outcome.succeeded, outcome.retried], [false, 10, 20]);
  const unlimited = await runBare(ids(50), () => {
    throw new Error('no');
  });
  assert.deepEqual([unlimited.cancelled, unlimited.failed], [false, 50]);
});

test('a run without any success never reports success', async () => {
  const outcome = await runBare(ids(3), () => undefined as never);
  assert.equal(outcome.failed, 3);
  assert.equal(stageExitCode(outcome), 1);
});

test('an io item over its timeout is aborted by signal and ends as a timeout; others are not affected', async () => {
  const clock = new HeldClock();
  const outcome = await runBare(
    ['slow', 'quick'],
    (item, { signal }) =>
      item.itemId === 'quick'
        ? fine
        : new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
            void clock.advance(5_000);
          }),
    { options: { perItemTimeoutS: 5, workers: 1 }, runtime: { clock } },
  );
  assert.deepEqual([outcome.failed, outcome.succeeded, outcome.abandoned], [1, 1, 0]);
  assert.deepEqual([outcome.errors[0]?.category, outcome.errors[0]?.retryable], ['timeout', false]);
});

test('an io item that ignores its abort is abandoned and reported, and its slot is free again', async () => {
  const clock = new HeldClock();
  const log = new EventLog();
  const outcome = await runBare(
    ['deaf', 'quick'],
    (item) => {
      if (item.itemId === 'quick') return fine;
      void clock.advance(7_000);
      return new Promise(() => undefined);
    },
    { options: { perItemTimeoutS: 5, abortGraceS: 2, workers: 1 }, runtime: { clock, report: log.report } },
  );
  assert.deepEqual([outcome.failed, outcome.succeeded, outcome.abandoned], [1, 1, 1]);
  assert.deepEqual(
    log.of('item-abandoned').map(({ itemId }) => itemId),
    ['deaf'],
  );
});

test('a timeout of 0 is off', async () => {
  const clock = new HeldClock();
  const outcome = await runBare(
    ['a'],
    async () => {
      await clock.advance(10_000_000);
      return fine;
    },
    { options: { perItemTimeoutS: 0 }, runtime: { clock } },
  );
  assert.equal(outcome.succeeded, 1);
});

test('max_queue limits how far a plan is read ahead of the workers', async () => {
  using workspace = new Workspace();
  let pulled = 0;
  let begun = 0;
  let ahead = 0;
  async function* endless(): AsyncGenerator<WorkItem> {
    for (const id of ids(500)) {
      pulled += 1;
      ahead = Math.max(ahead, pulled - begun);
      yield bareItem(id);
    }
  }
  const worker: StageWorker = async () => {
    begun += 1;
    await new Promise(setImmediate);
    return fine;
  };
  const outcome = await runStage({ stageName: 'test', items: endless() }, worker, {
    ...workspace.options,
    workers: 2,
    maxQueue: 4,
  });
  assert.equal(outcome.succeeded, 500);
  assert.ok(ahead <= 4 + 1, `${ahead} were taken ahead`);
});

test('an async iterable of unknown length is read as workers become free, bounded even without max_queue', async () => {
  using workspace = new Workspace();
  let pulled = 0;
  let ended = 0;
  let ahead = 0;
  async function* plan(): AsyncGenerator<WorkItem> {
    for (const id of ids(500)) {
      pulled += 1;
      ahead = Math.max(ahead, pulled - ended);
      yield bareItem(id);
    }
  }
  const outcome = await runStage(
    { stageName: 'test', items: plan() },
    async () => {
      // Long enough for the plan to be read as far ahead as it may be.
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      ended += 1;
      return fine;
    },
    { ...workspace.options, workers: 4 },
  );
  assert.equal(outcome.succeeded, 500);
  assert.ok(ahead <= 100, `${ahead} were taken ahead`);
});

for (const [scheduling, expected] of [
  ['fifo', ['m', 'xl', 's', 'l']],
  ['sjf', ['s', 'm', 'l', 'xl']],
  ['lpt', ['xl', 'l', 'm', 's']],
] as const) {
  test(`${scheduling} starts items in its order, from lists and from iterables`, async () => {
    const costs = { m: 2, xl: 4, s: 1, l: 3 };
    const items = Object.entries(costs).map(([id, costHint]) => bareItem(id, { costHint }));
    async function* stream(): AsyncGenerator<WorkItem> {
      yield* items;
    }
    const begun: string[] = [];
    const hold = Promise.withResolvers<void>();
    for (const plan of [items, stream()]) {
      using workspace = new Workspace();
      begun.length = 0;
      await runStage(
        // A gate lets all items arrive before the first one of a stream starts.
        { stageName: 'test', items: plan === items ? plan : gated(plan as AsyncIterable<WorkItem>) },
        async (item) => {
          if (item.itemId === 'gate') await hold.promise;
          else begun.push(item.itemId);
          return fine;
        },
        { ...workspace.options, workers: 1, scheduling },
      );
      assert.deepEqual(begun, expected);
      assert.deepEqual(
        workspace
          .rows()
          .map(({ doc_id }) => doc_id)
          .filter((id) => id !== 'gate'),
        expected,
        'rows follow the schedule',
      );
    }
    async function* gated(inner: AsyncIterable<WorkItem>): AsyncGenerator<WorkItem> {
      yield bareItem('gate', { costHint: scheduling === 'sjf' ? 0 : 9 });
      yield* inner;
      hold.resolve();
    }
  });
}

test('a plan that throws ends the run with its error, after started items have finished', async () => {
  using workspace = new Workspace();
  function* broken(): Generator<WorkItem> {
    yield bareItem('a');
    throw new Error('the listing broke');
  }
  await assert.rejects(
    runStage({ stageName: 'test', items: broken() }, () => fine, workspace.options),
    /the listing broke/,
  );
  const items = (async function* () {
    yield bareItem('a');
    throw new Error('the stream broke');
  })();
  await assert.rejects(
    runStage({ stageName: 'test', items }, () => fine, workspace.options),
    /the stream broke/,
  );
  assert.deepEqual(
    workspace.rows().map(({ doc_id }) => doc_id),
    ['a', 'a'],
  );
});

test('a full disk stops the run immediately with the reason', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  let begun = 0;
  const outcome = await runBare(
    ids(100),
    () => {
      begun += 1;
      throw full;
    },
    { options: { workers: 1 } },
  );
  assert.deepEqual([outcome.cancelled, outcome.failed, begun], [true, 1, 1]);
  assert.match(outcome.stopReason ?? '', /no space left/);
});

test('a worker can stop the run if no other item can succeed', async () => {
  let begun = 0;
  const outcome = await runBare(
    ids(100),
    () => {
      begun += 1;
      throw new StageError('network', 'the server is gone', { retryable: false, stopsStage: true });
    },
    { options: { workers: 1 } },
  );
  assert.deepEqual([outcome.cancelled, outcome.failed, begun], [true, 1, 1]);
  assert.equal(outcome.stopReason, 'the server is gone');
});

test('an outer signal drains the stage and leaves the rest for the next run', async () => {
  const stop = new AbortController();
  const begun: string[] = [];
  const outcome = await runBare(
    ids(10),
    async (item) => {
      begun.push(item.itemId);
      stop.abort('enough');
      return fine;
    },
    { options: { workers: 1 }, runtime: { signal: stop.signal } },
  );
  assert.deepEqual([outcome.cancelled, outcome.succeeded, outcome.unfinished, begun.length], [true, 1, 9, 1]);
  assert.equal(outcome.stopReason, 'enough');
});

test('an invalid stage name is rejected', async () => {
  await assert.rejects(
    runStage({ stageName: '../up', items: [] }, () => fine),
    { code: 'CONFIG_STAGE_NAME' },
  );
});
