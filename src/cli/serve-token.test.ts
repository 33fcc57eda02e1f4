import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { isToken, keptToken } from './serve-token.ts';

test('a token stays the same at the next start, and only its user can read it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-token-'));
  const path = join(folder.path, 'own', 'serve-token');
  const token = keptToken(path);
  assert.ok(isToken(token), token);
  assert.equal(keptToken(path), token);
  if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('a token that others could read, or that was cut off, is replaced', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-token-'));
  const path = join(folder.path, 'serve-token');
  const token = keptToken(path);
  writeFileSync(path, token.slice(0, 5));
  const second = keptToken(path);
  assert.ok(second !== token && isToken(second));
  assert.equal(readFileSync(path, 'utf8').trim(), second);
  if (process.platform === 'win32') return;
  chmodSync(path, 0o644);
  assert.notEqual(keptToken(path), second);
});

test('without a folder of its own the token lasts as long as the server', () => {
  const path = join(import.meta.filename, 'no', 'serve-token');
  assert.ok(isToken(keptToken(path)));
  assert.notEqual(keptToken(path), keptToken(path));
});
