import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row, RowReader, TableSchema } from './table-file.ts';
import { checkedRows } from './open.ts';

const COLUMNS: TableSchema['columns'] = {
  id: 'string',
  page: 'integer',
  words: 'strings',
  places: 'regions',
  dense: { vector: 'float32', dimensions: 2 },
};
const GOOD: Row = {
  id: 'a',
  words: ['x'],
  places: [{ page: 1, left: 0, top: 0, right: 1, bottom: 1 }],
  dense: new Float32Array(2),
};

function readerOf(rows: readonly Row[]): RowReader {
  return {
    metadata: {},
    columns: Object.keys(COLUMNS),
    async *rows() {
      yield* await Promise.resolve(rows);
    },
  };
}

test('an invalid row is reported by file, row and column', async () => {
  const box = { left: 0, top: 0, right: 1, bottom: 1 };
  const good = [GOOD, { ...GOOD, page: null, places: [{ page: 2, box }], dense: [0.5, 1] }];
  assert.equal((await Array.fromAsync(checkedRows('good.jsonl', readerOf(good), COLUMNS))).length, 2);
  for (const [bad, message] of [
    [{ id: undefined }, 'id is not a text'],
    [{ page: 'one' }, 'page is not a whole number'],
    [{ words: ['x', 1] }, 'words is not a list of texts'],
    [{ places: [{ page: 1 }] }, 'places is not a list of regions'],
    [{ places: [null] }, 'places is not a list of regions'],
    [{ dense: [1] }, 'dense is not a vector of 2 numbers'],
    [{ dense: [1, 'x'] }, 'dense is not a vector of 2 numbers'],
  ] as const) {
    const rows = checkedRows('bad.jsonl', readerOf([GOOD, { ...GOOD, ...bad }]), COLUMNS);
    await assert.rejects(Array.fromAsync(rows), { code: 'FILE_UNREADABLE', message: `bad.jsonl, row 2: ${message}` });
  }
  const some = checkedRows('bad.jsonl', readerOf([{ id: 'a' }]), COLUMNS, ['id']);
  assert.equal((await Array.fromAsync(some)).length, 1, 'columns that are not requested may be missing');
});
