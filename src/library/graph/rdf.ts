import { EDGE_KINDS } from '../../graph/index.ts';
import type { EdgeKind, NodeKind } from '../../graph/index.ts';
import type { Graph } from './graph.ts';
import type { NodeRow } from './types.ts';

// The graph as RDF. A node has the address that the world gives it (DOI, ORCID, ROR, a term of your vocabulary), else one of
// ours. Each edge is a triple, and once more a statement that is derived from its sentences, in the words of PROV:
//
//   <work> d:names <entity> .
//   <edge> a rdf:Statement ; rdf:subject <work> ; rdf:predicate d:names ; rdf:object <entity> ; prov:wasDerivedFrom <evidence> .
//   <evidence> a prov:Entity ; prov:value "the sentence" ; prov:wasQuotedFrom <document> ; d:page 3 .
//
// N-Quads has each edge also in the graph of every document or record that says it.

const PREFIXES = {
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  schema: 'https://schema.org/',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  prov: 'http://www.w3.org/ns/prov#',
  d: 'https://docstokg.github.io/docstokg/graph#',
  field: 'https://docstokg.github.io/docstokg/field#',
} as const;

/** Classes of the world for kinds of nodes. */
const CLASSES: Readonly<Partial<Record<NodeKind, string>>> = {
  work: 'schema:ScholarlyArticle',
  author: 'schema:Person',
  institution: 'schema:Organization',
  funder: 'schema:Organization',
  organisation: 'schema:Organization',
  venue: 'schema:Periodical',
  topic: 'skos:Concept',
  term: 'skos:Concept',
  software: 'schema:SoftwareApplication',
  dataset: 'schema:Dataset',
  place: 'schema:Place',
};

type Value =
  | { readonly iri: string }
  | { readonly name: string }
  | { readonly text: string }
  | { readonly number: number }
  | { readonly is: boolean }
  | { readonly time: string };

/** What is said of one thing; predicates and classes are names with a prefix. */
interface Description {
  readonly iri: string;
  readonly said: readonly (readonly [predicate: string, value: Value])[];
}

/** Turtle: a description each. */
export function* turtle(graph: Graph): Generator<string> {
  for (const [prefix, iri] of Object.entries(PREFIXES)) yield `@prefix ${prefix}: <${iri}> .\n`;
  yield '\n';
  for (const { iri, said } of descriptions(graph))
    yield `<${iri}> ${said.map(([predicate, value]) => `${predicate} ${turtleTerm(value)}`).join(' ;\n  ')} .\n`;
}

/** N-Quads: a triple each; edges also in the graphs of the documents that say them. */
export function* nQuads(graph: Graph): Generator<string> {
  for (const { iri, said } of descriptions(graph))
    for (const [predicate, value] of said) yield `<${iri}> <${whole(predicate)}> ${plainTerm(value)} .\n`;
  for (const { source, kind, target, owner } of graph.store.iterate<EdgeRow & { owner: string }>(
    `SELECT DISTINCT sources.id AS source, evidence.kind AS kind, targets.id AS target, evidence.owner AS owner FROM evidence
     JOIN nodes AS sources ON sources.node = evidence.source JOIN nodes AS targets ON targets.node = evidence.target
     ORDER BY owner, evidence.source, evidence.kind, evidence.target`,
  ))
    yield `<${nodeIri(source)}> <${whole(`d:${kind}`)}> <${nodeIri(target)}> <${documentIri(owner)}> .\n`;
}

/** JSON-LD with its context inside, so that nothing is fetched to read it. */
export function* jsonLd(graph: Graph): Generator<string> {
  yield `{"@context":${JSON.stringify(PREFIXES)},"@graph":[\n`;
  let separator = '';
  for (const { iri, said } of descriptions(graph)) {
    const object: Record<string, unknown> = { '@id': iri };
    for (const [predicate, group] of Map.groupBy(said, ([name]) => name)) {
      const values = group.map(([, value]) => value);
      const isType = predicate === 'rdf:type';
      object[isType ? '@type' : predicate] = values.map((value) =>
        isType && 'name' in value ? value.name : jsonTerm(value),
      );
    }
    yield separator + JSON.stringify(object);
    separator = ',\n';
  }
  yield '\n]}\n';
}

