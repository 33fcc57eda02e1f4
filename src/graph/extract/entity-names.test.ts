import assert from 'node:assert/strict';
import { test } from 'node:test';

import { entityName, shortSpecies, speciesInitial } from './entity-names.ts';

test('case, hyphens, Greek letters, accents and plurals make no other name', () => {
  const same = [
    ['TNF-α', 'TNF alpha', 'tnf-alpha'],
    ['IL-6', 'IL6', 'IL 6'],
    ['COVID-19', 'Covid 19'],
    ['São Paulo', 'Sao Paulo'],
    ['monoclonal antibodies', 'Monoclonal antibody'],
    ['coronaviruses', 'coronavirus'],
    ['CD4+ T cells', 'CD4+ T cell'],
    ['β-pinene', 'Beta-Pinene'],
    ["Alzheimer's disease", 'Alzheimer’s disease', 'Alzheimer disease'],
    ['Polyketide synthases', 'polyketide synthase'],
    ['Terpenoids', 'terpenoid'],
    ['lymphomas', 'Lymphoma'],
    ['papilloma virus', 'papillomavirus'],
    ['dimethyl sulphoxide', 'dimethyl sulfoxide'],
    ['oedema', 'edema'],
  ];
  for (const [first = '', ...others] of same)
    for (const other of others) assert.equal(entityName(other), entityName(first), `${first} ${other}`);
});

test('what differs in more than its form is another name', () => {
  const different = [
    ['IL-6', 'IL-16'],
    ['AIDS', 'AID'],
    ['α-pinene', 'β-pinene'],
    ['diabetes', 'diabete'],
    ['Streptococcus pyogenes', 'Streptococcus pyogene'],
    ['Aedes', 'Aede'],
    ['C. elegans', 'C. elegan'],
    ['Pseudomonas', 'Pseudomona'],
    ['CD4+', 'CD4'],
    ['1,2-dichloroethane', '12-dichloroethane'],
    ['H1N1', 'H11'],
  ];
  for (const [a = '', b = ''] of different) assert.notEqual(entityName(a), entityName(b));
});

test('a species and its short form have the same initial', () => {
  assert.equal(speciesInitial('Escherichia coli'), 'E. coli');
  assert.equal(speciesInitial('Escherichia coli O157'), 'E. coli');
  assert.equal(shortSpecies('E.coli K-12'), 'E. coli');
  assert.equal(shortSpecies('E. coli'), 'E. coli');
  assert.equal(speciesInitial('heat shock'), undefined);
  assert.equal(shortSpecies('vitamin E. coli'), undefined);
});
