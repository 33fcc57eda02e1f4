import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TWO_COLUMNS, findingsAfter, draftsAfter } from '../../../../test/support/layout-passes.ts';
import { drawnPage } from '../../../../test/support/drawn-page.ts';
import { textOf } from './draft.ts';
import { PASSES } from './layout.ts';
import type { Glyph, PageContent } from './page/page-content.ts';
import { OCR_FONT as PLAIN_FONT } from './page/page-content.ts';

test('the title includes a subtitle, but not the article type or a notice', () => {
  const found = draftsAfter(
    'title',
    drawnPage(`
#Research Article
#Ducks on ponds in winter

Anna Teal and Ben Coot

Abstract
${TWO_COLUMNS}
`),
  );
  assert.ok(found.includes('title: Ducks on ponds in winter'), found.join('\n'));
});

test('a subtitle may be over one column only, and may name the kind of study', () => {
  const page = drawnPage(`
#Ducks on ponds in the long winter

#Systematic review

Anna Teal and Ben Coot

Abstract
${TWO_COLUMNS}
`);
  const [first] = page.glyphs;
  assert.ok(first);
  const glyphs = page.glyphs.map((glyph) =>
    glyph.size === first.size && glyph.baseline > first.baseline ? { ...glyph, size: 0.8 * glyph.size } : glyph,
  );
  const found = draftsAfter('title', { ...page, glyphs });
  assert.ok(found.includes('title: Ducks on ponds in the long winter Systematic review'), found.join('\n'));
});

test('large type between a title and a paragraph is a heading, not a subtitle', () => {
  const page = drawnPage(`#Ducks on ponds in winter\n\n#Results\n\n${TWO_COLUMNS}\n`);
  const [first] = page.glyphs;
  assert.ok(first);
  const isSection = ({ size, baseline }: typeof first): boolean => size === first.size && baseline > first.baseline;
  const glyphs = page.glyphs.map((glyph) => (isSection(glyph) ? { ...glyph, size: 0.8 * glyph.size } : glyph));
  const found = draftsAfter('title', { ...page, glyphs });
  assert.ok(found.includes('title: Ducks on ponds in winter'), found.join('\n'));
});

test('section names at the start of paragraphs become headings; labels of notes do not', () => {
  const found = draftsAfter(
    'run-ins',
    drawnPage(`
«1 Introduction»

ducks swim on every pond that is there and eat what they find below the water
and look for weeds in the shallow water where others do not come to look for
while geese walk about on the meadows in a row that nobody has ever counted as
their number changes with every hour of a day and nobody stays for longer than
it takes to count them all.

«Funding:» The pond was paid for by the town and by all the people who come to
look at the ducks on Sundays in summer and in winter.

«Notes:» Weights are those of dry ducks and all of them were weighed only once
before they went on to the next pond.
`),
  );
  assert.ok(found.includes('heading: Funding:'), found.join('\n'));
  assert.ok(
    found.some((each) => each.startsWith('text: Notes: Weights')),
    found.join('\n'),
  );
});

test('a run-in heading ends with its style: across a symbol, on a nearly full line, before an unmarked name', () => {
  const found = draftsAfter(
    'run-ins',
    drawnPage(`
«1 Introduction»

ducks swim on every pond that is there and eat what they find below the water
and look for weeds in the shallow water where others do not come to look for
while geese walk about on the meadows in a row that nobody has ever counted as
their number changes with every hour of a day and nobody stays for longer than
it takes to count them all.

«The number of» β«-ducks that were seen on each of all the ponds.» They are few
and look for weeds in the shallow water where others do not come to look for
while geese walk about on the meadows in a row that nobody has ever counted.

ducks on ponds are counted twice. «T»hey are the same ducks and they swim there
and look for weeds in the shallow water where others do not come to look for
while geese walk about on the meadows in a row that nobody has ever counted.

«Weights of geese.» They were weighed on each of the ponds in the second week
and look for weeds in the shallow water where others do not come to look for
while geese walk about on the meadows in a row that nobody has ever counted.

«Conflict of interest» The authors are no ducks and have never been paid for it
by any of those who come to look at the pond.
`),
  );
  assert.deepEqual(
    found.filter((each) => each.startsWith('heading')),
    [
      'heading: 1 Introduction',
      'heading: The number of β-ducks that were seen on each of all the ponds.',
      'heading: Weights of geese.',
      'heading: Conflict of interest',
    ],
  );
});

