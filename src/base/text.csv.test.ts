import assert from 'node:assert/strict';
import { test } from 'node:test';

import { csvLine } from './text/index.ts';

test('a cell that a spreadsheet would run as a formula is plain text, and quotes are doubled', () => {
  assert.equal(
    csvLine(['=1+1', '+x', '-x', '@x', 'a "b"', 'plain', 7, null]),
    `'=1+1,'+x,'-x,'@x,"a ""b""",plain,7,\r\n`,
  );
});
