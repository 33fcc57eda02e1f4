import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { sha256 } from '../../base/index.ts';
import { Workspace } from '../../../test/fixtures/stage/workspace.ts';
import { runStage } from '../index.ts';
import type { StageOptions, StageOutcome, StageWorker, WorkItem } from '../index.ts';

let calls = 0;
const upper: StageWorker = (item) => {
  calls += 1;
  writeFileSync(item.outputs['output'] ?? '', readFileSync(item.inputs['input'] ?? '', 'utf8').toUpperCase());
  return { status: 'success' };
};

function run(
  workspace: Workspace,
  items: readonly WorkItem[],
  options: Partial<StageOptions> = {},
): Promise<StageOutcome> {
  calls = 0;
  return runStage({ stageName: 'test', items: [...items] }, upper, { ...workspace.options, ...options });
}

/** Runs once, applies the change, and returns how many items a second run processes and why. */
async function rerunAfter(
  change: (workspace: Workspace, item: WorkItem) => WorkItem | void,
  options: Partial<StageOptions> = {},
): Promise<{ readonly reason: string | undefined; readonly worked: number }> {
  using workspace = new Workspace();
  const item = workspace.item('a');
  await run(workspace, [item]);
  const next = change(workspace, item) ?? item;
  const planned = await run(workspace, [next], { ...options, dryRun: true });
  await run(workspace, [next], options);
  return { reason: planned.plan?.[0]?.reason, worked: calls };
}

const fingerprint = (workspace: Workspace): string => `${workspace.output('a')}.fp.json`;

test('an item is skipped if resume is on, force is off, all outputs exist and are non-empty, and the fingerprint matches', async () => {
  assert.deepEqual(await rerunAfter(() => undefined), { reason: 'resume-satisfied', worked: 0 });
});

test('the fingerprint next to the output has input_sha256 and cfg_hash', async () => {
  using workspace = new Workspace();
  await run(workspace, [workspace.item('a')]);
  const stored = JSON.parse(readFileSync(fingerprint(workspace), 'utf8')) as Record<string, unknown>;
  assert.equal(stored['input_sha256'], sha256('text of a'));
  assert.equal(stored['cfg_hash'], 'cfg1');
});

test('resume off: everything runs again', async () => {
  assert.deepEqual(await rerunAfter(() => undefined, { resume: false }), { reason: 'resume-off', worked: 1 });
});

test('force flag: override resume, recompute everything', async () => {
  assert.deepEqual(await rerunAfter(() => undefined, { force: true }), { reason: 'forced', worked: 1 });
});

test('a missing or empty output is recreated', async () => {
  const missing = await rerunAfter((workspace) => rmSync(workspace.output('a')));
  assert.deepEqual(missing, { reason: 'output-missing', worked: 1 });
  const empty = await rerunAfter((workspace) => writeFileSync(workspace.output('a'), ''));
  assert.deepEqual(empty, { reason: 'output-empty', worked: 1 });
});

test('a truncated or overwritten output is noticed and recreated', async () => {
  for (const text of ['TEXT', 'TEXT OF A AND MORE']) {
    const damaged = await rerunAfter((workspace) => writeFileSync(workspace.output('a'), text));
    assert.deepEqual(damaged, { reason: 'output-damaged', worked: 1 });
  }
});

test('an output with the same size and other bytes is noticed by its time and hash, and reported as damaged', async () => {
  const damaged = await rerunAfter((workspace) => writeFileSync(workspace.output('a'), 'TEXT of a'));
  assert.deepEqual(damaged, { reason: 'output-damaged', worked: 1 });
});

test('an output that was only touched or copied is hashed once, kept, and recognised by its new time afterwards', async () => {
  using workspace = new Workspace();
  const item = workspace.item('a');
  await run(workspace, [item]);
  const earlier = Date.now() / 1000 - 1_800.5;
  utimesSync(workspace.output('a'), earlier, earlier);
  await run(workspace, [item]);
  assert.equal(calls, 0);
  const stored = JSON.parse(readFileSync(fingerprint(workspace), 'utf8')) as { outputs: [number, number, string][] };
  assert.deepEqual(stored.outputs, [[9, statSync(workspace.output('a')).mtimeMs, sha256('TEXT OF A')]]);
});

