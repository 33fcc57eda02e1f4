import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Admin } from '../../sim/index.ts';
import type { RunAccount } from '../../src/corpus/index.ts';
import { startPostgres } from '../postgres.ts';
import { corpusHash } from '../support/corpus-hash.ts';
import { openWorld, PATIENCE } from '../support/harvest.ts';
import { startCommand } from './started-command.ts';

/** Lexical search is enough here; the model is tested elsewhere. */
const ENVIRONMENT = {
  ...PATIENCE,
  DOCSTOKG_PARSE__DENSE: 'none',
  DOCSTOKG_ORCHESTRATOR__LEASE_TTL_SECONDS: '30',
  DOCSTOKG_ORCHESTRATOR__HEARTBEAT_SECONDS: '5',
};
const LOGS = [
  'manifest.jsonl',
  'objects.jsonl',
  ...['doctags', 'chunk', 'embed'].map((stage) => `Data/Manifests/docparse.${stage}.manifest.jsonl`),
];

/** The clock of a process with these options is an hour fast. */
const FAST = `--import=data:text/javascript,${encodeURIComponent(
  'const D=Date,now=()=>D.now()+3600000;globalThis.Date=class extends D{constructor(...a){a.length?super(...a):super(now())}static now(){return now()}}',
)}`;

/** The outcome of every work and every document of a stage, without times and machines. */
function factsOf(folder: string): unknown {
  const rows = (name: string): Record<string, unknown>[] =>
    readFileSync(join(folder, name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const last = new Map(
    rows('manifest.jsonl').map((row) => [row['work'], [row['outcome'], row['reason'], row['sha256']]]),
  );
  const made = ['doctags', 'chunk', 'embed'].map((stage) =>
    rows(`Data/Manifests/docparse.${stage}.manifest.jsonl`)
      .filter(({ status }) => status === 'success')
      .map(
        ({ doc_id: id, input_hash: hash, cfg_hash: settings }) => `${String(id)} ${String(hash)} ${String(settings)}`,
      )
      .sort(),
  );
  return [new Map(last), made.slice(0, 2)];
}

test('machines with separate folders build the same corpus as one machine, despite a killed lister, stopped machines and a wrong clock', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-fleet-'));
  await using server = await startPostgres();
  const world = {
    seed: 11,
    works: 6,
    hosts: 3,
    profile: 'calm',
    documents: 'plain',
    timeScale: 0.05,
    workers: 2,
  } as const;
  await using simulation = await openWorld(world);
  await using admin = await Admin.open(simulation);
  const ids = [...simulation.world.works()].map(({ id }) => id);
  const run = (out: string, ...more: string[]) =>
    startCommand('docstokg', ['run', ...ids, '--sim', admin.url, '--out', out, '--workers', '2', '--json', ...more], {
      cwd: folder.path,
      env: { ...ENVIRONMENT, ...(out === 'second' && { NODE_OPTIONS: FAST }) },
    });
  {
    await using alone = run('alone');
    assert.equal((await alone.ended).code, 0, alone.stderr);
  }
  const fleet = ['--fleet', server.url, '--store', join(folder.path, 'store')];
  // The first machine is the lister.
  await using victim = run('victim', ...fleet);
  await victim.printed(/joined the fleet/);
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    await using stopped = run(signal, ...fleet);
    await stopped.printed(/joined the fleet/);
    stopped.kill(signal);
    assert.equal((await stopped.ended).code, code, stopped.stderr);
  }
  await using first = run('first', ...fleet);
  await using second = run('second', ...fleet);
  victim.kill('SIGKILL');
  await victim.ended;
  for (const each of [first, second]) assert.equal((await each.ended).code, 0, each.stderr);
  const accounts = [first, second].map(({ stdout }) => JSON.parse(stdout) as RunAccount & { readonly out: string });
  const [indexed, ...others] = accounts.filter(({ index }) => index !== null);
  assert.deepEqual(others, []);
  assert.ok(indexed);
  await using pull = startCommand('docstokg', ['store', 'fresh', '--pull', ...fleet, '--json'], {
    cwd: folder.path,
    env: ENVIRONMENT,
  });
  assert.equal((await pull.ended).code, 0, pull.stderr);

  assert.deepEqual(factsOf(join(folder.path, 'fresh')), factsOf(join(folder.path, 'alone')));
  // The logs of each machine are a prefix of the complete ones, byte by byte.
  for (const name of LOGS)
    for (const other of ['first', 'second']) {
      const [whole, copy] = ['fresh', other].map((each) => readFileSync(join(folder.path, each, name), 'utf8'));
      assert.ok(whole?.startsWith(copy ?? '?'), `${other}/${name}`);
    }
  assert.deepEqual(await corpusHash(join(folder.path, 'fresh')), await corpusHash(join(folder.path, 'alone')));
  assert.ok(globSync('Index/*', { cwd: join(folder.path, 'fresh') }).length > 0);
  await using check = startCommand('docstokg', ['store', 'fresh', ...fleet, '--verify', '--grace-h', '0', '--json'], {
    cwd: folder.path,
    env: ENVIRONMENT,
  });
  assert.equal((await check.ended).code, 0, check.stderr);
  const found = JSON.parse(check.stdout) as { missing: string[]; damaged: string[]; files: number };
  assert.deepEqual([found.missing, found.damaged], [[], []]);
  await checkDatabase(folder.path, server.url, indexed.index?.passages ?? 0);
});

