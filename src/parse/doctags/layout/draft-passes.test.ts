import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TWO_COLUMNS } from '../../../../test/support/layout-passes.ts';
import { drawnPage } from '../../../../test/support/drawn-page.ts';
import { begin, PASSES } from './layout.ts';

test('each pass reads only the results of earlier passes, and has a unique name', () => {
  let found = begin([drawnPage(TWO_COLUMNS)], [], '');
  for (const pass of PASSES) {
    for (const need of pass.needs)
      assert.ok(need in found, `${pass.name} needs ${need}, which no pass before it gives`);
    found = { ...found, ...pass.run(found) };
  }
  assert.equal(new Set(PASSES.map(({ name }) => name)).size, PASSES.length);
  assert.ok(found.drafts.length > 0);
});
