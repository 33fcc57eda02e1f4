import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

const SCRIPT = `import { simCommand } from ${JSON.stringify(new URL('./sim.ts', import.meta.url).href)};
await simCommand().parseAsync(process.argv.slice(1), { from: 'user' });`;

interface Finished {
  readonly code: number | null;
  readonly out: string;
}

function start(...words: string[]): ReturnType<typeof spawn> {
  return spawn(
    process.execPath,
    ['--conditions=docstokg-source', '--input-type=module', '-e', SCRIPT, '--', ...words],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
}

async function run(...words: string[]): Promise<Finished> {
  const child = start(...words);
  let out = '';
  child.stdout?.on('data', (piece: Buffer) => (out += piece.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out };
}

test('a simulated world can be served, verified, modified and stopped', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sim-command-'));
  const server = start(
    'serve',
    '--seed',
    '7',
    '--works',
    '30',
    '--profile',
    'calm',
    '--documents',
    'plain',
    '--state',
    join(folder, 'state'),
    '--json',
  );
  try {
    assert.ok(server.stdout);
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
    const { sim, identity } = JSON.parse(line) as { readonly sim: string; readonly identity: string };

    const truth = await (await fetch(`${sim}/__sim/truth`)).text();
    const lines = truth
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as Record<string, unknown>);
    const manifest = join(folder, 'manifest.jsonl');
    const write = (change: (line: Record<string, unknown>) => Record<string, unknown>): void =>
      writeFileSync(
        manifest,
        lines
          .map((one) =>
            JSON.stringify(
              change({
                ...one,
                sha256: first(one['sha256']),
                license: first(one['licenses']),
                version: first(one['versions']),
                host_type: first(one['host_types']),
              }),
            ),
          )
          .join('\n'),
      );
    write((one) => one);
    const before = await run('verify', '--manifest', manifest, '--sim', sim);
    assert.equal(before.code, 0, before.out);
    assert.match(before.out, new RegExp(`^works +${lines.length}$`, 'm'));
    write((one) => (one['resolver'] === 'openalex' ? { ...one, sha256: 'f'.repeat(64) } : one));
    const wrong = await run('verify', '--manifest', manifest, '--sim', sim, '--json');
    assert.equal(wrong.code, 1);
    const { differences } = JSON.parse(wrong.out) as { readonly differences: readonly { readonly aspect: string }[] };
    assert.ok(differences.length > 0 && differences.every(({ aspect }) => aspect === 'hash'));

    const world = (await (await fetch(`${sim}/__sim/world`)).json()) as {
      readonly identity: string;
      readonly client: { readonly dns: { readonly suffix: string } };
    };
    assert.deepEqual([world.identity, world.client.dns.suffix], [identity, '.sim.test']);
  } finally {
    server.kill('SIGTERM');
    const [code] = (await once(server, 'close')) as [number | null];
    assert.equal(code, 0);
    assert.match(readFileSync(join(folder, 'state', 'violations.json'), 'utf8'), /"by_rule"/);
    rmSync(folder, { recursive: true });
  }
});

function first(list: unknown): unknown {
  return Array.isArray(list) ? (list[0] ?? null) : null;
}
