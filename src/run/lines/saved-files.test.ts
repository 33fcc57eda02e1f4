import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { SavedRow } from '../../database/index.ts';
import { SavedFiles } from './saved-files.ts';

const row = (sequence: number): SavedRow => ({ sequence, work: `W${sequence}`, kind: 'pdf', path: 'PDF/a', bytes: 1 });

function openRows(count: number) {
  const rows = Array.from({ length: count }, (_, at) => row(at + 1));
  const files = new SavedFiles((after, limit) => rows.filter(({ sequence }) => sequence > after).slice(0, limit));
  return { rows, files };
}

test('files of earlier runs come in pages, then new ones as their rows are written, each once', async () => {
  const { rows, files } = openRows(250);
  const pages = files[Symbol.asyncIterator]();
  const seen: string[] = [];
  const next = async (): Promise<number> => {
    const { done, value } = await pages.next();
    if (done) return 0;
    seen.push(...value.map(({ work }) => work));
    return value.length;
  };
  assert.deepEqual([await next(), await next(), await next()], [100, 100, 50]);
  const waiting = next();
  rows.push(row(251));
  files.wake();
  assert.equal(await waiting, 1);
  rows.push(row(252));
  files.complete();
  assert.deepEqual([await next(), await next()], [1, 0]);
  assert.equal(new Set(seen).size, 252);
  assert.equal(seen.length, 252);
});

test('a reader that is busy misses no row that was written meanwhile', async () => {
  const { rows, files } = openRows(1);
  const pages = files[Symbol.asyncIterator]();
  await pages.next();
  for (const sequence of [2, 3]) {
    rows.push(row(sequence));
    files.wake();
  }
  const { value } = await pages.next();
  assert.equal(value?.length, 2);
  files.complete();
  assert.equal((await pages.next()).done, true);
});
