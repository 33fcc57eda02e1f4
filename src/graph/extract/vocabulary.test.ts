import assert from 'node:assert/strict';
import { test } from 'node:test';

import { changeGraph, graphOf, memoryStore } from '../../../test/support/graph.ts';
import type { Block } from '../../parse/index.ts';
import { extractDocument } from './extract-document.ts';
import { withWork } from './reading.ts';
import { Vocabulary, parseVocabulary } from './vocabulary.ts';

test('vocabularies are read from tables, SKOS and OBO', async () => {
  assert.deepEqual(await parseVocabulary('id,name,synonyms\nX:1,"coral, stony",scleractinia|hard coral\n', '.csv'), [
    { id: 'X:1', name: 'coral, stony', synonyms: ['scleractinia', 'hard coral'] },
  ]);
  assert.deepEqual(
    (await parseVocabulary('coral reef\nheat wave\n', '.csv')).map(({ name }) => name),
    ['coral reef', 'heat wave'],
  );
  const turtle = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix ex: <http://example.org/> .
    # a comment
    ex:reef a skos:Concept ; skos:prefLabel "récif corallien"@fr , "coral reef"@en ; skos:altLabel "reef"@en .
    <http://example.org/heat> skos:prefLabel "heat" .`;
  assert.deepEqual(await parseVocabulary(turtle, '.ttl'), [
    { id: 'http://example.org/reef', name: 'coral reef', synonyms: ['récif corallien', 'reef'] },
    { id: 'http://example.org/heat', name: 'heat', synonyms: [] },
  ]);
  const obo =
    'format-version: 1.2\n\n[Term]\nid: GO:1\nname: heat response\nsynonym: "response to heat" EXACT []\n\n[Term]\nid: GO:2\nname: gone\nis_obsolete: true\n\n[Typedef]\nid: part_of\nname: part of\n';
  assert.deepEqual(await parseVocabulary(obo, '.obo'), [
    { id: 'GO:1', name: 'heat response', synonyms: ['response to heat'] },
  ]);
});

test('the longest entry wins, in any case, singular or plural', () => {
  const vocabulary = new Vocabulary([
    { id: 'a', name: 'coral', synonyms: [] },
    { id: 'b', name: 'coral reef', synonyms: ['reef-building coral'] },
  ]);
  const text = 'Coral reefs and corals: Reef-building coral.';
  assert.deepEqual(
    vocabulary.find(text).map(({ entry, start, end }) => `${entry.id} ${text.slice(start, end)}`),
    ['b Coral reefs', 'a corals', 'b Reef-building coral'],
  );
});

test('names of one entry are one entity across papers, under the id of the vocabulary', () => {
  const vocabulary = new Vocabulary([{ id: 'MONDO:0005252', name: 'heart failure', synonyms: ['cardiac failure'] }]);
  const said = ['Heart failure', 'Cardiac failure'].map((name, at) => {
    const text = `${name} was frequent.`;
    const blocks = [{ kind: 'text', text, order: 0, regions: [] } as unknown as Block];
    const metadata = { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } };
    const entities = [{ block: 0, start: 0, end: name.length, label: 'disease' as const, sure: 0.99 }];
    const tagged = { entities, cells: [], intents: new Map(), roles: new Map() };
    const found = extractDocument(`paper-${at}`, { pages: [], blocks, metadata }, { tagged, vocabulary });
    return withWork(found, `work:doi:10.5555/${at}`);
  });
  using store = memoryStore();
  changeGraph(store, { add: said });
  const graph = graphOf(store);
  assert.deepEqual(
    graph.most('disease').map(({ node, weight }) => [node.id, weight]),
    [['term:vocabulary:MONDO:0005252', 2]],
  );
  assert.equal(graph.find('cardiac failure').id, 'term:vocabulary:MONDO:0005252');
});
