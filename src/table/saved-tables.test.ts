import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Table } from './cell.ts';
import { withCorrections } from './saved-tables.ts';

test('a correction is found by the id of its work, or by its document if it has no work', () => {
  const cell = { kind: 'value', value: '48', from: 'extracted', quote: null } as const;
  const work = { id: 'W1', title: 'Reefs', year: 2019, apa: 'Berg (2019).', doi: null };
  const table = {
    columns: [{ name: 'sample size' }],
    model: null,
    rows: [
      { document: 'berg-2019', work, link: null, cells: [cell] },
      { document: 'scan-7', work: undefined, link: null, cells: [cell] },
    ],
  } as unknown as Table;
  const corrections = new Map(['W1', 'scan-7'].map((id) => [id, new Map([['sample size', `of ${id}`]])]));
  assert.deepEqual(
    withCorrections(table, corrections).rows.map(({ cells }) =>
      cells.map((each) => each.kind === 'value' && [each.from, each.value]),
    ),
    [[['corrected', 'of W1']], [['corrected', 'of scan-7']]],
  );
});
