import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Client } from 'pg';

import { startPostgres } from '../../../test/postgres.ts';
import { sha256, systemClock } from '../../base/index.ts';
import { loadConfig, settingsLayer } from '../../config/index.ts';
import { openShared } from '../../harvest/index.ts';
import type { WorkItem } from '../../stage/index.ts';
import { RowsByItem } from '../../stage/index.ts';
import { corpusLayer } from '../corpus.ts';
import type { PreparedStage } from '../prepared-stage.ts';
import { openStageSource } from './stage-source.ts';

const PDF = 'PDF/a.pdf';
const TEXT = 'Data/DocTagsFiles/a.jsonl';
const never = new AbortController().signal;
const runtime = { clock: systemClock, log: () => undefined };

/** A machine of a fleet that asks for one document and makes a text of it. */
async function openMachine(folder: string, url: string, stack: AsyncDisposableStack) {
  mkdirSync(join(folder, 'PDF'), { recursive: true });
  mkdirSync(join(folder, 'Data/DocTagsFiles'), { recursive: true });
  const settings = {
    store: { url: join(folder, '..', 'store') },
    queue: { backend: 'postgres', url, fleet: true },
    // A suspended machine hears nothing.
    orchestrator: { lease_ttl_seconds: 3_600, heartbeat_seconds: 1_200 },
  };
  const flags = [...corpusLayer(folder, 'test'), ...settingsLayer(settings, 'test')];
  const { config } = loadConfig({ folder, environment: {}, flags });
  const shared = stack.use(await openShared(config, runtime));
  assert.ok(shared?.logs);
  const { files, logs } = shared;
  const rows = new RowsByItem();
  const stage = { stageName: 'doctags', options: { workers: 1, scheduling: 'fifo' } } as PreparedStage;
  const made: string[] = [];
  const source = stack.use(
    await openStageSource(stage, {
      config,
      runtime,
      shared: { ...shared, logs },
      rows,
      cfgHash: 'cfg',
      made: async (id) => void made.push(id),
    }),
  );
  const take = async (): Promise<WorkItem> => {
    const taken = await source.items.take(1, never);
    const [found] = taken ?? [];
    assert.ok(found);
    return found.item;
  };
  const finish = async (item: WorkItem, text: string): Promise<void> => {
    writeFileSync(join(folder, TEXT), text);
    const outcome = { status: 'success' } as const;
    rows.logSuccess({
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
    await source.items.settle(item, { kind: 'success', outcome });
  };
  return { files, source, take, finish, made };
}

test('a machine that wakes up after its lease went to another writes no row, no object and no job', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-paused-'));
  await using server = await startPostgres();
  await using stack = new AsyncDisposableStack();
  const client = new Client({ connectionString: server.url });
  await client.connect();
  stack.defer(() => client.end());
  const [here, there] = ['here', 'there'].map((name) => join(temporary.path, name)) as [string, string];
  const paused = await openMachine(here, server.url, stack);
  writeFileSync(join(here, PDF), 'paper');
  await paused.files.save([PDF]);
  await paused.source.add([
    { itemId: 'a', inputs: { pdf: join(here, PDF) }, outputs: { text: join(here, TEXT) }, cfgHash: 'cfg', costHint: 1 },
  ]);
  const lost = await paused.take();
  await client.query('UPDATE docstokg_doctags.runs SET lease_expires_at = 1');

  const other = await openMachine(there, server.url, stack);
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