function* descriptions(graph: Graph): Generator<Description> {
  const { store } = graph;
  for (const [kind, meaning] of Object.entries(EDGE_KINDS))
    yield {
      iri: whole(`d:${kind}`),
      said: [
        ['rdf:type', { name: 'rdf:Property' }],
        ['rdfs:comment', { text: meaning }],
      ],
    };
  for (const row of store.iterate<NodeRow>('SELECT * FROM nodes ORDER BY node')) yield nodeDescription(row);
  for (const { source, kind, target } of store.iterate<EdgeRow>(EDGES))
    yield { iri: nodeIri(source), said: [[`d:${kind}`, { iri: nodeIri(target) }]] };
  for (const row of store.iterate<EdgeRow & { from: string; to: string }>(EDGES)) yield edgeDescription(row);
  for (const owner of store.iterate<{ owner: string }>('SELECT owner FROM graph_sources ORDER BY owner'))
    yield documentDescription(owner.owner);
  for (const row of store.iterate<EvidenceRow>(
    `SELECT owner, part, number, source, kind, target, method, version, score, quote, page, origin, read_at AS readAt
     FROM evidence ORDER BY owner, part, number`,
  ))
    yield* evidenceDescriptions(row);
}

interface EdgeRow {
  readonly source: string;
  readonly kind: EdgeKind;
  readonly target: string;
}

const EDGES = `SELECT sources.id AS source, edges.kind AS kind, targets.id AS target, edges.source AS "from", edges.target AS "to"
  FROM edges JOIN nodes AS sources ON sources.node = edges.source JOIN nodes AS targets ON targets.node = edges.target
  ORDER BY edges.source, edges.kind, edges.target`;

interface EvidenceRow extends EdgeRow {
  readonly owner: string;
  readonly part: string;
  readonly number: number;
  readonly method: string;
  readonly version: number;
  readonly score: number;
  readonly quote: string | null;
  readonly page: number | null;
  readonly origin: string | null;
  readonly readAt: string | null;
}

function nodeDescription({ id, kind, label, year, data }: NodeRow): Description {
  const other = CLASSES[kind];
  return {
    iri: nodeIri(id),
    said: [
      ['rdf:type', { name: `d:${className(kind)}` }],
      ...(other === undefined ? [] : [['rdf:type', { name: other }] as const]),
      ['rdfs:label', { text: label }],
      ['d:id', { text: id }],
      ...(year === null ? [] : [['d:year', { number: year }] as const]),
      ...fieldsOf(JSON.parse(data) as object),
    ],
  };
}

/** The class of a kind of nodes: `d:Finding`. */
function className(kind: string): string {
  return kind.slice(0, 1).toUpperCase() + kind.slice(1);
}

/** What else is known of a node, where it is text, a number, or a list of these. */
function fieldsOf(data: object): [string, Value][] {
  return Object.entries(data).flatMap(([name, value]) =>
    [value].flat().flatMap((each): [string, Value][] => {
      if (typeof each === 'string' && each !== '') return [[`field:${name}`, { text: each }]];
      if (typeof each === 'number' && Number.isFinite(each)) return [[`field:${name}`, { number: each }]];
      return typeof each === 'boolean' ? [[`field:${name}`, { is: each }]] : [];
    }),
  );
}

function edgeDescription({ source, kind, target, from, to }: EdgeRow & { from: string; to: string }): Description {
  return {
    iri: edgeIri(from, kind, to),
    said: [
      ['rdf:type', { name: 'rdf:Statement' }],
      ['rdf:type', { name: 'prov:Entity' }],
      ['rdf:subject', { iri: nodeIri(source) }],
      ['rdf:predicate', { name: `d:${kind}` }],
      ['rdf:object', { iri: nodeIri(target) }],
    ],
  };
}

function documentDescription(owner: string): Description {
  return {
    iri: documentIri(owner),
    said: [
      ['rdf:type', { name: 'prov:Entity' }],
      ['rdfs:label', { text: owner }],
    ],
  };
}

