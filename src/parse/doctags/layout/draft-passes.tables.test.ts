import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TWO_COLUMNS, findingsAfter, draftsAfter } from '../../../../test/support/layout-passes.ts';
import { drawnPage } from '../../../../test/support/drawn-page.ts';
import { heldLetters } from './output/word-count.ts';
import type { PageContent } from './page/page-content.ts';
import { lettersIn } from './page/scan.ts';

test('rules below running heads and above footers belong to the page; rules of a table do not', () => {
  const framed = (number: number): PageContent =>
    drawnPage(`A Journal of Ponds\n${'─'.repeat(76)}\n${TWO_COLUMNS}\n${'─'.repeat(76)}\n`, number);
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
  const { pageRules, floats } = findingsAfter('tables', ...pages, tabled);
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
  const { floats } = findingsAfter('tables', drawnPage(`${'─'.repeat(76)}\n${TWO_COLUMNS}\n${'─'.repeat(76)}\n`));
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
  const { pageRules, floats } = findingsAfter('tables', ...pages);
  assert.equal(pageRules.size, 0);
  assert.deepEqual(
    [...floats.values()].map((all) => [...all.values()].map(({ table }) => [table?.rows, table?.columns])),
    [[[3, 3]], [[3, 3]], [[3, 3]]],
  );
});

test('a table extends from its caption to its last rule, including a header above the first rule', () => {
  const { floats } = findingsAfter(
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
  const { floats, pictures } = findingsAfter('tables', { ...page, glyphs: [...page.glyphs, ...rows.glyphs] });
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
  const { floats } = findingsAfter('tables', page);
  assert.deepEqual(
    [...(floats.get(1)?.values() ?? [])].map(({ kind, table }) => [kind, table?.columns]),
    [
      ['table', 3],
      ['picture', undefined],
    ],
  );
  assert.deepEqual(
    draftsAfter('captions', page).filter((each) => each.startsWith('caption')),
    ['caption: TABLE 3 Ducks by pond.', 'caption: FIGURE 1 Ducks of one pond.'],
  );
});

test('the header of a ruled table is not a running head, even at the top of every page', () => {
  const pages = [1, 2, 3, 4].map((number) => {
    const page = drawnPage(`Pond     Ducks    Geese\nUpper    ${number}       3\n`, number);
    const right = Math.max(...page.glyphs.map((glyph) => glyph.right));
    const verticals = [0, right / 2, right + 2].map((left) => ({
      direction: 'vertical' as const,
      box: { left, right: left + 1, top: 0, bottom: page.height },
    }));
    return [page, { ...page, rules: verticals }] as const;
  });
  assert.ok(findingsAfter('furniture', ...pages.map(([plain]) => plain)).furniture.size > 0);
  assert.equal(findingsAfter('furniture', ...pages.map(([, ruled]) => ruled)).furniture.size, 0);
});

test('one text between two rules at the top of every page is a running head', () => {
  const pages = [1, 2, 3, 4].map((number) => {
    const page = drawnPage(`     ARTICLE IN PRESS\n\nDucks             Geese\n\n${TWO_COLUMNS.repeat(3)}`, number);
    const rules = [28, 48].map((top) => ({
      direction: 'horizontal' as const,
      box: { left: 48, right: 440, top, bottom: top },
    }));
    return { ...page, rules };
  });
  const heads = [...findingsAfter('furniture', ...pages).furniture.keys()].map(({ text }) => text);
  assert.equal(heads.filter((text) => text === 'ARTICLE IN PRESS').length, 4, heads.join('\n'));
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

${TWO_COLUMNS.repeat(3)}
`);
  assert.deepEqual([...(findingsAfter('tables', page).floats.get(1)?.values() ?? [])], []);
  assert.match(draftsAfter('paragraphs', page).join(' '), /A B S T R A C T .*We looked.*for now\./su);
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
    ...(findingsAfter('tables', { ...page, rules })
      .floats.get(1)
      ?.values() ?? []),
  ];
  assert.deepEqual([table?.table?.rows, table?.table?.columns], [3, 2]);
  assert.match(table?.table?.cells[3]?.text ?? '', /^They walk .* Sundays\.$/u);
});

test('lines under the words of a cell divide no rows', () => {
  const page = drawnPage(`
Table 1. Ducks and what they eat.
────────────────────────────────────────────────────────────────
Ducks         Source    What they eat on the ponds
────────────────────────────────────────────────────────────────
Teal          [3]       weeds that are in the shallow water and
                        look for them below the water
────────────────────────────────────────────────────────────────
Coot          [4]       grass from the meadows where the geese
                        walk about in a row
────────────────────────────────────────────────────────────────
`);
  const links = page.glyphs
    .filter(({ text }) => text === '[')
    .map(({ left, baseline }) => ({
      direction: 'horizontal' as const,
      box: { left, right: left + 15, top: baseline + 1, bottom: baseline + 1.5 },
    }));
  const found = findingsAfter('tables', { ...page, rules: [...page.rules, ...links] });
  const [table] = [...(found.floats.get(1)?.values() ?? [])];
  assert.deepEqual([links.length, table?.table?.rows], [2, 3]);
});

test('a part of a table that is marked as continued in the next column of its page belongs to it', () => {
  const rule = '─'.repeat(30);
  const rows = (from: number): string[] =>
    [0, 1, 2].map((row) => `Pond ${from + row}       ${from + row}2      ${from + row}7`.padEnd(34));
  const left = ['Table 1. Ducks and geese.', rule, ...rows(1), rule];
  const right = ['Table 1. Continued', rule, ...rows(4), rule];
  const parts = left.map((line, at) => `${line.padEnd(43)}${right[at] ?? ''}`).join('\n');
  const text = 'ducks swim on every pond that is there     and eat what they find below, where\n';
  const drawing = `${parts}\n${text.repeat(8)}`;
  const page = drawnPage(drawing);
  const { drafts } = findingsAfter('unplaced', page);
  assert.deepEqual(
    drafts.flatMap(({ table }) => table?.rows ?? []),
    [6],
  );
  assert.equal(heldLetters(drafts).get(1)?.kept, lettersIn([page]));
});

test('tints behind the head and the rows of a table with its caption beside it are no picture', () => {
  const rows = drawnPage(`
Table 1. Ducks       Pond        Ducks       Geese
of the town          Which       All         All
                     Upper       12          3
                     Lower       7           11
                     Middle      8           2
                     Outer       6           9
                     Inner       5           4
                     Wide        3           1
                     Deep        2           2
`);
  const tint = (top: number, bottom: number) =>
    ({ kind: 'path', box: { left: 140, right: 320, top, bottom }, form: -1 }) as const;
  const page = { ...rows, drawings: [tint(32, 58), tint(81, 146)] };
  const { floats } = findingsAfter('tables', page);
  assert.deepEqual(
    [...(floats.get(1)?.values() ?? [])].map(({ kind, table }) => [kind, table?.rows, table?.columns]),
    [['table', 9, 3]],
  );
});