/** Machines that have nothing but the address of the database answer as the folder of one machine does. */
async function checkDatabase(cwd: string, url: string, passages: number): Promise<void> {
  const asked = async (...given: string[]) => {
    await using started = startCommand('docstokg', given, { cwd, env: { ...ENVIRONMENT, HOME: join(cwd, 'home') } });
    const { code } = await started.ended;
    return { code, stdout: started.stdout, stderr: started.stderr };
  };
  const query = ['results of the study', '--json', '--top', '20'];
  const [there, here] = [await asked('search', ...query, '--database', url), await asked('search', 'alone', ...query)];
  assert.equal(there.code, 0, there.stderr);
  assert.match(there.stderr, /no extension "vector"|^$|warn/);
  const hitsOf = ({ stdout }: { readonly stdout: string }): unknown =>
    (JSON.parse(stdout) as { hits: { id: string; score: number; fit: number }[] }).hits.map(({ id, score, fit }) => [
      id,
      score.toFixed(5),
      fit.toFixed(5),
    ]);
  assert.deepEqual(hitsOf(there), hitsOf(here));
  assert.ok(passages > 0 && JSON.parse(there.stdout).passages === passages);

  // The folder of a machine that has only copied the logs.
  assert.equal((await asked('store', 'part', '--fleet', url, '--store', join(cwd, 'store'))).code, 0);
  const part = await asked('search', 'part', 'results');
  assert.equal(part.code, 1, part.stderr);
  assert.match(part.stderr, /--database postgres:\/\/postgres@127[\s\S]*store part --pull/);

  const exported = async (...from: string[]): Promise<string> =>
    (await asked('export', ...from, '--format', 'csl')).stdout;
  assert.equal(await exported('--database', url), await exported('fresh'));
  await checkServers(cwd, url);
}

/** What is decided at one server is durable, and seen at the others; any of them may die. */
async function checkServers(cwd: string, url: string): Promise<void> {
  const serve = (home: string) =>
    startCommand('docstokg', ['serve', '--database', url, '--port', '0', '--allow-control'], {
      cwd,
      env: { ...ENVIRONMENT, HOME: join(cwd, home) },
    });
  await using one = serve('one');
  await using two = serve('two');
  for (const each of [one, two]) await each.printed(/serving 1 run/);
  const [first, second] = [one, two].map(({ stdout }) => new URL(stdout.trim()));
  assert.ok(first && second);
  const token = first.searchParams.get('token') ?? '';
  assert.equal(second.searchParams.get('token'), token, 'the servers share one token');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const ask = async (at: URL, path: string, body?: object) => {
    const init = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers };
    const answer = await fetch(new URL(`/api/v1/${path}`, at), init);
    assert.equal(answer.status, 200, await answer.clone().text());
    return (await answer.json()) as { phases: unknown; own: number; next: { work: string }[] };
  };
  const { runs } = (await ask(first, '')) as unknown as { runs: { id: string }[] };
  const screening = `runs/${runs[0]?.id}/screening`;
  const [next] = (await ask(first, `${screening}?by=ada`)).next;
  const decided = await ask(first, `${screening}/decide`, { by: 'ada', work: next?.work, decision: 'include' });
  one.kill('SIGKILL');
  await one.ended;
  assert.notEqual(decided.next[0]?.work, next?.work);
  const seen = await ask(second, `${screening}?by=ada`);
  assert.deepEqual([seen.phases, seen.own], [decided.phases, 1]);
}

test('a machine whose database goes away says it once, ends soon when it is stopped, and is started again', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-away-'));
  await using server = await startPostgres();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const world = {
    seed: 11,
    works: 4,
    hosts: 2,
    profile: 'calm',
    documents: 'plain',
    timeScale: 0.05,
    workers: 2,
  } as const;
  await using simulation = await openWorld(world, resolve);
  await using admin = await Admin.open(simulation);
  const ids = [...simulation.world.works()].map(({ id }) => id);
  const fleet = ['--fleet', server.url, '--store', join(folder.path, 'store'), '--out', 'machine'];
  const run = () =>
    startCommand('docstokg', ['run', ...ids, '--sim', admin.url, '--workers', '2', '--json', ...fleet], {
      cwd: folder.path,
      env: { ...ENVIRONMENT, DOCSTOKG_ORCHESTRATOR__SHUTDOWN_GRACE_SECONDS: '1' },
    });
  {
    await using machine = run();
    await Promise.race([asked, machine.ended]);
    await server.stop?.();
    await machine.printed(/database is unreachable/);
    machine.kill('SIGTERM');
    assert.equal((await machine.ended).code, 1, machine.stderr);
    assert.match(machine.stderr, /"QUEUE_UNREACHABLE".*has been away for .*run the same command again/);
    assert.equal(machine.stderr.match(/database is unreachable/g)?.length, 1, machine.stderr);
    assert.ok((machine.stderr.match(/could not be copied/g)?.length ?? 0) <= 1, machine.stderr);
  }
  await server.restart?.();
  await using again = run();
  assert.equal((await again.ended).code, 0, again.stderr);
  const { works } = JSON.parse(again.stdout) as RunAccount;
  assert.equal(works?.listed, ids.length);
  assert.equal(works?.waiting, 0);
});
