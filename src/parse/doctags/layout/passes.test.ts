import assert from 'node:assert/strict';
import { test } from 'node:test';

import { drawnPage } from '../../../../test/support/drawn-page.ts';
import type { Findings } from './draft.ts';
import { textOf } from './draft.ts';
import { isReferencesHeading } from './role/heading-number.ts';
import { begin, PASSES } from './layout.ts';
import type { PageContent } from './page/page-content.ts';
import { raisedIn } from './output/document-blocks.ts';

test('each pass reads only the results of earlier passes, and has a unique name', () => {
  let found = begin([drawnPage(COLUMNS)], [], '');
  for (const pass of PASSES) {
    for (const need of pass.needs)
      assert.ok(need in found, `${pass.name} needs ${need}, which no pass before it gives`);
    found = { ...found, ...pass.run(found) };
  }
  assert.equal(new Set(PASSES.map(({ name }) => name)).size, PASSES.length);
  assert.ok(found.drafts.length > 0);
});

/** What is known after a pass. */
function after(name: string, ...pages: readonly PageContent[]): Findings {
  let found = begin(pages, [], '');
  for (const pass of PASSES) {
    found = { ...found, ...pass.run(found) };
    if (pass.name === name) return found;
  }
  throw new RangeError(name);
}

/** Kinds and texts of the drafts after a pass. */
function drafts(name: string, ...pages: readonly PageContent[]): string[] {
  return after(name, ...pages).drafts.map((draft) => `${draft.kind}: ${textOf(draft)}`);
}

const COLUMNS = `
ducks swim on every pond that is there   and eat what they find below where
and look for weeds in the shallow water  others do not come to look for it
while geese walk about on the meadows in a row that nobody has ever counted
search of grass and are seen by people   as it changes with every hour of a
who come to the pond on Sundays to look  day and nobody stays for longer than
`;

test('rules below running heads and above footers belong to the page; rules of a table do not', () => {
  const framed = (number: number): PageContent =>
    drawnPage(`A Journal of Ponds\n${'─'.repeat(76)}\n${COLUMNS}\n${'─'.repeat(76)}\n`, number);
  const pages = [1, 2, 3, 4].map(framed);
  const tabled = drawnPage(
    `
Table 1. Ducks and geese.
──────────────────────────────
Pond     Ducks    Geese
──────────────────────────────
Upper    12       3
Lower    7        11
──────────────────────────────
`,
    5,
  );
  const { pageRules, floats } = after('tables', ...pages, tabled);
  assert.deepEqual(
    pages.map((page) => page.rules.filter((rule) => pageRules.has(rule)).length),
    [2, 2, 2, 2],
  );
  assert.deepEqual(
    tabled.rules.filter((rule) => pageRules.has(rule)),
    [],
  );
  assert.deepEqual(
    [...floats].map(([page, all]) => [page, [...all.values()].map(({ kind }) => kind)]),
    [
      [1, []],
      [2, []],
      [3, []],
      [4, []],
      [5, ['table']],
    ],
  );
});

test('two columns of body text between two rules are not a table, even on one page', () => {
  const { floats } = after('tables', drawnPage(`${'─'.repeat(76)}\n${COLUMNS}\n${'─'.repeat(76)}\n`));
  assert.equal(floats.get(1)?.size, 0);
});

test('rules of tables at the same height on several pages stay with their tables', () => {
  const pages = [1, 2, 3].map((number) =>
    drawnPage(
      `
Table ${number}. Ducks and geese.
${'─'.repeat(76)}
Pond                Ducks               Geese
${'─'.repeat(76)}
Upper               12                  3
Lower               7                   11
${'─'.repeat(76)}

ducks swim on every pond that is there     and eat what they find below, where
and look for weeds in the shallow water    others do not come to look for such
while geese walk about on the meadows      a row that nobody has ever counted
`,
      number,
    ),
  );
  const { pageRules, floats } = after('tables', ...pages);
  assert.equal(pageRules.size, 0);
  assert.deepEqual(
    [...floats.values()].map((all) => [...all.values()].map(({ table }) => [table?.rows, table?.columns])),
    [[[3, 3]], [[3, 3]], [[3, 3]]],
  );
});

test('a table extends from its caption to its last rule, including a header above the first rule', () => {
  const { floats } = after(
    'tables',
    drawnPage(`
Table 2. What is done on ponds.

Aim              Means
────────────────────────────────────────
Feed ducks       bread and oats
                 grass in summer
Watch geese      from a bench
────────────────────────────────────────
ducks swim on every pond that is there and eat what they find below the water
and look for weeds in the shallow water where others do not come to look for
while geese walk about on the meadows in a row that nobody has ever counted as
`),
  );
  const [table] = [...(floats.get(1)?.values() ?? [])];
  assert.equal(table?.table?.columns, 2);
  assert.equal(table.table.cells[0]?.text, 'Aim');
});

