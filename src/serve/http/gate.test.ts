import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';

import { createGate } from './gate.ts';
import { createRouter } from './router.ts';

const asked = (cookie?: string): IncomingMessage =>
  ({ headers: { ...(cookie !== undefined && { cookie }) }, socket: { localPort: 8484 } }) as unknown as IncomingMessage;

test('the cookie holds a session id; the token itself is not accepted as one', () => {
  const gate = createGate('the-token', '127.0.0.1', []);
  const link = gate.checkToken(asked(), new URLSearchParams('token=the-token'), '/');
  const [cookie] = link?.['set-cookie'].split(';') ?? [];
  assert.doesNotMatch(cookie ?? '', /the-token/);
  assert.equal(gate.checkToken(asked(cookie), null, '/'), undefined);
  for (const other of ['docstokg-8484=the-token', cookie?.replace('8484', '8485'), 'docstokg-8484='])
    assert.throws(() => gate.checkToken(asked(other), null, '/'), { status: 401 });
});

test('a duplicate parameter is rejected', () => {
  const router = createRouter([], new Map(), '0.0.0');
  assert.throws(() => router.match('GET', '/openapi.json?a=1&a=2'), /a is given twice/);
});