test('bytes changed under the same size and time are found by verify-hash', async () => {
  const change = (workspace: Workspace): void => {
    const { mtime } = statSync(workspace.output('a'));
    writeFileSync(workspace.output('a'), 'TEXT of a');
    utimesSync(workspace.output('a'), mtime, mtime);
  };
  using workspace = new Workspace();
  const item = workspace.item('a');
  await run(workspace, [item]);
  const whole = Math.floor(Date.now() / 1000) - 60;
  utimesSync(workspace.output('a'), whole, whole);
  await run(workspace, [item]);
  change(workspace);
  await run(workspace, [item]);
  assert.equal(calls, 0, 'size and time are unchanged');
  await run(workspace, [item], { verifyHash: true });
  assert.equal(calls, 1);
  assert.equal(readFileSync(workspace.output('a'), 'utf8'), 'TEXT OF A');
});

test('one missing output of several makes the item run again', async () => {
  const more = await rerunAfter((workspace, item) => ({
    ...item,
    outputs: { ...item.outputs, second: workspace.output('second') },
  }));
  assert.equal(more.reason, 'output-missing');
});

test('a missing or truncated fingerprint is not trusted', async () => {
  assert.deepEqual(await rerunAfter((workspace) => rmSync(fingerprint(workspace))), {
    reason: 'fingerprint-missing',
    worked: 1,
  });
  using workspace = new Workspace();
  const item = workspace.item('a');
  await run(workspace, [item]);
  const whole = readFileSync(fingerprint(workspace));
  for (let length = 0; length < whole.length; length += 1) {
    writeFileSync(fingerprint(workspace), whole.subarray(0, length));
    const planned = await run(workspace, [item], { dryRun: true });
    assert.equal(planned.plan?.[0]?.reason, 'fingerprint-damaged', `cut at ${length}`);
  }
});

test('config change: a changed cfg_hash invalidates the fingerprint', async () => {
  const changed = await rerunAfter((_workspace, item) => ({ ...item, cfgHash: 'cfg2' }));
  assert.deepEqual(changed, { reason: 'config-changed', worked: 1 });
});

test('input change: a new input_sha256 recomputes that document and no other', async () => {
  using workspace = new Workspace();
  const items = workspace.items(5);
  await run(workspace, items);
  workspace.write('doc0003', 'another text');
  const outcome = await run(workspace, items);
  assert.deepEqual([calls, outcome.succeeded, outcome.skipped], [1, 1, 4]);
  assert.equal(readFileSync(workspace.output('doc0003'), 'utf8'), 'ANOTHER TEXT');
});

test('a touched input with the same bytes is hashed once, skipped, and recognised by its new time afterwards', async () => {
  using workspace = new Workspace();
  const item = workspace.item('a');
  await run(workspace, [item]);
  const before = JSON.parse(readFileSync(fingerprint(workspace), 'utf8')) as { inputs: number[][] };
  const earlier = Date.now() / 1000 - 1_800.5;
  utimesSync(workspace.input('a'), earlier, earlier);
  await run(workspace, [item]);
  assert.equal(calls, 0);
  const after = JSON.parse(readFileSync(fingerprint(workspace), 'utf8')) as { inputs: number[][] };
  assert.notDeepEqual(after.inputs, before.inputs);
  assert.equal(after.inputs[0]?.[1], statSync(workspace.input('a')).mtimeMs);
});

test('an unchanged input is not read again; verify-hash reads it and finds changes that size, time and inode do not show', async () => {
  const sameMark = (workspace: Workspace): void => {
    const { atime, mtime } = statSync(workspace.input('a'));
    writeFileSync(workspace.input('a'), 'TEXT OF A');
    utimesSync(workspace.input('a'), atime, mtime);
  };
  using workspace = new Workspace();
  const whole = Math.floor(Date.now() / 1000) - 7_200;
  const item = workspace.item('a');
  utimesSync(workspace.input('a'), whole, whole);
  await run(workspace, [item]);
  sameMark(workspace);
  await run(workspace, [item]);
  assert.equal(calls, 0, 'the fast path trusts the mark');
  await run(workspace, [item], { verifyHash: true });
  assert.equal(calls, 1, 'verify-hash does not');
});

