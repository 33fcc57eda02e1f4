import type { Graph } from '../ask/graph.ts';
import { communities } from '../ask/ranking.ts';
import type { ExportedNode } from './rows.ts';
import { edgesOf, nodesOf } from './rows.ts';

/** Works and their citations as a network for VOSviewer: groups are clusters, citations within the graph are weights. */
export function* vosViewer(graph: Graph): Generator<string> {
  const cluster = communities(graph.database);
  const cited = new Map<string, number>();
  for (const { target } of edgesOf(graph, 'cites')) cited.set(target, (cited.get(target) ?? 0) + 1);
  yield '{"network":{"items":[\n';
  let first = true;
  for (const node of nodesOf(graph, 'work')) {
    if (!cluster.has(node.node)) continue;
    const item = {
      id: node.node,
      label: shortLabel(node),
      description: node.label,
      cluster: (cluster.get(node.node) ?? 0) + 1,
      weights: { Citations: cited.get(node.node) ?? 0 },
      ...(node.year !== null && { scores: { 'Publication year': node.year } }),
    };
    yield `${first ? '' : ',\n'}${JSON.stringify(item)}`;
    first = false;
  }
  yield '],"links":[\n';
  first = true;
  for (const { source, target } of edgesOf(graph, 'cites')) {
    yield `${first ? '' : ',\n'}${JSON.stringify({ source_id: source, target_id: target, strength: 1 })}`;
    first = false;
  }
  yield ']}}\n';
}

/** "Silva (2010)", or the beginning of the title. */
export function shortLabel(node: Pick<ExportedNode, 'label' | 'year' | 'data'>): string {
  const { authors = [] } = JSON.parse(node.data) as { readonly authors?: readonly string[] };
  const name = authors[0]?.replace(/\s\p{Lu}{1,4}$/u, '');
  return name === undefined ? node.label.slice(0, 40) : `${name} (${node.year ?? 'n.d.'})`;
}

const CONTEXT = {
  '@vocab': 'https://schema.org/',
  cito: 'http://purl.org/spar/cito/',
  cites: { '@id': 'cito:cites', '@type': '@id' },
  citation: { '@type': '@id' },
  author: { '@type': '@id' },
  about: { '@type': '@id' },
  isPartOf: { '@type': '@id' },
  funder: { '@type': '@id' },
  affiliation: { '@type': '@id' },
  mentions: { '@type': '@id' },
  sameAs: { '@type': '@id' },
};
const TYPES: Readonly<Record<string, string>> = {
  work: 'ScholarlyArticle',
  author: 'Person',
  institution: 'Organization',
  venue: 'Periodical',
  funder: 'Organization',
  topic: 'DefinedTerm',
  term: 'DefinedTerm',
  dataset: 'Dataset',
  software: 'SoftwareApplication',
};
const PROPERTIES: Readonly<Record<string, string>> = {
  cites: 'cites',
  authored_by: 'author',
  published_in: 'isPartOf',
  funded_by: 'funder',
  about: 'about',
  defines: 'about',
  uses: 'mentions',
  affiliated_with: 'affiliation',
  same_as: 'sameAs',
};

/** Works, people, places and notions as JSON-LD in the words of schema.org; citations in those of CiTO as well. */
export function* jsonLd(graph: Graph): Generator<string> {
  yield `{"@context":${JSON.stringify(CONTEXT)},"@graph":[\n`;
  const edges = graph.database.prepare(
    'SELECT kind, nodes.id AS id FROM edges JOIN nodes ON nodes.node = edges.target WHERE source = ? ORDER BY edges.kind, nodes.id'.replace(
      'SELECT kind',
      'SELECT edges.kind AS kind',
    ),
  );
  let first = true;
  for (const node of nodesOf(graph)) {
    const type = TYPES[node.kind];
    if (type === undefined) continue;
    const said: Record<string, unknown> = {
      '@id': iriOf(node.id),
      '@type': type,
      name: node.label,
      ...(node.year !== null && { datePublished: String(node.year) }),
    };
    for (const row of edges.all(node.node)) {
      const property = PROPERTIES[String(row['kind'])];
      if (property === undefined) continue;
      const targets = (said[property] as string[] | undefined) ?? [];
      said[property] = [...targets, iriOf(String(row['id']))];
    }
    yield `${first ? '' : ',\n'}${JSON.stringify(said)}`;
    first = false;
  }
  yield ']}\n';
}

/** An id as an address where there is one, else as a name of ours. */
function iriOf(id: string): string {
  const [, doi] = /^[a-z]+:doi:(.+)$/.exec(id) ?? [];
  if (doi !== undefined) return `https://doi.org/${encodeURI(doi)}`;
  const [, orcid] = /^author:orcid:(.+)$/.exec(id) ?? [];
  if (orcid !== undefined) return `https://orcid.org/${orcid}`;
  const [, openalex] = /^[a-z]+:openalex:(.+)$/.exec(id) ?? [];
  return openalex === undefined ? `urn:docstokg:${encodeURIComponent(id)}` : `https://openalex.org/${openalex}`;
}