test('a label and dates beside the title are not part of it, and do not split it', () => {
  const title = drawnPage(`
#               Ducks on ponds and what

#               they eat in winter


                                Anna Teal and Ben Coot

                                Abstract
${TWO_COLUMNS}
`);
  const beside = drawnPage(`

OPEN
Received 1 May
Accepted 2 May
Published 3 May
`);
  const small = beside.glyphs.map((glyph) => ({ ...glyph, size: 7, baseline: glyph.baseline - 3 }));
  const found = draftsAfter('title', { ...title, glyphs: [...title.glyphs, ...small] });
  assert.ok(found.includes('title: Ducks on ponds and what they eat in winter'), found.join('\n'));
});

test('names between the title and an abstract on the next page are not headings', () => {
  const found = draftsAfter(
    'headings',
    drawnPage('#Ducks on ponds in winter\n\n«Anna Teal»\nPond House\n\n«Ben Coot»\nLake House\n'),
    drawnPage(`«Abstract»\n${TWO_COLUMNS}\n«Keywords:»\n\nducks and geese\n`, 2),
  );
  assert.deepEqual(
    found.filter((each) => each.startsWith('heading')),
    ['heading: Abstract'],
  );
});

test('a slide title is a heading once, although it is in the position of running heads', () => {
  const birds = ['ducks', 'geese', 'swans', 'coots', 'terns', 'gulls', 'rails', 'teals'];
  const titles = ['The pond', 'First look', 'Results I', 'Results II', 'Results III', 'Others', 'More', 'Last words'];
  const pages = titles.map((title, index) => {
    const [bird = '', other = ''] = [birds[index], birds[7 - index]];
    return drawnPage(
      `
#${title}


${bird} swim on every pond that is there and look for what ${other} find below the water

▶ ${other} walk about on the meadows in search of grass where the ${bird} are not seen
▶ ${bird} stay
${'\n'.repeat(48)}
                                      Ponds and ${bird} of the year
                                                                     ${index + 1}
`,
      index + 1,
    );
  });
  assert.deepEqual(
    draftsAfter('page-order', ...pages)
      .filter((each) => /^(?:heading|page_header): [^\d]/u.test(each))
      .slice(1),
    [
      'heading: Results I',
      'page_header: Results II',
      'page_header: Results III',
      'heading: Others',
      'heading: More',
      'heading: Last words',
    ],
  );
});

test('code in capitals and a recurring line are not headings', () => {
  const page = drawnPage(`
What was found on the ponds in the first spring of the count, in a few words:

«CREATE POND WHERE DUCK_COUNT = 3»

${'«END»\n\nducks swim on every pond that is there and eat what they find below where they are\n\n'.repeat(5)}
`);
  assert.deepEqual(
    draftsAfter('lists', page).filter((each) => each.startsWith('heading')),
    [],
  );
});

test('a single bold line above body text is a heading, even if it is the only one of its style', () => {
  const prose = TWO_COLUMNS.trim()
    .split('\n')
    .map((each) => each.replace(/ {2,}/u, ' '))
    .join('\n');
  const page = drawnPage(`
#Ducks of many ponds

${prose}

«The ponds of the land»
${prose}
`);
  assert.deepEqual(
    draftsAfter('headings', page).filter((each) => each.startsWith('heading')),
    ['heading: The ponds of the land'],
  );
});

