import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { HttpResult } from '../http/index.ts';
import { reasonOfResult, reasonOfStatus } from './reasons.ts';

const trail = { url: 'http://host.test/', chain: [] };
const response = {
  url: new URL('http://host.test/'),
  status: 200,
  headers: {},
  body: Buffer.alloc(0),
  wireBytes: 0,
  bodyBytes: 0,
  chain: [],
  origin: 'network',
} as const;
const failed = (
  reason: Extract<HttpResult, { kind: 'failed' }>['reason'],
  more: { readonly retryable?: boolean; readonly begun?: boolean } = {},
): HttpResult => ({
  kind: 'failed',
  reason,
  message: '',
  retryable: more.retryable ?? true,
  trail: more.begun ? { ...trail, response } : trail,
});

test('a status has a specific reason, and an unknown one is not a server error', () => {
  for (const [status, reason] of [
    [200, undefined],
    [404, 'not-found'],
    [403, 'forbidden'],
    [416, 'bad-status'],
    [429, 'rate-limited'],
    [500, 'server-error'],
    [599, 'server-error'],
    [600, 'bad-status'],
    [999, 'bad-status'],
  ] as const)
    assert.equal(reasonOfStatus(status), reason, String(status));
});

test('a name that does not exist is not-found, one that cannot be resolved now is a connection error', () => {
  assert.equal(reasonOfResult(failed('dns', { retryable: false })), 'not-found');
  assert.equal(reasonOfResult(failed('dns')), 'connection-failed');
});

test('a connection lost after the response started is a truncated body, not a connection error', () => {
  assert.equal(reasonOfResult(failed('reset')), 'connection-failed');
  assert.equal(reasonOfResult(failed('reset', { begun: true })), 'truncated');
  assert.equal(reasonOfResult(failed('protocol', { begun: true })), 'truncated');
  assert.equal(reasonOfResult(failed('idle-timeout', { begun: true })), 'timeout');
});
