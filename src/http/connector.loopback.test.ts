import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { openLoopback } from '../testing/index.ts';

test('a server on this machine is contacted directly, even if the environment sets a proxy', async () => {
  await using server = await openLoopback((_request, response) => void response.end('here'));
  const program = `const { loopbackFetch } = await import('${new URL('./connector.ts', import.meta.url).href}');
    console.log(await (await loopbackFetch(new URL('http://127.0.0.1:${server.port}/'))).text());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9/', NO_PROXY: '' },
  });
  assert.equal(stdout.trim(), 'here');
});
