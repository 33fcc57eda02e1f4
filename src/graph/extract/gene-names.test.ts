import assert from 'node:assert/strict';
import { test } from 'node:test';

import { bareGene, isGene } from './gene-names.ts';

test('the name of a gene has no count, no sign of a list, no "gene" behind its symbol', () => {
  for (const [printed, name] of [
    ['15 monoterpene synthases', 'monoterpene synthases'],
    ['two (-)-pinene synthases', '(-)-pinene synthases'],
    ['5 alpha-reductase', '5 alpha-reductase'],
    ['(ii) esterase', 'esterase'],
    ['(E)-farnesene synthase', '(E)-farnesene synthase'],
    ['wild-type HA', 'HA'],
    ['matK gene product', 'matK'],
    ['TP53 gene', 'TP53'],
    ['ndh genes', 'ndh'],
    ['p50 homodimers', 'p50'],
    ['IV gamma globulin', 'gamma globulin'],
    ['MCP monocyte chemoattractant protein', 'monocyte chemoattractant protein'],
    ['M1 matrix protein', 'M1 matrix protein'],
    ['RNA polymerase subunits', 'RNA polymerase'],
    ['VvGuaS enzyme', 'VvGuaS'],
    ['HA0 protein', 'HA0'],
    ['G protein', 'G protein'],
    ['C-reactive protein', 'C-reactive protein'],
    ['gene VvTPS24', 'VvTPS24'],
    ['N gene', 'N gene'],
    ['insulin gene', 'insulin gene'],
    ['H1 HAs. a', 'H1 HAs'],
    ['cytochrome P450s (26)', 'cytochrome P450s'],
  ] as const) {
    const { start, end } = bareGene(printed);
    assert.equal(printed.slice(start, end), name);
  }
});

test('parts, kinds, mutants and sugars are no genes', () => {
  const none =
    'HA receptor binding region; PB1 RNA segment; PB1 codon 40; gene segment II; TPS-d subfamily; photosystem II genes; lectin-like; S3-type protein; human- and avian-type receptors; PSII-associated proteins; E190D; V600E; PDB code 1rvx; ACA68070.1; Siaα2-3Gal receptors; α2-6; tRNAs; crRNA; NAT2*5/*7; tyrosine kinase inhibitor; synthase; protein 2; plant hormone; Salvia pomifera; nad1–7 and 9; cl6054.contig4';
  assert.deepEqual(none.split('; ').filter(isGene), []);
  const genes = [
    'Toll-like receptors',
    'S100P',
    'β1,4-galactosyltransferase',
    'pregnancy-associated plasma protein',
    'fatty acid-binding protein',
    'α2-macroglobulin',
    'trnP-GGG',
    'N gene',
    'trypsin inhibitor',
    'Interferon alpha',
    'interleukin-1 receptor antagonist',
    'growth hormone',
  ];
  assert.deepEqual(
    genes.filter((each) => !isGene(each)),
    [],
  );
});
