import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Workspace } from '../fixtures/stage/workspace.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/stage/${name}`, import.meta.url));

test('a busy worker process ends when its parent is killed', async () => {
  using workspace = new Workspace();
  const options = { ...workspace.options, policy: 'cpu', workers: 1 };
  const parent = spawn(
    process.execPath,
    [fixture('orphan-program.ts'), JSON.stringify([workspace.item('a')]), JSON.stringify(options)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  assert.ok(parent.stdout);
  const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
  const socket = connect(Number(/^port (\d+)$/.exec(line)?.[1]), '127.0.0.1');
  await once(socket, 'connect');
  // The spinning worker holds the connection: it closes only when that process has ended.
  const gone = new Promise<void>((resolve) => {
    socket.on('error', () => undefined).on('close', () => resolve());
  });
  socket.resume();
  parent.kill('SIGKILL');
  await gone;
});

test('several processes on one folder and manifest write complete rows and process every item once', async () => {
  using workspace = new Workspace();
  const items = workspace.items(90);
  const ends = await Promise.all(
    [1, 2, 3].map(async (index) => {
      const options = { ...workspace.options, shard: { index, count: 3 }, workers: 2 };
      const child = spawn(
        process.execPath,
        [fixture('shard-program.ts'), JSON.stringify(items), JSON.stringify(options)],
        { stdio: ['ignore', 'ignore', 'inherit'] },
      );
      const [code] = (await once(child, 'exit')) as [number];
      return code;
    }),
  );
  assert.deepEqual(ends, [0, 0, 0]);
  assert.deepEqual(
    workspace
      .rows()
      .map(({ doc_id, status }) => `${doc_id} ${status}`)
      .sort(),
    items.map(({ itemId }) => `${itemId} success`),
  );
});

test('importing docstokg/stage loads no package and no other part of the program except base', async () => {
  const code = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ load(url, context, next) { seen.push(url); return next(url, context); } });
    await import('docstokg/stage');
    console.log(JSON.stringify(seen));
  `;
  const child = spawn(process.execPath, ['--conditions=docstokg-source', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  await once(child, 'close');
  const loaded = (JSON.parse(text) as string[]).filter((url) => !url.startsWith('node:'));
  assert.ok(loaded.length > 10);
  for (const url of loaded) assert.match(url, /\/src\/(?:(stage|base)(\/[a-z]+)?\/[\w-]+|doors\/stage)\.ts$/);
});
