import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findQuote } from '../../src/serve/page/reader/quote.ts';

const LINES = [
  'Running head',
  'The oil inhib-',
  'ited both ﬁlamentous fungi. It',
  'grew in no other medium that we tried.',
];

/** The marked text, line by line. */
const marked = (quote: string, lines = LINES): string[] =>
  findQuote(lines, quote).map(({ line, start, end }) => (lines[line] ?? '').slice(start, end));

test('a quote is found over broken words, ligatures and other spaces, and nothing beside it is marked', () => {
  assert.deepEqual(marked('the oil inhibited both filamentous fungi.'), [
    'The oil inhib',
    'ited both ﬁlamentous fungi',
  ]);
  assert.deepEqual(marked('The  OIL'), ['The oil']);
});

test('of a quote that goes on over the page, or came from the one before, its part is found', () => {
  assert.deepEqual(marked('grew in no other medium that we tried. The next page tells why this was so.'), [
    'grew in no other medium that we tried',
  ]);
  assert.deepEqual(marked('What the page before has said. Running head The oil inhibited'), [
    'Running head',
    'The oil inhib',
    'ited',
  ]);
});

test('what is not printed there is not marked', () => {
  assert.deepEqual(marked('Thymol was measured twice in every sample that was taken.'), []);
  assert.deepEqual(marked(''), []);
  assert.deepEqual(marked('—'), []);
});
