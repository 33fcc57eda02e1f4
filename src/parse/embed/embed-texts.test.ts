import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { cacheKey, VectorCache } from './embed-texts.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cache-'));
  path = join(folder, 'cache.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

const key = (at: number): Uint8Array => cacheKey('m', `text ${at}`);
const vector = (at: number): Float32Array => new Float32Array(384).fill(at);

test('a cache over its size limit drops its oldest vectors and frees the space', () => {
  const count = 12_000;
  {
    using cache = new VectorCache(path);
    cache.putAll(Array.from({ length: count }, (_, at) => [key(at), vector(at)] as const));
    assert.ok(cache.bytes > 18e6);
  }
  const before = statSync(path).size;
  new VectorCache(path, { maxBytes: 100e6 })[Symbol.dispose]();
  assert.equal(statSync(path).size, before, 'nothing is dropped within the limit');
  const maxBytes = 10e6;
  new VectorCache(path, { maxBytes })[Symbol.dispose]();
  using cache = new VectorCache(path);
  assert.ok(cache.bytes <= maxBytes && statSync(path).size <= maxBytes);
  const left = cache.getAll(Array.from({ length: count }, (_, at) => key(at)));
  const first = left.findIndex((each) => each !== undefined);
  assert.ok(first > 0 && first < count);
  assert.ok(
    left.slice(first).every((each, at) => each?.[0] === first + at),
    'all recent vectors are kept',
  );
});

test('a limit below every entry empties the cache, and another open connection keeps working', () => {
  using other = new VectorCache(path);
  other.putAll([[key(1), vector(1)]]);
  new VectorCache(path, { maxBytes: 1 })[Symbol.dispose]();
  assert.deepEqual(other.getAll([key(1)]), [undefined], 'a limit below every entry empties the cache');
  other.putAll([[key(2), vector(2)]]);
  assert.ok(other.getAll([key(2)])[0]);
});

test('a cache damaged at the start or in the middle is moved aside with a warning, and vectors are recomputed', () => {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  new VectorCache(path)[Symbol.dispose]();
  writeFileSync(path, readFileSync(path).fill('damage', 0, 60));
  {
    using cache = new VectorCache(path, { warn });
    cache.putAll(Array.from({ length: 500 }, (_, at) => [key(at), vector(at)] as const));
  }
  assert.match(warnings.join(), /cache\.sqlite is damaged: it was moved to .*cache\.sqlite\.damaged-1/);
  writeFileSync(path, readFileSync(path).fill(0xff, 8192));
  using cache = new VectorCache(path, { warn });
  assert.deepEqual(cache.getAll([key(1)]), [undefined]);
  cache.putAll([[key(1), vector(1)]]);
  assert.ok(cache.getAll([key(1)])[0]);
  assert.equal(warnings.length, 2);
});