function* evidenceDescriptions(row: EvidenceRow): Generator<Description> {
  const { owner, part, number, source, kind, target, method, version, score, quote, page, origin, readAt } = row;
  const iri = `urn:docstokg:evidence:${escaped(`${owner}#${part}#${number}`)}`;
  yield { iri: edgeIri(source, kind, target), said: [['prov:wasDerivedFrom', { iri }]] };
  yield {
    iri,
    said: [
      ['rdf:type', { name: 'prov:Entity' }],
      ...(quote === null ? [] : [['prov:value', { text: quote }] as const]),
      [quote === null ? 'prov:wasDerivedFrom' : 'prov:wasQuotedFrom', { iri: documentIri(owner) }],
      ...(page === null ? [] : [['d:page', { number: page }] as const]),
      ...(origin === null ? [] : [['d:origin', { text: origin }] as const]),
      ...(readAt === null ? [] : [['prov:generatedAtTime', { time: readAt }] as const]),
      ['d:method', { text: `${method} ${version}` }],
      ['d:score', { number: score }],
    ],
  };
}

/** Addresses that others give to things, by the beginning of the id of their nodes. */
const KNOWN: readonly (readonly [id: RegExp, address: string])[] = [
  [/^work:doi:(.+)$/s, 'https://doi.org/'],
  [/^work:openalex:(W\d+)$/, 'https://openalex.org/'],
  [/^work:arxiv:(.+)$/s, 'https://arxiv.org/abs/'],
  [/^work:pmid:(\d+)$/, 'https://pubmed.ncbi.nlm.nih.gov/'],
  [/^author:orcid:([\dX-]+)$/, 'https://orcid.org/'],
  [/^(?:institution|funder):ror:(\w+)$/, 'https://ror.org/'],
  [/^topic:(T\d+)$/, 'https://openalex.org/'],
  [/^term:vocabulary:(https?:\/\/.+)$/s, ''],
];
/** An id of an OBO ontology: `MONDO:0005148`. */
const OBO = /^term:vocabulary:([A-Za-z]+):(\d+)$/;

/** The address of a node. */
export function nodeIri(id: string): string {
  for (const [pattern, address] of KNOWN) {
    const name = pattern.exec(id)?.[1];
    if (name !== undefined) return address + escaped(name);
  }
  const [, ontology, number] = OBO.exec(id) ?? [];
  return ontology === undefined
    ? `urn:docstokg:node:${escaped(id)}`
    : `http://purl.obolibrary.org/obo/${ontology}_${number ?? ''}`;
}

function edgeIri(source: string, kind: string, target: string): string {
  return `urn:docstokg:edge:${source}:${kind}:${target}`;
}

function documentIri(owner: string): string {
  return owner.startsWith('record:')
    ? `urn:docstokg:record:${escaped(owner.slice('record:'.length))}`
    : `urn:docstokg:document:${escaped(owner)}`;
}

/** Text as a part of an address. */
function escaped(text: string): string {
  return encodeURI(text.toWellFormed()).replaceAll(/[#?^`{}|\\]/g, (sign) => encodeURIComponent(sign));
}

/** The address of a name with a prefix. */
function whole(name: string): string {
  const [prefix = '', local = ''] = name.split(':');
  return (PREFIXES[prefix as keyof typeof PREFIXES] ?? '') + local;
}

function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007F');
}

function turtleTerm(value: Value): string {
  if ('name' in value) return value.name;
  if ('iri' in value) return `<${value.iri}>`;
  if ('text' in value) return quoted(value.text);
  return 'is' in value ? String(value.is) : literal(value, (type) => `xsd:${type}`);
}

function plainTerm(value: Value): string {
  if ('name' in value) return `<${whole(value.name)}>`;
  if ('iri' in value) return `<${value.iri}>`;
  return 'text' in value ? quoted(value.text) : literal(value, (type) => `<${whole(`xsd:${type}`)}>`);
}

function jsonTerm(value: Value): unknown {
  if ('name' in value) return { '@id': whole(value.name) };
  if ('iri' in value) return { '@id': value.iri };
  if ('text' in value) return { '@value': value.text.toWellFormed() };
  const { text, type } = typed(value);
  return { '@value': text, '@type': `xsd:${type}` };
}

function literal(
  value: Exclude<Value, { name: string } | { iri: string } | { text: string }>,
  named: (type: string) => string,
): string {
  const { text, type } = typed(value);
  return `"${text}"^^${named(type)}`;
}

function typed(value: Exclude<Value, { name: string } | { iri: string } | { text: string }>): {
  readonly text: string;
  readonly type: string;
} {
  if ('time' in value) return { text: value.time, type: 'dateTime' };
  if ('is' in value) return { text: String(value.is), type: 'boolean' };
  return { text: String(value.number), type: Number.isInteger(value.number) ? 'integer' : 'double' };
}
