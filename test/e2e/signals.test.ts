import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { startCommand } from './started-command.ts';

const skip = process.platform === 'win32' ? 'signals end a process at once there' : false;

test('a command without signal handlers ends on a signal, as process 1 must', { skip }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-signals-'));
  // Accepts connections and never answers.
  const server = createServer((socket) => void socket.on('error', () => undefined));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    for (const [name, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      const asked = once(server, 'connection');
      await using run = startCommand('docstokg', ['doctor', '--sim', `http://127.0.0.1:${port}`], { cwd: folder.path });
      await asked;
      run.kill(name);
      // A process ended by the default action of the signal has no exit code, and process 1 would not end.
      assert.deepEqual(await run.ended, { code, signal: null });
    }
  } finally {
    server.close();
  }
});
