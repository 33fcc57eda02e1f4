import assert from 'node:assert/strict';
import { test } from 'node:test';

import { askedOf, truthFromJats, withoutLinks } from '../scripts/score/jats-truth.ts';

test('what an archive adds to a file is not asked of the pages, and labels of notes may be headings', () => {
  const truth = truthFromJats(
    'ponds',
    Buffer.from(`<article>
      <front><article-meta><title-group><article-title>Ducks of a town</article-title></title-group></article-meta></front>
      <body><sec><title>Ponds</title><p>Ducks swim on every pond.</p></sec>
        <sec sec-type="supplementary-material"><title>Supplementary Material</title><p>A file.</p></sec></body>
      <back><fn-group><fn><p><bold>Funding.</bold> Nobody paid.</p></fn></fn-group>
        <ref-list><ref><mixed-citation>A. Duck, Ponds, 2001. https://doi.org/10.1000/pond.1
          <pub-id pub-id-type="pmid">123</pub-id></mixed-citation></ref></ref-list></back></article>`),
  );
  const headings = truth?.blocks.filter(({ kind }) => kind === 'heading');
  assert.deepEqual(
    headings?.map(({ text, optional }) => [text, optional ?? false]),
    [
      ['Ponds', false],
      ['Supplementary Material', true],
      ['Funding', true],
      ['References', true],
    ],
  );
  assert.deepEqual(
    truth?.blocks.flatMap(({ kind, text }) => (kind === 'reference' ? [text] : [])),
    ['A. Duck, Ponds, 2001.'],
  );
});

test('a reference is compared without its links', () => {
  const links = [
    ', https://doi.org/10.1000/pond-1.',
    ' doi: 10.1000/pond.1',
    '; doi:10.1000/pond PMID: 123',
    ' [PMID:123]',
  ];
  for (const link of links) assert.equal(withoutLinks(`Duck A. Ponds. 2001;3:4–5${link}`), 'Duck A. Ponds. 2001;3:4–5');
});

test('rows without a word, which only draw rules, are no rows', () => {
  const row = (...cells: string[]): string => `<tr>${cells.join('')}</tr>`;
  const truth = truthFromJats(
    'ponds',
    Buffer.from(`<article><front><article-meta/></front><body><table-wrap><table><tbody>
      ${row('<td rowspan="3">Pond</td>', '<td colspan="2">Birds</td>')}
      ${row('<td colspan="2"><hr/></td>')}
      ${row('<td>Ducks</td>', '<td>Geese</td>')}
      ${row('<td>Upper</td>', '<td>12</td>', '<td/>')}
    </tbody></table></table-wrap></body></article>`),
  );
  const [table] = truth?.blocks.flatMap((block) => block.table ?? []) ?? [];
  assert.deepEqual(
    table?.rows.map((cells) => cells.map(({ text, rowspan }) => `${text} ${rowspan}`)),
    [
      ['Pond 2', 'Birds 1'],
      ['Ducks 1', 'Geese 1'],
      ['Upper 1', '12 1', ' 1'],
    ],
  );
});

test('columns without a word, which only keep columns apart, are no columns', () => {
  const row = (...cells: string[]): string => `<tr>${cells.join('')}</tr>`;
  const truth = truthFromJats(
    'ponds',
    Buffer.from(`<article><front><article-meta/></front><body><table-wrap><table><tbody>
      ${row('<td rowspan="2">Pond</td>', '<td/>', '<td colspan="3">Birds</td>')}
      ${row('<td/>', '<td>Ducks</td>', '<td/>', '<td>Geese</td>')}
      ${row('<td>Upper</td>', '<td/>', '<td>12</td>', '<td/>', '<td/>')}
    </tbody></table></table-wrap></body></article>`),
  );
  const [table] = truth?.blocks.flatMap((block) => block.table ?? []) ?? [];
  assert.deepEqual(
    table?.rows.map((cells) => cells.map(({ text, colspan }) => `${text} ${colspan}`)),
    [
      ['Pond 1', 'Birds 2'],
      ['Ducks 1', 'Geese 1'],
      ['Upper 1', '12 1', ' 1'],
    ],
  );
});

test('names that pages print above statements, which the file has without them, may be headings', () => {
  const truth = truthFromJats(
    'ponds',
    Buffer.from(`<article><front><article-meta><author-notes><fn fn-type="COI-statement"><p>None.</p></fn></author-notes>
      </article-meta></front><body><sec id="funding-statement1"><title>Funding Statement</title><p>Nil.</p></sec>
      <p><bold>Ducks.</bold> They swim <bold>here</bold>. <bold>Funding:</bold> Nobody paid.</p></body></article>`),
  );
  const headings = truth?.blocks.filter(({ kind }) => kind === 'heading') ?? [];
  assert.ok(headings.every(({ optional }) => optional));
  const names = headings.map(({ text }) => text);
  for (const name of ['Competing interests', 'Funding Statement', 'Ducks', 'Funding']) assert.ok(names.includes(name));
  for (const name of ['here', 'Author contributions']) assert.ok(!names.includes(name));
});

test('a heading that no page prints is not asked', () => {
  const truth = truthFromJats(
    'ponds',
    Buffer.from(`<article><front><article-meta/></front><body><sec><title>Introduction</title><p>Ducks.</p></sec>
      <sec><title>Ponds of the town</title><p>Geese.</p></sec></body></article>`),
  );
  const headings = truth && askedOf('Ducks.\nPONDS OF\nTHE TOWN\nGeese.', truth).blocks;
  assert.deepEqual(
    headings?.flatMap(({ kind, text, optional }) => (kind === 'heading' ? [[text, optional ?? false]] : [])),
    [
      ['Introduction', true],
      ['Ponds of the town', false],
    ],
  );
});
