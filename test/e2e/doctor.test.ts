import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Admin, Simulation } from '../../sim/index.ts';
import type { Finding } from '../../src/cli/commands/doctor.ts';
import { openPostgres } from '../../src/queue/kept/index.ts';
import { startPostgres } from '../postgres.ts';
import { startPglite } from '../support/pglite-server.ts';
import { startCommand } from './started-command.ts';

async function examine(
  parameters: readonly string[],
  cwd: string,
): Promise<{ readonly code: number | null; readonly findings: Finding[] }> {
  const run = startCommand('docstokg', ['doctor', '--json', ...parameters], { cwd });
  const { code } = await run.ended;
  return { code, findings: JSON.parse(run.stdout) as Finding[] };
}
const named = (findings: readonly Finding[], name: string): Finding | undefined =>
  findings.find((finding) => finding.name === name);

const openWeb = (): Promise<Simulation> =>
  Simulation.open({ parameters: { seed: 5, works: 5, hosts: 3, profile: 'calm' }, timeScale: 0.05 });

test('doctor reports every service and no problem on a complete installation', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-doctor-'));
  await using simulation = await openWeb();
  await using admin = await Admin.open(simulation);
  const { code, findings } = await examine(['--sim', admin.url, '--mailto', 'anna@docstokg.dev'], folder.path);
  assert.equal(code, 0);
  assert.deepEqual(
    findings.filter(({ state }) => state === 'bad'),
    [],
  );
  assert.equal(named(findings, 'openalex')?.state, 'good');
  assert.ok(findings.filter(({ area }) => area === 'services').length > 15);
});

test('doctor reports missing or wrong items with a fix, and sets the exit code', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-doctor-'));
  writeFileSync(
    join(folder.path, 'docstokg.yaml'),
    'parse: { dense: openai-compatible, embed_url: "http://127.0.0.1:1/v1" }\nqueue: { backend: postgres, timeout_sec: 1, url: "postgres://nobody@127.0.0.1:1/x" }\nmodel: { url: "http://me:hushhush@127.0.0.1:1/v1" }',
  );
  const { code, findings } = await examine([], folder.path);
  assert.equal(code, 1);
  for (const name of ['contact', 'embedding server', 'queue']) {
    assert.equal(named(findings, name)?.state, 'bad', name);
    assert.ok(named(findings, name)?.fix, name);
  }
  assert.equal(named(findings, 'core')?.state, 'hint', 'a key is optional');
  assert.ok(!JSON.stringify(findings).includes('hushhush'), 'a password is not printed');

  writeFileSync(join(folder.path, 'docstokg.yaml'), 'parse: { max_tokens: many }');
  const broken = await examine(['--offline'], folder.path);
  assert.equal(broken.code, 1);
  assert.match(broken.findings[0]?.found ?? '', /parse\.max_tokens/);
});

test('doctor says whether the database of a fleet can search by meaning', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-doctor-'));
  await using simulation = await openWeb();
  await using admin = await Admin.open(simulation);
  await using without = await startPostgres();
  await using other = await startPglite();
  const add = async (): Promise<void> => {
    await using client = await openPostgres(other.url, { pooler: true });
    await client.run('add', 'CREATE EXTENSION IF NOT EXISTS vector', {});
  };
  for (const [url, found, before] of [
    [without.url, /; without pgvector/],
    [other.url, /; the first run adds pgvector, if its role may$/],
    [other.url, /, with pgvector$/, add],
  ] as const) {
    await before?.();
    const queue = { backend: 'postgres', pooler: true, url };
    writeFileSync(join(folder.path, 'docstokg.yaml'), JSON.stringify({ queue }));
    const { findings } = await examine(['--sim', admin.url], folder.path);
    assert.match(named(findings, 'queue')?.found ?? '', found);
  }
});
