import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Admin } from '../../sim/index.ts';
import { openWorld, PATIENCE } from '../support/harvest.ts';
import { startCommand } from './started-command.ts';

test('a corpus that nothing has happened to is left alone; a retraction is told once, and fetched is only what is new', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-refresh-'));
  const world = {
    works: 40,
    hosts: 12,
    timeScale: 0.05,
    seed: 5,
    profile: 'calm',
    workers: 4,
    documents: 'plain',
  } as const;
  await using simulation = await openWorld(world);
  await using admin = await Admin.open(simulation);
  const works = [...simulation.world.works()].filter(
    ({ isXpac, isRetracted, doi }) => !isXpac && !isRetracted && doi !== null,
  );
  const out = join(folder.path, 'run');
  const env = {
    ...PATIENCE,
    DOCSTOKG_PARSE__DENSE: 'none',
    DOCSTOKG_PARSE__TOKENIZER: 'cl100k',
    DOCSTOKG_STAGE__WORKERS: '1',
  };
  const run = async (...words: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> => {
    await using command = startCommand('docstokg', [...words, '--sim', admin.url, '--json'], { cwd: folder.path, env });
    const { code } = await command.ended;
    return { code, stdout: command.stdout, stderr: command.stderr };
  };
  const gathered = await run('run', ...works.slice(0, 5).map(({ id }) => id), '--out', out);
  assert.equal(gathered.code, 0, gathered.stderr);

  const nothing = {
    new_works: [],
    opened: [],
    fetched: [],
    new_versions: [],
    retracted: [],
    reinstated: [],
    corrected: [],
  };
  const watch = join(folder.path, 'retraction_watch.csv');
  const [first, second] = works;
  assert.ok(first?.doi && second?.doi);
  writeFileSync(
    watch,
    `RetractionDate,RetractionDOI,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature\n1/31/2026 0:00,10.1000/n,${first.doi},0,Retraction\n1/31/2026 0:00,10.1000/c,${second.doi},0,Correction\n`,
  );
  const told = await run('refresh', out, '--retraction-watch', watch);
  assert.equal(told.code, 0, told.stderr);
  const diff = JSON.parse(told.stdout) as Record<string, { work: string }[]>;
  assert.deepEqual(
    diff['retracted']?.map(({ work }) => work),
    [first.id],
  );
  assert.deepEqual(
    diff['corrected']?.map(({ work }) => work),
    [second.id],
  );
  assert.deepEqual(JSON.parse((await run('refresh', out, '--retraction-watch', watch)).stdout), nothing);
  assert.ok(readFileSync(join(out, 'works.parquet')).length > 0);
});
