import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { systemClock } from '../../src/base/index.ts';
import { openStore } from '../../src/queue/index.ts';

const BIN = join(import.meta.dirname, '..', '..', 'bin');
const posix = process.platform === 'win32' ? 'needs POSIX signals' : false;

/** Prints its process id when a job starts, and `finished` when the file `go` exists. */
const HANDLER = `import { existsSync } from 'node:fs';
export default async (job) => {
  console.log('started ' + process.pid);
  while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 10));
  console.log('finished');
};
`;

interface Launched {
  readonly process: ChildProcess;
  readonly lines: AsyncIterator<string>;
  readonly ended: Promise<[number | null, NodeJS.Signals | null]>;
}

/** Starts a queue that runs one job, as an older or newer Node would. */
async function launched(
  folder: string,
  way: 'child' | 'replace' | 'here',
  env: Readonly<Record<string, string>> = {},
): Promise<Launched> {
  writeFileSync(join(folder, 'handler.mjs'), HANDLER);
  writeFileSync(
    join(folder, 'start.cjs'),
    `require(${JSON.stringify(join(BIN, 'launch.cjs'))})('docstokg', ${JSON.stringify(way)});`,
  );
  {
    await using store = await openStore(join(folder, 'q.sqlite'), { timeoutMs: 240_000, durability: 'none' });
    await store.enqueue([{ artifactId: 'a', artifactJson: '{}' }], systemClock.now());
  }
  const child = spawn(
    process.execPath,
    ['start.cjs', 'queue', 'run', '--queue', 'q.sqlite', '--handler', './handler.mjs', '--drain'],
    { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...env } },
  );
  return {
    process: child,
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    ended: once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
  };
}

async function startedPid({ lines }: Launched): Promise<number> {
  return Number(/^started (\d+)$/.exec(((await lines.next()).value as string | undefined) ?? '')?.[1]);
}

test('killing the launcher with SIGKILL also ends the program', { skip: posix }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-launch-'));
  const program = await launched(folder.path, 'child');
  const pid = await startedPid(program);
  assert.notEqual(pid, program.process.pid);
  program.process.kill('SIGKILL');
  await program.ended;
  // Its stdout closes when the last process that holds it has ended, without 'finished'.
  assert.equal((await program.lines.next()).done, true);
});

test('a signal sent to both launcher and program counts once, and the job finishes', { skip: posix }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-launch-'));
  const program = await launched(folder.path, 'child');
  const pid = await startedPid(program);
  for (const each of [pid, program.process.pid ?? 0]) process.kill(each, 'SIGTERM');
  writeFileSync(join(folder.path, 'go'), '');
  assert.equal((await program.lines.next()).value, 'finished');
  assert.deepEqual(await program.ended, [143, null]);
});

test(
  'a signal to the launcher is forwarded to the program; a second one ends it immediately',
  { skip: posix },
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-launch-'));
    const program = await launched(folder.path, 'child');
    await startedPid(program);
    program.process.kill('SIGINT');
    program.process.kill('SIGINT');
    // Pending signals of one kind are merged: the second is sent until the program ends.
    const again = setInterval(() => program.process.kill('SIGINT'), 50);
    assert.deepEqual(await program.ended, [130, null]);
    clearInterval(again);
  },
);

test('the launcher replaces its own process where the platform allows it', { skip: posix }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-launch-'));
  const program = await launched(folder.path, 'replace');
  assert.equal(await startedPid(program), program.process.pid);
  writeFileSync(join(folder.path, 'go'), '');
  assert.deepEqual(await program.ended, [0, null]);
});

for (const way of ['here', 'child'] as const)
  test(`under nohup a hang-up is ignored (${way})`, { skip: posix }, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-launch-'));
    const program = await launched(folder.path, way, { _: '/usr/bin/nohup' });
    const pid = await startedPid(program);
    for (const each of new Set([pid, program.process.pid ?? 0])) process.kill(each, 'SIGHUP');
    writeFileSync(join(folder.path, 'go'), '');
    assert.equal((await program.lines.next()).value, 'finished');
    assert.deepEqual(await program.ended, [0, null]);
  });
