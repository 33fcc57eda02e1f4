import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TWO_COLUMNS, draftsAfter } from '../../../../test/support/layout-passes.ts';
import { drawnPage } from '../../../../test/support/drawn-page.ts';
import type { PageContent } from './page/page-content.ts';

test('captions may have a label on its own line or spaced letters; a sentence about a figure is not a caption', () => {
  const found = draftsAfter(
    'captions',
    drawnPage(`
TABLE I

Ducks on two ponds


F I G U R E 2 Geese on a meadow


Figure 3 shows that ducks swim on every pond that is there and eat what they
find below the water.
`),
  );
  assert.deepEqual(found, [
    'caption: TABLE I Ducks on two ponds',
    'caption: FIGURE 2 Geese on a meadow',
    'text: Figure 3 shows that ducks swim on every pond that is there and eat what they find below the water.',
  ]);
});

test('a label may have a wide bar behind it; alone above the rest of a sentence it has no words', () => {
  const found = draftsAfter(
    'captions',
    drawnPage(`
FIGURE 1     |     Ducks on two ponds


FIGURE 8 |Geese on a meadow


Figure 2

geese walk about on the meadows in a row that nobody has ever counted and
look for weeds in the shallow water where others do not come to look for it
while ducks swim on every pond that is there and eat what they find there.
`),
  );
  assert.deepEqual(
    found.map((each) => each.slice(0, 40)),
    [
      'caption: FIGURE 1 | Ducks on two ponds',
      'caption: FIGURE 8 |Geese on a meadow',
      'caption: Figure 2',
      'text: geese walk about on the meadows in',
    ],
  );
});

test('a sentence that begins with a bold figure number is not a caption, and notes are not part of one', () => {
  const small = (page: PageContent): PageContent => ({
    ...page,
    glyphs: page.glyphs.map((glyph) => (glyph.baseline > 140 ? { ...glyph, size: 8 } : glyph)),
  });
  const page = small(
    drawnPage(`
«Figure 1» shows what ducks did on the upper pond over all of the spring when
it was cold and wet and on the lower pond over all of the summer as well now.

██████████████████████████████████
██████████████████████████████████
██████████████████████████████████
██████████████████████████████████

«Figure 1» Ducks on two ponds in the spring and summer of the cold and wet year.
«Notes:» Group L is the lower pond and the ducks that were counted on it there.
`),
  );
  assert.deepEqual(
    draftsAfter('footnotes', page).map((each) => each.slice(0, 20)),
    ['text: Figure 1 shows', 'picture: ', 'caption: Figure 1 Du', 'footnote: Notes: Gro'],
  );
});

test('captions may have a bar after their number, or no number', () => {
  const page = drawnPage(`
██████████████████████████████████
██████████████████████████████████
██████████████████████████████████
██████████████████████████████████

Fig. 2 | Ducks on two ponds in the spring of the cold and wet year.

██████████████████████████████████
██████████████████████████████████
██████████████████████████████████
██████████████████████████████████

Figure. Ducks on all the other ponds in the spring of that year.
`);
  assert.deepEqual(
    draftsAfter('captions', page).filter((each) => each.startsWith('caption')),
    [
      'caption: Fig. 2 | Ducks on two ponds in the spring of the cold and wet year.',
      'caption: Figure. Ducks on all the other ponds in the spring of that year.',
    ],
  );
});

test('a caption repeated above the next part of a table is not a caption', () => {
  const found = draftsAfter(
    'captions',
    drawnPage('Table 2. Ducks of all the upper and lower ponds by year.\n'),
    drawnPage('Table 2. Ducks of all the upper and lower ponds by year (continuation).\n', 2),
  );
  assert.deepEqual(
    found.map((each) => each.split(':')[0]),
    ['caption', 'page_header'],
  );
});

test('short last lines of a caption across two columns belong to it', () => {
  const page = drawnPage(`
██████████████████████████████████████████████████████████████████████████
██████████████████████████████████████████████████████████████████████████
██████████████████████████████████████████████████████████████████████████
██████████████████████████████████████████████████████████████████████████
Figure 1. Ducks on two ponds in the spring and the summer of the cold year;
upper pond at the left.

${TWO_COLUMNS}${TWO_COLUMNS}${TWO_COLUMNS}
`);
  assert.ok(
    draftsAfter('captions', page).includes(
      'caption: Figure 1. Ducks on two ponds in the spring and the summer of the cold year; upper pond at the left.',
    ),
    draftsAfter('captions', page).join('\n'),
  );
});

test('a caption includes small lines directly below it, and the notes below its figure if it is above', () => {
  const small = (page: PageContent, from: number): PageContent => ({
    ...page,
    glyphs: page.glyphs.map((glyph) => (glyph.baseline > from ? { ...glyph, size: 8 } : glyph)),
  });
  const figure = '██████████████████████████████████\n'.repeat(4);
  const below = small(
    drawnPage(`${TWO_COLUMNS}${TWO_COLUMNS}\n${figure}«Figure 1: Profile»\nof ducks, which were counted.\n`),
    225,
  );
  assert.ok(draftsAfter('captions', below).includes('caption: Figure 1: Profile of ducks, which were counted.'));
  const above = small(
    drawnPage(`${TWO_COLUMNS}${TWO_COLUMNS}\nFigure 1. Profile.\n\n${figure}\nAbbreviation: UP, upper pond.\n`),
    195,
  );
  assert.ok(draftsAfter('captions', above).includes('caption: Figure 1. Profile. Abbreviation: UP, upper pond.'));
});

test('a list of supplementary figures and a sentence that begins after "Table 2." are not captions', () => {
  const page = drawnPage(`
Fig. S1. Ducks on ponds.

Supplementary Figure 2. Geese on ponds.

Table 2. showed that ducks are on ponds.
`);
  assert.ok(
    draftsAfter('captions', page).every((draft) => draft.startsWith('text: ')),
    draftsAfter('captions', page).join('\n'),
  );
});
