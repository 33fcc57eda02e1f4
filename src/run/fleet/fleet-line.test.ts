import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { Client } from 'pg';

import { startPostgres } from '../../../test/postgres.ts';
import { sha256, systemClock } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import { loadConfig, settingsLayer } from '../../config/index.ts';
import { openStored } from '../storage/storage.ts';
import type { WorkItem } from '../../stage/index.ts';
import { corpusLayer } from '../corpus-layer.ts';
import type { FlowingStage } from '../stages/prepare-stages.ts';
import { openFleetLine } from './fleet-line.ts';

const PDF = 'PDF/a.pdf';
const TEXT = 'Data/DocTagsFiles/a.jsonl';
const never = new AbortController().signal;
const runtime = { clock: systemClock, log: () => undefined };

const server = await startPostgres();
after(() => server[Symbol.asyncDispose]());

function configOf(folder: string, queue: object, store = join(folder, '..', 'store')): Config {
  const settings = {
    store: { url: store },
    queue,
    // A suspended machine sends no heartbeats.
    orchestrator: { lease_ttl_seconds: 3_600, heartbeat_seconds: 1_200 },
  };
  const flags = [...corpusLayer(folder, 'test'), ...settingsLayer(settings, 'test')];
  return loadConfig({ folder, environment: {}, flags }).config;
}

/** A machine of a fleet that takes one document and makes a text of it. */
async function openMachine(
  folder: string,
  stack: AsyncDisposableStack,
  schema = 'docstokg',
  { cfgHash = 'cfg', retriesFailed = false } = {},
) {
  mkdirSync(join(folder, 'PDF'), { recursive: true });
  mkdirSync(join(folder, 'Data/DocTagsFiles'), { recursive: true });
  const config = configOf(folder, { backend: 'postgres', url: server.url, fleet: true, schema });
  const storage = stack.use(await openStored(config, runtime));
  const { files } = storage;
  const item = (itemId: string): WorkItem => ({
    itemId,
    inputs: { pdf: join(folder, PDF) },
    outputs: { text: join(folder, TEXT) },
    cfgHash,
    costHint: 1,
  });
  const stage = {
    stageName: 'doctags',
    options: { workers: 1, scheduling: 'fifo' },
    cfgHash,
    item,
  } as unknown as FlowingStage;
  const made: string[] = [];
  const line = stack.use(
    await openFleetLine(stage, { config, runtime, storage, retriesFailed }, async (id) => void made.push(id)),
  );
  const take = async (): Promise<WorkItem> => {
    const taken = await line.take(1, never);
    const [found] = taken ?? [];
    assert.ok(found);
    return found.item;
  };
  const finish = async (item: WorkItem, text: string): Promise<void> => {
    writeFileSync(join(folder, TEXT), text);
    const outcome = { status: 'success' } as const;
    line.rows?.logSuccess({
      stage: 'doctags',
      itemId: item.itemId,
      inputPath: join(folder, PDF),
      outputPaths: [join(folder, TEXT)],
      durationS: 1,
      schemaVersion: '1',
      inputSha256: sha256('paper'),
      cfgHash: 'cfg',
      attempts: 1,
      finishedAt: systemClock.now(),
      extras: undefined,
    });
    await line.settle(item, { kind: 'success', outcome });
  };
  const fail = (item: WorkItem): Promise<void> =>
    line.settle(item, {
      kind: 'failure',
      error: { category: 'corrupt-input', message: 'unreadable', retryable: false } as never,
    });
  const close = (): void => line.close();
  return { files, offer: () => line.offer([item('a')], never), take, finish, fail, close, made };
}

test('a machine that resumes after losing its lease writes no row, object or job', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-paused-'));
  await using stack = new AsyncDisposableStack();
  const client = new Client({ connectionString: server.url });
  await client.connect();
  stack.defer(() => client.end());
  const [here, there] = ['here', 'there'].map((name) => join(temporary.path, name)) as [string, string];
  const paused = await openMachine(here, stack);
  writeFileSync(join(here, PDF), 'paper');
  await paused.files.save([PDF]);
  await paused.offer();
  const lost = await paused.take();
  await client.query('UPDATE docstokg_doctags.runs SET lease_expires_at = 1');

  const other = await openMachine(there, stack);
  await other.finish(await other.take(), 'the text');
  const state = async (): Promise<unknown> => ({
    lines: (await client.query('SELECT log, line, text FROM docstokg.log_lines ORDER BY log, line')).rows,
    jobs: (await client.query('SELECT id, state, token, updated_at FROM docstokg_doctags.runs')).rows,
    objects: (await Array.fromAsync(other.files.objects.list())).map((each) => each.sha256).sort(),
  });
  const before = await state();
  assert.deepEqual(other.made, ['a']);
  await paused.finish(lost, 'the text of a machine that was suspended');
  assert.deepEqual(await state(), before);
  assert.deepEqual(paused.made, []);
});