test('a fingerprint taken within a clock tick of the last change is not trusted', async () => {
  using workspace = new Workspace();
  const item = workspace.item('a');
  const fresh: StageWorker = (each, context) => {
    const now = Date.now() / 1000;
    utimesSync(workspace.input('a'), now, now);
    return upper(each, context);
  };
  utimesSync(workspace.input('a'), Date.now() / 1000 + 60, Date.now() / 1000 + 60.123);
  await runStage({ stageName: 'test', items: [item] }, upper, workspace.options);
  assert.equal('inputs' in (JSON.parse(readFileSync(fingerprint(workspace), 'utf8')) as object), false);
  const outcome = await runStage({ stageName: 'test', items: [item] }, fresh, { ...workspace.options, force: true });
  assert.equal(outcome.errors[0]?.code, 'INPUT_CHANGED', 'the input changed during the run');
  assert.equal(outcome.errors[0]?.category, 'transient');
  assert.deepEqual(workspace.leftovers(), []);
});

test('hashes known by the plan are used, and nothing is read', async () => {
  using workspace = new Workspace();
  const known = { ...workspace.item('a'), fingerprint: { inputSha256: 'f00d', cfgHash: 'cfg1' } };
  await run(workspace, [known]);
  rmSync(workspace.input('a'));
  assert.equal((await run(workspace, [known])).skipped, 1);
  const other = { ...known, fingerprint: { inputSha256: 'beef', cfgHash: 'cfg1' } };
  const planned = await run(workspace, [other], { dryRun: true });
  assert.equal(planned.plan?.[0]?.reason, 'input-changed');
});

test('outputs appear atomically and the fingerprint last', async () => {
  using workspace = new Workspace();
  const seen: string[] = [];
  await runStage(
    { stageName: 'test', items: [workspace.item('a')] },
    (item, { finalOutputs }) => {
      assert.equal(finalOutputs['output'], workspace.output('a'));
      writeFileSync(item.outputs['output'] ?? '', 'half');
      seen.push(`${existsSync(workspace.output('a'))} ${existsSync(fingerprint(workspace))}`);
      writeFileSync(item.outputs['output'] ?? '', 'whole');
      return { status: 'success' };
    },
    workspace.options,
  );
  assert.deepEqual(seen, ['false false']);
  assert.equal(readFileSync(workspace.output('a'), 'utf8'), 'whole');
  assert.deepEqual(workspace.leftovers(), []);
});

test('a failed attempt leaves nothing behind and does not change existing files', async () => {
  using workspace = new Workspace();
  const item = workspace.item('a');
  await run(workspace, [item]);
  const outcome = await runStage(
    { stageName: 'test', items: [item] },
    (staged) => {
      writeFileSync(staged.outputs['output'] ?? '', 'half');
      throw new Error('no');
    },
    { ...workspace.options, force: true },
  );
  assert.equal(outcome.failed, 1);
  assert.equal(readFileSync(workspace.output('a'), 'utf8'), 'TEXT OF A');
  assert.deepEqual(workspace.leftovers(), []);
  assert.equal((await run(workspace, [item])).skipped, 1, 'the old output is still valid');
});

test('a missing input is an input error and is not retried', async () => {
  using workspace = new Workspace();
  const item = workspace.item('a');
  rmSync(workspace.input('a'));
  const outcome = await run(workspace, [item], { retries: 3 });
  assert.deepEqual([outcome.errors[0]?.category, outcome.retried, calls], ['input', 0, 0]);
});

test('an output path taken by a folder fails only that item', async () => {
  using workspace = new Workspace();
  const items = workspace.items(3);
  const blocked = { ...workspace.item('doc0001'), outputs: { output: workspace.root } };
  const outcome = await run(workspace, items.with(1, blocked));
  assert.deepEqual([outcome.succeeded, outcome.failed], [2, 1]);
  assert.equal(outcome.errors[0]?.category, 'runtime');
});

test('durable outputs are written and resumed like any other', async () => {
  using workspace = new Workspace();
  const items = workspace.items(60);
  const outcome = await run(workspace, items, { durable: true, workers: 8 });
  assert.equal(outcome.succeeded, 60);
  assert.deepEqual(workspace.leftovers(), []);
  assert.equal((await run(workspace, items, { durable: true })).skipped, 60);
});

test('items without outputs always run', async () => {
  using workspace = new Workspace();
  const item = { ...workspace.item('a'), outputs: {} };
  const count: StageWorker = () => ({ status: 'success' });
  await runStage({ stageName: 'test', items: [item] }, count, workspace.options);
  const outcome = await runStage({ stageName: 'test', items: [item] }, count, workspace.options);
  assert.deepEqual([outcome.succeeded, outcome.skipped], [1, 0]);
});
