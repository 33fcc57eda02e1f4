import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Block } from '../../parse/index.ts';
import { extractQuantities, findDatasets } from './facts.ts';
import { findQuantities } from './quantities.ts';
import { Reading, Statements } from './reading.ts';
import type { TaggedDocument } from './tagging.ts';
import { placeKey } from './tagging.ts';

/** Label and score of the quantities of a paragraph, where the tagger gives every quantity these words as its roles. */
function quantities(
  text: string,
  roles: { readonly property?: string; readonly measured?: string; readonly sure?: number } = {},
  heading = 'Results',
): readonly (readonly unknown[])[] {
  const blocks = [
    { kind: 'heading', text: heading, level: 1, order: 0, regions: [] },
    { kind: 'text', text, order: 1, regions: [] },
  ] satisfies Block[];
  const metadata = { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } };
  const reading = new Reading('paper', { pages: [], blocks, metadata }, null);
  const labelled = (['property', 'measured'] as const).flatMap((label) => {
    const words = roles[label];
    const start = words === undefined ? -1 : text.indexOf(words);
    return words === undefined ? [] : [{ label, start, end: start + words.length, sure: roles.sure ?? 0.99 }];
  });
  const tagged: TaggedDocument = {
    entities: [],
    cells: [],
    intents: new Map(),
    roles: new Map(findQuantities(text).map(({ start }) => [placeKey(1, start), labelled])),
  };
  const say = new Statements(reading);
  extractQuantities(reading, say, tagged);
  return say.edges.map(({ target, evidence }) => [say.nodes.find(({ id }) => id === target)?.label, evidence.score]);
}

test('a value has the words that the tagger gives it, whole; counts are surer than values', () => {
  assert.deepEqual(
    quantities('The mean depth of the ponds was 12 m in May.', { property: 'depth', measured: 'ponds' }),
    [['depth · 12 m · ponds', 0.6]],
  );
  assert.deepEqual(
    quantities('The bio-oxygen of the ponds was 12 m.', { property: 'oxygen', measured: 'ponds' }).map(
      ([label]) => label,
    ),
    ['bio-oxygen · 12 m · ponds'],
  );
  assert.deepEqual(quantities('We took 30 samples.'), [['30 · samples', 0.9]]);
  assert.deepEqual(quantities('Indole-3-butyric acid was 400 ppm.', { property: '-3', measured: 'Indole' }), [
    ['400 ppm · Indole-3-butyric', 0.6],
  ]);
  assert.deepEqual(quantities('It was freeze-dried at 5 mbar.', { property: 'freeze' }), []);
  assert.deepEqual(quantities('About 95% conserved genes were there.', { measured: 'conserved' }), []);
  assert.deepEqual(
    quantities('The depth of the ponds was 12 m.', { property: 'depth', measured: 'ponds', sure: 0.7 }),
    [['12 m · ponds', 0.6]],
  );
});

test('probabilities, levels of intervals, masses of ions, times of day and supplements are no quantities', () => {
  for (const text of [
    'The effect on mice was clear (p = 0.02).',
    'The rate of mice was 5 (95% CI 3 to 7).',
    'The ion of mice was seen at m/z = 59.049.',
    'The mice were fed at 18:00 pm.',
  ])
    assert.ok(!quantities(text, { measured: 'mice' }).some(([label]) => /0\.02|95|59|00/.test(String(label))), text);
  assert.deepEqual(quantities('A table of mice has 2 MB.', { measured: 'mice' }, 'Supplementary Material'), []);
});

test('data sets are found by accession, DOI and RRID, software by the URL of its source', () => {
  const text =
    'Reads are in GSE12345 and PRJNA400123 (PDB ID 1abc; doi 10.5281/zenodo.1234567.), made with ImageJ (RRID:SCR_003070) ' +
    'and antibodies (RRID: AB_123456), see https://github.com/Some/Tool.';
  assert.deepEqual(
    findDatasets(text).map(({ kind, id }) => `${kind} ${id}`),
    [
      'dataset geo:GSE12345',
      'dataset bioproject:PRJNA400123',
      'dataset pdb:1ABC',
      'dataset doi:10.5281/zenodo.1234567',
      'software rrid:SCR_003070',
      'material rrid:AB_123456',
      'software url:github.com/some/tool',
    ],
  );
  assert.deepEqual(findDatasets('Groups GSE and NCT1 of 10.1000/182 are none.'), []);
});