test('a machine that lost a lease and leases the same item again processes it again', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-again-'));
  await using stack = new AsyncDisposableStack();
  const client = new Client({ connectionString: server.url });
  await client.connect();
  stack.defer(() => client.end());
  const here = join(temporary.path, 'here');
  const machine = await openMachine(here, stack, 'again');
  writeFileSync(join(here, PDF), 'paper');
  await machine.files.save([PDF]);
  await machine.offer();
  const lost = await machine.take();
  // As another machine does that finds the lease expired and is stopped before it leases the item.
  await client.query(`UPDATE again_doctags.runs SET state = 'queued', worker_id = NULL, lease_expires_at = NULL`);
  await machine.finish(lost, 'the text');
  assert.deepEqual(machine.made, []);
  await machine.finish(await machine.take(), 'the text');
  assert.deepEqual(machine.made, ['a']);
  const { rows } = await client.query(`SELECT count(*)::int AS lines FROM again.log_lines WHERE log = 'doctags'`);
  assert.deepEqual(rows, [{ lines: 1 }]);
});

test('a machine that was suspended takes over the outputs of one that died before it settled the job', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-over-'));
  await using stack = new AsyncDisposableStack();
  const client = new Client({ connectionString: server.url });
  await client.connect();
  stack.defer(() => client.end());
  const [here, there] = ['here', 'there'].map((name) => join(temporary.path, name)) as [string, string];
  const killed = await openMachine(here, stack, 'over');
  writeFileSync(join(here, PDF), 'paper');
  await killed.files.save([PDF]);
  await killed.offer();
  // It has copied the line of the paper, and is suspended while the other one makes the text.
  const suspended = await openMachine(there, stack, 'over');
  await killed.finish(await killed.take(), 'the text');
  await client.query(`UPDATE over_doctags.runs SET state = 'queued', worker_id = NULL, lease_expires_at = NULL`);
  const item = await suspended.take();
  assert.equal(existsSync(item.outputs['text'] ?? ''), true, 'it would be made a second time');
  await suspended.finish(item, 'the text');
});

test('a document that failed is tried again by the next run of the fleet, not by a machine that joins this one', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-failed-'));
  await using stack = new AsyncDisposableStack();
  const open = (name: string, retriesFailed: boolean): ReturnType<typeof openMachine> =>
    openMachine(join(temporary.path, name), stack, 'failed', { retriesFailed });
  const machine = await open('here', true);
  writeFileSync(join(temporary.path, 'here', PDF), 'paper');
  await machine.files.save([PDF]);
  await machine.offer();
  await machine.fail(await machine.take());
  const joined = await open('joined', false);
  await joined.offer();
  joined.close();
  await assert.rejects(joined.take(), 'nothing is left to do');
  const next = await open('next', true);
  next.close();
  await next.finish(await next.take(), 'the text');
  assert.deepEqual(next.made, ['a']);
});

test('a document whose file is lost is handed out, so that the stage logs why it failed', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-lost-'));
  await using stack = new AsyncDisposableStack();
  const machine = await openMachine(join(temporary.path, 'here'), stack, 'lost');
  writeFileSync(join(temporary.path, 'here', PDF), 'paper');
  await machine.files.save([PDF]);
  await machine.offer();
  const other = await openMachine(join(temporary.path, 'there'), stack, 'lost');
  rmSync(join(temporary.path, 'store'), { recursive: true });
  const item = await other.take();
  assert.equal(existsSync(item.inputs['pdf'] ?? ''), false);
  await other.fail(item);
});

test('a machine with other settings does no document of the fleet, and says why', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-settings-'));
  await using stack = new AsyncDisposableStack();
  const [here, there] = ['here', 'there'].map((name) => join(temporary.path, name)) as [string, string];
  const machine = await openMachine(here, stack, 'settings');
  writeFileSync(join(here, PDF), 'paper');
  await machine.files.save([PDF]);
  await machine.offer();
  const other = await openMachine(there, stack, 'settings', { cfgHash: 'other' });
  await assert.rejects(other.take(), { code: 'STAGE_QUEUE_SETTINGS' });
});

test('a store holds the files of one fleet: another fleet, another store and a local run are refused', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-owner-'));
  const at = (name: string): string => join(temporary.path, name);
  const fleet = { backend: 'postgres', url: server.url, fleet: true, schema: 'owner_one' };
  {
    await using first = await openStored(configOf(at('first'), fleet), runtime);
    mkdirSync(at('first/PDF'));
    writeFileSync(join(at('first'), PDF), 'paper');
    await first?.files.save([PDF]);
  }
  const refused = { code: 'OBJECT_STORE_OTHER' };
  await assert.rejects(openStored(configOf(at('other'), { ...fleet, schema: 'owner_two' }), runtime), refused);
  await assert.rejects(openStored(configOf(at('second'), fleet, at('elsewhere')), runtime), refused);
  await assert.rejects(openStored(configOf(at('alone'), {}), runtime), refused);
  await assert.rejects(openStored(configOf(at('plain'), {}, at('nowhere')), runtime, false), refused);
  assert.equal(existsSync(at('nowhere')), false, 'a store that is only checked is not created');
  await using second = await openStored(configOf(at('second'), fleet), runtime);
  assert.equal(await second?.files.bring(PDF), true);
  // The logs can be read without the database.
  await using reader = await openStored(configOf(at('second'), {}), runtime);
  assert.ok(reader);
});
