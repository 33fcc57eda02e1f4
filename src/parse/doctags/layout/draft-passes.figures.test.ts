import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TWO_COLUMNS, findingsAfter } from '../../../../test/support/layout-passes.ts';
import { drawnPage } from '../../../../test/support/drawn-page.ts';
import { textOf } from './draft.ts';

test('a figure extends from its caption over all its parts up to the body text', () => {
  const { pictures, text } = findingsAfter(
    'pictures',
    drawnPage(`
ducks swim on every pond that is there and eat what they find below the water
and look for weeds in the shallow water where others do not come to look for
while geese walk about on the meadows in a row that nobody has ever counted as
their number changes with every hour of a day and nobody stays for longer than

   A                         B
      ████                      ████
  9   ████   Control         9  ████   Week 2
      ████                      ████
      ████                      ████
   5   10   15               5   10   15

Figure 1. Ducks on two ponds in the second week of the year, by the hour.
`),
  );
  assert.equal(pictures.get(1)?.length, 1);
  const words = (text.get(1) ?? []).map((each) => each.glyphs.map((glyph) => glyph.text).join(''));
  assert.equal(words.length, 5, words.join(' '));
});

test('the last line of a paragraph above a figure at the top of a column is not its label', () => {
  const { text } = findingsAfter(
    'pictures',
    drawnPage(`
changes with the hour of the day.
      ████
      ████
      ████
      ████

Figure 1. Ducks on two ponds in the second week of the year, by the hour.

ducks swim on every pond that is there and eat what they find below the water
and look for weeds in the shallow water where others do not come to look for
while geese walk about on the meadows in a row that nobody has ever counted as
their number changes with every hour of a day and nobody stays for longer than
`),
  );
  assert.equal(text.get(1)?.[0]?.glyphs.length, 'changeswiththehouroftheday.'.length);
});

test('body text on a drawn background stays text', () => {
  const page = drawnPage(TWO_COLUMNS);
  const box = { left: 40, top: 30, right: 450, bottom: 150 };
  const { pictures, text } = findingsAfter('pictures', { ...page, drawings: [{ kind: 'image', box, form: -1 }] });
  assert.deepEqual(pictures.get(1), []);
  assert.equal(text.get(1)?.length, 9);
});

test('icons after names in neighbouring lines are no figure, and the words between them stay text', () => {
  const { pictures, text } = findingsAfter(
    'pictures',
    drawnPage(`
Ada Stone of the pond and Cleo Marsh of hers ██
Dora Brook of the lake and Eva Ford of it ██ ,Al
Pereira Pinto of the river and Fritz Lake of it██
`),
  );
  assert.deepEqual(pictures.get(1), []);
  assert.match((text.get(1) ?? []).map((segment) => segment.text).join(' '), /Al/);
});

test('a figure takes no row of a table that ends above it', () => {
  const page = drawnPage(`
Table 1. Ducks and geese.
────────────────────────────────────────────────────────────────────────
Pond                  Ducks               Geese               Swans
────────────────────────────────────────────────────────────────────────
Upper                 12                  3                   11
Lower                 7                   11                  12
────────────────────────────────────────────────────────────────────────

                                          ███████████████████████████████
                                          ███████████████████████████████
                                          ███████████████████████████████
                                          ███████████████████████████████
                                          Figure 1. Ponds in spring.
`);
  const { floats } = findingsAfter('tables', page);
  const table = [...(floats.get(1)?.values() ?? [])].find(({ kind }) => kind === 'table');
  assert.equal(table?.table?.cells.find(({ row, column }) => row === 2 && column === 3)?.text, '12');
});

test('a box around text is not a picture', () => {
  const page = drawnPage(`
ducks swim on every pond that is there and eat what they find below where the
others do not come to look for it in a row that nobody has ever counted so far.

«Key points»
a box may hold a few words that nobody should lose
and more of them
`);
  const box = { left: 45, right: 400, top: 84, bottom: 125 };
  const found = findingsAfter('footnotes', { ...page, drawings: [{ kind: 'path', box, form: -1 }] });
  assert.deepEqual(found.pictures.get(1), []);
  assert.ok(found.drafts.some((draft) => textOf(draft).includes('and more of them')));
});

test('bars above a caption are a figure, even if only fills are drawn', () => {
  const page = drawnPage(`
ducks swim on every pond that is there and look for weeds in the shallow water now
and look for weeds in the shallow water while geese walk about on the meadows all day




   Upper   Lower
Figure 1. Ponds in spring.
`);
  const drawings = [0, 1].map((bar) => ({
    kind: 'fill' as const,
    box: { left: 70 + bar * 40, right: 90 + bar * 40, top: 66, bottom: 103 },
    form: -1,
  }));
  const found = findingsAfter('pictures', { ...page, drawings });
  assert.equal(found.pictures.get(1)?.length, 1);
  assert.ok((found.text.get(1) ?? []).every(({ glyphs }) => glyphs.length > 12));
});

test('a logo above the title is no part of the figure below it', () => {
  const page = drawnPage(`
                                   ██████████
#Ducks of all the upper ponds of the town

Ada Stone



      ████████████████████
      ████████████████████
      ████████████████████
Figure 1. Ducks on two ponds in the second week of the year, by the hour.

ducks swim on every pond that is there and eat what they find below the water
and look for weeds in the shallow water where others do not come to look for
while geese walk about on the meadows in a row that nobody has ever counted as
their number changes with every hour of a day and nobody stays for longer than
`);
  const { text } = findingsAfter('pictures', page);
  assert.ok((text.get(1) ?? []).some((each) => each.text === 'Ada Stone'));
});