test('stripes behind rows are treated as rules, not as a picture', () => {
  const stripe = '▒'.repeat(40);
  const page = drawnPage(`
Table 3. Ducks by pond.
${stripe}


${stripe}

${stripe}
`);
  const rows = drawnPage(`

Pond          Ducks     Geese
Upper pond    12        3
Lower pond    7         11
Middle pond   5         2
Far pond      1         9
`);
  const { floats, pictures } = after('tables', { ...page, glyphs: [...page.glyphs, ...rows.glyphs] });
  assert.deepEqual(pictures.get(1), []);
  assert.deepEqual(
    [...(floats.get(1)?.values() ?? [])].map(({ kind, table }) => [kind, table?.columns]),
    [['table', 3]],
  );
});

test('all stripes of a table may be one shape, separate from the figure below', () => {
  const rows = drawnPage(`
TA B LE 3 Ducks by pond.

Pond          Ducks     Geese
Upper pond    12        3
Lower pond    7         11
Middle pond   5         2
Far pond      1         9
Near pond     4         8
Small pond    2         1
Old pond      6         7
New pond      9         4




        ████████████
        ████████████
        ████████████
        ████████████
FI G U R E 1 Ducks of one pond.
`);
  const stripes = [
    { top: 57, bottom: 69 },
    { top: 70, bottom: 165 },
  ].map(({ top, bottom }) => ({ kind: 'path' as const, box: { left: 48, right: 210, top, bottom }, form: -1 }));
  const page = { ...rows, drawings: [...rows.drawings, ...stripes] };
  const { floats } = after('tables', page);
  assert.deepEqual(
    [...(floats.get(1)?.values() ?? [])].map(({ kind, table }) => [kind, table?.columns]),
    [
      ['table', 3],
      ['picture', undefined],
    ],
  );
  assert.deepEqual(
    drafts('captions', page).filter((each) => each.startsWith('caption')),
    ['caption: TABLE 3 Ducks by pond.', 'caption: FIGURE 1 Ducks of one pond.'],
  );
});

