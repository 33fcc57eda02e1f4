import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import jsonld from 'jsonld';
import { Store } from 'oxigraph';
import type { Term } from 'oxigraph';

import type { Said } from '../../../test/support/graph-papers.ts';
import { finding, graphOf, node, paper } from '../../../test/support/graph-papers.ts';
import type { Contribution } from '../../graph/index.ts';
import { Graph } from './graph.ts';
import { jsonLd, nodeIri, nQuads, turtle } from './rdf.ts';

const trust: Said = { edge: 'funded_by', node: node('funder:name:trust', 'funder', 'Wellcome Trust') };
const children: Said = { edge: 'studies', node: node('population:name:c', 'population', 'children with malaria') };
const gad7: Said = {
  edge: 'determines',
  node: node('procedure:1', 'procedure', 'Anxiety · by · GAD-7', { what: 'Anxiety', how: 'GAD-7' }),
};
const missing: Said = { edge: 'cites', node: node('work:doi:10.5555/z', 'work', 'Not here') };

/** A paper that names a disease in another way, and says that both are one. */
function alsoCalled(name: string, other: string): Contribution {
  const said = paper('10.5555/c', 2023, { [`${name} is rare.`]: [`disease ${name}`] });
  const [same] = said.edges.map((edge) => ({
    ...edge,
    source: `disease:name:${name.toLowerCase()}`,
    kind: 'same_as' as const,
    target: `disease:name:${other}`,
  }));
  return same ? { ...said, edges: [...said.edges, same] } : said;
}

/** Papers with what every question asks for, and with signs that a careless writer of RDF breaks at. */
const PAPERS: readonly Contribution[] = [
  paper('10.5555/a<1>{}"x"', 2020, {
    'Rituximab "cured" lymphoma\nin Brazil; α\\β 😀.': ['chemical Rituximab', 'disease lymphoma', 'place Brazil'],
    'Rituximab reduced relapse rates.': ['chemical Rituximab', finding('Rituximab · decreases · relapse rates')],
    'Rituximab shrank lymphoma.': [
      'chemical Rituximab',
      'disease lymphoma',
      finding('Rituximab · decreases · lymphoma'),
    ],
    'We used SPSS.': ['software SPSS', missing],
    'Funded by the Wellcome Trust.': [trust],
  }),
  paper('10.5555/b', 2022, {
    'Rituximab does not cure lymphoma.': ['chemical Rituximab', 'disease lymphoma'],
    'Relapse did not differ.': ['chemical Rituximab', finding('rituximab · no difference · relapse')],
    'We enrolled 12 children with malaria.': ['disease malaria', children, missing],
    'Anxiety was assessed with the GAD-7.': [gad7],
  }),
  alsoCalled('Paludism', 'malaria'),
];

const FORMATS = [
  ['Turtle', turtle, 'text/turtle'],
  ['N-Quads', nQuads, 'application/n-quads'],
  ['JSON-LD', jsonLd, 'application/ld+json'],
] as const;

function load(graph: Graph, [, write, format]: (typeof FORMATS)[number]): Store {
  const store = new Store();
  store.load([...write(graph)].join(''), { format });
  return store;
}

const PREFIXES = readGuide('The questions')[0] ?? '';

/** The rows of a query, each as the texts of its variables. */
function ask(store: Store, query: string): string[][] {
  const rows = store.query(`${PREFIXES}\n${query}`) as Map<string, Term>[];
  return rows.map((row) => [...row.values()].map(({ value }) => value));
}

