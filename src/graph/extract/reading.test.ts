import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sentencesOf } from './reading.ts';

function shown(text: string): string[] {
  return sentencesOf(text).map(({ start, end }) => text.slice(start, end));
}

test('sentences end at full stops, with raised numbers behind them, and not inside numbers and names', () => {
  assert.deepEqual(
    shown('It set in at 4.75 V, as seen. Others agree.12,13 We do (see Fig. 2). J. Smith et al. Did not.'),
    ['It set in at 4.75 V, as seen.', 'Others agree.12,13', 'We do (see Fig. 2).', 'J. Smith et al. Did not.'],
  );
});
