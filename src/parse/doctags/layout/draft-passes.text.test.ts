import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Glyph } from './page/page-content.ts';
import { findingsAfter, draftsAfter } from '../../../../test/support/layout-passes.ts';
import { drawnPage } from '../../../../test/support/drawn-page.ts';
import { textOf } from './draft.ts';
import { raisedIn } from './output/document-blocks.ts';

test('abbreviations defined in a paragraph are a list', () => {
  const found = draftsAfter(
    'lists',
    drawnPage(`
«Abbreviations»

DPP: Ducks per pond; GPM: Geese per meadow; SD: Standard
deviation; CI: Confidence interval.

«Funding»

The town; the county; and all who came.
`),
  );
  assert.deepEqual(
    found.filter((each) => each.startsWith('list_item')),
    [
      'list_item: DPP: Ducks per pond',
      'list_item: GPM: Geese per meadow',
      'list_item: SD: Standard deviation',
      'list_item: CI: Confidence interval.',
    ],
  );
  assert.ok(found.includes('text: The town; the county; and all who came.'), found.join('\n'));
});

test('superscript numbers are recorded with their positions in the text', () => {
  const page = drawnPage(`
ducks were there on day 4.¹³ They came back in version 4.0.¹⁴ and that was
more than we had seen before,² as others say who looked at them with 2 eyes
`);
  const shown = findingsAfter('paragraphs', page).drafts.flatMap((draft) => {
    const text = textOf(draft);
    return raisedIn(draft, text).map(({ start, end }) => `${text.slice(start - 2, start)}^${text.slice(start, end)}`);
  });
  assert.deepEqual(shown, ['4.^13', '0.^14', 'e,^2']);
});

test('a paragraph continues after the addresses at the foot of its page, which stay separate', () => {
  const first = drawnPage(`
ducks swim on every pond that is there and eat what they find below where the
others do not come to look for it in a row that nobody has ever counted so the


¹School of Ponds, University of the Upper Water, 041004, Duckburg. Correspondence
and requests for materials should be addressed to the ducks (email: duck@pond)
`);
  const second = drawnPage(
    `
activities of ducks were seen by people who come to the pond on Sundays to look
at what they do there, and nobody stays for longer than it takes to see them.
`,
    2,
  );
  const texts = draftsAfter('joins', first, second);
  assert.match(texts[0] ?? '', /counted so the activities of ducks .* to see them\.$/s);
  assert.match(texts[1] ?? '', /^\w+: 1School of Ponds.*duck@pond\)$/s);
});

test('a paragraph continues after several paragraphs in small print', () => {
  const first = drawnPage(`
ducks swim on every pond that is there and eat what they find below where the
others do not come to look for it in a row that nobody has ever counted so the


From the School of Ponds, University of the Upper Water, 041004, Duckburg, DB

Submitted January 4, 2021; accepted February 1, 2021

Reprint requests: A. Duck, School of Ponds, 041004, Duckburg, DB
`);
  const second = drawnPage(
    'activities of ducks were seen by people who come to the pond on Sundays to look\nat them.\n',
    2,
  );
  const text = Math.min(...first.glyphs.map(({ baseline }) => baseline)) + 20;
  const small = first.glyphs.map((glyph) => (glyph.baseline > text ? { ...glyph, size: glyph.size * 0.8 } : glyph));
  const [joined = '', ...others] = draftsAfter('joins', { ...first, glyphs: small }, second);
  assert.match(joined, /counted so the activities of ducks .* at them\.$/s);
  assert.equal(others.length, 3);
});

test('a bullet drawn twice is one bullet', () => {
  const page = drawnPage(`
What was found on the ponds in the first spring of the count, in a few words here:
►► ducks swim on every pond
►► geese walk on the meadows
`);
  assert.deepEqual(
    findingsAfter('lists', page).drafts.map(({ kind, marker }) => `${kind} ${marker ?? ''}`),
    ['text ', 'list_item ►►', 'list_item ►►'],
  );
});

test('a number separated from its word by a line break does not start a list item', () => {
  const page = drawnPage(`
We looked at all the ponds of the land where ducks had been before COVID-
19. The ducks did not come back to these ponds in the spring of that cold year.
`);
  assert.equal(draftsAfter('lists', page).length, 1);
});

test('an abstract that is balanced over two columns is read before the section below it', () => {
  const page = drawnPage(`
#Ducks on all of the ponds of the town

ducks swim on every pond that is there     and eat what they find below, where
and look for weeds in the shallow water    others do not come to look for such
while geese walk about on the meadows,     a row that nobody has ever counted.



SECTION                                    on a meadow of the town as they did
Ducks walk about on the meadows of the     in the winter of a year before that
town in the winter of a cold year, and     one. They were counted on Sundays.
`);
  const glyphs = page.glyphs.map((glyph) => (/^[SECTION]$/u.test(glyph.text) ? { ...glyph, size: 13 } : glyph));
  const found = findingsAfter('columns', { ...page, glyphs });
  const text = (found.columns.get(1) ?? []).map(({ segments }) => segments.map((each) => each.text).join(' '));
  assert.match(text.join(' '), /meadows, and eat.*ever counted\. SECTION/u);
});

test('raised signs in the lines over both columns do not cut them', () => {
  const page = drawnPage(`
ducks swim on every pond that is   there and eat what they find below, where
and look for weeds in the shallow  water others do not come to look for such
while geese walk about on meadows  a row that nobody has ever counted before

ducks of type AB 3 and of type CD 4 swim on the ponds and eat what they find

ducks swim on every pond that is   there and eat what they find below, where
and look for weeds in the shallow  water others do not come to look for such
while geese walk about on meadows  a row that nobody has ever counted before
`);
  const star = page.glyphs.find(({ text }) => text === '3');
  const raised = { ...star, text: '∗', left: 131, right: 134, baseline: (star?.baseline ?? 0) - 2.2 } as Glyph;
  const { columns } = findingsAfter('columns', { ...page, glyphs: [...page.glyphs, raised] });
  const piece = (columns.get(1) ?? []).find(({ segments }) =>
    segments.some((each) => each.text.startsWith('ducks of')),
  );
  assert.ok(piece?.segments.some(({ text }) => text === '∗'));
});

test('a paragraph in bold type goes on with a quantity at the start of a line', () => {
  const found = draftsAfter(
    'paragraphs',
    drawnPage(`
«ducks swim on every pond that is there and eat what they find below the water for»
«12 h and look for weeds in the shallow water where others do not come to look for»
«it in a row that nobody has counted.»
`),
  );
  assert.equal(found.length, 1, found.join('\n'));
});

test('a DOI that stands alone is no text; one behind words is', () => {
  const found = draftsAfter(
    'page-order',
    drawnPage(`
Ducks swim on every pond that is there and eat what they find below where the others do
not come to look for it, while geese walk about on the meadows in a row that nobody has
ever counted, as it changes with every hour of a day and with what people have brought,
who come to the ponds on Sundays to look for weeds in the shallow water below the trees
and in search of grass, which they find where nobody else has looked for it before them.

10.1000/pond.2001-7

https://doi.org/10.1000/pond.2001-7

Figures are at 10.1000/pond.2001-7
`),
  );
  assert.deepEqual(
    found.filter((each) => each.includes('10.1000')).map((each) => each.slice(0, 14)),
    ['page_footer: 1', 'page_footer: h', 'text: Figures '],
  );
});
