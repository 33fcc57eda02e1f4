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
    'ited both ﬁlamentous fungi.',
  ]);
  assert.deepEqual(marked('The  OIL'), ['The oil']);
});

test('of a quote that goes on over the page, or came from the one before, its part is found', () => {
  assert.deepEqual(marked('grew in no other medium that we tried. The next page tells why this was so.'), [
    'grew in no other medium that we tried.',
  ]);
  assert.deepEqual(marked('What the page before has said. Running head The oil inhibited'), [
    'Running head',
    'The oil inhib',
    'ited',
  ]);
});

test('a mark ends where its quote ends, whatever stands between its lines', () => {
  const columns = [
    '12 The yield of thymol rose with every',
    '13',
    'winter (45 %, see Fig. 2) and fell in the next',
    'Berg et al. Journal of Oils 7, 12',
    'Figure 2. Yields of four winters.',
    'summer, as it had done before [4].',
    'Nothing else was measured.',
  ];
  const quote = 'The yield of thymol rose with every winter (45 %, see Fig. 2) and fell in the next summer, as it had done before [4].'; // prettier-ignore
  const whole = [
    'The yield of thymol rose with every',
    'winter (45 %, see Fig. 2) and fell in the next',
    'summer, as it had done before [4].',
  ];
  assert.deepEqual(marked(quote, columns), whole);
  // Over the edge of a page, with its foot below and the head of the next one above.
  assert.deepEqual(marked(quote, columns.slice(0, 4)), whole.slice(0, 2));
  assert.deepEqual(marked(quote, columns.slice(3)), whole.slice(2));
  // A sign that the file has otherwise, and cells of a row one below the other.
  assert.deepEqual(
    marked('The yield of β-thymol rose with every winter (45 %, see Fig. 2)', columns).join(' '),
    'The yield of thymol rose with every winter (45 %, see Fig. 2)',
  );
  const row = ['Oil Yield', 'Thymol, the main part 47.59', '12', '0.001', 'Carvacrol 2.3'];
  assert.deepEqual(marked('Thymol, the main part | 47.59 | 0.001', row), ['Thymol, the main part 47.59', '0.001']);
});

test('words of a quote that stand elsewhere do not make it be there', () => {
  const other = ['The yield of thymol was low, and', 'every winter that fell in the', 'next years had less of it.'];
  assert.deepEqual(
    marked('The yield of thymol rose with every winter and fell in the next summer, as before.', other),
    [],
  );
});

test('what is not printed there is not marked', () => {
  assert.deepEqual(marked('Thymol was measured twice in every sample that was taken.'), []);
  assert.deepEqual(marked(''), []);
  assert.deepEqual(marked('—'), []);
});
