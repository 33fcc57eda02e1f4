import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TWO_COLUMNS, findingsAfter, draftsAfter } from '../../../../test/support/layout-passes.ts';
import { drawnPage } from '../../../../test/support/drawn-page.ts';
import { isReferencesHeading } from './role/section-names.ts';

test('the word references in a justified line does not start a reference list', () => {
  const { columns } = findingsAfter(
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

test('references continue after an interrupting section and across a missing number', () => {
  const found = draftsAfter(
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
  const numbered = TWO_COLUMNS.trim()
    .split('\n')
    .map((line, index) => `${index + 11}    ${line}`)
    .join('\n');
  const { furniture } = findingsAfter('furniture', drawnPage(numbered));
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
  assert.equal(findingsAfter('furniture', entries).furniture.size, 0);
});

test('a publisher advertisement below the references is not part of the paper', () => {
  const page = drawnPage(`
${TWO_COLUMNS}

«References»

1. Duck A, Goose B. On ponds and on what swims there. J Ponds. 2001;3:12-19.
2. Goose B, Duck A. On meadows and on what walks there. J Ponds. 2002;4:22-29.
3. Swan C, Duck A. On rivers and on what stays there. J Ponds. 2003;5:32-39.

«Publish your work in this journal»

The journal is open to all who write about ponds, and takes what is well said.
`);
  assert.deepEqual(
    draftsAfter('page-order', page)
      .slice(-3)
      .map((each) => each.slice(0, 30)),
    ['reference: 3. Swan C, Duck A. ', 'page_footer: Publish your work', 'page_footer: The journal is op'],
  );
});

test('references may begin on a numbered slide', () => {
  assert.ok(isReferencesHeading('References I'));
  assert.ok(isReferencesHeading('References (1/2)'));
  assert.ok(!isReferencesHeading('Reference values X'));
});

test('a licence or an address below the last reference is not part of it', () => {
  const page = drawnPage(`
${TWO_COLUMNS}

«References»

1. Duck A, Goose B. On ponds and on what swims there. J Ponds. 2001;3:12-19.
2. Goose B, Duck A. On meadows and on what walks there. J Ponds. 2002;4:22-29.
3. Swan C, Duck A. On rivers and on what stays there. J Ponds. 2003;5:32-39.
4. Teal D, Duck A. On lakes and on what stays there. J Ponds. 2003;5:42-49.


Address for ducks: A. Duck, School of Ponds, University of the Upper Water.
`);
  assert.deepEqual(draftsAfter('references', page).slice(-2), [
    'reference: 4. Teal D, Duck A. On lakes and on what stays there. J Ponds. 2003;5:42-49.',
    'text: Address for ducks: A. Duck, School of Ponds, University of the Upper Water.',
  ]);
});

test('labels of references of equal length are not line numbers', () => {
  const entries = [16, 17, 18, 19, 20, 21].map(
    (label) =>
      `${label}   Teal A. Ducks on ponds and what they\n     eat there in the spring of that\n     year. Pond J. 2001;1:2-3.`,
  );
  assert.equal(findingsAfter('furniture', drawnPage(entries.join('\n'))).furniture.size, 0);
});

test('references in four columns are read column by column', () => {
  const row =
    'Teal A. Ducks on the ponds  Moor E. Coots in the reeds  Gull K. Terns on the sands  Swan G. Storks on the roof';
  const pages = [1, 2].map((number) => drawnPage(`${row}\n`.repeat(14), number));
  const { columns } = findingsAfter('columns', ...pages);
  assert.deepEqual([columns.get(1)?.length, columns.get(2)?.length], [4, 4]);
});

test('a column that holds only the rest of an entry begins none', () => {
  const found = draftsAfter(
    'references',
    drawnPage(`
«References»

Teal A. Ducks on ponds and what these     in a town that nobody has counted
  look for. Pond J. 2001;1:2–3.           before, and the places where they
Coot B. Geese on meadows and who have     go in the winter of a year that was
  seen them. Pond J. 2002;2:3–4.          colder than others, by one of those
Rail C. Swans on the lakes of a place     who have seen it. Pond J. 2004;4:5.
  and what they eat. Pond J. 2003;3:4.
Crane D. Herons by the river and also
`),
  );
  assert.equal(found.filter((each) => each.startsWith('reference: ')).length, 4, found.join('\n'));
});
