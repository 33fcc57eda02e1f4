import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Section } from './section.ts';
import { findingWeight, sectionOf, sectionWeights } from './section.ts';

function section(
  headings: readonly string[],
  text = 'The reef was warm and the corals were pale in every year we looked.',
  more: { kinds?: readonly string[]; index?: number; title?: string } = {},
): Section {
  return sectionOf({ headings, text, kinds: ['text'], index: 5, ...more });
}

test('the innermost known heading decides the section, in any numbering and spelling', () => {
  const cases: readonly (readonly [readonly string[], Section])[] = [
    [['2. Materials & Methods'], 'methods'],
    [['IV. RESULTS AND DISCUSSION'], 'results'],
    [['3.2 Results', 'Coral cover'], 'results'],
    [['Appendix', 'A. Methods'], 'methods'],
    [['References'], 'references'],
    [['Literaturverzeichnis'], 'references'],
    [['参考文献'], 'references'],
    [['Acknowledgments'], 'back'],
    [['Author Contributions'], 'back'],
    [['Declaration of Competing Interest'], 'back'],
    [['Abstract'], 'abstract'],
    [['1 Introduction'], 'introduction'],
    [['Conclusions and outlook'], 'conclusion'],
    [['Attention heads'], 'body'],
    [['Reference frames in vision'], 'body'],
    [['Funding of public schools'], 'body'],
  ];
  for (const [headings, expected] of cases) assert.equal(section(headings), expected, headings.join(' / '));
});

test('entries of a reference list are references under any heading', () => {
  assert.equal(section(['Discussion'], '[1] Head T. 2001.', { kinds: ['reference'] }), 'references');
  assert.equal(section([], '[1] Head T. 2001.', { kinds: ['reference', 'text'] }), 'references');
});

test('a table or a figure behind the references or beside the funding is part of the paper', () => {
  const table = 'Table 1 Resistance of masks\nMask | Pa\nA | 29.4';
  assert.equal(section(['References'], table, { kinds: ['table'] }), 'body');
  assert.equal(section(['References'], table, { kinds: ['table', 'reference'] }), 'body', 'with a note of the table');
  assert.equal(section(['Funding'], 'Fig. 2 Shares of each trial', { kinds: ['picture', 'caption'] }), 'body');
  assert.equal(section(['Results'], table, { kinds: ['table'] }), 'results');
  assert.equal(section(['Funding'], `The state paid.\n\n${table}`, { kinds: ['text', 'table'] }), 'back');
});

test('names and addresses before the first heading are front matter; an abstract there is not', () => {
  const names =
    'Attention on Reefs\nTim Head1, Ana van der Berg2 and Liu Wei1\n1 Department of Marine Biology, University of Queensland, Brisbane, Australia\n2 Reef Institute, Perth, Australia tim.head@reef.example';
  assert.equal(section([], names, { index: 0 }), 'front');
  const abstract =
    'We show that the corals of the northern reef lost more than half of their cover after the heat of 2016, and that few of them have come back since.';
  assert.equal(section([], abstract, { index: 0 }), 'body');
  assert.equal(section([], `${names}\n${abstract}`, { index: 0 }), 'body');
  // A lower-case title reads like a sentence; the text below it decides.
  const title = 'A scalable model of how the corals of the north came back after the heat';
  const under = (text: string): Section =>
    section([], `${title}\n\n${text}`, { index: 0, title, kinds: ['title', 'text'] });
  assert.equal(under('Mateo Gupta and Rosa Kimura\n\nUniversity of Cedar · University of Pinewood'), 'front');
  assert.equal(under('Ana Berg'), 'front');
  assert.equal(under('It was warm.'), 'body');
  assert.equal(under(abstract), 'body');
  assert.equal(section([], title, { index: 0, title, kinds: ['title'] }), 'body');
  assert.equal(
    section(
      [],
      'Мы показали, что кораллы северного рифа потеряли более половины своего покрова после жары и с тех пор не восстановились.',
      { index: 0 },
    ),
    'body',
  );
  assert.equal(
    section(
      [],
      'Wir zeigen, dass die Korallen des nördlichen Riffs nach der Hitze mehr als die Hälfte ihrer Fläche verloren haben und sich seither kaum erholt haben.',
      { index: 0 },
    ),
    'body',
  );
  assert.equal(section([], 'Penguins march over the ice.', { index: 0 }), 'body');
  // Later in a document without headings, a list of names is body text.
  assert.equal(section([], names, { index: 9 }), 'body');
});

test('only comparative questions prefer texts that report findings', () => {
  const weight = findingWeight('Does aspirin reduce headache more than placebo?', 2);
  assert.equal(weight?.('It was significantly lower than with placebo.'), 1);
  assert.ok((weight?.('Patients were given aspirin.') ?? 1) < (weight?.('It was lower.') ?? 0));
  for (const question of ['aspirin versus placebo', 'Which symbionts tolerate heat?', 'How was the effect measured?'])
    assert.equal(findingWeight(question), undefined, question);
});

test('a question about findings prefers results, one about methods prefers methods, and keywords prefer neither', () => {
  for (const question of [
    'How did drug A compare with placebo?',
    'Which symbionts tolerate heat?',
    'Do corals recover',
  ]) {
    const { methods = 1, results = 1, abstract = 1, body = 1 } = sectionWeights(question);
    assert.ok(methods < results && results === abstract && results === body, question);
  }
  for (const question of ['How was bleaching measured?', 'Which statistical software did they use?']) {
    const { methods = 1, results = 1, introduction = 1 } = sectionWeights(question);
    assert.ok(methods > results && results > introduction, question);
  }
  for (const text of ['coral bleaching heat', 'What is bleaching?', 'why do corals bleach?', ''])
    assert.deepEqual(sectionWeights(text), {}, text);
});