/** The SPARQL blocks under a heading of the guide. */
function readGuide(heading: string): string[] {
  const guide = readFileSync(new URL('../../../docs/guides/asking-the-graph-in-sparql.md', import.meta.url), 'utf8');
  const [, under = ''] = guide.split(new RegExp(`^##+ ${heading}$`, 'm'));
  return [...(under.split(/^##/m)[0] ?? '').matchAll(/```sparql\n([^`]+)```/g)].map(([, query = '']) => query);
}

for (const format of FORMATS)
  test(`a store that loads ${format[0]} has every node, edge and sentence`, () => {
    using rows = graphOf(...PAPERS);
    const graph = new Graph(rows);
    const store = load(graph, format);
    const { nodes, edges } = graph.stats();
    const kinds = Object.entries(nodes).map(([kind, count]) => [kind, String(count)]);
    assert.deepEqual(
      kinds.map(([kind = '']) => {
        const name = kind.slice(0, 1).toUpperCase() + kind.slice(1);
        return [kind, ask(store, `SELECT (COUNT(DISTINCT ?n) AS ?c) { ?n a d:${name} }`)[0]?.[0]];
      }),
      kinds,
    );
    assert.deepEqual(
      Object.keys(edges).map((kind) => [kind, ask(store, `SELECT (COUNT(*) AS ?c) { ?a d:${kind} ?b }`)[0]?.[0]]),
      Object.entries(edges).map(([kind, count]) => [kind, String(count)]),
    );
    const quotes = rows.column('SELECT quote FROM evidence WHERE quote IS NOT NULL ORDER BY quote');
    const said = 'SELECT ?q { ?s a rdf:Statement ; prov:wasDerivedFrom ?e . ?e prov:value ?q }';
    assert.deepEqual(ask(store, said).flat().sort(), quotes.sort());
  });

test('in N-Quads an edge is also in the graph of the document that says it', () => {
  using rows = graphOf(...PAPERS);
  const store = load(new Graph(rows), FORMATS[1]);
  assert.deepEqual(ask(store, 'SELECT ?g { GRAPH ?g { ?work d:funded_by ?funder } }'), [
    ['urn:docstokg:document:10.5555/a%3C1%3E%7B%7D%22x%22'],
  ]);
});

test('another reader of JSON-LD gets the same triples', async () => {
  using rows = graphOf(...PAPERS);
  const graph = new Graph(rows);
  const document = JSON.parse([...jsonLd(graph)].join('')) as jsonld.JsonLdDocument;
  const read = (await jsonld.toRDF(document, { format: 'application/n-quads' })) as unknown as string;
  const store = new Store();
  store.load(read, { format: 'application/n-quads' });
  assert.equal(store.size, load(graph, FORMATS[0]).size);
});

test('the questions of the guide have the answers that the graph gives', () => {
  using rows = graphOf(...PAPERS);
  const graph = new Graph(rows);
  const store = load(graph, FORMATS[0]);
  const answered = (name: string): string[][] => ask(store, readGuide(name)[0] ?? '').map((row) => row.toSorted());
  const asSet = (rows: readonly (readonly string[])[]) => new Set(rows.map((row) => JSON.stringify(row)));
  const same = (name: string, expected: readonly (readonly string[])[]): void => {
    assert.ok(expected.length > 0, `${name} has no answer in the graph`);
    assert.deepEqual(asSet(answered(name)), asSet(expected.map((row) => row.toSorted())), name);
  };
  const counted = (found: readonly { readonly node: { readonly label: string }; readonly weight: number }[]) =>
    found.map(({ node: { label }, weight }) => [label, String(weight)]);
  same('entities', counted(graph.most('disease')));
  same(
    'about',
    rows
      .all<{ label: string; quote: string }>(
        `SELECT DISTINCT nodes.label, evidence.quote FROM evidence JOIN nodes ON nodes.node = evidence.source
     JOIN nodes AS named ON named.node = evidence.target WHERE named.id = 'chemical:name:rituximab' AND evidence.kind = 'names'`,
      )
      .map(({ label, quote }) => [label, quote]),
  );
  same(
    'beside',
    graph.namedTogether('rituximab', { kind: 'disease' }).map(({ node: { label }, works }) => [label, String(works)]),
  );
  same(
    'effect',
    graph
      .effects('rituximab', 'relapse')
      .map(({ work, direction, evidence }) => [work.label, direction, evidence[0]?.quote ?? '']),
  );
  same(
    'studies',
    graph.worksNaming(['Brazil', 'SPSS']).map((each) => [each.node.label]),
  );
  same(
    'population',
    graph.worksNaming(['children']).map((each) => [each.node.label, 'children with malaria']),
  );
  same(
    'measured',
    graph.measuredHow('anxiety').map(({ work, what, how }) => [work.label, what, how]),
  );
  same(
    'funding',
    graph.funding('lymphoma').map(({ funder, work }) => [funder.label, work.label]),
  );
  same('gaps', counted(graph.gaps()));
  const [, step] = graph.path('rituximab', 'lymphoma') ?? [];
  assert.ok(
    step &&
      answered('path').some((row) => row.includes(step.node.label) && row.includes(step.evidence[0]?.quote ?? '')),
  );
});

test('nodes have the addresses that the world gives them', () => {
  assert.deepEqual(
    ['work:doi:10.1/a b', 'author:orcid:0000-0001-2345-6789', 'funder:ror:01abc', 'term:vocabulary:MONDO:0005148',
      'term:vocabulary:http://example.org/x', 'disease:name:heart failure'].map(nodeIri),
    ['https://doi.org/10.1/a%20b', 'https://orcid.org/0000-0001-2345-6789', 'https://ror.org/01abc',
      'http://purl.obolibrary.org/obo/MONDO_0005148', 'http://example.org/x', 'urn:docstokg:node:disease:name:heart%20failure'],
  ); // prettier-ignore
});