test('a title right of labels that come first in reading order is found', () => {
  const found = findingsAfter(
    'footnotes',
    drawnPage(`
#Ducks of all the upper ponds

A. Duck, B. Goose and C. Swan

«Abstract»

We looked at all the ponds of the land and at the ducks on them in spring, when it
is wet, and in summer, and we saw that ducks swim on every pond all the year round.
`),
  );
  const label = found.drafts.filter((draft) => textOf(draft) === 'Abstract');
  assert.equal(label.length, 1);
  const reordered = [...label, ...found.drafts.filter((draft) => !label.includes(draft))];
  const title = PASSES.find(({ name }) => name === 'title');
  const drafts = title?.run({ ...found, drafts: reordered }).drafts ?? [];
  assert.deepEqual(
    drafts.filter(({ kind }) => kind === 'title').map((draft) => textOf(draft)),
    ['Ducks of all the upper ponds'],
  );
});

test('a run-in heading ends before text in the same style', () => {
  const page = drawnPage(`
«1 Introduction»

«2.1. Ducks. Anas» swims on every pond that is there and eats what it finds below
where the others do not come to look for it in a row that nobody has ever counted.
`);
  assert.ok(draftsAfter('run-ins', page).includes('heading: 2.1. Ducks.'), draftsAfter('run-ins', page).join('\n'));
});

const RUNNING = `
«1 Introduction»

ducks swim on every pond that is there and eat what they find below the water
and look for weeds in the shallow water where others do not come to look for
while geese walk about on the meadows in a row that nobody has ever counted as
their number changes with every hour of a day and nobody stays for longer than
it takes to count them all.
`;

test('a run-in heading may go on in the next line, fill its line, or have one word of its text behind it', () => {
  const page = drawnPage(`
${RUNNING}
     «Weights of geese, ducks, ungrateful coots, grebes, mergansers and shelducks»
«in winter.» They were weighed on each of the ponds in the second week and
and look for weeds in the shallow water where others do not come to look for it.
     «Numbers of ducks that were seen on each of the ponds in the first weeks.»
Their number changes with every hour of a day and nobody stays for longer than
it takes to count them all.
     «Ducks that were seen on all of the ponds on each of the other days.» They
come back with every hour of a day and nobody stays for longer than it takes to
count them all.
`);
  assert.deepEqual(
    draftsAfter('run-ins', page).filter((each) => each.startsWith('heading')),
    [
      'heading: 1 Introduction',
      'heading: Weights of geese, ducks, ungrateful coots, grebes, mergansers and shelducks in winter.',
      'heading: Numbers of ducks that were seen on each of the ponds in the first weeks.',
      'heading: Ducks that were seen on all of the ponds on each of the other days.',
    ],
  );
});

test('a run-in heading may begin with a species or an article, and its text with a small letter', () => {
  const text = 'in the second week and look for\nweeds in the shallow water where others do not come to look for it.';
  const headings = ['P. ducki Swims on All Ponds.', 'A Goose Is Seen on Each of Them.', 'Counts of Shelducks.'];
  const page = `${RUNNING}\n${headings.map((heading, at) => `     «${heading}» ${at === 2 ? 'mRNA' : 'They'} ${text}`).join('\n')}`;
  assert.deepEqual(
    draftsAfter('run-ins', drawnPage(page)).filter((each) => each.startsWith('heading')),
    ['heading: 1 Introduction', ...headings.map((heading) => `heading: ${heading}`)],
  );
});

test('bold words that begin paragraphs apart from each other are headings without a full stop', () => {
  const text = `in the second week and look for weeds in the shallow water where others do
not come to look for while geese walk about on the meadows in a row that nobody
has ever counted.`;
  const apart = `${RUNNING}\n\n«Weights» They were weighed ${text}\n\n\n«Eggs» They were counted ${text}\n\n\n«Feathers» They fell ${text}`;
  const headings = (page: string): string[] =>
    draftsAfter('run-ins', drawnPage(page)).filter((each) => each.startsWith('heading'));
  assert.deepEqual(headings(apart), [
    'heading: 1 Introduction',
    'heading: Weights',
    'heading: Eggs',
    'heading: Feathers',
  ]);
  assert.deepEqual(headings(apart.replaceAll(/\n\n+(?=«[WEF])/gu, '\n')), ['heading: 1 Introduction']);
});

