import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Contribution, EdgeKind, EdgeStatement, NodeStatement } from '../schema.ts';
import { linkFindings } from './link-findings.ts';

test('the parts of a finding lead to what the paper names, the longest name first', () => {
  const finding = {
    subject: 'essential oils of E. coli strains',
    relation: 'inhibits',
    object: 'tumour necrosis factor in TNF-α cells',
    population: 'women with lung cancers',
    comparator: null,
  };
  const node = (id: string, label: string, data = {}): NodeStatement => ({
    id,
    label,
    data,
    year: null,
    rank: 1,
    kind: id.split(':')[0] as NodeStatement['kind'],
  });
  const edge = (kind: EdgeKind, target: string, printed: string): EdgeStatement => ({
    source: 'work:doi:a',
    kind,
    target,
    evidence: {
      place: { kind: 'metadata', origin: 'test', readAt: null },
      method: 'test',
      version: 1,
      score: 0.9,
      detail: { printed },
    },
  });
  const said: Contribution = {
    owner: 'a',
    work: 'work:doi:a',
    fileSha256: null,
    references: [],
    nodes: [
      node('finding:1', 'finding', finding),
      node('organism:name:escherichia coli', 'Escherichia coli'),
      node('gene:name:tnf alpha', 'TNF-α'),
      node('disease:name:lung cancer', 'lung cancer'),
      node('disease:name:cancer', 'cancer'),
    ],
    edges: [
      edge('states', 'finding:1', ''),
      edge('names', 'organism:name:escherichia coli', 'E. coli'),
      edge('names', 'gene:name:tnf alpha', 'TNF-α'),
      edge('names', 'disease:name:lung cancer', 'lung cancer'),
      edge('names', 'disease:name:cancer', 'cancer'),
    ],
  };
  const links = linkFindings(said).edges.filter(({ source }) => source === 'finding:1');
  assert.deepEqual(
    links.map(({ kind, target }) => [kind, target]),
    [
      ['has_subject', 'organism:name:escherichia coli'],
      ['has_object', 'gene:name:tnf alpha'],
      ['in_population', 'disease:name:lung cancer'],
    ],
  );
  assert.deepEqual(links[0]?.evidence.detail, { name: 'e coli' });
});
