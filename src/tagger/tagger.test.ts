import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { writeTaggerGraph } from '../../scripts/model-graph.ts';
import { packageRoot } from '../base/index.ts';
import { openTagger } from './tagger.ts';

const tagger = await openTagger({ threads: 1 });
after(() => tagger[Symbol.asyncDispose]());

async function entitiesOf(sentence: string): Promise<string[]> {
  const { entities } = await tagger.read(sentence);
  return entities
    .filter(({ sure }) => sure > 0.8)
    .map(({ label, start, end }) => `${label} ${sentence.slice(start, end)}`);
}

test('the graph is the one that the weights and the script make', () => {
  const committed = readFileSync(join(packageRoot(), 'models', 'tagger.onnx'));
  assert.ok(committed.equals(writeTaggerGraph()), 'run npm run models');
});

test('a sentence has entities with their places', async () => {
  assert.deepEqual(await entitiesOf('Camphor inhibited Escherichia coli but not TNF-α in patients with malaria.'), [
    'disease malaria',
    'chemical Camphor',
    'gene TNF-α',
    'organism Escherichia coli',
    'organism patients',
    'population patients with',
  ]);
  assert.deepEqual(await entitiesOf('The rest of this paper is organised as follows.'), []);
  assert.deepEqual(await entitiesOf(''), []);
});

test('a sentence that cites says why', async () => {
  const { intent } = await tagger.read(
    'Concentrations were determined by the method of Bradford (12), with albumin as the standard.',
  );
  assert.equal(intent.intent, 'method');
  assert.ok(intent.sure > 0.9);
});

test('the property, the entity and the unit of a quantity are those of the quantity asked about', async () => {
  const sentence = 'The mean temperature of the lake was 12 °C, and its depth was 40 m.';
  const rolesAt = async (printed: string): Promise<Record<string, string>> => {
    const start = sentence.indexOf(printed);
    const roles = await tagger.rolesOf(sentence, { start, end: start + printed.length });
    return Object.fromEntries(roles.map(({ label, start: from, end }) => [label, sentence.slice(from, end)]));
  };
  assert.equal((await rolesAt('40 m'))['unit'], 'm');
  assert.match((await rolesAt('40 m'))['property'] ?? '', /depth/);
  assert.match((await rolesAt('12 °C'))['property'] ?? '', /temperature/);
});

test('a sentence longer than the model reads is read as far as that', async () => {
  const long = `Malaria kills. ${'Nothing else was found in any of these places. '.repeat(60)}`;
  assert.deepEqual((await entitiesOf(long))[0], 'disease Malaria');
});