test('a full line in another font and size heads the text below it; in its font it goes on in small letters', () => {
  const page = drawnPage(`
${RUNNING}
Numbers and weights of the ducks
and geese on all the ponds together
The ducks swim on every pond that is there and eat what they find below waters
and look for weeds in the shallow water where others do not come to look for.
`);
  const places = [...new Set(page.glyphs.map(({ baseline }) => baseline))];
  const [from = 0, to = 0] = places.slice(6, 8);
  const glyphs = page.glyphs.map((glyph) =>
    glyph.baseline === from || glyph.baseline === to
      ? { ...glyph, size: 0.94 * glyph.size, font: { ...glyph.font, name: 'Sans' } }
      : glyph,
  );
  const found = draftsAfter('paragraphs', { ...page, glyphs });
  assert.ok(
    found.includes('text: Numbers and weights of the ducks and geese on all the ponds together'),
    found.join('\n'),
  );
});

test('a heading may begin with the small letter of a name', () => {
  const found = draftsAfter('headings', drawnPage(`${RUNNING}\n«mRNA of ducks»\n\n${RUNNING.split('»')[1]}`));
  assert.ok(found.includes('heading: mRNA of ducks'), found.join('\n'));
});

/** The page with its capital words in the font of species, which the file does not call italic. */
function withSpecies(page: PageContent): PageContent {
  const font = { ...(page.glyphs[0]?.font ?? PLAIN_FONT), name: 'Other' };
  return { ...page, glyphs: page.glyphs.map((glyph) => (/^[QXZ]$/u.test(glyph.text) ? { ...glyph, font } : glyph)) };
}

test('words in the font of the text that a species follows are no run-in heading', () => {
  const lines = ['Ducks are seen with.', 'Geese are seen with.', 'Coots are seen with.'];
  const page = drawnPage(
    `${RUNNING}\n${lines.map((line) => `     ${line} QQXX ZZXXX on all of the ponds that are in the\nupper town, as others have said who looked.`).join('\n')}`,
  );
  assert.deepEqual(
    draftsAfter('run-ins', withSpecies(page)).filter((each) => each.startsWith('heading')),
    ['heading: 1 Introduction'],
  );
});

test('a heading in its own font stays apart from the text below, with the name of a species at its end', () => {
  const page = withSpecies(
    drawnPage(`
${RUNNING}

Ducks that were seen on each of the ponds in the first weeks with QQXX ZZXXXX
their number changes with every hour of a day and nobody stays for longer than
it takes to count them all.
`),
  );
  const row = page.glyphs.find(({ text }) => text === 'Q')?.baseline;
  const font = { ...(page.glyphs[0]?.font ?? PLAIN_FONT), name: 'Heads', bold: false };
  const glyphs = page.glyphs.map((glyph) => {
    if (glyph.baseline !== row) return glyph;
    return { ...glyph, baseline: glyph.baseline - 4, font: glyph.font.name === 'Other' ? glyph.font : font };
  });
  const found = draftsAfter('paragraphs', { ...page, glyphs });
  assert.ok(
    found.some((each) => /^text: Ducks that.*ZZXXXX$/u.test(each)),
    found.join('\n'),
  );
});

test('a note on the version of a paper and a word in small type beside its title are no part of the title', () => {
  const page = drawnPage(`
#Ducks on ponds [version 2; peer review:
#two approved]

Anna Teal and Ben Coot

Abstract
${TWO_COLUMNS}
`);
  const found = draftsAfter('title', page);
  assert.ok(found.includes('title: Ducks on ponds'), found.join('\n'));
  assert.ok(found.includes('text: [version 2; peer review: two approved]'), found.join('\n'));
  const [first] = page.glyphs;
  const logo = { ...first, text: 'OPEN', left: 5, right: 40, size: 13, baseline: (first?.baseline ?? 0) - 5 } as Glyph;
  const beside = draftsAfter('title', { ...page, glyphs: [logo, ...page.glyphs] });
  assert.ok(beside.includes('title: Ducks on ponds'), beside.join('\n'));
});