test('abbreviations defined in a paragraph are a list', () => {
  const found = drafts(
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

test('a figure extends from its caption over all its parts up to the body text', () => {
  const { pictures, text } = after(
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
  const { text } = after(
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

test('the word references in a justified line does not start a reference list', () => {
  const { columns } = after(
    'columns',
    drawnPage(`
ducks swim on every pond that is there     and eat what they find below, where
and look for weeds in the shallow water    others do not come to look for such
while geese walk about on the meadows      a row that nobody has ever counted
who come to the pond on Sundays to look

and  give    references    for    ducks    as it changes with every hour of a
and look for weeds in the shallow water    day and nobody stays for longer than
while geese walk about on the meadows      others do not come to look for it and
search of grass and are seen by people     a row that nobody has ever counted as
`),
  );
  assert.equal(columns.get(1)?.length, 2);
});

test('body text on a drawn background stays text', () => {
  const page = drawnPage(COLUMNS);
  const box = { left: 40, top: 30, right: 450, bottom: 150 };
  const { pictures, text } = after('pictures', { ...page, drawings: [{ kind: 'image', box, form: -1 }] });
  assert.deepEqual(pictures.get(1), []);
  assert.equal(text.get(1)?.length, 9);
});

test('icons after names in neighbouring lines are no figure, and the words between them stay text', () => {
  const { pictures, text } = after(
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

test('the title includes a subtitle, but not the article type or a notice', () => {
  const found = drafts(
    'title',
    drawnPage(`
#Research Article
#Ducks on ponds in winter

Anna Teal and Ben Coot

Abstract
${COLUMNS}
`),
  );
  assert.ok(found.includes('title: Ducks on ponds in winter'), found.join('\n'));
});

test('large type between a title and a paragraph is a heading, not a subtitle', () => {
  const page = drawnPage(`#Ducks on ponds in winter\n\n#Results\n\n${COLUMNS}\n`);
  const [first] = page.glyphs;
  assert.ok(first);
  const isSection = ({ size, baseline }: typeof first): boolean => size === first.size && baseline > first.baseline;
  const glyphs = page.glyphs.map((glyph) => (isSection(glyph) ? { ...glyph, size: 0.8 * glyph.size } : glyph));
  const found = drafts('title', { ...page, glyphs });
  assert.ok(found.includes('title: Ducks on ponds in winter'), found.join('\n'));
});

test('the header of a ruled table is not a running head, even at the top of every page', () => {
  const pages = [1, 2, 3, 4].map((number) => {
    const page = drawnPage(`Pond     Ducks    Geese\nUpper    ${number}       3\n`, number);
    const right = Math.max(...page.glyphs.map((glyph) => glyph.right));
    const verticals = [0, right / 2, right + 2].map((left) => ({ direction: 'vertical' as const, box: { left, right: left + 1, top: 0, bottom: page.height } })); // prettier-ignore
    return [page, { ...page, rules: verticals }] as const;
  });
  assert.ok(after('furniture', ...pages.map(([plain]) => plain)).furniture.size > 0);
  assert.equal(after('furniture', ...pages.map(([, ruled]) => ruled)).furniture.size, 0);
});

test('section names at the start of paragraphs become headings; labels of notes do not', () => {
  const found = drafts(
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
  const found = drafts(
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
${COLUMNS}
`);
  const beside = drawnPage(`

OPEN
Received 1 May
Accepted 2 May
Published 3 May
`);
  const small = beside.glyphs.map((glyph) => ({ ...glyph, size: 7, baseline: glyph.baseline - 3 }));
  const found = drafts('title', { ...title, glyphs: [...title.glyphs, ...small] });
  assert.ok(found.includes('title: Ducks on ponds and what they eat in winter'), found.join('\n'));
});

test('names between the title and an abstract on the next page are not headings', () => {
  const found = drafts(
    'headings',
    drawnPage('#Ducks on ponds in winter\n\n«Anna Teal»\nPond House\n\n«Ben Coot»\nLake House\n'),
    drawnPage(`«Abstract»\n${COLUMNS}\n«Keywords:»\n\nducks and geese\n`, 2),
  );
  assert.deepEqual(
    found.filter((each) => each.startsWith('heading')),
    ['heading: Abstract'],
  );
});

test('captions may have a label on its own line or spaced letters; a sentence about a figure is not a caption', () => {
  const found = drafts(
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

test('references continue after an interrupting section and across a missing number', () => {
  const found = drafts(
    'references',
    drawnPage(`
«References»

1. Teal A. Ducks on ponds. Pond J. 2001;1:2-3.
2. Coot B. Geese on meadows. Pond J. 2002;2:3-4.
3. Rail C. Swans on lakes. Pond J. 2003;3:4-5.
4. Crane D. Herons by rivers. Pond J. 2004;4:5-6.

«Funding»

The town paid.

6. Stork E. Storks on roofs. Pond J. 2006;6:7-8.
7. Finch F. Finches in gardens. Pond J. 2007;7:8-9.
`),
  );
  assert.equal(found.filter((each) => each.startsWith('reference: ')).length, 6, found.join('\n'));
  assert.ok(found.includes('text: The town paid.'), found.join('\n'));
});

test('line numbers in the margin are furniture, labels of references are not', () => {
  const numbered = COLUMNS.trim()
    .split('\n')
    .map((line, index) => `${index + 11}    ${line}`)
    .join('\n');
  const { furniture } = after('furniture', drawnPage(numbered));
  assert.deepEqual(
    [...furniture.keys()].map((each) => each.glyphs.map((glyph) => glyph.text).join('')),
    ['11', '12', '13', '14', '15'],
  );
  const entries = drawnPage(`
11   Teal A. Ducks on ponds and what they
     eat. Pond J. 2001;1:2-3.
12   Coot B. Geese on meadows. Pond J. 2002.
13   Rail C. Swans on lakes and what they
     look for below. Pond J. 2003;3:4-5.
14   Crane D. Herons by rivers. Pond J. 2004.
15   Stork E. Storks on roofs. Pond J. 2006.
16   Finch F. Finches in gardens and what
     they sing there. Pond J. 2007;7:8-9.
`);
  assert.equal(after('furniture', entries).furniture.size, 0);
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
  const { floats } = after('tables', page);
  const table = [...(floats.get(1)?.values() ?? [])].find(({ kind }) => kind === 'table');
  assert.equal(table?.table?.cells.find(({ row, column }) => row === 2 && column === 3)?.text, '12');
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
    drafts('footnotes', page).map((each) => each.slice(0, 20)),
    ['text: Figure 1 shows', 'picture: ', 'caption: Figure 1 Du', 'footnote: Notes: Gro'],
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
    drafts('page-order', ...pages)
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

test('a publisher advertisement below the references is not part of the paper', () => {
  const page = drawnPage(`
${COLUMNS}

«References»

1. Duck A, Goose B. On ponds and on what swims there. J Ponds. 2001;3:12-19.
2. Goose B, Duck A. On meadows and on what walks there. J Ponds. 2002;4:22-29.
3. Swan C, Duck A. On rivers and on what stays there. J Ponds. 2003;5:32-39.

«Publish your work in this journal»

The journal is open to all who write about ponds, and takes what is well said.
`);
  assert.deepEqual(
    drafts('page-order', page)
      .slice(-3)
      .map((each) => each.slice(0, 30)),
    ['reference: 3. Swan C, Duck A. ', 'page_footer: Publish your work', 'page_footer: The journal is op'],
  );
});

test('superscript numbers are recorded with their positions in the text', () => {
  const page = drawnPage(`
ducks were there on day 4.¹³ They came back in version 4.0.¹⁴ and that was
more than we had seen before,² as others say who looked at them with 2 eyes
`);
  const shown = after('paragraphs', page).drafts.flatMap((draft) => {
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
  const texts = drafts('joins', first, second);
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
  const [joined = '', ...others] = drafts('joins', { ...first, glyphs: small }, second);
  assert.match(joined, /counted so the activities of ducks .* at them\.$/s);
  assert.equal(others.length, 3);
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
  const found = after('footnotes', { ...page, drawings: [{ kind: 'path', box, form: -1 }] });
  assert.deepEqual(found.pictures.get(1), []);
  assert.ok(found.drafts.some((draft) => textOf(draft).includes('and more of them')));
});

test('references may begin on a numbered slide', () => {
  assert.ok(isReferencesHeading('References I'));
  assert.ok(isReferencesHeading('References (1/2)'));
  assert.ok(!isReferencesHeading('Reference values X'));
});

test('code in capitals and a recurring line are not headings', () => {
  const page = drawnPage(`
What was found on the ponds in the first spring of the count, in a few words:

«CREATE POND WHERE DUCK_COUNT = 3»

${'«END»\n\nducks swim on every pond that is there and eat what they find below where they are\n\n'.repeat(5)}
`);
  assert.deepEqual(
    drafts('lists', page).filter((each) => each.startsWith('heading')),
    [],
  );
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
  const found = after('pictures', { ...page, drawings });
  assert.equal(found.pictures.get(1)?.length, 1);
  assert.ok((found.text.get(1) ?? []).every(({ glyphs }) => glyphs.length > 12));
});

test('a single bold line above body text is a heading, even if it is the only one of its style', () => {
  const prose = COLUMNS.trim()
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
    drafts('headings', page).filter((each) => each.startsWith('heading')),
    ['heading: The ponds of the land'],
  );
});

test('an abstract beside the article history, between rules, is not a table', () => {
  const page = drawnPage(`
────────────────────────────────────────────────────────────────────────────
A R T I C L E  I N F O        A B S T R A C T

Article history:              We looked at all the ponds of the land and at
Received 3 May                them in spring, when it is wet, and we saw that
Accepted 5 June               ducks swim on every pond where geese do not go
Keywords:                     and this is what we say about it here for now.
────────────────────────────────────────────────────────────────────────────

${COLUMNS.repeat(3)}
`);
  assert.deepEqual([...(after('tables', page).floats.get(1)?.values() ?? [])], []);
  assert.match(drafts('paragraphs', page).join(' '), /A B S T R A C T .*We looked.*for now\./su);
});

test('a bullet drawn twice is one bullet', () => {
  const page = drawnPage(`
What was found on the ponds in the first spring of the count, in a few words here:
►► ducks swim on every pond
►► geese walk on the meadows
`);
  assert.deepEqual(
    after('lists', page).drafts.map(({ kind, marker }) => `${kind} ${marker ?? ''}`),
    ['text ', 'list_item ►►', 'list_item ►►'],
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
    drafts('captions', page).filter((each) => each.startsWith('caption')),
    [
      'caption: Fig. 2 | Ducks on two ponds in the spring of the cold and wet year.',
      'caption: Figure. Ducks on all the other ponds in the spring of that year.',
    ],
  );
});

test('a licence or an address below the last reference is not part of it', () => {
  const page = drawnPage(`
${COLUMNS}

«References»

1. Duck A, Goose B. On ponds and on what swims there. J Ponds. 2001;3:12-19.
2. Goose B, Duck A. On meadows and on what walks there. J Ponds. 2002;4:22-29.
3. Swan C, Duck A. On rivers and on what stays there. J Ponds. 2003;5:32-39.
4. Teal D, Duck A. On lakes and on what stays there. J Ponds. 2003;5:42-49.


Address for ducks: A. Duck, School of Ponds, University of the Upper Water.
`);
  assert.deepEqual(drafts('references', page).slice(-2), [
    'reference: 4. Teal D, Duck A. On lakes and on what stays there. J Ponds. 2003;5:42-49.',
    'text: Address for ducks: A. Duck, School of Ponds, University of the Upper Water.',
  ]);
});

test('labels of references of equal length are not line numbers', () => {
  const entries = [16, 17, 18, 19, 20, 21].map(
    (label) =>
      `${label}   Teal A. Ducks on ponds and what they\n     eat there in the spring of that\n     year. Pond J. 2001;1:2-3.`,
  );
  assert.equal(after('furniture', drawnPage(entries.join('\n'))).furniture.size, 0);
});

test('a title right of labels that come first in reading order is found', () => {
  const found = after(
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

test('a number separated from its word by a line break does not start a list item', () => {
  const page = drawnPage(`
We looked at all the ponds of the land where ducks had been before COVID-
19. The ducks did not come back to these ponds in the spring of that cold year.
`);
  assert.equal(drafts('lists', page).length, 1);
});

test('rules drawn cell by cell define columns and rows', () => {
  const page = drawnPage(`

Ducks         We looked at all the ponds of the land and at the ducks on them
              in the spring, when it is wet, and in summer, and we saw a few.

Geese         They walk about on the meadows in search of grass, where nobody
              has ever counted them, and are seen by people on most Sundays.

Swans         They stay where they are, on the lakes, all the year round, and
              are seen by everybody who comes there to look at the other ones.
`);
  const rules = [48, 84, 120, 160].flatMap((y) =>
    [
      { left: 48, right: 112, top: y, bottom: y },
      { left: 112, right: 440, top: y, bottom: y },
    ].map((box) => ({ direction: 'horizontal' as const, box })),
  );
  const [table] = [
    ...(after('tables', { ...page, rules })
      .floats.get(1)
      ?.values() ?? []),
  ];
  assert.deepEqual([table?.table?.rows, table?.table?.columns], [3, 2]);
  assert.match(table?.table?.cells[3]?.text ?? '', /^They walk .* Sundays\.$/u);
});

test('a caption repeated above the next part of a table is not a caption', () => {
  const found = drafts(
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

${COLUMNS}${COLUMNS}${COLUMNS}
`);
  assert.ok(
    drafts('captions', page).includes(
      'caption: Figure 1. Ducks on two ponds in the spring and the summer of the cold year; upper pond at the left.',
    ),
    drafts('captions', page).join('\n'),
  );
});

test('a run-in heading ends before text in the same style', () => {
  const page = drawnPage(`
«1 Introduction»

«2.1. Ducks. Anas» swims on every pond that is there and eats what it finds below
where the others do not come to look for it in a row that nobody has ever counted.
`);
  assert.ok(drafts('run-ins', page).includes('heading: 2.1. Ducks.'), drafts('run-ins', page).join('\n'));
});

test('a caption includes small lines directly below it, and the notes below its figure if it is above', () => {
  const small = (page: PageContent, from: number): PageContent => ({
    ...page,
    glyphs: page.glyphs.map((glyph) => (glyph.baseline > from ? { ...glyph, size: 8 } : glyph)),
  });
  const figure = '██████████████████████████████████\n'.repeat(4);
  const below = small(
    drawnPage(`${COLUMNS}${COLUMNS}\n${figure}«Figure 1: Profile»\nof ducks, which were counted.\n`),
    225,
  );
  assert.ok(drafts('captions', below).includes('caption: Figure 1: Profile of ducks, which were counted.'));
  const above = small(
    drawnPage(`${COLUMNS}${COLUMNS}\nFigure 1. Profile.\n\n${figure}\nAbbreviation: UP, upper pond.\n`),
    195,
  );
  assert.ok(drafts('captions', above).includes('caption: Figure 1. Profile. Abbreviation: UP, upper pond.'));
});

test('a list of supplementary figures and a sentence that begins after "Table 2." are not captions', () => {
  const page = drawnPage(`
Fig. S1. Ducks on ponds.

Supplementary Figure 2. Geese on ponds.

Table 2. showed that ducks are on ponds.
`);
  assert.ok(
    drafts('captions', page).every((draft) => draft.startsWith('text: ')),
    drafts('captions', page).join('\n'),
  );
});
